//! [`Dispatch`]: assigns due exchanges to sessions that are free.
//!
//! In the open model the schedule decides: a due exchange is assigned to the session that has been free for longest (or
//! for the shortest time, where sessions are alike), else it is put into a bounded backlog, else it is dropped and
//! counted. In the closed model the session decides: it receives the next number once its think time is over, or at the
//! moment it requests. Both release what is due not only when the timer fires but whenever a session requests work, so
//! that a busy worker does not depend on its timer to be on time. Dispatch reports what it plans, drops and assigns to
//! a [`DispatchSink`] and must not know what an exchange does.

use super::assignment::{Assignment, DispatchSink, WorkReply, WorkRequest};
use super::continuations::Continuations;
use crate::plan::{Load, Plan};
use crate::schedule::{Due, Share};
use brunt_exchange::chance::mix;
use brunt_exchange::{Moment, Slots, ThinkTime, Want};
use brunt_record::Phase;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The numbers of the closed model, shared by all workers.
#[derive(Debug)]
pub(crate) struct Numbers {
    next: AtomicU64,
    /// How many of those that count are taken, or promised to a session that is being prepared.
    promised: AtomicU64,
    /// How many of the numbers count towards the limit.
    counted: AtomicU64,
    /// Set with the last number that counts, so that no session is prepared needlessly.
    exhausted: AtomicBool,
    /// Whether one session takes all numbers, in which case no atomic read-modify-write is needed.
    alone: bool,
}

impl Numbers {
    /// The numbers for this many sessions, each of which is promised its first.
    pub(crate) fn new(sessions: u32) -> Self {
        Self {
            next: AtomicU64::new(0),
            promised: AtomicU64::new(sessions.into()),
            counted: AtomicU64::new(0),
            exhausted: AtomicBool::new(false),
            alone: sessions == 1,
        }
    }

    /// Adds one to a shared number, and returns its previous value. A locked addition costs a processor a quarter of
    /// all the other work for an exchange.
    #[inline]
    fn taken(&self, number: &AtomicU64) -> u64 {
        if !self.alone {
            return number.fetch_add(1, Ordering::Relaxed);
        }
        let before = number.load(Ordering::Relaxed);
        number.store(before + 1, Ordering::Relaxed);
        before
    }
}

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// No session wanted another exchange.
    Exhausted,
    /// The schedule or the time limit was over.
    Time,
    /// The requested number of exchanges was reached.
    Count,
    /// It was stopped.
    Stopped,
    /// It was stopped at once, so exchanges were cut off.
    Aborted,
}

pub(super) struct Dispatch {
    model: Model,
    origin: Moment,
    /// When nothing becomes due any more.
    end: Option<Moment>,
    /// The end of the window of an open load that is ended by its count: the moment at which the next arrival would
    /// have been due.
    counted_to: Option<Moment>,
    over: Option<Ended>,
    /// Whether a session of a closed load left because its next exchange would have been due after the end.
    outlasted: bool,
}

enum Model {
    Open(Box<Open>),
    Closed(Closed),
}

struct Open {
    share: Share,
    /// The number of the run's first exchange.
    first: u64,
    next: Option<Due>,
    count: Option<u64>,
    count_includes_warm_up: bool,
    backlog: VecDeque<Assignment>,
    bound: usize,
    free: VecDeque<u32>,
    /// Whether the session freed last is the first to receive an exchange.
    alike: bool,
    continuations: Continuations,
    /// When the first exchange beyond the count would have fallen due.
    counted_to: Option<Moment>,
}

struct Closed {
    /// The number of the run's first exchange.
    first: u64,
    think: ThinkTime,
    seed: u64,
    numbers: Arc<Numbers>,
    count: Option<u64>,
    count_includes_warm_up: bool,
    steady_from: Duration,
    /// Which numbers are this node's.
    slots: Slots,
    thinking: BinaryHeap<Reverse<(Moment, u32)>>,
}

