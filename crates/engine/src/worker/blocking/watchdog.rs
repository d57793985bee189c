//! The [`Watchdog`]: takes care of the slots whose threads are inside a call.
//!
//! It notices an exchange that takes too long within a twentieth of its timeout, reacts to the end of the run, and
//! concludes slots whose threads do not return. It must not do anything that a running thread does for itself.

use super::slot::{BlockingSlot, SlotError};
use super::slot_state::{InFlight, SlotState, ThreadState};
use super::{BlockingSessions, Registration as _, TICK, TICK_MIN, Wait};
use crate::stop::Urgency;
use crate::worker::Ended;
use brunt_exchange::{Moment, Outcome, ShownExchange, Watch};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How many threads may be abandoned at a time, beside one for each slot. A library that never returns must not fill
/// the machine with threads. Exchanges that become due meanwhile wait; those still waiting at the end are dropped and
/// counted.
const LEFT_MAX: usize = 64;

/// Watches over all slots of a run.
pub(crate) struct Watchdog<T> {
    pub(crate) slots: Vec<Arc<BlockingSlot<T>>>,
    pub(crate) sessions: Arc<dyn BlockingSessions<T>>,
}

impl<T: Wait> Watchdog<T> {
    /// Starts a thread for each slot and watches until the last slot is concluded.
    pub(crate) fn watch(&self) {
        for slot in &self.slots {
            if !self.place(slot, 0) {
                slot.gate.give_up();
                slot.state().thread = ThreadState::Vacant;
            }
        }
        let timeout = self.slots.first().and_then(|slot| slot.timeout);
        let tick = timeout.map_or(TICK, |timeout| (timeout / 20).clamp(TICK_MIN, TICK));
        loop {
            let mut busy = false;
            for slot in &self.slots {
                busy |= self.poll(slot);
            }
            let Some(slot) = self.slots.first().filter(|_| busy) else { break };
            slot.clock.wait_until(slot.clock.now() + tick);
        }
    }

    /// Starts thread number `me` of a slot; returns whether that succeeded.
    fn place(&self, slot: &Arc<BlockingSlot<T>>, me: u32) -> bool {
        let (own, sessions) = (Arc::clone(slot), Arc::clone(&self.sessions));
        let (name, registration) = (format!("worker-{}", slot.number), slot.clock.register());
        // A thread that may have to be abandoned cannot be joined.
        let placed = std::thread::Builder::new().name(name).spawn(move || {
            registration.begin();
            sessions.live(&own, me);
        });
        placed.map_err(|error| slot.fail(SlotError::Thread(error))).is_ok()
    }

    /// Checks one slot; returns whether it is still open.
    pub(super) fn poll(&self, slot: &Arc<BlockingSlot<T>>) -> bool {
        let mut state = slot.state();
        if state.end.is_some() {
            return false;
        }
        let now = slot.clock.now();
        let urgency = slot.stop.urgency();
        match urgency {
            Urgency::Run => {}
            Urgency::Finish => state.stop(Ended::Stopped, now),
            Urgency::Abort => state.stop(Ended::Aborted, now),
        }
        if state.origin().is_some() {
            state.poll(now);
        }
        state.driver_counts(|into| self.sessions.counts(slot.number, into));
        let begun = state.origin().is_some();
        let thread = state.thread;
        if begun && !matches!(thread, ThreadState::Waiting) {
            state.release(now);
        }
        let aborted = urgency == Urgency::Abort;
        let closing = aborted || state.drained(now, slot.drain);
        let own_time = slot.has_own_time && state.carried_through();
        match thread {
            ThreadState::Readying if closing || !begun && urgency > Urgency::Run => {
                if !begun {
                    slot.gate.give_up();
                }
                slot.leave_behind(&mut state);
                state.conclude(now);
            }
            ThreadState::Waiting | ThreadState::Readying => {}
            ThreadState::Vacant if closing || state.dispatch.exhausted() => state.conclude(now),
            ThreadState::Vacant => self.replace(slot, &mut state),
            ThreadState::Exchanging(in_flight) => {
                let due = in_flight.assignment.due.max(in_flight.free);
                let overdue = slot.timeout.is_some_and(|timeout| now >= due + timeout);
                if overdue || aborted || (closing && !own_time) {
                    let outcome = if overdue { Outcome::TimedOut } else { Outcome::CutOff };
                    slot.leave_behind(&mut state);
                    self.enter(slot, &mut state, &in_flight, outcome, now);
                    if closing || state.dispatch.exhausted() {
                        state.conclude(now);
                    } else {
                        self.replace(slot, &mut state);
                    }
                }
            }
        }
        state.end.is_none()
    }

    /// Starts a replacement thread for a slot, unless too many threads are abandoned already.
    fn replace(&self, slot: &Arc<BlockingSlot<T>>, state: &mut SlotState) {
        if slot.left.load(Ordering::Relaxed) < LEFT_MAX + self.slots.len()
            && self.place(slot, state.holder)
        {
            state.thread = ThreadState::Readying;
        }
    }

    /// Records an exchange that was abandoned.
    fn enter(
        &self,
        slot: &BlockingSlot<T>,
        state: &mut SlotState,
        in_flight: &InFlight,
        outcome: Outcome,
        now: Moment,
    ) {
        let mut watch = Watch::new(&slot.clock, None);
        watch.operation(self.sessions.operation(&in_flight.ticket));
        watch.sent_as(in_flight.began);
        state.ended((&in_flight.assignment, in_flight.free), (now, now), &watch, outcome);
        state.thread = ThreadState::Vacant;
        let wanted = outcome == Outcome::TimedOut && state.recorder().wants_text();
        if wanted {
            let text = "no answer within the operation timeout; the call has not returned";
            state.recorder().explained(
                watch.named_operation(),
                outcome,
                now,
                text,
                None,
                ShownExchange::default(),
            );
        }
    }
}
