//! The [`Kind`]s of exchanges there are, and the [`Stage`]s they consist of.
//!
//! An exchange is what a schedule asks for; a stage is one message and its answer, which is what
//! the old tool counts and what a server sees. DHCPv4 and DHCPv6 have the same ones under other
//! names, so one list serves both.

/// What an exchange is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Getting a lease: DORA, DO, SARR or SA.
    Acquire,
    /// Asking the server that gave the lease for more time (T1).
    Renew,
    /// Giving a lease back.
    Release,
    /// Asking any server for more time (T2).
    Rebind,
    /// Asking whether a remembered lease still holds: INIT-REBOOT, CONFIRM.
    Reboot,
    /// Asking for options only: INFORM, INFORMATION-REQUEST.
    Inform,
    /// Refusing an address that somebody else uses.
    Decline,
}

impl Kind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Acquire,
        Self::Renew,
        Self::Release,
        Self::Rebind,
        Self::Reboot,
        Self::Inform,
        Self::Decline,
    ];
}

/// One message and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// DISCOVER-OFFER, SOLICIT-ADVERTISE; with rapid commit the ACK or REPLY at once.
    First,
    /// REQUEST-ACK, REQUEST-REPLY.
    Second,
    /// The renewing REQUEST, RENEW.
    Renew,
    /// RELEASE, which DHCPv4 does not answer.
    Release,
    /// The rebinding REQUEST, REBIND.
    Rebind,
    /// The REQUEST of INIT-REBOOT, CONFIRM.
    Reboot,
    /// INFORM, INFORMATION-REQUEST.
    Inform,
    /// DECLINE, which DHCPv4 does not answer.
    Decline,
}

impl Stage {
    /// Every stage, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::First,
        Self::Second,
        Self::Renew,
        Self::Release,
        Self::Rebind,
        Self::Reboot,
        Self::Inform,
        Self::Decline,
    ];

    /// The title that reports have always given it.
    pub const fn title(self, v6: bool) -> &'static str {
        match (self, v6) {
            (Self::First, false) => "DISCOVER-OFFER",
            (Self::Second, false) => "REQUEST-ACK",
            (Self::Renew, false) => "REQUEST-ACK (renewal)",
            (Self::Release, false) => "RELEASE",
            (Self::Rebind, false) => "REQUEST-ACK (rebinding)",
            (Self::Reboot, false) => "REQUEST-ACK (INIT-REBOOT)",
            (Self::Inform, false) => "INFORM-ACK",
            (Self::Decline, false) => "DECLINE",
            (Self::First, true) => "SOLICIT-ADVERTISE",
            (Self::Second, true) => "REQUEST-REPLY",
            (Self::Renew, true) => "RENEW-REPLY",
            (Self::Release, true) => "RELEASE-REPLY",
            (Self::Rebind, true) => "REBIND-REPLY",
            (Self::Reboot, true) => "CONFIRM-REPLY",
            (Self::Inform, true) => "INFORMATION-REQUEST-REPLY",
            (Self::Decline, true) => "DECLINE-REPLY",
        }
    }
}
