//! A [`Toy`] dialogue, for tests of the code that runs dialogues.
//!
//! Its messages are a type, a transaction id and an address: everything that a hub distinguishes. It offers every step
//! that a dialogue may take, so that no test of the hub depends on DHCP.

use super::captures::CaptureOptions;
use super::dialogue::{
    Anomaly, Dialogue, Ending, ExchangeRequest, OutgoingMessage, ReceivedReply, Rejected, Step,
    Times,
};
use super::limits::Limits;
use super::setup::Setup;
use super::task::Task;
use super::{Kind, Mix, Population, Stage};
use brunt_exchange::{Class, Moment, Monotonic, Outcome, Slots};
use brunt_net::wire::nowhere;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

pub(super) const DISCOVER: u8 = 1;
pub(super) const OFFER: u8 = 2;
pub(super) const REQUEST: u8 = 3;
pub(super) const ACK: u8 = 5;
pub(super) const NAK: u8 = 6;
pub(super) const RENEW: u8 = 10;
pub(super) const RELEASE: u8 = 7;
pub(super) const REBIND: u8 = 11;
pub(super) const REBOOT: u8 = 12;
pub(super) const INFORM: u8 = 8;
pub(super) const DECLINE: u8 = 4;

/// The address that means that there is none.
pub(super) const NONE: u32 = 0;

pub(super) fn message(kind: u8, xid: u32, address: u32) -> Vec<u8> {
    let mut out = vec![kind];
    out.extend(xid.to_be_bytes());
    out.extend(address.to_be_bytes());
    out
}

pub(super) fn parts(message: &[u8]) -> (u8, u32, u32) {
    let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|n| message[at + n]));
    (message[0], word(1), word(5))
}

#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) wait: Duration,
    pub(super) resends: u32,
    /// Whether the second stage has a transaction id of its own.
    pub(super) own_xids: bool,
    pub(super) first_only: bool,
    pub(super) release_is_answered: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(1),
            resends: 0,
            own_xids: false,
            first_only: false,
            release_is_answered: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToyLease {
    pub(super) client: u64,
    pub(super) address: u32,
}

#[derive(Default)]
pub(super) struct Toy {
    client: u64,
    number: u64,
    kind: Option<Kind>,
    second: bool,
    attempts: u32,
    offered: Option<u32>,
}

impl Dialogue for Toy {
    type Plan = Rules;
    type Lease = ToyLease;

    fn address(lease: &ToyLease) -> IpAddr {
        Ipv4Addr::from_bits(lease.address).into()
    }

    fn holder(lease: &ToyLease) -> u64 {
        lease.client
    }

    fn times(_: &ToyLease) -> Times {
        Times { given: Duration::ZERO, renew: None, rebind: None, ends: None }
    }

