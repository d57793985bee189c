//! [`Continuations`]: the sessions that continue an iteration which an arrival began, in the open model.
//!
//! An arrival may begin more than one exchange: an iteration of several steps, with pauses between them. Until the
//! iteration is over, its session takes no other arrival, and wants its next exchange at moments of its own. Iterations
//! in progress are completed after the last arrival, as long as the run waits for answers: exchanges that become due
//! then belong to the drain, since no schedule requested them.

use super::assignment::{Assignment, DispatchSink, WorkReply, WorkRequest};
use brunt_exchange::Moment;
use brunt_record::Phase;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// The sessions that continue an iteration.
pub(super) struct Continuations {
    /// When each wants its next exchange, and the number of the arrival.
    waiting: BinaryHeap<Reverse<(Moment, u32, u64)>>,
    /// How many were promised a continuation and have not requested it yet.
    promised: usize,
    /// Set when it is too late to continue.
    closed: bool,
    phases: Vec<(Phase, Duration)>,
    /// The due time of the last arrival.
    window_to: Option<Moment>,
}

impl Continuations {
    pub(super) fn new(phases: Vec<(Phase, Duration)>) -> Self {
        Self { waiting: BinaryHeap::new(), promised: 0, closed: false, phases, window_to: None }
    }

    /// No arrival becomes due from this moment on.
    pub(super) fn window_ends(&mut self, at: Moment) {
        self.window_to = Some(self.window_to.map_or(at, |known| known.min(at)));
    }

    /// Whether no session continues, or is about to.
    pub(super) fn is_empty(&self) -> bool {
        self.closed || (self.waiting.is_empty() && self.promised == 0)
    }

    /// Whether a session may continue; if so, it will request its continuation.
    pub(super) fn promise(&mut self) -> bool {
        self.promised += usize::from(!self.closed);
        !self.closed
    }

    /// The reply to a session that wants to continue at `due`.
    pub(super) fn continue_at(
        &mut self,
        due: Moment,
        request: &WorkRequest,
        origin: Moment,
        sink: &impl DispatchSink,
    ) -> WorkReply {
        self.promised = self.promised.saturating_sub(1);
        if self.closed {
            return WorkReply::Leave;
        }
        if due > request.free {
            self.waiting.push(Reverse((due, request.slot, request.last)));
            return WorkReply::Wait;
        }
        WorkReply::Take(self.give(request.last, due, origin, sink))
    }

    /// Assigns what is due by now.
    pub(super) fn release(&mut self, now: Moment, origin: Moment, sink: &impl DispatchSink) {
        while let Some(Reverse((due, slot, number))) = self.waiting.peek().copied() {
            if due > now {
                break;
            }
            self.waiting.pop();
            let assignment = self.give(number, due, origin, sink);
            sink.assign(slot, assignment);
        }
    }

    /// A continuation retains the number of its arrival.
    fn give(
        &self,
        number: u64,
        due: Moment,
        origin: Moment,
        sink: &impl DispatchSink,
    ) -> Assignment {
        let began = |(_, from): &&(Phase, Duration)| origin + *from <= due;
        let phase = if self.window_to.is_some_and(|to| due >= to) {
            Phase::Drain
        } else {
            self.phases.iter().rev().find(began).map_or(Phase::Steady, |(phase, _)| *phase)
        };
        let assignment = Assignment { number, due, phase, arrival: false };
        sink.planned(&assignment);
        assignment
    }

    /// When the next session wants to continue.
    pub(super) fn next(&self) -> Option<Moment> {
        self.waiting.peek().map(|Reverse((due, _, _))| *due)
    }

    /// No session continues from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Want;
    use std::cell::RefCell;

    const ORIGIN: Moment = Moment::from_nanos(0);

    /// What was assigned: the slot, the number of the arrival, the phase.
    #[derive(Default)]
    struct Assigned(RefCell<Vec<(u32, u64, Phase)>>);

    impl DispatchSink for Assigned {
        fn planned(&self, _: &Assignment) {}
        fn dropped(&self, _: &Assignment, _: Moment) {}
        fn backlog(&self, _: usize) {}
        fn assign(&self, slot: u32, assignment: Assignment) {
            self.0.borrow_mut().push((slot, assignment.number, assignment.phase));
        }
    }

    fn at(seconds: u64) -> Moment {
        ORIGIN + Duration::from_secs(seconds)
    }

    fn request(slot: u32, free: Moment) -> WorkRequest {
        let last = 10 + u64::from(slot);
        WorkRequest { slot, session: slot, turn: 1, free, wants: Want::Next, last }
    }

    fn continuations() -> Continuations {
        let warm_up = (Phase::WarmUp, Duration::ZERO);
        Continuations::new(vec![warm_up, (Phase::Steady, Duration::from_secs(2))])
    }

    #[test]
    fn continuation_is_promised_until_its_exchange_is_assigned() {
        let (mut continuations, sink) = (continuations(), Assigned::default());
        assert!(continuations.is_empty() && continuations.promise() && !continuations.is_empty());
        // What is due already is given at once, and then nobody continues.
        let WorkReply::Take(given) =
            continuations.continue_at(at(1), &request(0, at(1)), ORIGIN, &sink)
        else {
            panic!("it waits for what is due")
        };
        assert_eq!((given.number, given.phase, given.arrival), (10, Phase::WarmUp, false));
        assert!(continuations.is_empty());
        // What is not is given when it becomes due, in that order, with the number of its arrival.
        assert!(continuations.promise() && continuations.promise());
        for (slot, due) in [(1, 7), (2, 3)] {
            let reply = continuations.continue_at(at(due), &request(slot, at(1)), ORIGIN, &sink);
            assert_eq!(reply, WorkReply::Wait);
        }
        continuations.window_ends(at(7));
        continuations.window_ends(at(9));
        continuations.release(at(6), ORIGIN, &sink);
        assert_eq!((continuations.next(), continuations.is_empty()), (Some(at(7)), false));
        continuations.release(at(7), ORIGIN, &sink);
        assert!(continuations.is_empty());
        assert_eq!(sink.0.take(), [(2, 12, Phase::Steady), (1, 11, Phase::Drain)]);
    }

    #[test]
    fn continuations_end_with_the_run() {
        let (mut continuations, sink) = (continuations(), Assigned::default());
        assert!(continuations.promise() && continuations.promise());
        assert_eq!(
            continuations.continue_at(at(9), &request(0, at(1)), ORIGIN, &sink),
            WorkReply::Wait
        );
        continuations.close();
        assert!(continuations.is_empty() && continuations.next().is_none());
        assert!(!continuations.promise());
        assert_eq!(
            continuations.continue_at(at(1), &request(1, at(1)), ORIGIN, &sink),
            WorkReply::Leave
        );
        continuations.release(at(9), ORIGIN, &sink);
        assert!(sink.0.take().is_empty());
    }
}
