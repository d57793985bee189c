//! The [`Recorder`]: the measurements of a worker in this step of time, by phase.
//!
//! An exchange belongs to the phase in which it was due, so at the change of a phase two accumulators are filled side
//! by side. At the end of a step they are handed over whole, and spent ones are returned to be filled again: nothing is
//! copied, and after the first steps nothing is allocated. A recorder that cannot hand over, since the collector is
//! behind, continues to fill the same step; no measurement is ever lost. It must not know when anything is due.

use super::WindowTo;
use super::assignment::Assignment;
use super::gaps::Gaps;
use super::interval_sender::{IntervalSender, WorkerIntervals};
use super::run_tallies::{RunTallies, SessionUse};
use super::steps::Steps;
use super::usage::Usage;
use super::window::{Cycle, Unit, Window};
use crate::session_factory::DriverCounts;
use brunt_exchange::{Clock, Concurrent, Moment, Outcome, ShownExchange, Stamps, Unreached, Watch};
use brunt_record::{
    Catalogue, Codes, Counts, Interval, Phase, Presence, Prompt, SLOT, Samples, Sign,
};
use std::collections::VecDeque;
use std::time::Duration;

/// The most steps whose beginnings are remembered. What became due before the first of them is counted there.
const BEGINNINGS_MAX: usize = 4_096;

pub(super) struct Recorder {
    worker: usize,
    operations: usize,
    parts: usize,
    sender: IntervalSender,
    steps: Steps,
    origin: Moment,
    index: u64,
    from: Duration,
    /// When the phase of the current step began.
    phase_from: Duration,
    /// When the current step and the previous ones began: these give the step in which an exchange became due.
    began: Moment,
    beginnings: VecDeque<(Moment, u64)>,
    gaps: Gaps,
    window: Window,
    /// The end of the slot in which the last answer was noted.
    answered_to: Moment,
    /// When the last answer arrived.
    answered_at: Moment,
    /// One accumulator for each phase, made when the phase first occurs.
    filling: [Option<Interval>; Phase::ALL.len()],
    phase: Phase,
    /// By operation, the exchanges of this step that were sent the moment they became due; allocated for the first of
    /// them.
    prompt: Vec<Option<Prompt>>,
    samples: Samples,
    tallies: RunTallies,
    in_flight: u64,
    last_end: Moment,
    /// What this thread had used when the last step was closed, and when that was.
    used: Usage,
    closed_at: Moment,
    driver_counts: DriverCounts,
    /// The driver's counts when the last step was closed.
    driver_counts_before: DriverCounts,
}

impl Recorder {
    pub(super) fn new(
        worker: usize,
        catalogue: &Catalogue,
        samples: Samples,
        (steps, window): (Steps, Window),
        sender: IntervalSender,
    ) -> Self {
        Self {
            worker,
            operations: catalogue.operations.len(),
            parts: catalogue.parts.len(),
            sender,
            steps,
            origin: Moment::ZERO,
            index: 0,
            from: Duration::ZERO,
            phase_from: Duration::ZERO,
            began: Moment::ZERO,
            beginnings: VecDeque::new(),
            gaps: Gaps::default(),
            window,
            answered_to: Moment::ZERO,
            answered_at: Moment::ZERO,
            filling: Default::default(),
            phase: Phase::Prepare,
            prompt: (0..catalogue.operations.len()).map(|_| None).collect(),
            samples,
            tallies: RunTallies::new(catalogue),
            in_flight: 0,
            last_end: Moment::ZERO,
            used: Usage::default(),
            closed_at: Moment::ZERO,
            driver_counts: DriverCounts::default(),
            driver_counts_before: DriverCounts::default(),
        }
    }

    /// Hands over the preparation and begins the first step at `origin`.
    pub(super) fn start(&mut self, origin: Moment) {
        self.filling(Phase::Prepare);
        self.hand_over(Duration::ZERO, false);
        self.index = 1;
        self.origin = origin;
        self.last_end = origin;
        self.closed_at = origin;
        self.began = origin;
        self.answered_to = origin;
        self.window.start(origin);
        self.phase = self.steps.phase();
        self.used = self.sender.used();
    }

    /// Records that another thread continues this worker's work, with processor time of its own.
    pub(super) fn moved(&mut self) {
        self.used = self.sender.used();
    }

    /// When the current step is over; `None` for the last.
    pub(super) fn boundary(&self) -> Option<Moment> {
        self.steps.boundary().map(|boundary| self.origin + boundary)
    }

