//! The [`ExchangeTable`]: all the work of a hub that needs no socket: dialogues, transactions, drop times, counts.
//!
//! Its caller passes in what was sent, what arrived and the current time, and it updates its slots accordingly. Late,
//! duplicate and forged replies can therefore be tested to the nanosecond without a network. A reply is judged by its
//! timestamp: a reply that arrived after its drop time is late, even if the timer wheel has not reached that time yet,
//! and a reply that the kernel received before it is in time, however late it is read. It must not read a clock.

use super::slot::{EndedExchange, NEVER, Outgoing, Past, Phase, Slot, Terms, TransactionEnd};
use crate::captures::MessageTimes;
use crate::dialogue::{
    Anomaly, Dialogue, Ending, ExchangeRequest, OutgoingMessage, ReceivedReply, Rejected, Step,
};
use crate::expectation::examined;
use crate::leases::Leases;
use crate::shared::Shared;
use crate::silence::Listening;
use crate::tally::{Counter, Overall, Tally};
use crate::{Kind, Stage};
use brunt_exchange::{Class, Moment, Outcome};
use brunt_net::carrier::{Inbox, OutgoingDatagram};
use brunt_net::hub::{Gap, Table, Transactions, Wheel};
use brunt_net::{class_of_sending, number_of_sending};
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Context;
use std::time::Duration;

/// When a datagram arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// The time to count it with: when it was read or, if requested, the kernel's timestamp.
    pub(crate) at: Moment,
    /// The kernel's timestamp, if it was looked up.
    pub(crate) stamp: Option<Moment>,
    /// When the run began.
    pub(crate) origin: Moment,
}

pub(crate) struct ExchangeTable<D: Dialogue> {
    shared: Arc<Shared<D>>,
    plan: Arc<D::Plan>,
    worker: usize,
    tally: Arc<Tally>,
    slots: Box<[Slot<D>]>,
    /// Slots with a message to send, in order; the message of some may have been withdrawn since.
    queue: VecDeque<u32>,
    /// How many slots of the queue no longer have a message to send.
    stale: usize,
    transactions: Transactions<Past>,
    wheel: Wheel,
    leases: Leases<D::Lease>,
    /// A bit for each stage whose sent message was kept, followed by those for received messages.
    kept: u32,
    server_kept: bool,
    /// Whether each slot keeps the reply that ended its exchange.
    keeps_answers: bool,
    /// When the last replies arrived, and what was sent after them.
    listening: Listening,
    /// When the hub was last stalled.
    gap: Option<Gap>,
    /// How many messages were returned so far.
    came_back: u64,
    /// A buffer for the value that a client expects in an answer.
    scratch: Vec<u8>,
}

impl<D: Dialogue> Table for ExchangeTable<D> {
    type Ended = EndedExchange<D::Lease>;

