//! [`RestTarget`]: the embedded identity API, at the other end of a wire.
//!
//! It is used as the one that is a process is (`brunt_test_program`).

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_http_server::{Config, InMemory, Script};
use brunt_test_program::{Seen, scratch};
use tempfile::TempDir;
use tokio::io::DuplexStream;

use crate::machine::{Server, own};
use crate::wire::Wire;

/// An identity API that logs what it is asked, for the machine of this test.
pub(crate) struct RestTarget {
    directory: TempDir,
    /// What URLs begin with.
    pub(crate) base: String,
}

struct Api {
    server: InMemory,
    wire: Wire,
}

impl RestTarget {
    /// One that behaves.
    pub(crate) fn start() -> Self {
        Self::scripted("")
    }

    /// One that follows a script.
    pub(crate) fn scripted(script: &str) -> Self {
        let directory = scratch();
        let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
        let log = Some(directory.path().join("log"));
        let config = Config { script: Some(script), log, ..Config::default() };
        own(|machine| {
            let address = format!("10.0.1.1:{}", 8_000 + machine.servers());
            let server = InMemory::new(config, machine.clock()).expect("an identity API");
            let wire = Wire::new(machine.time(), Duration::ZERO..Duration::ZERO);
            machine.serve(&address, Arc::new(Api { server, wire }));
            Self { directory, base: format!("http://{address}") }
        })
    }

    /// What it was asked, in order.
    pub(crate) fn stop(self) -> Vec<Seen> {
        Seen::of_log(&self.directory.path().join("log"))
    }
}

impl Server for Api {
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        let wire = self.wire.clone();
        Box::pin(wire.between(connection, move |far| self.server.serve(far)))
    }
}