impl Dispatch {
    /// The dispatch of one worker with this many slots. Nothing is due before [`start`](Self::start).
    pub(super) fn new(
        plan: &Plan,
        worker: usize,
        slots: usize,
        alike: bool,
        numbers: Arc<Numbers>,
    ) -> Self {
        let settings = plan.settings();
        let own = &settings.node.slots;
        let model = match &settings.load {
            Load::Open(schedule) => {
                // Runs that follow each other must not have the same random arrivals.
                let seed = if settings.first == 0 {
                    settings.seed
                } else {
                    mix(settings.seed, settings.first)
                };
                let share = schedule.share(own.numbers(worker as u64, plan.workers() as u64), seed);
                Model::Open(Box::new(Open {
                    share,
                    first: settings.first,
                    next: None,
                    count: settings.stop.count,
                    count_includes_warm_up: settings.stop.count_includes_warm_up,
                    backlog: VecDeque::with_capacity(plan.backlog_of_worker()),
                    bound: plan.backlog_of_worker(),
                    free: VecDeque::with_capacity(slots),
                    alike,
                    continuations: Continuations::new(plan.phases()),
                    counted_to: None,
                }))
            }
            Load::Closed(think) => Model::Closed(Closed {
                first: settings.first,
                think: *think,
                seed: settings.seed,
                numbers,
                count: plan.count_of_node(),
                count_includes_warm_up: settings.stop.count_includes_warm_up,
                steady_from: settings.warm_up,
                slots: own.clone(),
                thinking: BinaryHeap::with_capacity(slots),
            }),
        };
        Self {
            model,
            origin: Moment::ZERO,
            end: None,
            counted_to: None,
            over: None,
            outlasted: false,
        }
    }

    /// Fixes the origin of the run.
    pub(super) fn start(&mut self, origin: Moment, lasting: Option<Duration>) {
        self.origin = origin;
        self.end = lasting.map(|lasting| origin + lasting);
        if let Model::Open(open) = &mut self.model {
            self.end.into_iter().for_each(|end| open.continuations.window_ends(end));
            let over = open.advance(origin, self.end);
            // A run that was stopped before it began remains stopped.
            self.over = self.over.or(over);
        }
        self.note_count();
    }

    /// Notes when the window of an open load ended that is ended by its count.
    fn note_count(&mut self) {
        if let (Model::Open(open), Some(Ended::Count)) = (&mut self.model, self.over)
            && let (None, Some(at)) = (self.counted_to, open.counted_to)
        {
            self.counted_to = Some(at);
            open.continuations.window_ends(at);
        }
    }

    /// When the window of an open load ended, if its count ended it.
    pub(super) fn counted_to(&self) -> Option<Moment> {
        self.counted_to
    }

    /// What a session that requests work does next.
    #[inline]
    pub(super) fn next_work(
        &mut self,
        request: &WorkRequest,
        sink: &impl DispatchSink,
    ) -> WorkReply {
        let (free, slot) = (request.free, request.slot);
        match &mut self.model {
            Model::Open(open) => {
                if self.over.is_none() {
                    self.over = open.release(free, self.origin, self.end, sink);
                    if self.over.is_some() {
                        self.note_count();
                    }
                }
                let Model::Open(open) = &mut self.model else { return WorkReply::Leave };
                match request.wants {
                    Want::Next => {}
                    Want::At(moment) => {
                        return open.continuations.continue_at(
                            moment.max(self.origin),
                            request,
                            self.origin,
                            sink,
                        );
                    }
                    Want::Nothing => return WorkReply::Leave,
                }
                match open.backlog.pop_front() {
                    Some(assignment) => WorkReply::Take(assignment),
                    None if self.over.is_some() && open.continuations.is_empty() => {
                        WorkReply::Leave
                    }
                    None => {
                        open.free.push_back(slot);
                        WorkReply::Wait
                    }
                }
            }
            Model::Closed(_) if self.over.is_some() => WorkReply::Leave,
            Model::Closed(closed) => {
                let due = match request.wants {
                    Want::Next => free + closed.pause(request.session, request.turn),
                    Want::At(moment) => moment.max(self.origin),
                    Want::Nothing => return WorkReply::Leave,
                };
                if self.end.is_some_and(|end| due >= end) {
                    self.outlasted = true;
                    return WorkReply::Leave;
                }
                if due > free {
                    closed.thinking.push(Reverse((due, slot)));
                    return WorkReply::Wait;
                }
                let assignment = closed.number(due, self.origin, sink);
                if assignment.is_none() {
                    self.over = Some(Ended::Count);
                }
                assignment.map_or(WorkReply::Leave, WorkReply::Take)
            }
        }
    }

