//! The kinds of messages and answers, under common names for DHCPv4 and DHCPv6.
//!
//! The two protocols have the same few kinds under different names. Scripts and counts use the common ones, so that a
//! rule or a test is written in the same way for both. A REQUEST of DHCPv4 is one of four kinds, which differ in their
//! fields (RFC 2131 section 4.3.2).

use serde::{Deserialize, Deserializer, de::Error as _};

/// One of the two protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Family {
    /// DHCPv4.
    V4,
    /// DHCPv6.
    V6,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(usize)]
pub enum RequestKind {
    /// DISCOVER, SOLICIT.
    #[serde(alias = "solicit")]
    Discover,
    /// The REQUEST that accepts an offer.
    Request,
    /// The REQUEST that renews, RENEW.
    Renew,
    /// The REQUEST that rebinds, REBIND. Through a relay it looks like one that renews.
    Rebind,
    /// The REQUEST of a client that reboots (INIT-REBOOT), CONFIRM.
    #[serde(alias = "confirm")]
    Reboot,
    /// RELEASE.
    Release,
    /// DECLINE.
    Decline,
    /// INFORM, INFORMATION-REQUEST.
    #[serde(alias = "information-request")]
    Inform,
}

/// What a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Answer {
    /// OFFER, ADVERTISE.
    Offer,
    /// ACK, REPLY.
    Ack,
    /// NAK; there is none in DHCPv6.
    Nak,
}

impl Family {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V4, Self::V6];
}

impl RequestKind {
    /// Every act, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Discover,
        Self::Request,
        Self::Renew,
        Self::Rebind,
        Self::Reboot,
        Self::Release,
        Self::Decline,
        Self::Inform,
    ];

    /// Its name in the protocol.
    pub const fn name(self, family: Family) -> &'static str {
        match (self, family) {
            (Self::Discover, Family::V4) => "DISCOVER",
            (Self::Discover, Family::V6) => "SOLICIT",
            (Self::Request, _) => "REQUEST",
            (Self::Renew, Family::V4) => "REQUEST (renew)",
            (Self::Renew, Family::V6) => "RENEW",
            (Self::Rebind, Family::V4) => "REQUEST (rebind)",
            (Self::Rebind, Family::V6) => "REBIND",
            (Self::Reboot, Family::V4) => "REQUEST (reboot)",
            (Self::Reboot, Family::V6) => "CONFIRM",
            (Self::Release, _) => "RELEASE",
            (Self::Decline, _) => "DECLINE",
            (Self::Inform, Family::V4) => "INFORM",
            (Self::Inform, Family::V6) => "INFORMATION-REQUEST",
        }
    }
}

impl Answer {
    /// Every answer, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Offer, Self::Ack, Self::Nak];

    /// Its name in the protocol.
    pub const fn name(self, family: Family) -> &'static str {
        match (self, family) {
            (Self::Offer, Family::V4) => "OFFER",
            (Self::Offer, Family::V6) => "ADVERTISE",
            (Self::Ack, Family::V4) => "ACK",
            (Self::Ack, Family::V6) => "REPLY",
            (Self::Nak, _) => "NAK",
        }
    }
}

impl<'de> Deserialize<'de> for Family {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            4 => Ok(Self::V4),
            6 => Ok(Self::V6),
            other => Err(D::Error::custom(format!("family is 4 or 6, not {other}"))),
        }
    }
}
