//! The Basic Encoding Rules as LDAP uses them (RFC 4511 section 5.1): definite lengths, one tag byte.
//!
//! Written lengths are minimal; lengths that are read may be padded up to four bytes, as some servers do. Nothing here
//! depends on the meaning of a message.

mod error;
mod node;
mod reader;
mod text;
mod writer;

pub use error::DecodeError;
pub use node::Node;
pub use reader::{Element, Reader, element_length};
pub use text::{Piece, Text, Values};
pub use writer::Writer;
pub(crate) use writer::{HEADER_MAX, header_backwards, minimal};

/// The maximum nesting depth of elements that are read (RFC 4511 leaves it to the implementation).
pub const DEPTH_MAX: u8 = 32;

/// The identifier bytes of the types that LDAP uses, and functions that make the others.
pub mod tag {
    /// BOOLEAN.
    pub const BOOLEAN: u8 = 0x01;
    /// INTEGER.
    pub const INTEGER: u8 = 0x02;
    /// OCTET STRING, and every string type of LDAP.
    pub const OCTET_STRING: u8 = 0x04;
    /// ENUMERATED.
    pub const ENUMERATED: u8 = 0x0a;
    /// SEQUENCE and SEQUENCE OF.
    pub const SEQUENCE: u8 = 0x30;
    /// SET and SET OF.
    pub const SET: u8 = 0x31;

    /// A context-specific primitive tag: `[number] IMPLICIT` of a string or an integer.
    pub const fn context(number: u8) -> u8 {
        0x80 | number
    }

    /// A context-specific constructed tag: `[number]` of a sequence, a set or a choice.
    pub const fn context_constructed(number: u8) -> u8 {
        0xa0 | number
    }
}
