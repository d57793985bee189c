//! [`Directory`]: the embedded directory, at the other end of a wire.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_ldap_server::{Config, InMemory, Operation};
use brunt_test_program::Ended;
use tokio::io::DuplexStream;

use crate::machine::{Machine, Server, own};
use crate::wire::Wire;

/// Where it is, as options.
const AT: [&str; 4] = ["-h", "10.0.0.2", "-p", "389"];

/// The embedded directory.
pub(crate) struct Directory {
    server: InMemory,
    wire: Wire,
}

impl Directory {
    /// A machine of a directory with so many users.
    pub(crate) fn with(users: usize) -> (Machine, Arc<Self>) {
        Self::paused(users, Duration::ZERO..Duration::ZERO)
    }

    /// The same with a directory that stands still from one time to another, counted from the start of the machine.
    pub(crate) fn paused(users: usize, pause: Range<Duration>) -> (Machine, Arc<Self>) {
        let mut machine = Machine::new(7);
        let directory = Self::new(&mut machine, users, pause);
        (machine, directory)
    }

    /// One for the machine of this test.
    pub(crate) fn start(users: usize) -> Arc<Self> {
        own(|machine| Self::new(machine, users, Duration::ZERO..Duration::ZERO))
    }

    /// One at `ldap://10.0.0.2:389`.
    fn new(machine: &mut Machine, users: usize, pause: Range<Duration>) -> Arc<Self> {
        let config = Config { users, ..Config::default() };
        let server = InMemory::new(config, machine.clock()).expect("a directory");
        let directory = Arc::new(Self { server, wire: Wire::new(machine.time(), pause) });
        machine.serve("10.0.0.2:389", directory.clone());
        directory
    }

    /// How many requests of this kind succeeded.
    pub(crate) fn answered(&self, operation: Operation) -> u64 {
        self.refused(operation, 0)
    }

    /// How many requests of this kind were answered with this code.
    pub(crate) fn refused(&self, operation: Operation, code: u32) -> u64 {
        self.server.stats().answers_of(operation, code)
    }
}

/// Runs a tool against the directory of a machine.
pub(crate) fn measure(machine: &Machine, tool: &str, line: &[&str]) -> Ended {
    machine.measure(&[&[tool], &AT[..], line].concat())
}

impl Server for Directory {
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        let wire = self.wire.clone();
        Box::pin(wire.between(connection, move |far| self.server.serve(far)))
    }
}
