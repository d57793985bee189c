//! A [`FieldAt`]: what an offset in a message points at, for error messages about offsets.

use super::{OPTIONS_AT, Options, at, option};
use std::fmt;

/// What an offset in a message points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldAt {
    /// A field of the header.
    Field {
        /// Its name in RFC 2131.
        name: &'static str,
        /// Which byte of it the offset points at, counted from 0.
        into: usize,
    },
    /// An option.
    Option {
        /// Its code.
        code: u8,
        /// The length of its value.
        length: usize,
        /// How many bytes after its code the offset points: 0 at the code, 1 at the length.
        into: usize,
    },
    /// A byte between options: a pad, an end or a byte after the end.
    Filler,
    /// Beyond the last byte.
    Beyond {
        /// How many bytes there are.
        length: usize,
    },
}

/// The fields of the header and where they begin.
const FIELDS: [(usize, &str); 15] = [
    (at::OP, "op"),
    (at::HTYPE, "htype"),
    (at::HLEN, "hlen"),
    (at::HOPS, "hops"),
    (at::XID, "xid"),
    (at::SECS, "secs"),
    (at::FLAGS, "flags"),
    (at::CIADDR, "ciaddr"),
    (at::YIADDR, "yiaddr"),
    (at::SIADDR, "siaddr"),
    (at::GIADDR, "giaddr"),
    (at::CHADDR, "chaddr"),
    (at::SNAME, "sname"),
    (at::FILE, "file"),
    (at::COOKIE, "magic cookie"),
];

impl FieldAt {
    /// What is at `offset` of `message`, whose options are read as far as possible.
    pub fn new(message: &[u8], offset: usize) -> Self {
        if offset >= message.len() {
            return Self::Beyond { length: message.len() };
        }
        for each in Options::new(message).flatten() {
            if (each.offset..each.value_at().end).contains(&offset) {
                return Self::Option {
                    code: each.code,
                    length: each.value.len(),
                    into: offset - each.offset,
                };
            }
        }
        match FIELDS.iter().rev().find(|(start, _)| *start <= offset) {
            Some(&(start, name)) if offset < OPTIONS_AT => {
                Self::Field { name, into: offset - start }
            }
            _ => Self::Filler,
        }
    }
}

impl fmt::Display for FieldAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Field { name, into: 0 } => write!(f, "is the first byte of {name}"),
            Self::Field { name, into } => write!(f, "is byte {} of {name}", into + 1),
            Self::Option { code, length, into } => {
                f.write_str(if into == 0 {
                    "is the code of option "
                } else {
                    "is inside option "
                })?;
                write!(f, "{code}")?;
                if let Some(name) = option::name(code) {
                    write!(f, " ({name})")?;
                }
                match into {
                    0 => write!(f, ", whose value has {length} bytes"),
                    1 => f.write_str(", 1 byte after its code"),
                    _ => write!(f, ", {into} bytes after its code"),
                }
            }
            Self::Filler => f.write_str("is a pad, an end or what follows the last option"),
            Self::Beyond { length } => {
                write!(f, "lies beyond the last byte of the packet, which has {length}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dhcp4::{Draft, Header, MessageType};

    #[test]
    fn field_at_an_offset_is_named() {
        let packet = Draft::new(Header::request(), MessageType::Request)
            .with(option::PARAMETER_REQUEST_LIST, &[1, 28, 2, 3])
            .with(option::SERVER_ID, &[10, 0, 0, 1])
            .to_bytes();
        let reported = |offset| FieldAt::new(&packet, offset).to_string();
        assert_eq!(reported(4), "is the first byte of xid");
        assert_eq!(reported(33), "is byte 6 of chaddr");
        assert_eq!(
            reported(243),
            "is the code of option 54 (server identifier), whose value has 4 bytes"
        );
        assert_eq!(
            reported(252),
            "is inside option 55 (parameter request list), 3 bytes after its code"
        );
        assert_eq!(FieldAt::new(&packet, 255), FieldAt::Filler);
        assert_eq!(FieldAt::new(&packet, 256), FieldAt::Beyond { length: 256 });
    }
}
