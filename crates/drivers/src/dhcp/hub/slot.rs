//! A [`Slot`]: the state of one exchange in flight, and the timing of its dialogue.
//!
//! Buffers stay with the slot, so that a warm exchange allocates nothing. A slot must not know a
//! socket, a table or a counter.

use super::past::{Past, TransactionEnd};
use crate::dhcp::{Anomaly, Dialogue, Ending, Kind, Stage};
use brunt_exchange::{Moment, Outcome};
use std::net::{IpAddr, SocketAddr};
use std::task::Waker;
use std::time::Duration;

/// Further away than any run lasts.
pub(super) const NEVER: Moment = Moment::from_nanos(u64::MAX);

/// The conditions of an exchange, beside what it is to do.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dhcp) struct Terms {
    /// The phase of the run in which it fell due, to which everything belongs that is counted of it.
    pub(in crate::dhcp) phase: u8,
    /// When it is over whatever its dialogue says, and how it ends then.
    pub(in crate::dhcp) until: Option<(Moment, Outcome)>,
}

/// How an exchange ended, for the session that began it.
pub(in crate::dhcp) struct EndedExchange<L> {
    pub(in crate::dhcp) outcome: Outcome,
    pub(in crate::dhcp) anomaly: Option<Anomaly>,
    pub(in crate::dhcp) stage: Stage,
    pub(in crate::dhcp) lease: Option<L>,
    /// When the first message left, if it did.
    pub(in crate::dhcp) sent: Option<Moment>,
    pub(in crate::dhcp) at: Moment,
    pub(in crate::dhcp) took: [Option<(Stage, Duration)>; 2],
}

/// What is to be sent for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outgoing {
    Nothing,
    /// A message that opens a stage.
    Fresh,
    /// The same message again.
    Again,
}

/// How far a slot's exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The slot is free.
    Idle,
    /// The stage's message has not left yet.
    Unsent,
    /// The stage's message has left.
    Sent,
    /// The exchange has ended, and its session has not been told yet.
    Ended,
}

pub(super) struct Slot<D: Dialogue> {
    pub(super) dialogue: D,
    pub(super) out: Vec<u8>,
    pub(super) to: SocketAddr,
    pub(super) phase: Phase,
    pub(super) outgoing: Outgoing,
    /// Whether the slot stands in the queue.
    pub(super) queued: bool,
    pub(super) kind: Kind,
    pub(super) client: u64,
    pub(super) stage: Stage,
    /// The stage before this one, if there was one.
    pub(super) before: Option<Stage>,
    pub(super) xid: u32,
    /// Whether the message has left more than once.
    pub(super) retried: bool,
    /// Whether it left in the burst after the hub stood still.
    pub(super) in_burst: bool,
    /// How long the answer to what is sent next is waited for.
    pub(super) wait: Option<Duration>,
    /// When the first message of the exchange left.
    pub(super) first_sent: Option<Moment>,
    /// When the stage's message left for the first time.
    pub(super) stage_sent: Moment,
    pub(super) terms: Terms,
    /// A reply that comes later than this is late.
    pub(super) deadline: Moment,
    /// What the answered stages took.
    pub(super) took: [Option<(Stage, Duration)>; 2],
    /// The address of a lease that the exchange gives up.
    pub(super) gives_up: Option<IpAddr>,
    pub(super) ending: Option<Ending<D::Lease>>,
    /// The reply that ended the exchange, where replies are kept.
    pub(super) answer: Vec<u8>,
    pub(super) ended: Moment,
    pub(super) waker: Option<Waker>,
}

impl<D: Dialogue> Slot<D> {
    pub(super) fn new(to: SocketAddr) -> Self {
        Self {
            dialogue: D::default(),
            out: Vec::new(),
            to,
            phase: Phase::Idle,
            outgoing: Outgoing::Nothing,
            queued: false,
            kind: Kind::Acquire,
            client: 0,
            stage: Stage::First,
            before: None,
            xid: 0,
            retried: false,
            in_burst: false,
            wait: None,
            first_sent: None,
            stage_sent: Moment::ZERO,
            terms: Terms::default(),
            deadline: NEVER,
            took: [None; 2],
            gives_up: None,
            ending: None,
            answer: Vec::new(),
            ended: Moment::ZERO,
            waker: None,
        }
    }

    /// Forgets the exchange before.
    pub(super) fn reset(&mut self, kind: Kind, client: u64, terms: Terms) {
        self.phase = Phase::Idle;
        self.kind = kind;
        self.client = client;
        self.stage = Stage::First;
        self.before = None;
        self.first_sent = None;
        self.terms = terms;
        self.deadline = NEVER;
        self.took = [None; 2];
        self.gives_up = None;
        self.ending = None;
        self.answer.clear();
    }

    /// Waits for an answer from `now` on, as long as is wanted and the exchange may last.
    pub(super) fn wait_from(&mut self, now: Moment, wait: Duration) {
        let until = self.terms.until.map_or(NEVER, |(until, _)| until);
        self.deadline = (now + wait).min(until);
    }

    /// What is to be remembered of its transaction.
    pub(super) fn past(&self, end: TransactionEnd) -> Past {
        Past { stage: self.stage, end, phase: self.terms.phase }
    }

    /// Notes what an answered stage took.
    pub(super) fn answered(&mut self, at: Moment) {
        let took = (self.stage, at - self.stage_sent);
        if let Some(room) = self.took.iter_mut().find(|room| room.is_none()) {
            *room = Some(took);
        }
    }

    pub(super) fn wake(&mut self) {
        if let Some(waker) = &self.waker {
            waker.wake_by_ref();
        }
    }
}
