//! The [`SlotState`]: what is due, what is in flight and what was measured in one slot.
//!
//! Only the holder of the lock may change it: the slot's thread between two exchanges, the watchdog while that thread
//! is inside a call. The state records which of the slot's threads owns it, so that an abandoned one cannot write.

use super::super::TICK;
use super::super::WorkerEnd;
use super::super::assignment::{Assignment, DispatchSink, WorkReply, WorkRequest};
use super::super::dispatch::{Dispatch, Ended};
use super::super::recorder::Recorder;
use super::super::session_slot::NEVER;
use super::super::window::{Cycle, Unit};
use crate::drain::Drain;
use crate::session_factory::DriverCounts;
use brunt_exchange::{Moment, Outcome, Ticket, Want, Watch};
use std::cell::{Cell, RefCell, RefMut};
use std::time::Duration;

/// The watchdog checks far more often than this. If it has not checked for this long, the process stood still.
const LOOK_MAX: Duration = Duration::from_millis(250);

/// What the thread of a slot is doing.
#[derive(Clone, Copy, Debug)]
pub(super) enum ThreadState {
    /// There is no thread.
    Vacant,
    /// Preparing its session.
    Readying,
    /// Waiting for something to become due, or recording.
    Waiting,
    /// Carrying out an exchange.
    Exchanging(InFlight),
}

/// An exchange in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct InFlight {
    pub(super) assignment: Assignment,
    pub(super) ticket: Ticket,
    /// When the session was free to carry it out.
    pub(super) free: Moment,
    pub(super) began: Moment,
}

pub(super) struct SlotState {
    pub(super) dispatch: Dispatch,
    sink: SlotSink,
    /// Which of the slot's threads owns the state, counted from 0.
    pub(super) holder: u32,
    pub(super) thread: ThreadState,
    /// The number of the session in the whole run.
    pub(super) session: u32,
    /// How many exchanges the slot has begun.
    turn: u64,
    /// Its last exchange, and when it was free again, in a closed load.
    cycle: Option<(Cycle, Moment)>,
    open: bool,
    step_at: Moment,
    origin: Option<Moment>,
    lasting: Option<Duration>,
    /// When it was first seen that nothing becomes due any more.
    over_at: Option<Moment>,
    /// When it was first seen that the run is to stop.
    stopped: Option<Moment>,
    /// When the watchdog last checked.
    looked: Moment,
    pub(super) end: Option<WorkerEnd>,
}

/// Receives what dispatch assigns, plans and drops.
struct SlotSink {
    recorder: RefCell<Recorder>,
    assigned: Cell<Option<Assignment>>,
}

impl DispatchSink for SlotSink {
    fn planned(&self, assignment: &Assignment) {
        self.recorder.borrow_mut().planned(assignment);
    }

    fn dropped(&self, assignment: &Assignment, now: Moment) {
        self.recorder.borrow_mut().dropped(assignment, now);
    }

    fn backlog(&self, waiting: usize) {
        self.recorder.borrow_mut().backlog(waiting);
    }

    fn assign(&self, _: u32, assignment: Assignment) {
        self.assigned.set(Some(assignment));
    }
}

impl SlotState {
    pub(super) fn new(
        dispatch: Dispatch,
        recorder: Recorder,
        session: u32,
        lasting: Option<Duration>,
    ) -> Self {
        Self {
            open: dispatch.is_open(),
            dispatch,
            sink: SlotSink { recorder: RefCell::new(recorder), assigned: Cell::new(None) },
            holder: 0,
            thread: ThreadState::Readying,
            session,
            turn: 0,
            cycle: None,
            step_at: NEVER,
            origin: None,
            lasting,
            over_at: None,
            stopped: None,
            looked: NEVER,
            end: None,
        }
    }

