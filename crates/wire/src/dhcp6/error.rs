//! Why bytes from the network are no DHCPv6 message: a small value that can be counted.
//!
//! It names the offset in the datagram, so that a capture can be laid beside it. It is `Copy` and
//! owns nothing, because a hostile peer must not make us allocate.

use super::{MessageType, code, relay};
use std::error::Error;
use std::fmt;

/// Why a decode failed. Offsets count from the first byte of what was handed to the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header of such a message has.
    TooShort {
        /// How many there are.
        length: usize,
        /// How many the header needs.
        needed: usize,
    },
    /// A message of a type that cannot stand there: a relay message where a client's or a server's
    /// is read, or the other way round.
    MessageType {
        /// Where it begins.
        offset: usize,
        /// What it is.
        found: MessageType,
    },
    /// An option runs past the end of what holds it, or less than an option's header is left.
    Truncated {
        /// Where the option begins.
        offset: usize,
    },
    /// An option is not as long as its code asks for.
    Length {
        /// Where the option begins.
        offset: usize,
        /// Its code.
        code: u16,
        /// The length it has.
        length: usize,
    },
    /// A prefix longer than an address.
    PrefixLength {
        /// Where the option begins.
        offset: usize,
        /// The length of the prefix in bits.
        bits: u8,
    },
    /// An option that must be there is not.
    Missing {
        /// Where the message that lacks it begins.
        offset: usize,
        /// Its code.
        code: u16,
    },
    /// Relay messages nested deeper than [`relay::DEPTH_MAX`].
    TooDeep {
        /// Where the relay message too many begins.
        offset: usize,
    },
}

impl DecodeError {
    /// The same error of something that begins `by` bytes further on.
    #[must_use]
    pub(super) const fn shifted(self, by: usize) -> Self {
        match self {
            Self::TooShort { length, needed } => Self::TooShort { length, needed },
            Self::MessageType { offset, found } => Self::MessageType { offset: offset + by, found },
            Self::Truncated { offset } => Self::Truncated { offset: offset + by },
            Self::Length { offset, code, length } => {
                Self::Length { offset: offset + by, code, length }
            }
            Self::PrefixLength { offset, bits } => Self::PrefixLength { offset: offset + by, bits },
            Self::Missing { offset, code } => Self::Missing { offset: offset + by, code },
            Self::TooDeep { offset } => Self::TooDeep { offset: offset + by },
        }
    }
}

/// An option's code and its name.
struct Named(u16);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match code::name(self.0) {
            Some(name) => write!(f, "option {} ({name})", self.0),
            None => write!(f, "option {}", self.0),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooShort { length, needed } => {
                write!(f, "the message has {length} bytes, and its header alone needs {needed}")
            }
            Self::MessageType { offset, found } => {
                write!(f, "the message at byte {offset} is a {found}, which does not belong there")
            }
            Self::Truncated { offset } => {
                write!(f, "the option at byte {offset} runs past the end")
            }
            Self::Length { offset, code, length } => {
                write!(f, "{} at byte {offset} cannot be {length} bytes long", Named(code))
            }
            Self::PrefixLength { offset, bits } => {
                write!(f, "the prefix at byte {offset} has {bits} bits, more than an address")
            }
            Self::Missing { offset, code } => {
                write!(f, "the message at byte {offset} has no {}", Named(code))
            }
            Self::TooDeep { offset } => {
                write!(
                    f,
                    "the relay message at byte {offset} is nested deeper than {} levels",
                    relay::DEPTH_MAX
                )
            }
        }
    }
}

impl Error for DecodeError {}
