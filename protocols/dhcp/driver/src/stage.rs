//! The [`Kind`]s of exchanges, and the [`Stage`]s they consist of.
//!
//! An exchange is the unit of a schedule. A stage is one message and its answer, which is what
//! perfdhcp counts and what a server sees. DHCPv4 and DHCPv6 have the same stages under different
//! names, so one list serves both.

/// The kind of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Getting a lease: DORA, DO, SARR or SA.
    Acquire,
    /// Asking the server that granted the lease for an extension (T1).
    Renew,
    /// Releasing a lease.
    Release,
    /// Asking any server for an extension (T2).
    Rebind,
    /// Asking whether a remembered lease is still valid: INIT-REBOOT, CONFIRM.
    Reboot,
    /// Requesting only options: INFORM, INFORMATION-REQUEST.
    Inform,
    /// Refusing an address that another client uses.
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
    /// DISCOVER-OFFER, SOLICIT-ADVERTISE; with rapid commit immediately the ACK or REPLY.
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

    /// The title of the stage in reports.
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