    pub(super) fn recorder(&self) -> RefMut<'_, Recorder> {
        self.sink.recorder.borrow_mut()
    }

    pub(super) fn driver_counts(&self, driver_counts: impl FnOnce(&mut DriverCounts)) {
        driver_counts(self.recorder().driver_counts());
    }

    pub(super) fn origin(&self) -> Option<Moment> {
        self.origin
    }

    /// Begins to count from the origin.
    pub(super) fn start(&mut self, origin: Moment) {
        self.dispatch.start(origin, self.lasting);
        self.recorder().start(origin);
        self.step_at = self.boundary();
        self.origin = Some(origin);
    }

    /// Ends the current step if it is over.
    #[inline]
    pub(super) fn roll_step(&mut self, now: Moment) {
        if now >= self.step_at {
            let backlog = self.dispatch.backlog();
            self.recorder().roll_step(now, backlog);
            self.step_at = self.boundary();
        }
    }

    fn boundary(&self) -> Moment {
        self.recorder().boundary().unwrap_or(NEVER)
    }

    /// What the session, free since `free`, does next.
    #[inline]
    pub(super) fn next_work(&mut self, free: Moment) -> WorkReply {
        self.roll_step(free);
        let Self { session, turn, .. } = *self;
        let request = WorkRequest { slot: 0, session, turn, free, wants: Want::Next, last: 0 };
        self.dispatch.next_work(&request, &self.sink)
    }

    /// What has been assigned to a waiting session by `now`.
    pub(super) fn assigned(&mut self, now: Moment) -> Option<Assignment> {
        self.roll_step(now);
        self.release(now);
        self.sink.assigned.take()
    }

    /// Releases what is due by now, and notes whether that was the last.
    pub(super) fn release(&mut self, now: Moment) {
        self.dispatch.release(now, &self.sink);
        if self.dispatch.over().is_some() && self.over_at.is_none() {
            self.over_at = Some(now);
            if let Some(at) = self.dispatch.counted_to() {
                self.recorder().window_ends(at);
            }
        }
    }

    /// When the slot must be handled next.
    pub(super) fn next_ring(&self) -> Moment {
        self.dispatch.next_ring().map_or(self.step_at, |ring| ring.min(self.step_at))
    }

    /// Begins an exchange.
    #[inline]
    pub(super) fn begin(&mut self, assignment: Assignment, free: Moment, began: Moment) -> Ticket {
        let ticket = Ticket {
            number: assignment.number,
            session: self.session,
            turn: self.turn,
            phase: assignment.phase as u8,
        };
        self.turn += 1;
        let cycle = self.cycle.take();
        let mut recorder = self.recorder();
        if let Some((cycle, _)) = cycle {
            recorder.cycle(&cycle, assignment.due);
        }
        recorder.began();
        drop(recorder);
        self.thread = ThreadState::Exchanging(InFlight { assignment, ticket, free, began });
        ticket
    }

    /// Records an exchange that ended.
    #[inline]
    pub(super) fn ended(
        &mut self,
        (assignment, free): (&Assignment, Moment),
        (ended, now): (Moment, Moment),
        watch: &Watch<'_>,
        outcome: Outcome,
    ) {
        self.roll_step(now);
        let stood_still = now - self.looked > LOOK_MAX;
        let mut recorder = self.recorder();
        if stood_still {
            recorder.gap(self.looked + TICK, now);
        }
        recorder.ended(assignment, (free, ended), watch, outcome, Duration::ZERO);
        if self.open {
            let mut unit = Unit::new(assignment);
            unit.add(watch.sent_at(), ended, outcome);
            recorder.unit(&unit);
        }
        drop(recorder);
        if !self.open {
            self.cycle = Some((Cycle::new(assignment, outcome), now));
        }
        self.thread = ThreadState::Waiting;
    }

    /// Plans no further exchanges and drops those that wait.
    pub(super) fn stop(&mut self, why: Ended, now: Moment) {
        self.dispatch.stop(why, now);
        self.dispatch.drop_backlog(now, &self.sink);
        if why >= Ended::Stopped {
            self.stopped.get_or_insert(now);
            self.recorder().window_ends(now);
        }
    }

    /// Records that the watchdog checked, and whether anything waits for the target.
    pub(super) fn poll(&mut self, now: Moment) {
        self.looked = now;
        let backlog = self.dispatch.backlog();
        self.recorder().poll(now, backlog, 1);
    }

    /// Whether the drain, the time a run continues after the last exchange was due, is over.
    pub(super) fn drained(&self, now: Moment, drain: Drain) -> bool {
        self.over_at.is_some_and(|at| now >= drain.ends(at, self.stopped))
    }

    /// Whether the run ended by a count, so that each exchange may take as long as its own time-out allows.
    pub(super) fn carried_through(&self) -> bool {
        self.dispatch.over() == Some(Ended::Count)
    }

    /// Concludes the slot: nothing is in flight, and nothing will be.
    pub(super) fn conclude(&mut self, now: Moment) {
        if self.origin.is_none() {
            self.start(now);
        }
        self.roll_step(now);
        self.release(now);
        let ended = self.dispatch.over().unwrap_or(self.dispatch.left());
        self.stop(ended, now);
        self.sink.assigned.take().inspect(|assignment| self.sink.dropped(assignment, now));
        let origin = self.origin.unwrap_or(now);
        let end = match (ended, self.lasting) {
            (Ended::Time, Some(lasting)) => origin + lasting,
            (Ended::Count | Ended::Exhausted, _) => origin,
            _ => self.over_at.unwrap_or(now),
        };
        let counted_to = self.dispatch.counted_to();
        self.leave();
        let mut recorder = self.recorder();
        let last = recorder.finish(end);
        let window_to = recorder.window_to(end, counted_to, ended == Ended::Count);
        drop(recorder);
        self.end = Some(WorkerEnd { ended, origin, last, window_to, over: now });
    }

    /// The session begins nothing more.
    fn leave(&mut self) {
        let cycle = self.cycle.take().and_then(|(cycle, free)| {
            let to = self.dispatch.next_due((self.session, self.turn), free, Want::Next)?;
            Some((cycle, to))
        });
        let counted = self.dispatch.has_counted();
        let mut recorder = self.recorder();
        if counted {
            recorder.window_counted();
        }
        if let Some((cycle, to)) = cycle {
            recorder.cycle(&cycle, to);
        }
    }
}
