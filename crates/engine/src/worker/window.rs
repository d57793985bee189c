//! The [`Window`] of the steady phase, as a recorder knows it: what of an exchange lies in it.
//!
//! In an open load every arrival is counted by the moments at which it was due and over. In a closed load only the
//! cycles count that cross an end of the window: an exchange and the think time after it. The end is known before the
//! run, or once the run was stopped or its count was reached.

use super::assignment::Assignment;
use super::session_slot::NEVER;
use crate::plan::{Load, Plan};
use brunt_exchange::{Moment, Outcome, Watch};
use brunt_record::{Crossing, Finish, Interval, Late, Phase};
use std::time::Duration;

pub(super) struct Window {
    open: bool,
    steady_from: Duration,
    lasting: Option<Duration>,
    from: Moment,
    /// Nothing counts from here on.
    until: Moment,
    /// The last moment at which an exchange was due.
    last_due: Moment,
}

/// An exchange that is over, or an iteration of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    due: Moment,
    phase: Phase,
    sent: Option<Moment>,
    ended: Moment,
    /// How the last of its exchanges that was not skipped ended.
    outcome: Option<Outcome>,
    /// Whether it ended with a skipped exchange: one before that failed.
    skipped: bool,
}

/// What a session did last in a closed load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    due: Moment,
    phase: Phase,
    answered: bool,
    ok: bool,
}

impl Unit {
    pub(super) fn new(assignment: &Assignment) -> Self {
        let Assignment { due, phase, .. } = *assignment;
        Self { due, phase, sent: None, ended: due, outcome: None, skipped: false }
    }

    /// Adds an exchange that ended.
    pub(super) fn add(&mut self, sent: Option<Moment>, ended: Moment, outcome: Outcome) {
        self.skipped = outcome == Outcome::Skipped;
        if !self.skipped {
            self.sent = self.sent.or(sent);
            (self.ended, self.outcome) = (ended, Some(outcome));
        }
    }

    /// The session will not continue it.
    pub(super) fn given_up(self) -> Self {
        Self { outcome: Some(Outcome::CutOff), ..self }
    }
}

impl Cycle {
    pub(super) fn new(assignment: &Assignment, outcome: Outcome) -> Self {
        let (answered, ok) = (outcome.answered(), matches!(outcome, Outcome::Ok(_)));
        Self { due: assignment.due, phase: assignment.phase, answered, ok }
    }
}

impl Window {
    pub(super) fn new(plan: &Plan) -> Self {
        let steady = plan.phases().into_iter().find(|(phase, _)| *phase == Phase::Steady);
        let steady_from = steady.map_or(Duration::ZERO, |(_, from)| from);
        Self {
            open: matches!(plan.settings().load, Load::Open(_)),
            steady_from,
            lasting: plan.lasting(),
            from: Moment::ZERO,
            until: NEVER,
            last_due: Moment::ZERO,
        }
    }

    pub(super) fn start(&mut self, origin: Moment) {
        self.from = origin + self.steady_from;
        self.until = self.lasting.map_or(NEVER, |lasting| origin + lasting);
        self.last_due = origin;
    }

    /// Nothing becomes due from this moment on.
    pub(super) fn ends(&mut self, at: Moment) {
        self.until = self.until.min(at);
    }

    /// The count of a closed load is reached.
    pub(super) fn counted(&mut self) {
        self.ends(self.last_due);
    }

    /// The last moment at which an exchange was due.
    pub(super) fn last_due(&self) -> Moment {
        self.last_due
    }

    /// Whether this is an arrival of the window of an open load.
    #[inline]
    fn counts(&self, assignment: &Assignment) -> bool {
        self.open && assignment.arrival && assignment.phase == Phase::Steady
    }

    #[inline]
    pub(super) fn planned(&mut self, assignment: &Assignment, step: &mut Interval) {
        self.last_due = self.last_due.max(assignment.due);
        if self.counts(assignment) {
            step.pace.due(assignment.due - self.from);
        }
    }

    pub(super) fn dropped(&self, assignment: &Assignment, step: &mut Interval) {
        if self.counts(assignment) {
            step.pace.dropped(assignment.due - self.from);
        }
    }

    /// Whether an exchange that ended then ended after the load.
    #[inline]
    pub(super) fn is_late(&self, assignment: &Assignment, ended: Moment) -> bool {
        ended >= self.until && assignment.phase == Phase::Steady
    }

    /// Counts an exchange that ended after the load. Its items are taken to have arrived evenly while it lasted.
    pub(super) fn late(
        &self,
        (ended, outcome): (Moment, Outcome),
        watch: &Watch<'_>,
        step: &mut Interval,
    ) {
        let items = watch.counted_items();
        let in_time = watch.sent_at().map_or(0, |sent| {
            let (inside, all) = ((self.until - sent).as_nanos(), (ended - sent).as_nanos());
            u64::try_from(u128::from(items) * inside / all.max(1)).unwrap_or(items).min(items)
        });
        step.pace.late(Late {
            operation: watch.named_operation(),
            answered: u64::from(outcome.answered()),
            ok: u64::from(matches!(outcome, Outcome::Ok(_))),
            items: items - in_time,
        });
        let passed =
            watch.spans().iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Ok(_)));
        passed.for_each(|(number, ..)| step.late_span(*number));
    }

    /// Counts what an arrival began and is over.
    #[inline]
    pub(super) fn unit(&self, unit: &Unit, step: &mut Interval) {
        let due = unit.due - self.from;
        let Some(outcome) = unit.outcome else {
            step.pace.skipped(due);
            return;
        };
        step.pace.finished(&Finish {
            due,
            response: unit.ended - unit.due,
            service: unit.sent.map(|sent| unit.ended - sent),
            answered: outcome.answered(),
            ok: matches!(outcome, Outcome::Ok(_)) && !unit.skipped,
            in_time: unit.ended < self.until,
        });
    }

    /// Whether a unit belongs to the window of an open load.
    #[inline]
    pub(super) fn has(&self, unit: &Unit) -> bool {
        self.open && unit.phase == Phase::Steady
    }

    /// What counts of a cycle that lasts until `to`; nothing if all of it is where its exchange is.
    #[inline]
    pub(super) fn crossing(&self, cycle: &Cycle, to: Moment) -> Option<Crossing> {
        let counted = cycle.phase == Phase::Steady;
        // As nearly all are.
        if counted && to <= self.until { None } else { self.cut(cycle, to, counted) }
    }

    #[cold]
    fn cut(&self, cycle: &Cycle, to: Moment, counted: bool) -> Option<Crossing> {
        if self.open || !cycle.answered || (!counted && to <= self.from) {
            return None;
        }
        let since = |at: Moment| at.since_origin();
        Some(Crossing::new(
            (since(cycle.due), since(to)),
            (since(self.from), since(self.until)),
            (cycle.answered, cycle.ok),
            counted,
        ))
    }
}
