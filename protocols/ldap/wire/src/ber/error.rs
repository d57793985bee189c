//! Why bytes from the network could not be decoded: a small value that can be counted.
//!
//! It contains the offset in the message, so that it can be compared with a capture. It is `Copy`
//! and owns nothing, because a hostile peer must not be able to cause allocations.

use std::error::Error;
use std::fmt;

/// Why decoding failed. Offsets count from the first byte passed to the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// An element claims to be longer than the bytes that contain it.
    Truncated {
        /// Where the element begins.
        offset: usize,
    },
    /// A tag number above 30, which LDAP never uses.
    LongTag {
        /// Its offset.
        offset: usize,
    },
    /// The indefinite form of length, which RFC 4511 section 5.1 forbids.
    Indefinite {
        /// Where the element begins.
        offset: usize,
    },
    /// A length written in more than four bytes.
    LongLength {
        /// Where the element begins.
        offset: usize,
    },
    /// A message longer than the reader's limit.
    TooLarge {
        /// The length that the message claims, including its header.
        length: u64,
        /// The limit.
        limit: usize,
    },
    /// A different element than the protocol requires here.
    Tag {
        /// Where the element begins.
        offset: usize,
        /// The required tag.
        expected: u8,
        /// The tag found.
        found: u8,
    },
    /// An integer that is empty, negative where it must not be, or too large.
    Integer {
        /// Where its contents begin.
        offset: usize,
    },
    /// A boolean whose contents are not one byte.
    Boolean {
        /// Where its contents begin.
        offset: usize,
    },
    /// Elements nested deeper than [`DEPTH_MAX`](super::DEPTH_MAX).
    TooDeep {
        /// Where the element that exceeds the depth begins.
        offset: usize,
    },
    /// Bytes after the last element that the protocol allows.
    Trailing {
        /// Where they begin.
        offset: usize,
    },
    /// A tag of an unknown operation, choice or credential.
    Choice {
        /// Where the element begins.
        offset: usize,
        /// The tag found.
        found: u8,
    },
    /// Well-formed BER with a value that the protocol does not allow.
    Value {
        /// Where its contents begin.
        offset: usize,
        /// What the protocol requires.
        expected: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { offset } => {
                write!(f, "the element at byte {offset} runs past the end")
            }
            Self::LongTag { offset } => {
                write!(f, "the tag at byte {offset} has more than one byte")
            }
            Self::Indefinite { offset } => {
                write!(
                    f,
                    "the element at byte {offset} has an indefinite length, which LDAP forbids"
                )
            }
            Self::LongLength { offset } => {
                write!(f, "the length of the element at byte {offset} takes more than four bytes")
            }
            Self::TooLarge { length, limit } => {
                write!(f, "the message says it has {length} bytes, and {limit} are allowed")
            }
            Self::Tag { offset, expected, found } => {
                write!(
                    f,
                    "the element at byte {offset} has tag {found:#04x} instead of {expected:#04x}"
                )
            }
            Self::Integer { offset } => write!(f, "the integer at byte {offset} is out of range"),
            Self::Boolean { offset } => write!(f, "the boolean at byte {offset} is not one byte"),
            Self::TooDeep { offset } => {
                write!(
                    f,
                    "the element at byte {offset} is nested deeper than {} levels",
                    super::DEPTH_MAX
                )
            }
            Self::Trailing { offset } => {
                write!(f, "the message goes on at byte {offset}, where it should end")
            }
            Self::Choice { offset, found } => {
                write!(
                    f,
                    "the element at byte {offset} has tag {found:#04x}, which means nothing there"
                )
            }
            Self::Value { offset, expected } => {
                write!(f, "the value at byte {offset} is not {expected}")
            }
        }
    }
}

impl Error for DecodeError {}
