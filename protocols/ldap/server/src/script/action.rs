//! The actions of rules.

use brunt_embedded::script::period::{Period, Range};
use serde::Deserialize;

/// What can be done to a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Action {
    /// Answer later, by a fixed time or by one from a range. Requests behind it are not delayed.
    Delay(Range),
    /// Do nothing and answer with a result code.
    Result(ResultSpec),
    /// Execute it and never answer. On a connect, never read; on a handshake, never answer.
    Drop,
    /// Answer after the next request of the connection.
    Reorder,
    /// Answer twice.
    Duplicate,
    /// Answer under this message id.
    WrongId(i32),
    /// Answer with only this number of bytes of the answer, and close.
    Truncate(usize),
    /// Answer with this number of random bytes.
    Garbage(usize),
    /// Answer with a message that announces two gigabytes.
    HugeLength,
    /// Answer with this number of nested sequences.
    DeepNesting(usize),
    /// Reset the connection instead of answering.
    Reset,
    /// Close the connection after the answer.
    Close,
    /// Answer with a notice of disconnection, and close.
    Disconnect(ResultSpec),
    /// Answer byte by byte, with this time before each.
    Trickle(Period),
    /// Before the answer, an unsolicited notification with this OID.
    Unsolicited(String),
    /// Before the answer, an intermediate response with this OID.
    Intermediate(String),
    /// Before the answer, a search reference to this URL.
    Reference(String),
    /// In the answer, a response of the password policy, if the request has its control.
    Policy(Policy),
}

/// A result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultSpec {
    /// The result code.
    pub(super) code: u16,
    /// The diagnostic message.
    #[serde(default)]
    pub(super) text: String,
}

/// A response of the password policy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Policy {
    /// The password expires in this number of seconds.
    ExpiresIn(u32),
    /// This number of binds is left with an expired password.
    GraceBindsLeft(u32),
    /// The password must be changed.
    ChangeAfterReset,
    /// The account is locked.
    AccountLocked,
    /// The password has expired.
    PasswordExpired,
}

impl Action {
    /// Its name in scripts.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Delay(_) => "delay",
            Self::Result(_) => "result",
            Self::Drop => "drop",
            Self::Reorder => "reorder",
            Self::Duplicate => "duplicate",
            Self::WrongId(_) => "wrong-id",
            Self::Truncate(_) => "truncate",
            Self::Garbage(_) => "garbage",
            Self::HugeLength => "huge-length",
            Self::DeepNesting(_) => "deep-nesting",
            Self::Reset => "reset",
            Self::Close => "close",
            Self::Disconnect(_) => "disconnect",
            Self::Trickle(_) => "trickle",
            Self::Unsolicited(_) => "unsolicited",
            Self::Intermediate(_) => "intermediate",
            Self::Reference(_) => "reference",
            Self::Policy(_) => "policy",
        }
    }

    /// Whether it can be done to a connection rather than to a request.
    pub(super) const fn suits_connect(&self) -> bool {
        matches!(
            self,
            Self::Delay(_)
                | Self::Drop
                | Self::Reset
                | Self::Close
                | Self::Disconnect(_)
                | Self::Garbage(_)
                | Self::HugeLength
                | Self::DeepNesting(_)
                | Self::Unsolicited(_)
        )
    }

    /// Whether it can be done to a handshake.
    pub(super) const fn suits_handshake(&self) -> bool {
        matches!(self, Self::Delay(_) | Self::Drop | Self::Reset | Self::Close | Self::Garbage(_))
    }
}