    fn poll_end(&mut self, index: u32, cx: &Context<'_>) -> Option<EndedExchange<D::Lease>> {
        let slot = &mut self.slots[index as usize];
        if slot.phase == Phase::Ended
            && let Some(ending) = slot.ending.take()
        {
            slot.phase = Phase::Idle;
            return Some(EndedExchange {
                outcome: ending.outcome,
                anomaly: ending.anomaly,
                stage: slot.stage,
                lease: ending.lease,
                sent: slot.first_sent,
                at: slot.ended,
                took: slot.took,
            });
        }
        if !slot.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            slot.waker = Some(cx.waker().clone());
        }
        None
    }

    fn call_off(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        let (phase, past, xid) = (slot.phase, slot.past(TransactionEnd::GivenUp), slot.xid);
        slot.phase = Phase::Idle;
        if matches!(phase, Phase::Unsent | Phase::Sent) {
            self.transactions.end(xid, index, past);
        }
        if phase == Phase::Sent {
            self.tally.count(past.phase, past.stage, Counter::CutOff);
            self.stamp(index, None);
        }
        self.unqueue(index);
    }

    fn has_outgoing(&self) -> bool {
        self.queue.len() > self.stale
    }

    fn datagrams(&mut self, max: usize) -> impl Iterator<Item = OutgoingDatagram<'_>> {
        if self.stale > 0 {
            let slots = &mut self.slots;
            self.queue.retain(|index| {
                let slot = &mut slots[*index as usize];
                slot.queued = slot.outgoing != Outgoing::Nothing;
                slot.queued
            });
            self.stale = 0;
        }
        let datagram = |index: &u32| {
            let slot = &self.slots[*index as usize];
            OutgoingDatagram { bytes: &slot.out, to: slot.to }
        };
        self.queue.iter().take(max).map(datagram)
    }

    fn sent(&mut self, count: usize, now: Moment) {
        if count > 0 {
            self.shared.limits.sent();
        }
        for _ in 0..count {
            let Some(index) = self.queue.pop_front() else { break };
            self.sent_one(index, now);
        }
    }

    fn refused(&mut self, error: &io::Error, now: Moment) {
        let Some(index) = self.queue.pop_front() else { return };
        let slot = &mut self.slots[index as usize];
        self.tally.count_overall(Some(slot.terms.phase), Overall::LocalLimit, 1);
        let (class, errno) = (class_of_sending(error), number_of_sending(error));
        if class == Class::Unsent {
            self.shared.limits.unsent(errno, now);
        }
        slot.queued = false;
        let outgoing = std::mem::replace(&mut slot.outgoing, Outgoing::Nothing);
        if outgoing == Outgoing::Again {
            // The message was sent once, and its answer may still arrive.
            slot.wait_from(now, slot.wait.unwrap_or_default());
            self.wheel.arm(index, slot.deadline);
            return;
        }
        let outcome = Outcome::Failed(class, errno.cast_unsigned());
        self.transactions.end(slot.xid, index, slot.past(TransactionEnd::GivenUp));
        self.finish(index, Ending { outcome, answered: false, anomaly: None, lease: None }, now);
    }

    fn receive(&mut self, inbox: &Inbox, now: Moment) {
        let origin = self.shared.origin(now);
        for datagram in inbox.iter() {
            let arrival = Arrival { at: datagram.at.unwrap_or(now), stamp: datagram.stamp, origin };
            self.take_in(datagram.bytes, datagram.truncated, arrival);
        }
    }

    fn next(&self) -> Option<Moment> {
        self.wheel.next()
    }

    fn tick(&mut self, now: Moment) {
        while let Some(index) = self.wheel.due(now) {
            let slot = &self.slots[index as usize];
            if slot.phase != Phase::Sent || slot.outgoing != Outgoing::Nothing {
                continue;
            }
            if slot.deadline < now {
                self.expire(index);
            } else {
                // A reply that arrived at exactly this nanosecond would be in time.
                let deadline = slot.deadline.max(now + Duration::from_nanos(1));
                self.wheel.arm(index, deadline);
            }
        }
    }

    fn stood_still(&mut self, gap: Option<Gap>) {
        self.gap = gap;
    }

    fn lost(&mut self, overflowed: u64, unreachable: u64) {
        self.shared.socket_drops[self.worker].store(overflowed, Ordering::Relaxed);
        let more = unreachable.saturating_sub(std::mem::replace(&mut self.came_back, unreachable));
        self.tally.count_overall(None, Overall::PortUnreachable, more);
    }

    fn close(&mut self, now: Moment) {
        self.shared.give_back(self.leases.drain());
        self.shared.fell_silent(self.listening.since(self.shared.origin(now)));
    }
}

