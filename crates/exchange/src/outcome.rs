//! How an exchange ended. A failure is a value that is counted, never an `Err` that unwinds a run.

use std::fmt;

/// How one exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The target did what was asked. The code is the protocol's own: 0 for LDAP, 200 for HTTP.
    Ok(u32),
    /// The exchange failed. The code is the protocol's own where the class is [`Class::Result`] or [`Class::Locked`],
    /// an error number of the operating system where there is one, else 0.
    Failed(Class, u32),
    /// Nothing came back within the operation timeout.
    TimedOut,
    /// Sent, but the run ended before anything came back.
    CutOff,
    /// Due, but there was nothing to do it with: a renewal without a lease, a step whose condition
    /// does not hold. Neither sent nor a failure, and without any latency.
    Skipped,
}

/// Who or what made an exchange fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The target answered, and its answer was no.
    Result,
    /// No connection could be made.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The identity that opens the connection was refused, so the exchange could not be tried.
    Login,
    /// The connection ended before the answer came.
    Closed,
    /// What came back was not the protocol.
    Protocol,
    /// This machine had no local port left. Our own limit, not the target's.
    Ports,
    /// This process may open no more files. Our own limit, not the target's.
    Descriptors,
    /// The address is none that this process may reach (`--allow`), so nothing was asked of the target.
    Fenced,
    /// The target refused a login, and says that the account is locked or disabled, or its password expired; or refuses
    /// it again, where that is being looked for.
    Locked,
    /// The answer was well formed and not what the plan expects.
    Check,
    /// The answer was what the plan expects, but came later than the plan allows.
    Exceeded,
    /// The answer could not be looked at as far as the plan asks: it is longer than what is kept of it, not in the form
    /// the plan expects, or takes more work than an answer is given.
    Unexamined,
}

impl Class {
    /// Every class, in the order in which reports list them.
    pub const ALL: [Self; 13] = [
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
        }
    }
}

impl Class {
    /// Whether the target answered, whatever it said. The other classes say that no answer came.
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
        )
    }

    /// Whether a limit of the generator's own is the reason: of its machine, or of what it may reach.
    pub const fn ours(self) -> bool {
        matches!(self, Self::Ports | Self::Descriptors | Self::Fenced)
    }
}

impl Outcome {
    /// Whether the target answered, well or not.
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
