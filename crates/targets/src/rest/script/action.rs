//! What a rule can do to a request.

use std::time::Duration;

use serde::Deserialize;

use crate::script::period::{Period, Range};

/// The longest answer that is made up at once, and the most of an answer that is counted out.
const BYTES_MAX: usize = 1 << 20;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::rest) enum Action {
    /// Answer later, by a fixed time or by one from a range.
    Delay(Range),
    /// Do nothing and answer with this status.
    Status(u16),
    /// Carry it out and never answer; the connection stays open.
    Silence,
    /// Carry it out and close the connection without a word.
    Drop,
    /// Carry it out and reset the connection.
    Reset,
    /// Answer, then close a connection that was to stay open, without having said so.
    HangUp,
    /// Send half of the answer, and close.
    Half,
    /// Send so many bytes of the answer, and close.
    Truncate(usize),
    /// Send so many random bytes instead, and close.
    Garbage(usize),
    /// Begin an answer and never end its fields.
    EndlessHeaders,
    /// Answer with a body of this many bytes, and as Content-Length or chunked.
    Body(Announced),
    /// Announce so many bytes more than there are, or fewer, and close if there are fewer than announced.
    WrongLength(i64),
    /// Send the answer byte by byte, with this time before each.
    Drip(Pace),
    /// Answer in chunks of so many bytes.
    Chunked(usize),
    /// Announce no length; the end of the connection ends the body.
    UntilClose,
    /// Send an interim response of this status before the answer.
    Interim(u16),
}

/// A body, and how its length is announced.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Announced {
    pub(in crate::rest) bytes: u64,
    #[serde(default)]
    pub(in crate::rest) chunked: bool,
}

/// A time between bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(transparent)]
pub(in crate::rest) struct Pace(Period);

impl Pace {
    pub(in crate::rest) const fn each(self) -> Duration {
        self.0.0
    }
}

/// What the actions are called, in the order of their numbers.
pub(in crate::rest) const FAULTS: [&str; 16] = [
    "delay",
    "status",
    "silence",
    "drop",
    "reset",
    "hang-up",
    "half",
    "truncate",
    "garbage",
    "endless-headers",
    "body",
    "wrong-length",
    "drip",
    "chunked",
    "until-close",
    "interim",
];

impl Action {
    /// Its place in [`FAULTS`].
    pub(super) const fn number(self) -> usize {
        match self {
            Self::Delay(_) => 0,
            Self::Status(_) => 1,
            Self::Silence => 2,
            Self::Drop => 3,
            Self::Reset => 4,
            Self::HangUp => 5,
            Self::Half => 6,
            Self::Truncate(_) => 7,
            Self::Garbage(_) => 8,
            Self::EndlessHeaders => 9,
            Self::Body(_) => 10,
            Self::WrongLength(_) => 11,
            Self::Drip(_) => 12,
            Self::Chunked(_) => 13,
            Self::UntilClose => 14,
            Self::Interim(_) => 15,
        }
    }

    /// Why it can never be done, if so.
    pub(super) fn check(self) -> Result<(), String> {
        let counted = |bytes: usize| match bytes {
            1..=BYTES_MAX => Ok(()),
            _ => Err(format!("its number must be from 1 to {BYTES_MAX}")),
        };
        match self {
            Self::Status(status) if !(200..=599).contains(&status) => {
                Err("a status is from 200 to 599".to_owned())
            }
            // After 101 the connection would speak something else.
            Self::Interim(status) if status == 101 || !(100..=199).contains(&status) => {
                Err("an interim status is from 100 to 199 and not 101".to_owned())
            }
            Self::WrongLength(0) => Err("a wrong length must differ from the right one".to_owned()),
            Self::Garbage(bytes) | Self::Truncate(bytes) | Self::Chunked(bytes) => counted(bytes),
            _ => Ok(()),
        }
    }
}