impl<D: Dialogue> ExchangeTable<D> {
    pub(crate) fn new(shared: Arc<Shared<D>>, worker: usize, slots: usize) -> Self {
        let tally = Arc::clone(&shared.tallies[worker]);
        let preload = shared.preload_of(worker);
        Self {
            plan: Arc::clone(&shared.plans[worker]),
            worker,
            tally,
            slots: (0..slots).map(|_| Slot::new(shared.destination)).collect(),
            queue: VecDeque::with_capacity(slots),
            stale: 0,
            transactions: Transactions::new(slots, preload),
            wheel: Wheel::new(slots),
            leases: Leases::new(shared.leases_max_of_worker()),
            kept: 0,
            server_kept: false,
            keeps_answers: false,
            listening: Listening::default(),
            gap: None,
            came_back: 0,
            scratch: Vec::new(),
            shared,
        }
    }

    /// Begins an exchange in a free slot.
    pub(crate) fn begin(
        &mut self,
        index: u32,
        request: ExchangeRequest<D::Lease>,
        terms: Terms,
        now: Moment,
    ) {
        let slot = &mut self.slots[index as usize];
        debug_assert!(slot.phase == Phase::Idle, "a slot has one exchange at a time");
        slot.reset(request.kind, request.client, terms);
        if matches!(request.kind, Kind::Release | Kind::Decline) {
            slot.gives_up = request.lease.as_ref().map(D::address);
        }
        let step = slot.dialogue.begin(&self.plan, request, &mut slot.out);
        if let Step::Again(_) | Step::Ignore(_) = step {
            debug_assert!(false, "a dialogue begins with a message, or is over");
            let (outcome, answered) = (Outcome::Failed(Class::Check, 0), false);
            let ending = Ending { outcome, answered, anomaly: None, lease: None };
            return self.finish(index, ending, now);
        }
        self.follow(index, step, now);
    }

    /// Removes a lease, chosen by `draw`, from the store, for use in an exchange.
    pub(crate) fn take_lease(&mut self, draw: u64) -> Option<D::Lease> {
        self.leases.take(draw)
    }

    fn sent_one(&mut self, index: u32, now: Moment) {
        let slot = &mut self.slots[index as usize];
        slot.queued = false;
        let outgoing = std::mem::replace(&mut slot.outgoing, Outgoing::Nothing);
        let (stage, phase) = (slot.stage, slot.terms.phase);
        if outgoing == Outgoing::Fresh {
            self.tally.count(phase, stage, Counter::Sent);
            slot.phase = Phase::Sent;
            slot.retried = false;
            slot.stage_sent = now;
            slot.first_sent.get_or_insert(now);
            let bit = 1 << (stage as u32);
            if self.kept & bit == 0 && self.shared.captures.options().messages {
                self.shared.captures.keep_sent(stage, &slot.out);
                self.kept |= bit;
            }
        } else {
            self.tally.count(phase, stage, Counter::Resent);
            if !std::mem::replace(&mut slot.retried, true) {
                self.tally.count(phase, stage, Counter::Retried);
            }
        }
        if let Some(wait) = slot.wait {
            self.listening.requested(now);
            slot.in_burst = self.gap.is_some_and(|gap| gap.bursts(now));
            slot.wait_from(now, wait);
            self.wheel.arm(index, slot.deadline);
        } else {
            let (outcome, answered) = (Outcome::Ok(0), false);
            let ending = Ending { outcome, answered, anomaly: None, lease: None };
            self.count_end(index, Counter::NoReplyExpected, TransactionEnd::Answered, now);
            self.freed(index);
            self.finish(index, ending, now);
        }
    }

