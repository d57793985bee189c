//! Why bytes from the network are not a DHCPv6 message: a small value that can be counted.
//!
//! It contains the offset in the datagram, so that it can be compared with a capture. It is `Copy`
//! and owns nothing, because a hostile peer must not be able to cause allocations.

use super::{MessageType, code, relay};
use std::error::Error;
use std::fmt;

/// Why decoding failed. Offsets count from the first byte passed to the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header of such a message has.
    TooShort {
        /// The number of bytes available.
        length: usize,
        /// The number of bytes that the header needs.
        needed: usize,
    },
    /// A message of a type that is not allowed here: a relay message in place of a client's or a
    /// server's, or the reverse.
    MessageType {
        /// Where it begins.
        offset: usize,
        /// The type found.
        found: MessageType,
    },
    /// An option extends past the end of its container, or fewer bytes remain than an option's
    /// header has.
    Truncated {
        /// Where the option begins.
        offset: usize,
    },
    /// An option does not have the length that its code requires.
    Length {
        /// Where the option begins.
        offset: usize,
        /// Its code.
        code: u16,
        /// Its length.
        length: usize,
    },
    /// A prefix longer than an address.
    PrefixLength {
        /// Where the option begins.
        offset: usize,
        /// The length of the prefix in bits.
        bits: u8,
    },
    /// A required option is missing.
    Missing {
        /// Where the message without it begins.
        offset: usize,
        /// Its code.
        code: u16,
    },
    /// Relay messages nested deeper than [`relay::DEPTH_MAX`].
    TooDeep {
        /// Where the relay message that exceeds the depth begins.
        offset: usize,
    },
}

impl DecodeError {
    /// The same error, for data that begins `by` bytes further on.
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

/// An option's code with its name.
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
