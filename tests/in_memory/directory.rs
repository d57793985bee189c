//! [`Directory`]: the embedded directory, at the other end of a wire.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use brunt_ldap_server::{Config, InMemory, Operation, Stats};
use brunt_test_program::Ended;

use crate::machine::{Machine, own};
use crate::wire::Wire;

/// Its address, for which its certificate is valid.
const HOST: &str = "10.0.0.2";
/// Where it is, as options.
const AT: [&str; 4] = ["-h", HOST, "-p", "389"];

/// The embedded directory, at `ldap://10.0.0.2:389` and `ldaps://10.0.0.2:636`.
pub(crate) struct Directory(Arc<InMemory>);

impl Directory {
    /// A machine of a directory with so many users.
    pub(crate) fn with(users: usize) -> (Machine, Self) {
        Self::paused(users, Duration::ZERO..Duration::ZERO)
    }

    /// The same with a directory that stands still from one time to another, counted from the start of the machine.
    pub(crate) fn paused(users: usize, pause: Range<Duration>) -> (Machine, Self) {
        let mut machine = Machine::new(7);
        let directory = Self::new(&mut machine, users, pause);
        (machine, directory)
    }

    /// One for the machine of this test.
    pub(crate) fn start(users: usize) -> Self {
        own(|machine| Self::new(machine, users, Duration::ZERO..Duration::ZERO))
    }

    fn new(machine: &mut Machine, users: usize, pause: Range<Duration>) -> Self {
        let config = Config { users, host_names: vec![HOST.to_owned()], ..Config::default() };
        let server = InMemory::new(config, machine.clock()).expect("a directory");
        let (server, wire) = (Arc::new(server), Wire::new(machine.time(), pause));
        for (port, tls) in [(389, false), (636, true)] {
            let server = Arc::clone(&server);
            let distant = wire.leading_to(move |connection| server.serve(connection, tls));
            machine.serve(&format!("{HOST}:{port}"), distant);
        }
        Self(server)
    }

    /// The certificate of the authority that its own is issued by.
    pub(crate) fn ca_pem(&self) -> &str {
        self.0.ca_pem()
    }

    /// What it has received and answered so far.
    pub(crate) fn stats(&self) -> Stats {
        self.0.stats()
    }

    /// How many requests of this kind succeeded.
    pub(crate) fn answered(&self, operation: Operation) -> u64 {
        self.refused(operation, 0)
    }

    /// How many requests of this kind were answered with this code.
    pub(crate) fn refused(&self, operation: Operation, code: u32) -> u64 {
        self.stats().answers_of(operation, code)
    }
}

/// Runs a tool against the directory of a machine.
pub(crate) fn measure(machine: &Machine, tool: &str, line: &[&str]) -> Ended {
    machine.measure(&[&[tool], &AT[..], line].concat())
}