    /// Processes a datagram that arrived.
    pub(super) fn take_in(&mut self, datagram: &[u8], truncated: bool, arrival: Arrival) {
        let Arrival { mut at, stamp, origin } = arrival;
        let (xid, message) = match D::open(&self.plan, datagram) {
            Ok(opened) if !truncated => opened,
            Ok(_) | Err(Rejected::Malformed) => return self.overall(None, Overall::Malformed),
            Err(Rejected::TooShort) => return self.overall(None, Overall::TooShort),
            Err(Rejected::Unexpected) => return self.overall(None, Overall::Unexpected),
        };
        self.listening.on_reply(at);
        let Some(index) = self.transactions.slot(xid) else {
            return self.orphan(xid, message);
        };
        let slot = &self.slots[index as usize];
        if at > slot.deadline {
            at = stamp.unwrap_or(at).min(at).max(slot.stage_sent);
        }
        match slot.phase {
            Phase::Unsent => return self.premature(slot.terms.phase, slot.before, message),
            Phase::Sent if slot.outgoing == Outgoing::Nothing && at > slot.deadline => {
                self.expire(index);
                if self.transactions.slot(xid) != Some(index) {
                    return self.orphan(xid, message);
                }
            }
            Phase::Sent => {}
            Phase::Idle | Phase::Ended => {
                debug_assert!(false, "a slot without an exchange has no transaction");
                return self.orphan(xid, message);
            }
        }
        self.keep_received(index, message);
        let slot = &mut self.slots[index as usize];
        let received = ReceivedReply { message, took: at - slot.stage_sent, at: at - origin };
        let step = slot.dialogue.reply(&self.plan, &received, &mut slot.out);
        let (requested, expected) = ((slot.stage, slot.client), &self.shared.expectations);
        let step = examined::<D>(expected, requested, message, step, &mut self.scratch);
        let unexpected = |outcome| matches!(outcome, Outcome::Failed(Class::Check, _));
        if matches!(&step, Step::Done(end) if self.keeps_answers || unexpected(end.outcome)) {
            slot.answer.clear();
            slot.answer.extend_from_slice(message);
        }
        self.follow(index, step, at);
    }

    /// Keeps the reply that ends each exchange from now on.
    pub(crate) fn keep_answers(&mut self) {
        self.keeps_answers = true;
    }

    /// The reply that ended the exchange of a slot, if replies are kept; an unexpected reply is always kept.
    pub(crate) fn answer(&self, index: u32) -> &[u8] {
        &self.slots[index as usize].answer
    }

    /// Called when the drop time of a slot's message has passed.
    fn expire(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        let at = slot.deadline;
        if let Some((until, outcome)) = slot.terms.until
            && at >= until
        {
            let ending = Ending { outcome, answered: false, anomaly: None, lease: None };
            return self.conclude(index, ending, at);
        }
        let since = at - slot.stage_sent;
        let step = slot.dialogue.expired(&self.plan, since, &mut slot.out);
        self.follow(index, step, at);
    }

    /// Performs the step that a dialogue returned.
    fn follow(&mut self, index: u32, step: Step<D::Lease>, at: Moment) {
        match step {
            Step::Send(outgoing) => self.write(index, &outgoing, at),
            Step::Again(wait) => {
                let slot = &mut self.slots[index as usize];
                slot.wait = Some(wait);
                slot.deadline = NEVER;
                self.enqueue(index, Outgoing::Again);
            }
            Step::Ignore(anomaly) => self.ignore(index, anomaly),
            Step::Done(ending) => self.conclude(index, ending, at),
        }
    }

    /// Queues a message that starts a stage, and ends the previous stage.
    fn write(&mut self, index: u32, outgoing: &OutgoingMessage, at: Moment) {
        let slot = &mut self.slots[index as usize];
        if slot.phase == Phase::Sent {
            slot.answered(at);
            let (past, xid, client) = (slot.past(TransactionEnd::Answered), slot.xid, slot.client);
            slot.before = Some(past.stage);
            self.tally.count(past.phase, past.stage, Counter::Received);
            self.stamp(index, Some(at));
            let offered = self.slots[index as usize].dialogue.offered();
            if let Some(address) = outgoing.offered.or(offered) {
                self.note_address(past, address, client);
            }
            let over = outgoing.stage == Stage::Second && !self.shared.limits.take_request();
            if xid != outgoing.xid || over {
                self.transactions.end(xid, index, past);
            }
            if over {
                let (outcome, answered) = (Outcome::CutOff, true);
                let ending = Ending { outcome, answered, anomaly: None, lease: None };
                return self.finish(index, ending, at);
            }
        }
        let slot = &mut self.slots[index as usize];
        slot.phase = Phase::Unsent;
        slot.stage = outgoing.stage;
        slot.xid = outgoing.xid;
        slot.wait = outgoing.wait;
        slot.to = outgoing.to.unwrap_or(self.shared.destination);
        slot.deadline = NEVER;
        self.transactions.begin(outgoing.xid, index);
        self.enqueue(index, Outgoing::Fresh);
    }

