//! The actions of rules.

use brunt_embedded::script::period::{Period, Range};
use serde::Deserialize;

use super::login_fault::{LoginFault, ScimFault};
use crate::reply::Filler;

/// The largest number of bytes that an action can name.
const BYTES_MAX: usize = 1 << 20;

/// What can be done to a request.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Action {
    /// Answer later, by a fixed time or by one from a range.
    Delay(Range),
    /// Do nothing and answer with this status.
    Status(u16),
    /// Execute it and never answer; the connection stays open.
    Silence,
    /// Execute it and close the connection without an answer.
    Drop,
    /// Execute it and reset the connection.
    Reset,
    /// Answer, then close a connection that the answer promised to keep open.
    HangUp,
    /// Send half of the answer, and close.
    Half,
    /// Send only this number of bytes of the answer, and close.
    Truncate(usize),
    /// Send this number of random bytes instead, and close.
    Garbage(usize),
    /// Begin an answer and send header fields without end.
    EndlessHeaders,
    /// Answer with a body of this many bytes, with Content-Length or chunked.
    Body(Filler),
    /// Announce this number of bytes more than there are, or fewer, and close if there are fewer than announced.
    WrongLength(i64),
    /// Send the answer byte by byte, with this time before each.
    Drip(Period),
    /// Answer in chunks of this number of bytes.
    Chunked(usize),
    /// Announce no length; the end of the connection ends the body.
    UntilClose,
    /// Send an interim response of this status before the answer.
    Interim(u16),
    /// Let a login of `/idp` go another way.
    Idp(LoginFault),
    /// Refuse a request to `/scim`.
    Scim(ScimFault),
}

/// Why an action can never be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ActionError {
    #[error("its number must be from 1 to {BYTES_MAX}")]
    Size,
    #[error("a status is from 200 to 599")]
    Status,
    #[error("an interim status is from 100 to 199 and not 101")]
    Interim,
    #[error("a wrong length must differ from the right one")]
    RightLength,
}

impl Action {
    /// Its name in scripts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Delay(_) => "delay",
            Self::Status(_) => "status",
            Self::Silence => "silence",
            Self::Drop => "drop",
            Self::Reset => "reset",
            Self::HangUp => "hang-up",
            Self::Half => "half",
            Self::Truncate(_) => "truncate",
            Self::Garbage(_) => "garbage",
            Self::EndlessHeaders => "endless-headers",
            Self::Body(_) => "body",
            Self::WrongLength(_) => "wrong-length",
            Self::Drip(_) => "drip",
            Self::Chunked(_) => "chunked",
            Self::UntilClose => "until-close",
            Self::Interim(_) => "interim",
            Self::Idp(login_fault) => login_fault.name(),
            Self::Scim(fault) => fault.name(),
        }
    }

    /// Whether it can be done to a request for this path.
    pub(super) fn concerns(self, path: &str) -> bool {
        match self {
            Self::Idp(login_fault) => login_fault.concerns(path),
            Self::Scim(_) => ScimFault::concerns(path),
            _ => true,
        }
    }

    /// Refuses what can never be done.
    pub(super) fn check(self) -> Result<(), ActionError> {
        let counted = |bytes: usize| match bytes {
            1..=BYTES_MAX => Ok(()),
            _ => Err(ActionError::Size),
        };
        match self {
            Self::Status(status) if !(200..=599).contains(&status) => Err(ActionError::Status),
            // After 101 the connection would use another protocol.
            Self::Interim(status) if status == 101 || !(100..=199).contains(&status) => {
                Err(ActionError::Interim)
            }
            Self::WrongLength(0) => Err(ActionError::RightLength),
            Self::Garbage(bytes) | Self::Truncate(bytes) | Self::Chunked(bytes) => counted(bytes),
            _ => Ok(()),
        }
    }
}
