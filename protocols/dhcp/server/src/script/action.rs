//! The actions of rules.

use std::net::IpAddr;

use brunt_embedded::script::period::Range;
use serde::Deserialize;

use crate::words::{Family, RequestKind};

/// What can be done to a request.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Action {
    /// Answer later, by a fixed time or by one from a range. Messages behind it are not delayed.
    Delay(Range),
    /// Act as if the message had been lost.
    Ignore,
    /// Execute it and never answer.
    Drop,
    /// Answer after the next answer.
    Reorder,
    /// Answer twice.
    Duplicate,
    /// Refuse with a NAK.
    Nak,
    /// Refuse with this status code, in the lease where there is one, else in the message.
    Status(u16),
    /// Answer without an address or prefix.
    NoLease,
    /// Give this address to every client.
    Address(IpAddr),
    /// Answer with only this number of bytes of the answer.
    Truncate(usize),
    /// Answer with this number of random bytes.
    Garbage(usize),
    /// Answer under another transaction id.
    WrongXid,
    /// Answer with the identifier of another server.
    WrongServer,
}

impl Action {
    /// Its name in scripts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Delay(_) => "delay",
            Self::Ignore => "ignore",
            Self::Drop => "drop",
            Self::Reorder => "reorder",
            Self::Duplicate => "duplicate",
            Self::Nak => "nak",
            Self::Status(_) => "status",
            Self::NoLease => "no-lease",
            Self::Address(_) => "address",
            Self::Truncate(_) => "truncate",
            Self::Garbage(_) => "garbage",
            Self::WrongXid => "wrong-xid",
            Self::WrongServer => "wrong-server",
        }
    }

    /// Whether it can be done to a message of this kind.
    pub(super) const fn suits(self, family: Family, act: RequestKind) -> bool {
        let answered = matches!(family, Family::V6)
            || !matches!(act, RequestKind::Release | RequestKind::Decline);
        let about_lease = matches!(
            act,
            RequestKind::Discover | RequestKind::Request | RequestKind::Renew | RequestKind::Rebind
        );
        match self {
            Self::Ignore => true,
            Self::Nak => {
                matches!(family, Family::V4)
                    && matches!(
                        act,
                        RequestKind::Request
                            | RequestKind::Renew
                            | RequestKind::Rebind
                            | RequestKind::Reboot
                    )
            }
            Self::Status(_) => matches!(family, Family::V6),
            Self::NoLease => about_lease,
            Self::Address(address) => {
                about_lease && address.is_ipv6() == matches!(family, Family::V6)
            }
            _ => answered,
        }
    }
}