    /// Releases everything due by now.
    pub(super) fn release(&mut self, now: Moment, sink: &impl DispatchSink) {
        if let Model::Open(open) = &mut self.model {
            open.continuations.release(now, self.origin, sink);
        }
        if self.over.is_some() {
            return;
        }
        self.over = match &mut self.model {
            Model::Open(open) => open.release(now, self.origin, self.end, sink),
            Model::Closed(closed) => closed.release(now, self.origin, sink),
        };
        if self.over.is_none() && self.end.is_some_and(|end| end <= now) {
            self.over = Some(Ended::Time);
        }
        self.note_count();
    }

    /// Plans no further exchanges from now on.
    pub(super) fn stop(&mut self, why: Ended, now: Moment) {
        if let Model::Open(open) = &mut self.model {
            open.continuations.window_ends(now);
        }
        self.over = Some(self.over.map_or(why, |before| before.max(why)));
        if why >= Ended::Stopped {
            self.close_continuations();
        }
    }

    /// Ends all continuations of iterations.
    pub(super) fn close_continuations(&mut self) {
        if let Model::Open(open) = &mut self.model {
            open.continuations.close();
        }
    }

    /// Drops what still waits in the backlog.
    pub(super) fn drop_backlog(&mut self, now: Moment, sink: &impl DispatchSink) {
        if let Model::Open(open) = &mut self.model {
            open.backlog.drain(..).for_each(|assignment| sink.dropped(&assignment, now));
        }
    }

    /// Whether nothing becomes due any more, and why.
    pub(super) fn over(&self) -> Option<Ended> {
        self.over
    }

    /// Whether a session that is free now will never be assigned anything.
    #[inline]
    pub(super) fn exhausted(&self) -> bool {
        match &self.model {
            Model::Open(open) => {
                self.over.is_some() && open.backlog.is_empty() && open.continuations.is_empty()
            }
            Model::Closed(closed) => {
                self.over.is_some() || closed.numbers.exhausted.load(Ordering::Relaxed)
            }
        }
    }

    /// Whether there will be another exchange for a session that has ended one. In the closed model it is promised
    /// immediately: a session that was prepared needlessly would have opened a connection that no exchange uses.
    #[inline]
    pub(super) fn promise(&mut self, wants: Want) -> bool {
        if wants == Want::Nothing {
            return false;
        }
        if let (Model::Open(open), Want::At(_)) = (&mut self.model, wants) {
            return open.continuations.promise();
        }
        !self.exhausted()
            && match &self.model {
                Model::Open(_) => true,
                Model::Closed(closed) => closed.promise(),
            }
    }

    /// When a session of a closed load, free since `free`, would have begun its next exchange, whether or not there is
    /// one: at the end of its think time.
    pub(super) fn next_due(
        &self,
        (session, turn): (u32, u64),
        free: Moment,
        wants: Want,
    ) -> Option<Moment> {
        match (&self.model, wants) {
            (Model::Open(_), _) => None,
            (Model::Closed(closed), Want::Next) => Some(free + closed.pause(session, turn)),
            (Model::Closed(_), Want::At(moment)) => Some(moment.max(free)),
            (Model::Closed(_), Want::Nothing) => Some(free),
        }
    }

    /// What ends a run whose sessions have all left.
    pub(super) fn left(&self) -> Ended {
        match (self.exhausted(), self.outlasted) {
            // The last number is taken.
            (true, _) => Ended::Count,
            (false, true) => Ended::Time,
            (false, false) => Ended::Exhausted,
        }
    }

