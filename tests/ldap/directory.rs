//! [`Directory`]: what a test needs of a server, whichever it is, so that one test serves both.

use std::fs;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use brunt_testbed::{OpenDj, Operations, Options, Pki, Slapd, require};

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
pub(crate) fn opendj() -> Option<MutexGuard<'static, OpenDj>> {
    static SHARED: OnceLock<Mutex<OpenDj>> = OnceLock::new();
    if !require(&["opendj", "java", "openssl"]) {
        return None;
    }
    let shared = SHARED.get_or_init(|| Mutex::new(OpenDj::start()));
    // A test that failed has said so; the server is none the worse for it.
    Some(shared.lock().unwrap_or_else(PoisonError::into_inner))
}
