//! What a slot's thread does: prepares its session, requests work, carries it out and records it.
//!
//! In the closed model the moment one exchange ended is the moment the next is due and sent, so an exchange needs one
//! reading of the clock. The thread has the lock on the slot's state except while it is inside a call, and whenever it
//! returns it first checks that it still owns the state.

use super::slot::{BlockingSlot, SlotError};
use super::slot_state::{SlotState, ThreadState};
use super::{TICK, Wait};
use crate::blocking_session_factory::BlockingSessionFactory;
use crate::start::Ready;
use crate::stop::Urgency;
use crate::worker::Ended;
use crate::worker::assignment::{Assignment, WorkReply};
use brunt_exchange::{BlockingSession, Moment, Outcome, Watch};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::MutexGuard;

/// The whole life of thread number `me` of a slot. The watchdog learns how it ended, even by a panic.
pub(super) fn live<T: Wait, C: BlockingSessionFactory>(
    slot: &BlockingSlot<T>,
    factory: &C,
    me: u32,
) {
    // The kernel may otherwise wake the thread 50 us late, to coalesce timer interrupts.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let lived = catch_unwind(AssertUnwindSafe(|| {
        let session = factory.session(slot.state().session);
        serve(slot, factory, session, me);
    }));
    if let Err(panic) = lived {
        slot.fail(SlotError::Panic(panic));
        if let Some(mut state) = slot.state_of(me) {
            if state.origin().is_none() {
                slot.gate.give_up();
            }
            state.thread = ThreadState::Vacant;
        }
    }
}

fn serve<T: Wait, C: BlockingSessionFactory>(
    slot: &BlockingSlot<T>,
    factory: &C,
    mut session: C::Session,
    me: u32,
) {
    let Some((mut state, mut free)) = enter(slot, &mut session, me) else { return };
    let mut text = String::new();
    while !session.finished() {
        if !session.is_ready() {
            if state.dispatch.exhausted() {
                break;
            }
            let Some(again) = ready(slot, state, &mut session, me) else { return };
            state = again;
            free = slot.clock.now();
        }
        let Some((again, next)) = next(slot, state, free, me) else { return };
        state = again;
        let Some((assignment, began)) = next else { break };
        let ticket = state.begin(assignment, free, began);
        let wanted = state.recorder().wants_text();
        drop(state);
        text.clear();
        let mut watch = Watch::new(&slot.clock, wanted.then_some(&mut text));
        watch.sent_as(began);
        slot.clock.call();
        let outcome = session.exchange(&ticket, &mut watch);
        let now = slot.clock.now();
        let ended = watch.ended_at().unwrap_or(now);
        let (operation, unreached) = (watch.named_operation(), watch.take_unreached());
        let shown = watch.take_shown();
        let Some(again) = slot.state_of(me) else { return };
        state = again;
        state.ended((&assignment, free), (ended, now), &watch, outcome);
        if wanted && matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut) {
            state.recorder().explained(operation, outcome, ended, &text, unreached, shown);
        }
        free = now;
    }
    state.driver_counts(|into| factory.counts(slot.number, into));
    state.conclude(slot.clock.now());
    drop(state);
    session.close();
}

/// Prepares the session, and the first time waits with all others for the run to begin; returns the moment from which
/// the session is free.
fn enter<'a, T: Wait, S: BlockingSession>(
    slot: &'a BlockingSlot<T>,
    session: &mut S,
    me: u32,
) -> Option<(MutexGuard<'a, SlotState>, Moment)> {
    let mut state = slot.state_of(me)?;
    state = ready(slot, state, session, me)?;
    if state.origin().is_some() {
        state.recorder().moved();
        return Some((state, slot.clock.now()));
    }
    let unready = state.recorder().unready();
    drop(state);
    let brought = Ready { sessions: 1, ready: session.is_ready().into(), unready };
    slot.gate.arrive(&brought, || slot.clock.now());
    let origin = loop {
        match slot.gate.begins(slot.clock.now(), &slot.stop) {
            Ok(origin) => break origin,
            Err(again) => slot.clock.wait_until(again),
        }
    };
    let mut state = slot.state_of(me)?;
    state.start(origin);
    if slot.stop.urgency() > Urgency::Run {
        state.stop(Ended::Stopped, origin);
    }
    while slot.clock.now() < origin {
        slot.clock.wait_until(origin);
    }
    Some((state, origin))
}

/// Prepares the session, without the lock on the state.
fn ready<'a, T: Wait, S: BlockingSession>(
    slot: &'a BlockingSlot<T>,
    mut state: MutexGuard<'a, SlotState>,
    session: &mut S,
    me: u32,
) -> Option<MutexGuard<'a, SlotState>> {
    state.thread = ThreadState::Readying;
    drop(state);
    let mut watch = Watch::new(&slot.clock, None);
    session.ready(&mut watch);
    let mut state = slot.state_of(me)?;
    state.thread = ThreadState::Waiting;
    state.recorder().readied(&watch, || slot.clock.now());
    Some(state)
}

/// The state, and the next assignment with the moment at which it begins; `None` if there is no more work.
type Next<'a> = (MutexGuard<'a, SlotState>, Option<(Assignment, Moment)>);

/// Waits for the next exchange; `None` if the thread was abandoned meanwhile.
#[inline]
fn next<'a, T: Wait>(
    slot: &'a BlockingSlot<T>,
    mut state: MutexGuard<'a, SlotState>,
    free: Moment,
    me: u32,
) -> Option<Next<'a>> {
    match state.next_work(free) {
        WorkReply::Take(assignment) => return Some((state, Some((assignment, free)))),
        WorkReply::Leave => return Some((state, None)),
        WorkReply::Wait => {}
    }
    loop {
        let now = slot.clock.now();
        let assignment = state.assigned(now);
        if assignment.is_some() || state.dispatch.exhausted() {
            return Some((state, assignment.map(|assignment| (assignment, now))));
        }
        let ring = state.next_ring().min(now + TICK);
        drop(state);
        slot.clock.wait_until(ring);
        state = slot.state_of(me)?;
    }
}