    /// Ends the current step if its time is over. What was recorded until now belongs to it; if this process was kept
    /// from running for several steps, nothing was measured in those, and they are handed over empty.
    pub(super) fn roll_step(&mut self, now: Moment, backlog: usize) {
        if self.end_steps(now, now) {
            self.backlog(backlog);
        }
    }

    /// Ends the steps that are over at a moment, at `now`; whether there were any.
    fn end_steps(&mut self, over_at: Moment, now: Moment) -> bool {
        let mut turned = false;
        while let Some(boundary) = self.passed(over_at) {
            if !turned {
                self.close_step(now);
            }
            turned = true;
            self.end_step(boundary);
        }
        turned
    }

    /// Hands over the current step and begins the next at `boundary`.
    fn end_step(&mut self, boundary: Duration) {
        let phase = self.phase;
        self.filling(phase);
        if self.hand_over(boundary, false) {
            self.from = boundary;
        }
        if self.beginnings.len() == BEGINNINGS_MAX {
            self.beginnings.pop_front();
        }
        self.beginnings.push_back((self.began, self.index));
        self.began = self.origin + boundary;
        self.steps.advance();
        self.index += 1;
        self.phase = self.steps.phase();
        if self.phase != phase {
            self.phase_from = boundary;
        }
    }

    fn passed(&self, now: Moment) -> Option<Duration> {
        self.steps.boundary().filter(|boundary| self.origin + *boundary <= now)
    }

    /// Hands over the last step, which ran until the last answer, or until `end` if that is later.
    pub(super) fn finish(&mut self, end: Moment) -> Moment {
        let last = self.last_end.max(end).max(self.origin + self.from);
        // Other workers may have got to a later step, and all have the same ones. None is empty of time.
        let before = Moment::from_nanos(last.as_nanos().saturating_sub(1));
        self.end_steps(before, last);
        self.close_step(last);
        self.hand_over(last - self.origin, true);
        last
    }

    /// When exchanges ceased to become due in a run that planned nothing from `end` on, or from the end of its count.
    pub(super) fn window_to(
        &self,
        end: Moment,
        counted_to: Option<Moment>,
        counted: bool,
    ) -> WindowTo {
        match counted_to {
            Some(at) => WindowTo::Count(at),
            // A closed load that ends with its count ends when its last exchange begins; one that ends with its
            // sessions, with the last answer.
            None if end <= self.origin && counted => WindowTo::Answer(self.window.last_due()),
            None if end <= self.origin => WindowTo::Answer(self.last_end),
            None => WindowTo::End(end),
        }
    }

    #[inline]
    pub(super) fn planned(&mut self, assignment: &Assignment) {
        let index = self.index_of(assignment.due);
        let (window, step) = self.window_and_step(assignment.phase);
        step.planned += 1;
        step.due_in(index).planned += 1;
        window.planned(assignment, step);
    }

    pub(super) fn dropped(&mut self, assignment: &Assignment, now: Moment) {
        let index = self.index_of(assignment.due);
        let tainted = self.gaps.own_of_unsent(assignment.due, now).tainted;
        self.unanswered(now, assignment.due, true);
        let (window, step) = self.window_and_step(assignment.phase);
        step.drop_after(now - assignment.due, tainted);
        step.due_in(index).dropped += 1;
        window.dropped(assignment, step);
    }

    /// Records that what an arrival of an open load began is over.
    #[inline]
    pub(super) fn unit(&mut self, unit: &Unit) {
        if self.window.has(unit) {
            let (window, step) = self.window_and_step(Phase::Steady);
            window.unit(unit, step);
        }
    }

    /// Records that a virtual user's cycle lasted until `to`.
    #[inline]
    pub(super) fn cycle(&mut self, cycle: &Cycle, to: Moment) {
        if let Some(crossing) = self.window.crossing(cycle, to) {
            self.filling(Phase::Steady).pace.crossed(crossing);
        }
    }

    /// Nothing becomes due from this moment on.
    pub(super) fn window_ends(&mut self, at: Moment) {
        self.window.ends(at);
    }

    /// The count of a closed load is reached.
    pub(super) fn window_counted(&mut self) {
        self.window.counted();
    }