    /// Ends a dialogue.
    fn conclude(&mut self, index: u32, mut ending: Ending<D::Lease>, at: Moment) {
        let slot = &self.slots[index as usize];
        let (past, client) = (slot.past(TransactionEnd::Answered), slot.client);
        let dropped = slot.phase == Phase::Sent && ending.outcome == Outcome::TimedOut;
        let ours = slot.in_burst || self.gap.is_some_and(|gap| gap.holds(at));
        if slot.phase == Phase::Sent {
            let (counter, end) = match (ending.answered, ending.anomaly, ending.outcome) {
                (true, ..) => (Counter::Received, TransactionEnd::Answered),
                (_, Some(Anomaly::Nak), _) => (Counter::Naks, TransactionEnd::Answered),
                (_, _, Outcome::TimedOut) => (Counter::Drops, TransactionEnd::GivenUp),
                (_, _, Outcome::CutOff) => (Counter::CutOff, TransactionEnd::GivenUp),
                _ => (Counter::Unusable, TransactionEnd::Answered),
            };
            self.count_end(index, counter, end, at);
            match ending.anomaly {
                Some(Anomaly::Nak) if counter == Counter::Naks => {}
                Some(anomaly) => self.ignore(index, anomaly),
                None => {}
            }
            let offered = self.slots[index as usize].dialogue.offered();
            if ending.answered
                && !self.freed(index)
                && let Some(address) = ending.lease.as_ref().map(D::address).or(offered)
            {
                self.note_address(past, address, client);
            }
        }
        if self.leases.is_kept()
            && let Some(lease) = ending.lease.take()
            && self.leases.keep(client, lease).is_some()
        {
            self.overall(Some(past.phase), Overall::LeasesForgotten);
        }
        self.finish(index, ending, at);
        if dropped {
            if ours {
                self.tally.count(past.phase, past.stage, Counter::DropsStalled);
            }
            self.shared.limits.dropped(past.stage, &self.shared.tallies);
        }
    }

    /// Counts the end of a stage whose message was sent.
    fn count_end(&mut self, index: u32, counter: Counter, end: TransactionEnd, at: Moment) {
        let slot = &mut self.slots[index as usize];
        let answered = counter == Counter::Received;
        if answered {
            slot.answered(at);
        }
        self.tally.count(slot.terms.phase, slot.stage, counter);
        self.transactions.end(slot.xid, index, slot.past(end));
        self.stamp(index, answered.then_some(at));
    }

    /// Whether the exchange releases an address, so that no client has it any more.
    fn freed(&self, index: u32) -> bool {
        let freed = self.slots[index as usize].gives_up;
        if let (Some(addresses), Some(freed)) = (&self.shared.addresses, freed) {
            addresses.free(freed);
        }
        freed.is_some()
    }

    /// Counts an address that another client already has.
    fn note_address(&self, past: Past, address: IpAddr, client: u64) {
        if let Some(addresses) = &self.shared.addresses
            && addresses.note(past.stage, address, client)
        {
            self.tally.count(past.phase, past.stage, Counter::NonUnique);
        }
    }

    /// Ends the exchange and wakes its session.
    fn finish(&mut self, index: u32, ending: Ending<D::Lease>, at: Moment) {
        self.unqueue(index);
        let slot = &mut self.slots[index as usize];
        slot.phase = Phase::Ended;
        slot.ending = Some(ending);
        slot.ended = at;
        slot.wake();
    }

