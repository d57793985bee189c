//! The types of messages: a number rather than an enum, because a message of an unknown type is still a message.

use std::fmt;

/// The first octet of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageType(pub u8);

impl MessageType {
    /// A client looks for servers.
    pub const SOLICIT: Self = Self(1);
    /// A server makes an offer.
    pub const ADVERTISE: Self = Self(2);
    /// A client requests the offer of the server it chose.
    pub const REQUEST: Self = Self(3);
    /// A client asks whether its addresses are still appropriate for the link.
    pub const CONFIRM: Self = Self(4);
    /// A client asks the server that granted the lease for an extension.
    pub const RENEW: Self = Self(5);
    /// A client asks any server for an extension.
    pub const REBIND: Self = Self(6);
    /// A server's answer to everything but a SOLICIT without rapid commit.
    pub const REPLY: Self = Self(7);
    /// A client releases a lease.
    pub const RELEASE: Self = Self(8);
    /// A client says that an address is already in use.
    pub const DECLINE: Self = Self(9);
    /// A server tells a client to send a new request.
    pub const RECONFIGURE: Self = Self(10);
    /// A client requests only options.
    pub const INFORMATION_REQUEST: Self = Self(11);
    /// A relay agent carries a message towards the servers.
    pub const RELAY_FORW: Self = Self(12);
    /// A server's answer to a relay agent.
    pub const RELAY_REPL: Self = Self(13);

    /// Whether it is a message between relay agent and server, which has a different header.
    pub const fn is_relay(self) -> bool {
        matches!(self, Self::RELAY_FORW | Self::RELAY_REPL)
    }

    /// Its name in RFC 8415, if it has one.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::SOLICIT => "SOLICIT",
            Self::ADVERTISE => "ADVERTISE",
            Self::REQUEST => "REQUEST",
            Self::CONFIRM => "CONFIRM",
            Self::RENEW => "RENEW",
            Self::REBIND => "REBIND",
            Self::REPLY => "REPLY",
            Self::RELEASE => "RELEASE",
            Self::DECLINE => "DECLINE",
            Self::RECONFIGURE => "RECONFIGURE",
            Self::INFORMATION_REQUEST => "INFORMATION-REQUEST",
            Self::RELAY_FORW => "RELAY-FORW",
            Self::RELAY_REPL => "RELAY-REPL",
            Self(_) => return None,
        })
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "message type {}", self.0),
        }
    }
}
