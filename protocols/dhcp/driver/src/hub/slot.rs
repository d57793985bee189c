//! A [`Slot`]: the state of one exchange in flight, and the timing of its dialogue.
//!
//! Buffers stay with the slot, so that an exchange allocates nothing once the slot is warm. A slot must not depend on a
//! socket, a table or a counter.

use crate::{Anomaly, Dialogue, Ending, Kind, Stage};
use brunt_exchange::{Moment, Outcome};
use std::net::{IpAddr, SocketAddr};
use std::task::Waker;
use std::time::Duration;

/// Later than the end of any run.
pub(super) const NEVER: Moment = Moment::from_nanos(u64::MAX);

/// The conditions of an exchange, in addition to what it must do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    /// The phase of the run in which it was due; everything counted about it belongs to this phase.
    pub(crate) phase: u8,
    /// When it ends, whatever its dialogue does, and with which outcome.
    pub(crate) until: Option<(Moment, Outcome)>,
}

/// How an exchange ended, for the session that began it.
pub(crate) struct EndedExchange<L> {
    pub(crate) outcome: Outcome,
    pub(crate) anomaly: Option<Anomaly>,
    pub(crate) stage: Stage,
    pub(crate) lease: Option<L>,
    /// When the first message was sent, if it was.
    pub(crate) sent: Option<Moment>,
    pub(crate) at: Moment,
    pub(crate) took: [Option<(Stage, Duration)>; 2],
}

/// What must be sent for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outgoing {
    Nothing,
    /// A message that starts a stage.
    Fresh,
    /// The same message again.
    Again,
}

/// The progress of a slot's exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The slot is free.
    Idle,
    /// The stage's message has not been sent yet.
    Unsent,
    /// The stage's message has been sent.
    Sent,
    /// The exchange has ended, and its session has not been notified yet.
    Ended,
}

pub(super) struct Slot<D: Dialogue> {
    pub(super) dialogue: D,
    pub(super) out: Vec<u8>,
    pub(super) to: SocketAddr,
    pub(super) phase: Phase,
    pub(super) outgoing: Outgoing,
    /// Whether the slot is in the queue.
    pub(super) queued: bool,
    pub(super) kind: Kind,
    pub(super) client: u64,
    pub(super) stage: Stage,
    /// The previous stage, if there was one.
    pub(super) before: Option<Stage>,
    pub(super) xid: u32,
    /// Whether the message was sent more than once.
    pub(super) retried: bool,
    /// Whether it was sent in the burst after the hub stalled.
    pub(super) in_burst: bool,
    /// How long to wait for the answer to the message that is sent next.
    pub(super) wait: Option<Duration>,
    /// When the first message of the exchange was sent.
    pub(super) first_sent: Option<Moment>,
    /// When the stage's message was sent for the first time.
    pub(super) stage_sent: Moment,
    pub(super) terms: Terms,
    /// A reply that arrives after this moment is late.
    pub(super) deadline: Moment,
    /// How long the answered stages took.
    pub(super) took: [Option<(Stage, Duration)>; 2],
    /// The address of the lease that the exchange releases.
    pub(super) gives_up: Option<IpAddr>,
    pub(super) ending: Option<Ending<D::Lease>>,
    /// The reply that ended the exchange, if replies are kept.
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

    /// Clears the state of the previous exchange.
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

    /// Starts waiting for an answer at `now`, for the given time but not beyond the end of the exchange.
    pub(super) fn wait_from(&mut self, now: Moment, wait: Duration) {
        let until = self.terms.until.map_or(NEVER, |(until, _)| until);
        self.deadline = (now + wait).min(until);
    }

    /// What must be remembered about its transaction.
    pub(super) fn past(&self, end: TransactionEnd) -> Past {
        Past { stage: self.stage, end, phase: self.terms.phase }
    }

    /// Records how long an answered stage took.
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

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionEnd {
    /// Its answer arrived.
    Answered,
    /// It was abandoned: no answer arrived in time, or it was cancelled.
    GivenUp,
    /// It was sent before the run.
    Preload,
}

/// What is remembered about a transaction that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) stage: Stage,
    pub(crate) end: TransactionEnd,
    /// The phase of the run in which its exchange was due.
    pub(crate) phase: u8,
}
