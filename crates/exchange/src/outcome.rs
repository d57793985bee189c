//! How an exchange ended. A failure is a value that is counted, never an `Err` that unwinds a run.

use std::fmt;

/// How one exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The target performed the request. The code is the protocol's own: 0 for LDAP, 200 for HTTP.
    Ok(u32),
    /// The exchange failed. The code is the protocol's own if the class is [`Class::Result`] or [`Class::Locked`], an
    /// error number of the operating system if there is one, else 0.
    Failed(Class, u32),
    /// No answer arrived within the operation timeout.
    TimedOut,
    /// The request was sent, but the run ended before an answer arrived.
    CutOff,
    /// The exchange was due, but a precondition was missing: a renewal without a lease, a step whose condition does not
    /// hold. It was not sent, is not a failure, and has no latency.
    Skipped,
}

/// The cause of a failed exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The target answered with a refusal.
    Result,
    /// No connection could be opened.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The identity that opens the connection was refused, so the exchange could not be attempted.
    Login,
    /// The connection ended before the answer arrived.
    Closed,
    /// The received bytes do not conform to the protocol.
    Protocol,
    /// This machine had no local port left. This is a limit of the load generator, not of the target.
    Ports,
    /// This process may not open more files. This is a limit of the load generator, not of the target.
    Descriptors,
    /// This process may not reach the address (`--allow`), so no request was sent to the target.
    Fenced,
    /// The target refused a login because the account is locked or disabled, or its password expired; or it refuses the
    /// login again in a run that looks for such refusals.
    Locked,
    /// The answer was well formed but is not what the plan expects.
    Check,
    /// The answer was what the plan expects, but arrived later than the plan allows.
    Exceeded,
    /// The answer could not be examined as far as the plan requires: it is longer than the part that is kept, has a
    /// different form than the plan expects, or needs more work than the limit for an answer.
    Unexamined,
    /// The answers said "not yet" for as long as the plan asks again.
    Pending,
    /// This machine could not send: it has no route to the target, its link is down, its address is gone, or its own
    /// firewall forbids it. The target had no part in it.
    Unsent,
}

impl Class {
    /// Every class, in the order in which reports list them.
    pub const ALL: [Self; 15] = [
        Self::Result,
        Self::Connect,
        Self::Tls,
        Self::Login,
        Self::Closed,
        Self::Protocol,
        Self::Ports,
        Self::Descriptors,
        Self::Fenced,
        Self::Locked,
        Self::Check,
        Self::Exceeded,
        Self::Unexamined,
        Self::Pending,
        Self::Unsent,
    ];

    /// The word a report uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Login => "login",
            Self::Closed => "closed",
            Self::Protocol => "protocol",
            Self::Ports => "ports",
            Self::Descriptors => "descriptors",
            Self::Fenced => "fenced",
            Self::Locked => "locked",
            Self::Check => "check",
            Self::Exceeded => "exceeded",
            Self::Unexamined => "unexamined",
            Self::Pending => "pending",
            Self::Unsent => "unsent",
        }
    }
}

/// What a code means, where that is more than its class says. Only its protocol knows: 19 is a refused login for a bind
/// of LDAP, and a violated constraint in SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// The target refused a login.
    RefusedLogin,
    /// The target has too much to do, and may accept the same request later.
    Busy,
    /// The target gave up because its own time limit was reached.
    TimeLimit,
}

impl Meaning {
    /// Every meaning.
    pub const ALL: [Self; 3] = [Self::RefusedLogin, Self::Busy, Self::TimeLimit];

    /// The word that a record uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::RefusedLogin => "refused-login",
            Self::Busy => "busy",
            Self::TimeLimit => "time-limit",
        }
    }

    /// The meaning with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|meaning| meaning.word() == word)
    }
}

/// What a protocol knows of an outcome: what it is called, and what its code means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The name for a reader: `invalidCredentials`, `ECONNREFUSED`. Nothing is decided by it.
    pub name: String,
    /// What the code means, where that is more than its class says.
    pub meaning: Option<Meaning>,
}

impl From<String> for Named {
    fn from(name: String) -> Self {
        Self { name, meaning: None }
    }
}

impl From<&str> for Named {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl Class {
    /// Whether the target answered, whatever the answer was. The other classes mean that no answer arrived.
    pub const fn answered(self) -> bool {
        matches!(
            self,
            Self::Result
                | Self::Login
                | Self::Protocol
                | Self::Locked
                | Self::Check
                | Self::Exceeded
                | Self::Unexamined
                | Self::Pending
        )
    }

    /// Whether the cause is the load generator: its machine, or the addresses it may reach.
    pub const fn ours(self) -> bool {
        matches!(self, Self::Ports | Self::Descriptors | Self::Fenced | Self::Unsent)
    }
}

impl Outcome {
    /// Whether the target answered, whatever the answer was.
    pub const fn answered(self) -> bool {
        match self {
            Self::Ok(_) => true,
            Self::Failed(class, _) => class.answered(),
            Self::TimedOut | Self::CutOff | Self::Skipped => false,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
