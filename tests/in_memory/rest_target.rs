//! [`RestTarget`]: the embedded identity API, at the other end of a wire.
//!
//! It is used as the one that is a process is (`brunt_test_program`).

use std::sync::Arc;

use brunt_http_server::{Config, InMemory, Script, Stats};
use brunt_test_program::{Seen, scratch};
use tempfile::TempDir;

use crate::machine::{Machine, own};
use crate::wire::Wire;

/// An identity API that logs what it is asked, for the machine of this test. It is on the loopback interface, where
/// cookies that are `Secure` come over HTTP too.
pub(crate) struct RestTarget {
    directory: TempDir,
    server: Arc<InMemory>,
    /// What URLs begin with.
    pub(crate) base: String,
    /// The same of URLs of HTTPS.
    pub(crate) secured: String,
}

impl RestTarget {
    /// One that behaves.
    pub(crate) fn start() -> Self {
        Self::scripted("")
    }

    /// One that follows a script.
    pub(crate) fn scripted(script: &str) -> Self {
        own(|machine| Self::new(machine, None, script))
    }

    /// The same, at an address of a machine.
    pub(crate) fn listen(machine: &mut Machine, address: &str, script: &str) -> Self {
        Self::new(machine, Some(address), script)
    }

    fn new(machine: &mut Machine, address: Option<&str>, script: &str) -> Self {
        let directory = scratch();
        let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
        let log = Some(directory.path().join("log"));
        let config = Config { script: Some(script), log, ..Config::default() };
        let server = Arc::new(InMemory::new(config, machine.clock()).expect("an identity API"));
        let wire = Wire::whole(machine.time());
        let [base, secured] = [("http", false), ("https", true)].map(|(scheme, tls)| {
            let server = Arc::clone(&server);
            let distant = wire.leading_to(move |connection| server.serve(connection, tls));
            match address.filter(|_| !tls) {
                Some(address) => {
                    machine.serve(address, distant);
                    format!("{scheme}://{address}")
                }
                None => format!("{scheme}://{}", machine.serve_locally(distant)),
            }
        });
        Self { directory, server, base, secured }
    }

    /// The certificate of the authority that its own is issued by.
    pub(crate) fn ca_pem(&self) -> &str {
        self.server.ca_pem()
    }

    /// What it has received and answered so far.
    pub(crate) fn stats(&self) -> Stats {
        self.server.stats()
    }

    /// What it was asked, in order.
    pub(crate) fn stop(self) -> Vec<Seen> {
        Seen::of_log(&self.directory.path().join("log"))
    }
}
