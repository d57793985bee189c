//! A [`Lease`]: what a client has once a server has acknowledged it.

use brunt_dhcp_wire::dhcp4::Message;
use std::net::Ipv4Addr;
use std::time::Duration;

/// An address that a client may use for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The client.
    pub client: u64,
    /// The address.
    pub address: Ipv4Addr,
    /// The server that granted it.
    pub server: Ipv4Addr,
    /// The relay agent it was requested through; unspecified if none.
    pub relay: Ipv4Addr,
    /// When it was requested, counted from the beginning of the run; its duration is counted from
    /// then.
    pub granted: Duration,
    /// How long it is valid; `None` if forever.
    pub lasts: Option<Duration>,
    /// T1: when to renew, counted from `granted`.
    pub renew_after: Option<Duration>,
    /// T2: when to rebind, counted from `granted`.
    pub rebind_after: Option<Duration>,
}

/// The lease time that means forever (RFC 2131 section 3.3).
const FOR_EVER: u32 = u32::MAX;

impl Lease {
    /// Sets the lease's times from an acknowledgement. If T1 and T2 are missing or inconsistent,
    /// they are a half and seven eighths of the lease time (RFC 2131 section 4.4.5).
    pub(super) fn timed(mut self, ack: &Message<'_>, granted: Duration) -> Self {
        self.granted = granted;
        let lasts = ack.lease_time().unwrap_or(FOR_EVER);
        if lasts == FOR_EVER {
            (self.lasts, self.renew_after, self.rebind_after) = (None, None, None);
            return self;
        }
        let whole = Duration::from_secs(lasts.into());
        let reported = |seconds: Option<u32>| seconds.map(|each| Duration::from_secs(each.into()));
        let rebind =
            reported(ack.rebinding_time()).filter(|time| *time <= whole).unwrap_or(whole * 7 / 8);
        let renew = reported(ack.renewal_time()).unwrap_or(whole / 2);
        let renew = if renew <= rebind { renew } else { (whole / 2).min(rebind) };
        (self.lasts, self.renew_after, self.rebind_after) =
            (Some(whole), Some(renew), Some(rebind));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_dhcp_wire::dhcp4::{Header, MessageType, Writer, option};

    fn times(of: &[(u8, u32)]) -> [Option<u64>; 3] {
        let mut ack = Vec::new();
        let mut writer = Writer::new(&mut ack, &Header::request(), MessageType::Ack);
        for (code, seconds) in of {
            writer.seconds(*code, *seconds);
        }
        writer.end();
        let any = Lease {
            client: 1,
            address: Ipv4Addr::LOCALHOST,
            server: Ipv4Addr::LOCALHOST,
            relay: Ipv4Addr::UNSPECIFIED,
            granted: Duration::ZERO,
            lasts: Some(Duration::MAX),
            renew_after: None,
            rebind_after: None,
        };
        let lease = any.timed(&Message::scan(&ack).unwrap(), Duration::from_secs(5));
        assert_eq!(lease.granted, Duration::from_secs(5));
        [lease.renew_after, lease.rebind_after, lease.lasts]
            .map(|time| time.map(|time| time.as_secs()))
    }

    #[test]
    fn lease_times_are_given_or_derived() {
        use option::{LEASE_TIME, REBINDING_TIME, RENEWAL_TIME};
        let all = [(LEASE_TIME, 4_000), (RENEWAL_TIME, 900), (REBINDING_TIME, 1_800)];
        assert_eq!(times(&all), [Some(900), Some(1_800), Some(4_000)]);
        assert_eq!(times(&[(LEASE_TIME, 800)]), [Some(400), Some(700), Some(800)]);
        assert_eq!(times(&[(LEASE_TIME, u32::MAX), (RENEWAL_TIME, 9)]), [None; 3]);
        assert_eq!(times(&[]), [None; 3]);
        let late = [(LEASE_TIME, 800), (RENEWAL_TIME, 900), (REBINDING_TIME, 900)];
        assert_eq!(times(&late), [Some(400), Some(700), Some(800)]);
        let early = [(LEASE_TIME, 800), (RENEWAL_TIME, 500), (REBINDING_TIME, 100)];
        assert_eq!(times(&early), [Some(100), Some(100), Some(800)]);
    }
}