    /// Whether exchanges become due by a schedule.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.model, Model::Open(_))
    }

    /// Whether the count of a closed load is reached.
    pub(super) fn has_counted(&self) -> bool {
        match &self.model {
            Model::Open(_) => false,
            Model::Closed(closed) => closed.numbers.exhausted.load(Ordering::Relaxed),
        }
    }

    /// How many due exchanges are waiting.
    pub(super) fn backlog(&self) -> usize {
        match &self.model {
            Model::Open(open) => open.backlog.len(),
            Model::Closed(_) => 0,
        }
    }

    /// When the timer must ring next. While exchanges wait for a session, a ring for the next one would only make the
    /// queue longer, which can just as well be done when a session requests work.
    pub(super) fn next_ring(&self) -> Option<Moment> {
        let continuations = match &self.model {
            Model::Open(open) => open.continuations.next(),
            Model::Closed(_) => None,
        };
        if self.over.is_some() {
            return continuations;
        }
        let due = match &self.model {
            Model::Open(open) if open.backlog.is_empty() => {
                open.next.map(|next| self.origin + Duration::from_nanos(next.nanos))
            }
            Model::Open(_) => None,
            Model::Closed(closed) => closed.thinking.peek().map(|Reverse((due, _))| *due),
        };
        due.into_iter().chain(self.end).chain(continuations).min()
    }
}

impl Open {
    /// Advances to the next due exchange; returns the reason if there is none.
    fn advance(&mut self, origin: Moment, end: Option<Moment>) -> Option<Ended> {
        self.next = self.share.next();
        let Some(next) = self.next else {
            // The end of a schedule that has one is a moment of its own, which the run waits for.
            return end.is_none().then_some(Ended::Time);
        };
        let counted = if self.count_includes_warm_up { next.number } else { next.steady_before };
        let counts = self.count_includes_warm_up || next.phase == Phase::Steady;
        if counts && self.count.is_some_and(|count| counted >= count) {
            self.next = None;
            self.counted_to = Some(origin + Duration::from_nanos(next.nanos));
            return Some(Ended::Count);
        }
        if end.is_some_and(|end| origin + Duration::from_nanos(next.nanos) >= end) {
            self.next = None;
        }
        None
    }

    #[inline]
    fn release(
        &mut self,
        now: Moment,
        origin: Moment,
        end: Option<Moment>,
        sink: &impl DispatchSink,
    ) -> Option<Ended> {
        while let Some(next) = self.next {
            let due = origin + Duration::from_nanos(next.nanos);
            if due > now {
                break;
            }
            let assignment = Assignment {
                number: self.first.wrapping_add(next.number),
                due,
                phase: next.phase,
                arrival: true,
            };
            sink.planned(&assignment);
            let free = if self.alike { self.free.pop_back() } else { self.free.pop_front() };
            if let Some(slot) = free {
                sink.assign(slot, assignment);
            } else if self.backlog.len() < self.bound {
                self.backlog.push_back(assignment);
                sink.backlog(self.backlog.len());
            } else {
                sink.dropped(&assignment, now);
            }
            if let Some(ended) = self.advance(origin, end) {
                return Some(ended);
            }
        }
        None
    }
}

impl Closed {
    /// How long the virtual user thinks first. There is no think time before the first exchange.
    fn pause(&self, session: u32, turn: u64) -> Duration {
        if turn == 0 { Duration::ZERO } else { self.think.pause(self.seed, session, turn) }
    }

