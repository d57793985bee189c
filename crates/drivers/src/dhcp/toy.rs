//! A [`Toy`] dialogue and an in-memory [`Wire`], for tests of what carries dialogues.
//!
//! Its messages are a type, a transaction id and an address: all that a hub can tell apart. It offers
//! every step a dialogue may take, so that no test of the hub has to know DHCP.

use super::captures::CaptureOptions;
use super::dialogue::{
    Anomaly, Dialogue, Ending, ExchangeRequest, OutgoingMessage, ReceivedReply, Rejected, Step,
    Times,
};
use super::limits::Limits;
use super::setup::Setup;
use super::task::Task;
use super::{Kind, Mix, Population, Stage};
use crate::net::carrier::{Carrier, Inbox, OutgoingDatagram};
use brunt_exchange::{Class, Clock, Moment, Monotonic, Outcome, Slots};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
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

/// The address that stands for none.
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

/// What a server would say to a message; nothing where it says nothing.
pub(super) type Server = Box<dyn Fn(&[u8]) -> Vec<Vec<u8>>>;

/// A server that gives client n the address n + 1, without looking at what it has given.
pub(super) fn obliging(sent: &[u8]) -> Vec<Vec<u8>> {
    let (what, xid, address) = parts(sent);
    match what {
        DISCOVER => vec![message(OFFER, xid, xid + 1)],
        REQUEST | RENEW | REBIND | REBOOT => vec![message(ACK, xid, address)],
        INFORM => vec![message(ACK, xid, 1)],
        _ => vec![],
    }
}

/// A carrier without a network: what is sent goes to a server that answers at once.
pub(super) struct Wire {
    server: Server,
    pub(super) log: Rc<Log>,
    incoming: RefCell<VecDeque<Vec<u8>>>,
    waker: RefCell<Option<Waker>>,
}

/// What a wire carried, and how it is to behave.
#[derive(Default)]
pub(super) struct Log {
    /// How many messages each call carried.
    pub(super) batches: RefCell<Vec<usize>>,
    pub(super) messages: RefCell<Vec<Vec<u8>>>,
    /// Errors of the next calls.
    pub(super) faults: RefCell<VecDeque<i32>>,
    /// How many messages a call takes at most, if any less than are offered.
    pub(super) room: Cell<Option<usize>>,
    /// When everything that comes in arrived, as a kernel would say.
    pub(super) arrived: Cell<Option<Moment>>,
}

impl Wire {
    pub(super) fn new(server: Server, log: Rc<Log>) -> Self {
        Self { server, log, incoming: RefCell::default(), waker: RefCell::default() }
    }
}

impl Carrier for Wire {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        if let Some(errno) = self.log.faults.borrow_mut().pop_front() {
            return Err(io::Error::from_raw_os_error(errno));
        }
        let mut count = 0;
        for datagram in datagrams.take(self.log.room.get().unwrap_or(usize::MAX)) {
            self.log.messages.borrow_mut().push(datagram.bytes.to_vec());
            self.incoming.borrow_mut().extend((self.server)(datagram.bytes));
            count += 1;
        }
        self.log.batches.borrow_mut().push(count);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
        Ok(count)
    }

    async fn writable(&self) -> io::Result<()> {
        tokio::task::yield_now().await;
        Ok(())
    }

    async fn receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        poll_fn(|cx| {
            let mut incoming = self.incoming.borrow_mut();
            if incoming.is_empty() {
                *self.waker.borrow_mut() = Some(cx.waker().clone());
                return Poll::Pending;
            }
            inbox.clear();
            while let Some(message) = incoming.front()
                && inbox.push(message, nowhere(), self.log.arrived.get())
            {
                incoming.pop_front();
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    fn try_receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        inbox.clear();
        let mut incoming = self.incoming.borrow_mut();
        while let Some(message) = incoming.front()
            && inbox.push(message, nowhere(), self.log.arrived.get())
        {
            incoming.pop_front();
        }
        if inbox.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }

    fn overflowed(&self) -> u64 {
        3
    }

    fn local_addr(&self) -> SocketAddr {
        nowhere()
    }
}

pub(super) fn nowhere() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 67))
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

/// A moment so many milliseconds after the origin.
pub(super) fn at(millis: u64) -> Moment {
    Moment::ZERO + Duration::from_millis(millis)
}
