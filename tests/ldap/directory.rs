//! [`Directory`]: what a test needs from a server, of either kind, so that one test works with both.

use std::fs;

use brunt_testbed::{OpenDj, Operations, Options, Pki, Shared, Slapd, require};

use crate::brunt::{Run, lost_a_connection, opened};

/// How connections are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Plain,
    Ldaps,
    StartTls,
}

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Ldaps, Self::StartTls];
}

/// A server with the directory of the testbed.
pub(crate) trait Directory {
    fn port(&self) -> u16;
    fn tls_port(&self) -> u16;
    fn pki(&self) -> &Pki;
    /// What it says it saw, since it was started.
    fn operations(&self) -> Operations;
    /// Its log of connections and operations.
    fn log_text(&self) -> String;

    /// Whether it may leave a TLS handshake after StartTLS unanswered.
    fn stalls(&self) -> bool {
        false
    }

    /// A run and what the server says it saw of it. One that fell into a stall of the server's is had again.
    fn observe(&self, transport: Transport, run: impl Fn() -> Run) -> (Run, Operations)
    where
        Self: Sized,
    {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let before = self.operations();
            let run = run();
            let seen = self.operations().since(&before);
            let forgiven = self.stalls() && transport == Transport::StartTls && attempts < 4;
            // Before a run a connection that could not be opened is tried again, which only the server counts.
            let stalled = || lost_a_connection(&run) || seen.connections > opened(&run);
            if !(forgiven && stalled()) {
                return (run, seen);
            }
        }
    }

    /// What it says it saw of what `during` did.
    fn saw(&self, during: impl FnOnce()) -> Operations
    where
        Self: Sized,
    {
        let before = self.operations();
        during();
        self.operations().since(&before)
    }
}

impl Directory for Slapd {
    fn port(&self) -> u16 {
        self.port()
    }

    fn tls_port(&self) -> u16 {
        self.tls_port()
    }

    fn pki(&self) -> &Pki {
        self.pki()
    }

    fn operations(&self) -> Operations {
        self.operations()
    }

    fn log_text(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log()).expect("the log is readable")).into_owned()
    }
}

impl Directory for OpenDj {
    /// About once in two hundred times on a busy machine OpenDJ agrees to StartTLS, leaves the handshake unanswered and
    /// closes the connection ten seconds later; to OpenLDAP's ldapwhoami it does so as often as to brunt.
    fn stalls(&self) -> bool {
        true
    }

    fn port(&self) -> u16 {
        self.port()
    }

    fn tls_port(&self) -> u16 {
        self.tls_port()
    }

    fn pki(&self) -> &Pki {
        self.pki()
    }

    fn operations(&self) -> Operations {
        self.operations()
    }

    fn log_text(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log()).expect("the log is readable")).into_owned()
    }
}

/// A slapd of the test's own, with so many users.
pub(crate) fn slapd(users: usize) -> Option<Slapd> {
    slapd_with(Options { users, ..Options::default() })
}

pub(crate) fn slapd_with(options: Options) -> Option<Slapd> {
    require(&["slapd", "slapcat", "openssl"]).then(|| Slapd::start(options))
}

/// The OpenDJ of all tests, for one of them at a time: starting it takes longer than any of them.
pub(crate) fn opendj() -> Option<Shared<OpenDj>> {
    require(&["opendj", "java", "openssl"]).then(OpenDj::shared)
}