    fn promise(&self) -> bool {
        let Some(count) = self.count else { return true };
        let one_more = |promised| (promised < count).then_some(promised + 1);
        self.numbers.promised.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Takes the next number of the run, unless the count is reached.
    fn number(&self, due: Moment, origin: Moment, sink: &impl DispatchSink) -> Option<Assignment> {
        let steady = due >= origin + self.steady_from;
        let phase = if steady { Phase::Steady } else { Phase::WarmUp };
        if let Some(count) = self.count
            && (steady || self.count_includes_warm_up)
        {
            let before = self.numbers.taken(&self.numbers.counted);
            if before + 1 >= count {
                self.numbers.exhausted.store(true, Ordering::Relaxed);
            }
            if before >= count {
                return None;
            }
        } else if self.count.is_some() {
            // An exchange that does not count has not used up a promise.
            self.numbers.promised.fetch_sub(1, Ordering::Relaxed);
        }
        let taken = self.numbers.taken(&self.numbers.next);
        let number = self.first.wrapping_add(self.slots.number(taken));
        let assignment = Assignment { number, due, phase, arrival: true };
        sink.planned(&assignment);
        Some(assignment)
    }

    fn release(&mut self, now: Moment, origin: Moment, sink: &impl DispatchSink) -> Option<Ended> {
        while let Some(Reverse((due, slot))) = self.thinking.peek().copied() {
            if due > now {
                break;
            }
            self.thinking.pop();
            match self.number(due, origin, sink) {
                Some(assignment) => sink.assign(slot, assignment),
                None => return Some(Ended::Count),
            }
        }
        self.numbers.exhausted.load(Ordering::Relaxed).then_some(Ended::Count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Settings;
    use crate::schedule::{Rate, Schedule};
    use brunt_exchange::Want;
    use std::cell::RefCell;

    /// The slots that received an exchange, in order.
    #[derive(Default)]
    struct AssignedSlots(RefCell<Vec<u32>>);

    impl DispatchSink for AssignedSlots {
        fn planned(&self, _: &Assignment) {}
        fn dropped(&self, _: &Assignment, _: Moment) {}
        fn backlog(&self, _: usize) {}
        fn assign(&self, slot: u32, _: Assignment) {
            self.0.borrow_mut().push(slot);
        }
    }

    /// Four slots, freed in order, and three exchanges that become due after that.
    fn assigned(alike: bool) -> Vec<u32> {
        let rate = Rate::per_second(10).unwrap();
        let settings = Settings::open(Schedule::constant(rate, None).unwrap(), 4);
        let plan = Plan::new(settings, 1).unwrap();
        let mut dispatch = Dispatch::new(&plan, 0, 4, alike, Arc::new(Numbers::new(4)));
        let origin = Moment::from_nanos(1_000);
        dispatch.start(origin, None);
        let (sink, before) = (AssignedSlots::default(), Moment::ZERO);
        for slot in 0..4 {
            let wants = Want::Next;
            let request =
                WorkRequest { slot, session: slot, turn: 0, free: before, wants, last: 0 };
            let answer = dispatch.next_work(&request, &sink);
            assert_eq!(answer, WorkReply::Wait);
        }
        dispatch.release(origin + Duration::from_millis(250), &sink);
        sink.0.take()
    }

    #[test]
    fn closed_loop_assigns_nothing_from_the_end_on() {
        let plan = Plan::new(Settings::closed(ThinkTime::None, 1), 1).unwrap();
        let (end, sink) = (Moment::from_nanos(1_000), AssignedSlots::default());
        for (nanos, taken) in [(999, true), (1_000, false), (1_001, false)] {
            let mut dispatch = Dispatch::new(&plan, 0, 1, true, Arc::new(Numbers::new(1)));
            dispatch.start(Moment::ZERO, Some(end - Moment::ZERO));
            let free = Moment::from_nanos(nanos);
            let wants = Want::Next;
            let request = WorkRequest { slot: 0, session: 0, turn: 0, free, wants, last: 0 };
            let reply = dispatch.next_work(&request, &sink);
            assert_eq!(matches!(reply, WorkReply::Take(_)), taken, "{nanos}: {reply:?}");
            assert_eq!(reply == WorkReply::Leave, !taken, "{nanos}: {reply:?}");
        }
    }

    #[test]
    fn sessions_take_turns_unless_interchangeable() {
        assert_eq!(assigned(false), [0, 1, 2]);
        assert_eq!(assigned(true), [3, 2, 1]);
    }
}
