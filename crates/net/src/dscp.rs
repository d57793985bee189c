//! [`Dscp`]: the class of a packet, by which networks treat it (differentiated services, RFC 2474).
//!
//! Parsed from `--dscp CLASS`. It is six bits of the field that IPv4 calls type of service and IPv6 traffic class; the
//! other two, for congestion, stay the kernel's. It must not open a socket.

use socket2::{Domain, Socket};
use std::fmt;
use std::io;
use std::str::FromStr;

/// The classes that have names: RFC 2474 (default, cs), RFC 2597 (af), RFC 3246 (ef), RFC 5865 (va), RFC 8622 (le).
/// The first name of a class is the one that it is written with.
const NAMES: [(&str, u8); 25] = [
    ("default", 0),
    ("cs0", 0),
    ("be", 0),
    ("le", 1),
    ("cs1", 8),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("cs2", 16),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("cs3", 24),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("cs4", 32),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("cs5", 40),
    ("va", 44),
    ("ef", 46),
    ("cs6", 48),
    ("cs7", 56),
];

/// A class of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dscp(u8);

/// Why a word is not a class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "read the class '{0}': write default, le, cs0 to cs7, af11 to af43, va, ef, or a number from 0 to 63"
)]
pub struct DscpError(String);

impl Dscp {
    /// The octet of the IP header.
    pub const fn octet(self) -> u8 {
        self.0 << 2
    }

    /// Marks everything that a socket of this family sends.
    pub(super) fn mark(self, socket: &Socket, family: Domain) -> io::Result<()> {
        if family == Domain::IPV6 {
            return socket.set_tclass_v6(self.octet().into());
        }
        socket.set_tos_v4(self.octet().into())
    }
}

impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, class)| *class == self.0) {
            Some((name, _)) => f.write_str(name),
            None => self.0.fmt(f),
        }
    }
}

impl FromStr for Dscp {
    type Err = DscpError;

    fn from_str(text: &str) -> Result<Self, DscpError> {
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let number = || text.parse().ok().filter(|number| *number < 64);
        let found = named.map(|(_, class)| *class).or_else(number);
        found.map(Self).ok_or_else(|| DscpError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dscp_classes_have_their_standard_numbers() {
        let octet = |text: &str| text.parse::<Dscp>().unwrap().octet();
        // The octets are those of RFC 4594, table 3, and of tc(8).
        for (text, expected) in [
            ("cs0", 0x00),
            ("default", 0x00),
            ("le", 0x04),
            ("cs1", 0x20),
            ("AF11", 0x28),
            ("af23", 0x58),
            ("af43", 0x98),
            ("va", 0xb0),
            ("EF", 0xb8),
            ("cs7", 0xe0),
            ("0", 0x00),
            ("63", 0xfc),
        ] {
            assert_eq!(octet(text), expected, "{text}");
        }
        // Assured forwarding is 8 * class + 2 * drop precedence, class selectors are 8 * class (RFC 2597, RFC 2474).
        for class in 1..=4 {
            for drop in 1..=3 {
                assert_eq!(octet(&format!("af{class}{drop}")), (8 * class + 2 * drop) << 2);
            }
        }
        for class in 0..8 {
            assert_eq!(octet(&format!("cs{class}")), (8 * class) << 2);
        }
    }

    #[test]
    fn dscp_class_is_written_by_its_name() {
        let written = |text: &str| text.parse::<Dscp>().unwrap().to_string();
        assert_eq!(
            [written("46"), written("EF"), written("cs0"), written("3")],
            ["ef", "ef", "default", "3"]
        );
    }

    #[test]
    fn dscp_errors_are_refused() {
        for text in ["", "64", "-1", "af14", "af51", "cs8", "expedited", "0xb8"] {
            let error = text.parse::<Dscp>().unwrap_err().to_string();
            assert!(error.contains(&format!("'{text}'")) && error.contains("0 to 63"), "{error}");
        }
    }
}
