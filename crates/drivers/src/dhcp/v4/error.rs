//! A [`SetupError`]: why what is asked of DHCPv4 clients cannot be done.
//!
//! Options and packets are checked by those who write them, and all of them say what is wrong in the same words. It
//! must not know what was asked, only what is in the way.

use brunt_wire::dhcp4::{DecodeError, FieldAt, Present, option};
use std::path::PathBuf;
use thiserror::Error;

/// Why what is asked cannot be done.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SetupError {
    /// An option that the message has already.
    #[error("add option {} to the {message}: {source}; leave it out, only the list of option 55 can grow", source.code)]
    Present {
        /// What the message is called.
        message: &'static str,
        /// Which option it is.
        source: Present,
    },
    /// A code that is none.
    #[error("add option {code}: this code has no value (0 fills up and 255 ends)")]
    Code {
        /// The code.
        code: u8,
    },
    /// A varied value longer than its option.
    #[error("vary option {code}: {text:?} may grow to {length} bytes, and {room} fit")]
    TooLong {
        /// The code of the option.
        code: u8,
        /// The text.
        text: String,
        /// How long it may get.
        length: usize,
        /// What fits.
        room: usize,
    },
    /// A sub-option of an option that has none, or relay agent information without any.
    #[error(
        "vary option {code}: relay agent information ({}) consists of sub-options, and no other option does",
        option::RELAY_INFO
    )]
    SubOption {
        /// The code of the option.
        code: u8,
    },
    /// A template that is no DHCPv4 message.
    #[error("use the packet template {}: {source}", template.display())]
    Packet {
        /// Where the template comes from.
        template: PathBuf,
        /// What is wrong.
        source: DecodeError,
    },
    /// An offset that points at something else than it should.
    #[error(
        "use the packet template {}: offset {offset} (-{switch}) {spot}; {remedy}",
        template.display()
    )]
    Offset {
        /// Where the template comes from.
        template: PathBuf,
        /// The switch that sets the offset.
        switch: char,
        /// The offset.
        offset: usize,
        /// What is there.
        spot: FieldAt,
        /// Where it should point.
        remedy: String,
    },
}
