//! A [`SetupError`]: why the settings of DHCPv4 clients cannot be used.
//!
//! The code that writes options and packets checks them, and reports all faults with this type. It must not depend on
//! the settings, only on the fault.

use brunt_dhcp_wire::dhcp4::{DecodeError, FieldAt, Present, option};
use std::path::PathBuf;
use thiserror::Error;

/// Why the settings cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SetupError {
    /// An option that the message already has.
    #[error("add option {} to the {message}: {source}; leave it out, only the list of option 55 can grow", source.code)]
    Present {
        /// What the message is called.
        message: &'static str,
        /// Which option it is.
        source: Present,
    },
    /// A code that is not the code of an option.
    #[error("add option {code}: this code has no value (0 fills up and 255 ends)")]
    Code {
        /// The code.
        code: u8,
    },
    /// A varied value that is longer than its option allows.
    #[error("vary option {code}: {text:?} may grow to {length} bytes, and {room} fit")]
    TooLong {
        /// The code of the option.
        code: u8,
        /// The text.
        text: String,
        /// The length it may reach.
        length: usize,
        /// The length that fits.
        room: usize,
    },
    /// A sub-option for an option that has no sub-options, or relay agent information without a sub-option.
    #[error(
        "vary option {code}: relay agent information ({}) consists of sub-options, and no other option does",
        option::RELAY_INFO
    )]
    SubOption {
        /// The code of the option.
        code: u8,
    },
    /// A template that is not a DHCPv4 message.
    #[error("use the packet template {}: {source}", template.display())]
    Packet {
        /// Where the template comes from.
        template: PathBuf,
        /// What is wrong.
        source: DecodeError,
    },
    /// An offset that does not point at the field it should.
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
