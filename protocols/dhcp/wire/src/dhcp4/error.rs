//! Why bytes are not a DHCPv4 message, and the offset of the fault.

use std::error::Error;
use std::fmt;

/// Why bytes are not a DHCPv4 message. Offsets are counted from the first byte of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Shorter than the header and the magic cookie.
    TooShort {
        /// How many bytes there are.
        length: usize,
    },
    /// The magic cookie is missing: the message is BOOTP, or of another protocol.
    NoCookie,
    /// A hardware address longer than its field.
    HardwareLength {
        /// The length in the header.
        length: u8,
    },
    /// An option ends outside the field that contains it.
    Truncated {
        /// The offset of the option's code.
        offset: usize,
        /// The option's code.
        code: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { length } => {
                write!(f, "{length} bytes are too short for DHCPv4, whose header takes 240")
            }
            Self::NoCookie => f.write_str("no magic cookie at offset 236"),
            Self::HardwareLength { length } => {
                write!(f, "a hardware address of {length} octets at offset 2, at most 16 fit")
            }
            Self::Truncated { offset, code } => {
                write!(f, "option {code} at offset {offset} ends beyond its field")
            }
        }
    }
}

impl Error for DecodeError {}