    /// The step in which an exchange became due.
    #[inline]
    fn index_of(&self, due: Moment) -> u64 {
        if due >= self.began {
            return self.index;
        }
        let step = self.beginnings.iter().rev().find(|(began, _)| *began <= due);
        step.or(self.beginnings.front()).map_or(self.index, |(_, index)| *index)
    }

    /// Notes that the worker wanted to check at `wanted` and checks only now.
    #[inline]
    pub(super) fn gap(&mut self, wanted: Moment, now: Moment) {
        self.gaps.poll(wanted, now);
    }

    /// Notes whether any exchange waits for the target now.
    pub(super) fn poll(&mut self, now: Moment, backlog: usize, sessions: usize) {
        if self.in_flight == sessions as u64 {
            self.sign(now, Sign::Everyone);
        }
        if self.in_flight > 0 || backlog > 0 {
            self.sign(now, Sign::Wanted);
        }
        if backlog > 0 {
            self.sign(now, Sign::Backlog);
        }
        self.gaps.waiting(now, backlog);
    }

    /// How many exchanges are in flight.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    fn sign(&mut self, at: Moment, sign: Sign) {
        let (phase, number) = (self.phase, Presence::number(at - self.origin));
        self.filling(phase).presence.note(number, sign);
    }

    /// Notes when the target answered, or that an exchange that waited since `since` ended without an answer.
    #[inline]
    fn note_end(&mut self, since: Moment, ended: Moment, outcome: Outcome) {
        if outcome.answered() {
            self.answered_at = self.answered_at.max(ended);
            if ended >= self.answered_to {
                let number = Presence::number(ended - self.origin);
                self.answered_to = self.origin + SLOT * (number + 1);
                self.sign(ended, Sign::Answered);
            }
            return;
        }
        let gave_up = matches!(outcome, Outcome::TimedOut | Outcome::CutOff);
        match outcome {
            Outcome::Skipped => {}
            // The exchange sent no request to the target.
            Outcome::Failed(class, _) if class.ours() => {}
            _ => self.unanswered(ended, since, gave_up),
        }
    }

    /// Notes that an exchange which waited since it was sent, or due, ended without an answer, and whether it was given
    /// up.
    fn unanswered(&mut self, at: Moment, since: Moment, gave_up: bool) {
        let (phase, number) = (self.phase, Presence::number(at - self.origin));
        let in_silence = since >= self.answered_at;
        self.filling(phase).presence.unanswered(number, gave_up, in_silence);
    }

    pub(super) fn backlog(&mut self, waiting: usize) {
        let phase = self.phase;
        let step = self.filling(phase);
        step.backlog_peak = step.backlog_peak.max(waiting as u64);
    }

    /// Counts a session that carries out nothing more.
    pub(super) fn left(&mut self, session: SessionUse) {
        let (tallies, phase) = (self.tallies, self.phase);
        tallies.left(session, self.filling(phase));
    }

    /// The driver's own counts, since the beginning.
    pub(super) fn driver_counts(&mut self) -> &mut DriverCounts {
        &mut self.driver_counts
    }

    pub(super) fn wants_text(&mut self) -> bool {
        self.samples.wants()
    }

    pub(super) fn began(&mut self) {
        self.in_flight += 1;
    }

    /// Records how a session was made ready, or was not. Most were ready already, and no clock is read for those.
    #[inline]
    pub(super) fn readied(&mut self, watch: &Watch<'_>, now: impl FnOnce() -> Moment) {
        if watch.why_not_ready().is_none() && !watch.parts().is_empty() && self.index > 0 {
            self.sign(now(), Sign::Connected);
        }
        self.watched(self.phase, watch);
    }

    /// Why sessions could not be made ready before the run.
    pub(super) fn unready(&self) -> Codes {
        let mut unready = Codes::default();
        self.filling.iter().flatten().for_each(|step| unready.merge(&step.unready));
        unready
    }

    /// Adds what a watch counted besides the exchange itself.
    #[inline]
    fn watched(&mut self, phase: Phase, watch: &Watch<'_>) {
        if let Some(why) = watch.why_not_ready() {
            self.filling(phase).unready.record(why);
        }
        let (reconnected, resent) = (watch.times_reconnected(), watch.times_resent());
        if !watch.has_beside() && reconnected + resent == 0 {
            return;
        }
        let step = self.filling(phase);
        step.reconnected += u64::from(reconnected);
        step.resent += u64::from(resent);
        step.repeats += u64::from(watch.is_repeat());
        watch.parts().iter().for_each(|(part, took)| step.part(*part, *took));
        watch
            .spans()
            .iter()
            .for_each(|(number, outcome, took)| step.span(*number, *outcome, *took));
    }

    /// Records an exchange that ended, and whose answer was unread for no longer than `unread`.
    #[inline]
    pub(super) fn ended(
        &mut self,
        assignment: &Assignment,
        (free, ended): (Moment, Moment),
        watch: &Watch<'_>,
        outcome: Outcome,
        unread: Duration,
    ) {
        self.in_flight -= 1;
        // A session that had to wait for a name server or a connection was free only after that.
        let free = free.max(watch.free_at().unwrap_or_default());
        // Waiting for an answer that never arrived is not part of the time that a rate is measured over.
        let answered = !matches!(outcome, Outcome::TimedOut | Outcome::CutOff | Outcome::Skipped);
        let began = watch.began_at();
        let last = if answered { Some(ended) } else { began };
        self.last_end = self.last_end.max(last.unwrap_or_default());
        match watch.answer_began() {
            // The answer began to arrive: the target was not away, whenever the rest would have come.
            Some(at) => [at, ended].into_iter().for_each(|at| self.sign(at, Sign::Answered)),
            None => self.note_end(began.unwrap_or(assignment.due), ended, outcome),
        }
        if self.window.is_late(assignment, ended) {
            let (window, step) = self.window_and_step(assignment.phase);
            window.late((ended, outcome), watch, step);
        }
        if let Some(tally) = self.tallies.of(watch, outcome) {
            self.filling(assignment.phase).tally(tally, 1);
        }
        let index = self.index_of(assignment.due);
        if unread.is_zero()
            && self.entered_as_prompt(assignment, (free, ended), watch, outcome, index)
        {
            return;
        }
        let (operation, items) = (watch.named_operation(), watch.counted_items());
        let stamps = match began {
            // A time stamp of the kernel may be earlier than that of the system call it answers.
            Some(sent) => Stamps { due: assignment.due, free, sent, ended: ended.max(sent) },
            None => Stamps { due: assignment.due, free, sent: ended, ended },
        };
        let sent = began.is_some();
        // An exchange that was never sent was not sent late.
        let own = if sent {
            self.gaps.own(&stamps, unread)
        } else {
            self.gaps.own_of_unsent(assignment.due, ended)
        };
        let step = self.filling(assignment.phase);
        if sent {
            step.record(operation, outcome, &stamps, items, own);
        } else {
            step.record_unsent(operation, outcome, ended - assignment.due, items, own);
        }
        step.due_in(index).settle(outcome, items);
        self.watched(assignment.phase, watch);
    }

    /// Records the exchanges that the session made at the same time as the one of this assignment.
    #[inline]
    pub(super) fn concurrent(
        &mut self,
        assignment: &Assignment,
        free: Moment,
        watch: &mut Watch<'_>,
    ) {
        if watch.has_concurrent() {
            for exchange in watch.take_concurrent() {
                self.beside(assignment, free, &exchange, watch.clock());
            }
        }
    }

    /// Records one of them, with the text of its failure.
    #[cold]
    fn beside(
        &mut self,
        assignment: &Assignment,
        free: Moment,
        exchange: &Concurrent,
        clock: &dyn Clock,
    ) {
        let assignment = Assignment { arrival: false, ..*assignment };
        self.planned(&assignment);
        self.began();
        let mut watch = exchange.watch(clock, None);
        let Concurrent { outcome, ended, text, .. } = exchange;
        self.ended(&assignment, (free, *ended), &watch, *outcome, Duration::ZERO);
        if matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut) && !text.is_empty() {
            let (operation, unreached) = (watch.named_operation(), watch.take_unreached());
            self.explained(operation, *outcome, *ended, text, unreached, watch.take_shown());
        }
    }

    /// Records an exchange the short way, if it was sent the moment it became due and there is nothing else to record.
    #[inline]
    fn entered_as_prompt(
        &mut self,
        assignment: &Assignment,
        (free, ended): (Moment, Moment),
        watch: &Watch<'_>,
        outcome: Outcome,
        index: u64,
    ) -> bool {
        let due = assignment.due;
        let prompt = watch.sent_at() == Some(due) && free <= due && assignment.phase == self.phase;
        let Outcome::Ok(code) = outcome else { return false };
        let Some(room) = self.prompt.get_mut(usize::from(watch.named_operation())) else {
            return false;
        };
        if !prompt || watch.has_beside() || index != self.index || self.gaps.touch(due) {
            return false;
        }
        room.get_or_insert_with(Prompt::new).record(code, ended - due, watch.counted_items());
        true
    }

    /// Keeps the text of a failure, what could not be reached, and what was sent and answered.
    pub(super) fn explained(
        &mut self,
        operation: u16,
        outcome: Outcome,
        at: Moment,
        text: &str,
        unreached: Option<Unreached>,
        shown: ShownExchange,
    ) {
        self.samples.offer(operation, outcome, at - self.origin, text, unreached, shown);
    }

    #[inline]
    fn filling(&mut self, phase: Phase) -> &mut Interval {
        self.window_and_step(phase).1
    }

    #[inline]
    fn window_and_step(&mut self, phase: Phase) -> (&mut Window, &mut Interval) {
        let Self { filling, window, sender, operations, parts, index, from, phase_from, .. } = self;
        let present = self.phase;
        let step = filling[phase as usize].get_or_insert_with(|| {
            // Exchanges of an earlier phase end after that phase was over.
            let from = if phase < present { *phase_from } else { *from };
            sender.fresh((*operations, *parts), (*index, phase, from))
        });
        (window, step)
    }

    /// Records the figures that are known only at the end of a step.
    fn close_step(&mut self, now: Moment) {
        let used = self.sender.used();
        let load = used.since(&self.used).load(self.worker, now - self.closed_at);
        let texts = self.samples.take();
        let (phase, in_flight) = (self.phase, self.in_flight);
        self.used = used;
        self.closed_at = now;
        let mut prompt = std::mem::take(&mut self.prompt);
        for (operation, prompt) in (0..).zip(&mut prompt) {
            if let Some(prompt) = prompt {
                let step = self.filling(phase);
                let before =
                    step.operations.get(usize::from(operation)).map(|measured| measured.counts);
                prompt.settle(operation, step);
                settle_due(step, operation, before);
            }
        }
        self.prompt = prompt;
        let driver_counts = std::mem::take(&mut self.driver_counts);
        let before = std::mem::take(&mut self.driver_counts_before);
        let step = self.filling(phase);
        step.health.record(load);
        step.health.socket_drops += driver_counts.socket_drops - before.socket_drops;
        step.orphans += driver_counts.orphans - before.orphans;
        add_tallies(step, &driver_counts.tallies, &before.tallies);
        step.in_flight = in_flight;
        step.samples.extend(texts);
        for phase in Phase::ALL {
            let counts = &driver_counts.tallies_by_phase[phase as usize];
            let earlier = &before.tallies_by_phase[phase as usize];
            if counts != earlier {
                add_tallies(self.filling(phase), counts, earlier);
            }
        }
        self.driver_counts_before.clone_from(&driver_counts);
        self.driver_counts = driver_counts;
    }

    /// Hands over the filled intervals; keeps them if the collector has no room, unless they are the last, for which
    /// the worker may wait.
    fn hand_over(&mut self, to: Duration, last: bool) -> bool {
        let mut intervals: Vec<Interval> =
            self.filling.iter_mut().filter_map(Option::take).collect();
        for interval in &mut intervals {
            interval.index = self.index;
            interval.to = if interval.phase < self.phase { self.phase_from } else { to };
        }
        let measured = WorkerIntervals { worker: self.worker, index: self.index, last, intervals };
        let Err(kept) = self.sender.send(measured) else { return true };
        for interval in kept {
            let phase = interval.phase;
            self.filling[phase as usize] = Some(interval);
        }
        false
    }
}

/// Counts exchanges recorded the short way, all of which became due in the step itself.
fn settle_due(step: &mut Interval, operation: u16, before: Option<Counts>) {
    let after = step.operations.get(usize::from(operation)).map(|measured| measured.counts);
    if let (Some(before), Some(after)) = (before, after) {
        step.due.sent += after.sent - before.sent;
        step.due.ok += after.ok - before.ok;
        step.due.items += after.items - before.items;
    }
}

/// Adds to a step the difference between `counts` and the `earlier` counts.
fn add_tallies(step: &mut Interval, counts: &[u64], earlier: &[u64]) {
    let earlier = earlier.iter().copied().chain(std::iter::repeat(0));
    for (number, (count, earlier)) in counts.iter().zip(earlier).enumerate() {
        step.tally(number, count - earlier);
    }
}
