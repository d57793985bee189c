//! The [`MessageType`]s of DHCPv4 (RFC 2132 section 9.6, RFC 3203).

/// What a message is for: the value of option 53.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MessageType {
    /// A client looks for servers.
    Discover = 1,
    /// A server offers a lease.
    Offer = 2,
    /// A client asks for a lease, or for more time.
    Request = 3,
    /// A client refuses an address that somebody uses.
    Decline = 4,
    /// A server gives what was asked for.
    Ack = 5,
    /// A server refuses.
    Nak = 6,
    /// A client gives its lease back.
    Release = 7,
    /// A client that has an address asks for options.
    Inform = 8,
    /// A server asks a client to renew.
    ForceRenew = 9,
}

impl MessageType {
    /// Every type, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Discover,
        Self::Offer,
        Self::Request,
        Self::Decline,
        Self::Ack,
        Self::Nak,
        Self::Release,
        Self::Inform,
        Self::ForceRenew,
    ];

    /// The type with this number, if it is one of those clients and servers use. Lease queries are not.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte).checked_sub(1)?).copied()
    }

    /// The number on the wire.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// The name that RFC 2131 gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discover => "DHCPDISCOVER",
            Self::Offer => "DHCPOFFER",
            Self::Request => "DHCPREQUEST",
            Self::Decline => "DHCPDECLINE",
            Self::Ack => "DHCPACK",
            Self::Nak => "DHCPNAK",
            Self::Release => "DHCPRELEASE",
            Self::Inform => "DHCPINFORM",
            Self::ForceRenew => "DHCPFORCERENEW",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_type_are_one() {
        for byte in 0..=u8::MAX {
            match MessageType::from_byte(byte) {
                Some(kind) => assert_eq!(kind.byte(), byte),
                None => assert!(byte == 0 || byte > 9),
            }
        }
    }
}