    fn open<'a>(_: &Rules, datagram: &'a [u8]) -> Result<(u32, &'a [u8]), Rejected> {
        match datagram {
            short if short.len() < 5 => Err(Rejected::TooShort),
            long if long.len() != 9 => Err(Rejected::Malformed),
            [DISCOVER | REQUEST, ..] => Err(Rejected::Unexpected),
            whole => Ok((parts(whole).1, whole)),
        }
    }

    fn answers(message: &[u8]) -> Option<Stage> {
        (message[0] == OFFER).then_some(Stage::First)
    }

    fn server(message: &[u8]) -> Option<&[u8]> {
        message.get(5..)
    }

    fn offered(&self) -> Option<IpAddr> {
        self.offered.map(|address| Ipv4Addr::from_bits(address).into())
    }

    fn begin(
        &mut self,
        rules: &Rules,
        request: ExchangeRequest<ToyLease>,
        out: &mut Vec<u8>,
    ) -> Step<ToyLease> {
        let ExchangeRequest { kind, number, client, lease, .. } = request;
        *self = Self { client, number, kind: Some(kind), ..Self::default() };
        let (what, stage) = match kind {
            Kind::Acquire => (DISCOVER, Stage::First),
            Kind::Renew => (RENEW, Stage::Renew),
            Kind::Release => (RELEASE, Stage::Release),
            Kind::Rebind => (REBIND, Stage::Rebind),
            Kind::Reboot => (REBOOT, Stage::Reboot),
            Kind::Inform => (INFORM, Stage::Inform),
            Kind::Decline => (DECLINE, Stage::Decline),
        };
        let xid = if rules.own_xids { 2 * number } else { number } as u32;
        out.clear();
        out.extend(message(what, xid, lease.map_or(NONE, |lease| lease.address)));
        let answered = !matches!(kind, Kind::Release | Kind::Decline) || rules.release_is_answered;
        let wait = answered.then_some(rules.wait);
        Step::Send(OutgoingMessage { stage, xid, wait, to: None, offered: None })
    }

    fn reply(
        &mut self,
        rules: &Rules,
        received: &ReceivedReply<'_>,
        out: &mut Vec<u8>,
    ) -> Step<ToyLease> {
        let (what, xid, address) = parts(received.message);
        let acquires = self.kind == Some(Kind::Acquire);
        let lease = Some(ToyLease { client: self.client, address });
        let done = |outcome, answered, anomaly, lease| {
            Step::Done(Ending { outcome, answered, anomaly, lease })
        };
        let failed = Outcome::Failed(Class::Check, 0);
        match what {
            OFFER if !acquires => Step::Ignore(Anomaly::Unexpected),
            OFFER if self.second => Step::Ignore(Anomaly::Duplicate),
            OFFER if address == NONE => done(failed, false, Some(Anomaly::Malformed), None),
            OFFER => {
                self.offered = Some(address);
                if rules.first_only {
                    return done(Outcome::Ok(2), true, None, None);
                }
                self.second = true;
                self.attempts = 0;
                let xid = if rules.own_xids { (2 * self.number + 1) as u32 } else { xid };
                out.clear();
                out.extend(message(REQUEST, xid, address));
                let (stage, wait) = (Stage::Second, Some(rules.wait));
                let offered = Some(Ipv4Addr::from_bits(address).into());
                Step::Send(OutgoingMessage { stage, xid, wait, to: None, offered })
            }
            ACK if address == NONE && acquires => done(failed, true, Some(Anomaly::Rejected), None),
            ACK if self.kind == Some(Kind::Release) => done(Outcome::Ok(5), true, None, None),
            ACK => done(Outcome::Ok(5), true, None, lease),
            NAK => done(Outcome::Failed(Class::Result, 6), false, Some(Anomaly::Nak), None),
            _ => Step::Ignore(Anomaly::Unexpected),
        }
    }

    fn expired(&mut self, rules: &Rules, _: Duration, _: &mut Vec<u8>) -> Step<ToyLease> {
        if self.attempts < rules.resends {
            self.attempts += 1;
            return Step::Again(rules.wait * (1 << self.attempts));
        }
        let (outcome, answered) = (Outcome::TimedOut, false);
        Step::Done(Ending { outcome, answered, anomaly: None, lease: None })
    }
}

/// A server that gives client n the address n + 1, without checking what it has given before.
pub(super) fn obliging(sent: &[u8]) -> Vec<Vec<u8>> {
    let (what, xid, address) = parts(sent);
    match what {
        DISCOVER => vec![message(OFFER, xid, xid + 1)],
        REQUEST | RENEW | REBIND | REBOOT => vec![message(ACK, xid, address)],
        INFORM => vec![message(ACK, xid, 1)],
        _ => vec![],
    }
}

/// A setup of acquiring clients without a socket.
pub(super) fn setup<C>(rules: Rules) -> Setup<Toy, C> {
    Setup {
        plans: vec![Arc::new(rules)],
        population: Population::cycle([0; 6], 1 << 32),
        clock: Arc::new(Monotonic::new()),
        sockets: Vec::new(),
        destination: nowhere(),
        task: Task::Mix(Mix::ACQUIRE),
        seed: 1,
        slots: Slots::default(),
        preload: 0,
        leases_max: 0,
        limits: Arc::new(Limits::none()),
        unique: false,
        expectations: Vec::new(),
        capture: CaptureOptions::default(),
    }
}

/// The moment this many milliseconds after the origin.
pub(super) fn at(millis: u64) -> Moment {
    Moment::ZERO + Duration::from_millis(millis)
}