    /// Counts a reply that changes nothing.
    fn ignore(&self, index: u32, anomaly: Anomaly) {
        let slot = &self.slots[index as usize];
        let phase = slot.terms.phase;
        match anomaly {
            Anomaly::Duplicate => {
                self.tally.count(phase, slot.before.unwrap_or(slot.stage), Counter::Duplicates);
            }
            Anomaly::Rejected => self.tally.count(phase, slot.stage, Counter::Rejected),
            // A refusal that does not end an exchange is unexpected.
            Anomaly::Nak | Anomaly::Unexpected => self.overall(Some(phase), Overall::Unexpected),
            Anomaly::Malformed => self.overall(Some(phase), Overall::Malformed),
        }
    }

    /// Counts a reply to a stage whose message has not been sent yet.
    fn premature(&self, phase: u8, before: Option<Stage>, message: &[u8]) {
        match D::answers(message).or(before).filter(|_| before.is_some()) {
            Some(stage) => self.tally.count(phase, stage, Counter::Duplicates),
            None => self.overall(None, Overall::Foreign),
        }
    }

    /// Counts a reply to a transaction that has ended, in the phase of its exchange.
    fn orphan(&self, xid: u32, message: &[u8]) {
        let Some(Past { stage, end, phase }) = self.transactions.past(xid) else {
            return self.overall(None, Overall::Foreign);
        };
        match (end, D::answers(message)) {
            (TransactionEnd::Preload, _) => self.overall(None, Overall::PreloadReceived),
            // Its stage had been answered; otherwise the next stage would not have been sent.
            (_, Some(answered)) if answered != stage => {
                self.tally.count(phase, answered, Counter::Duplicates);
            }
            (TransactionEnd::Answered, _) => self.tally.count(phase, stage, Counter::Duplicates),
            (TransactionEnd::GivenUp, _) => self.tally.count(phase, stage, Counter::Late),
        }
    }

    /// Records a message that was sent before the run, or that this machine refused to send.
    pub(super) fn preloaded(&mut self, outgoing: &OutgoingMessage, sent: bool) {
        let past = Past { stage: outgoing.stage, end: TransactionEnd::Preload, phase: 0 };
        self.transactions.remember(outgoing.xid, past);
        self.overall(None, if sent { Overall::PreloadSent } else { Overall::LocalLimit });
    }

    /// The capacities of everything that could grow.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> (usize, usize, usize) {
        let buffers = self.slots.iter().map(|slot| slot.out.capacity()).sum();
        (self.queue.capacity(), buffers, self.transactions.size())
    }

    fn keep_received(&mut self, index: u32, message: &[u8]) {
        let capture = self.shared.captures.options();
        let stage = self.slots[index as usize].stage;
        let bit = 1 << (stage as usize + Stage::ALL.len());
        if capture.messages && self.kept & bit == 0 {
            self.shared.captures.keep_received(stage, message);
            self.kept |= bit;
        }
        if capture.server
            && !self.server_kept
            && let Some(server) = D::server(message)
        {
            self.shared.captures.keep_server(server);
            self.server_kept = true;
        }
    }

    fn stamp(&self, index: u32, received: Option<Moment>) {
        if self.shared.captures.options().stamps {
            let slot = &self.slots[index as usize];
            let (stage, xid, sent) = (slot.stage, slot.xid, slot.stage_sent);
            self.shared.captures.stamp(MessageTimes { stage, xid, sent, received });
        }
    }

    fn enqueue(&mut self, index: u32, outgoing: Outgoing) {
        let slot = &mut self.slots[index as usize];
        if !slot.queued {
            slot.queued = true;
            self.queue.push_back(index);
        } else if slot.outgoing == Outgoing::Nothing {
            self.stale -= 1;
        }
        slot.outgoing = outgoing;
    }

    fn unqueue(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        if slot.queued && slot.outgoing != Outgoing::Nothing {
            self.stale += 1;
        }
        slot.outgoing = Outgoing::Nothing;
    }

    fn overall(&self, phase: Option<u8>, overall: Overall) {
        self.tally.count_overall(phase, overall, 1);
    }
}
