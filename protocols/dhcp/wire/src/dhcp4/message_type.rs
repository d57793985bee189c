//! The [`MessageType`]s of DHCPv4 (RFC 2132 section 9.6, RFC 3203).

/// What a message is for: the value of option 53.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MessageType {
    /// A client looks for servers.
    Discover = 1,
    /// A server offers a lease.
    Offer = 2,
    /// A client requests a lease, or an extension of it.
    Request = 3,
    /// A client refuses an address that is in use.
    Decline = 4,
    /// A server grants the request.
    Ack = 5,
    /// A server refuses the request.
    Nak = 6,
    /// A client releases its lease.
    Release = 7,
    /// A client that has an address requests options.
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

    /// The type with this number, if clients and servers use it. The types of lease queries are not included.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte).checked_sub(1)?).copied()
    }

    /// The number on the wire.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Its name in RFC 2131.
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
    fn message_type_round_trips() {
        for byte in 0..=u8::MAX {
            match MessageType::from_byte(byte) {
                Some(kind) => assert_eq!(kind.byte(), byte),
                None => assert!(byte == 0 || byte > 9),
            }
        }
    }
}
