//! Why an exchange failed, kept until it is counted.

use brunt_exchange::{Class, Outcome, Unreached, Watch};
use std::fmt;

/// Why a conversation failed, to be counted as the outcome of an exchange.
#[derive(Clone, Debug)]
pub struct Failed(pub(super) Failure);

impl Failed {
    /// Counts the failure as the outcome of the exchange that `watch` is on.
    pub fn outcome(&self, watch: &mut Watch<'_>) -> Outcome {
        self.0.outcome(watch)
    }
}

/// A failed attempt: to connect, to log in, or to get an answer.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) class: Class,
    /// The protocol's or the system's own number; 0 where there is none.
    pub(super) code: u32,
    pub(super) text: Box<str>,
    /// The identity as which the server refused the bind.
    pub(super) identity: Option<Box<str>>,
    /// The connection ended before an octet of the answer arrived.
    pub(super) unanswered: bool,
    /// A step of opening the connection got no answer in time.
    pub(super) silent: bool,
    /// The server that could not be reached.
    pub(super) unreached: Option<Unreached>,
}

impl Failure {
    pub(super) fn new(class: Class, code: u32, text: impl Into<Box<str>>) -> Self {
        Self {
            class,
            code,
            text: text.into(),
            identity: None,
            unanswered: false,
            silent: false,
            unreached: None,
        }
    }

    /// The server refused a bind as this identity.
    pub(super) fn refused_bind(identity: impl Into<Box<str>>, code: u32, refusal: String) -> Self {
        Self { identity: Some(identity.into()), ..Self::new(Class::Login, code, refusal) }
    }

    /// The failure to reach this server, if it is one.
    pub(super) fn at(self, unreached: Option<Unreached>) -> Self {
        Self { unreached, ..self }
    }

    /// The failure of a system call.
    pub(super) fn system(class: Class, error: &std::io::Error) -> Self {
        let code = error.raw_os_error().map_or(0, i32::unsigned_abs);
        Self::new(class, code, error.to_string())
    }

    /// The same, of a server that was given enough time.
    pub(super) fn silent(self) -> Self {
        Self { silent: true, ..self }
    }

    /// The connection ended, so no answer will arrive over it.
    pub(super) fn ended(self) -> Self {
        Self { unanswered: true, ..self }
    }

    /// As the outcome of an exchange, or of an attempt to get ready for one.
    pub(super) const fn as_outcome(&self) -> Outcome {
        Outcome::Failed(self.class, self.code)
    }

    /// Bytes that are not LDAP, or an LDAP message that is not allowed here.
    pub(super) fn protocol(text: impl Into<Box<str>>) -> Self {
        Self::new(Class::Protocol, 0, text)
    }

    /// Counts the failure as the outcome of the exchange that `watch` is on.
    pub(super) fn outcome(&self, watch: &mut Watch<'_>) -> Outcome {
        watch.explain(format_args!("{}: {self}", self.class));
        if let Some(to) = &self.unreached {
            watch.could_not_reach(&to.address, &to.error);
        }
        self.as_outcome()
    }
}

/// What was attempted, if that is known, and why it failed.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.identity {
            Some(identity) => write!(f, "bind as {identity}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
