//! [`Journey`]: the state of a user within an iteration that has groups, branches or repetitions.
//!
//! It remembers which groups are open, how they have gone so far, and the rounds of repetitions. A user of a flow
//! without them has none.

use super::control::Group;
use brunt_exchange::{Moment, Outcome};
use std::time::Duration;

/// The state of a user within an iteration.
#[derive(Debug, Default)]
pub(super) struct Journey {
    /// The current round of each repetition that is open, by depth.
    rounds: Vec<u64>,
    open: Vec<OpenGroup>,
    /// What ended since it was last taken.
    ended: Vec<(u16, Outcome, Duration)>,
    /// When the last exchange that was performed ended, and the total time of the pauses before it.
    last: (Moment, Duration),
    /// How many exchanges of the iteration were performed.
    performed: u64,
    /// How many attempts of the current step were made before, and when the last began.
    attempts: u32,
    attempt_began: Moment,
    /// When its first attempt began.
    step_began: Moment,
    /// How many of its answers meant "not yet", and how much longer the time between requests has become.
    pending: (u64, Duration),
    /// Whether an answer to the current step has demanded a nonce.
    challenged: bool,
    /// The steps that are performed at once, if the current step is one of them.
    pub(super) gathered: Gathered,
    /// How often a step was returned to, so that what is drawn for it differs each time.
    turns: u64,
    /// Whether the iteration is over without an exchange.
    pub(super) empty: bool,
    /// Why the last step failed after all, or the next fails: a repetition came to its maximum, or a number of the plan
    /// is none.
    pub(super) exceeded: Option<String>,
}

/// Steps that are performed at once.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The steps; empty if the current step is performed alone.
    pub(super) steps: Vec<usize>,
    /// How many at a time.
    pub(super) most: usize,
    /// The step after all that could have been among them.
    pub(super) past: usize,
}

/// A group that has begun.
#[derive(Debug)]
struct OpenGroup {
    number: u16,
    /// When its first exchange began, and the total time of the pauses before it.
    began: Option<(Moment, Duration)>,
    /// How its first step that failed has ended.
    failed: Option<Outcome>,
}

impl Journey {
    /// Begins an iteration.
    pub(super) fn begin(&mut self) {
        self.rounds.clear();
        self.open.clear();
        (self.performed, self.turns, self.empty, self.exceeded) = (0, 0, false, None);
        self.step_over();
    }

    /// An exchange of the iteration begins; `paused` is the total time of its pauses so far.
    pub(super) fn act_begins(&mut self, now: Moment, paused: Duration) {
        if !self.is_repeat() {
            self.step_began = now;
        }
        self.attempt_began = now;
        for group in &mut self.open {
            group.began.get_or_insert((now, paused));
        }
    }

    /// An exchange was performed. A failure is one of all groups that contain it, unless it is tried again.
    pub(super) fn act_ended(
        &mut self,
        now: Moment,
        paused: Duration,
        outcome: Outcome,
        counts: bool,
    ) {
        self.last = (now, paused);
        self.performed += 1;
        if counts && !matches!(outcome, Outcome::Ok(_)) {
            self.failed(outcome);
        }
    }

    /// The current step is tried again.
    pub(super) const fn tried(&mut self) {
        self.attempts += 1;
        self.turns += 1;
    }

    /// The current step is over, with all its attempts.
    pub(super) fn step_over(&mut self) {
        self.gathered.steps.clear();
        (self.attempts, self.challenged) = (0, false);
        self.pending = (0, Duration::ZERO);
    }

    /// Records an answer that means "not yet"; returns when the first request began, how many such answers there were,
    /// and how much longer the time between requests has become.
    pub(super) fn pends(&mut self, slower_by: Duration) -> (Moment, u64, Duration) {
        self.turns += 1;
        self.pending = (self.pending.0 + 1, self.pending.1.saturating_add(slower_by));
        (self.step_began, self.pending.0, self.pending.1)
    }

    /// Records an answer that demands a nonce in the proof of the request. Returns false for a second one: the nonce
    /// was not accepted.
    pub(super) const fn is_challenged(&mut self) -> bool {
        if self.challenged {
            return false;
        }
        self.challenged = true;
        self.turns += 1;
        true
    }

    /// Measures the current step including its repetitions.
    pub(super) fn measure_wait(&mut self, span: u16, outcome: Outcome, now: Moment) {
        self.ended.push((span, outcome, now - self.step_began));
    }

    /// Whether the current step was performed before, and comes again.
    pub(super) const fn is_repeat(&self) -> bool {
        self.attempts > 0 || self.pending.0 > 0 || self.challenged
    }

    /// How many attempts of the current step were made before.
    pub(super) const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Measures an attempt of the current step, if it is not the first.
    pub(super) fn measure_attempt(&mut self, span: u16, outcome: Outcome, now: Moment) {
        if self.attempts > 0 {
            self.ended.push((span, outcome, now - self.attempt_began));
        }
    }

    /// All open groups have failed.
    pub(super) fn failed(&mut self, outcome: Outcome) {
        for group in &mut self.open {
            group.failed.get_or_insert(outcome);
        }
    }

    /// How many exchanges of the iteration were performed.
    pub(super) const fn performed(&self) -> u64 {
        self.performed
    }

    /// When the last exchange ended, and the total time of the pauses before it.
    pub(super) const fn last(&self) -> (Moment, Duration) {
        self.last
    }

    /// How often a step was returned to.
    pub(super) const fn turns(&self) -> u64 {
        self.turns
    }

    /// A step is returned to.
    pub(super) const fn returns(&mut self) {
        self.turns += 1;
    }

    pub(super) fn enter(&mut self, number: u16) {
        self.open.push(OpenGroup { number, began: None, failed: None });
    }

    /// The innermost group is over.
    pub(super) fn leave(&mut self, groups: &[Group]) {
        let Some(open) = self.open.pop() else { return };
        let Some(group) = groups.get(usize::from(open.number)) else { return };
        let (end, paused) = self.last;
        let (outcome, took, paused) = match open.began {
            None => (Outcome::Skipped, Duration::ZERO, Duration::ZERO),
            Some((began, before)) => {
                (open.failed.unwrap_or(Outcome::Ok(0)), end - began, paused.saturating_sub(before))
            }
        };
        self.ended.push((group.span, outcome, took));
        if let Some(work) = group.work {
            self.ended.push((work, outcome, took.saturating_sub(paused)));
        }
    }

    /// What ended since the last call.
    pub(super) fn take_ended(&mut self) -> impl Iterator<Item = (u16, Outcome, Duration)> + '_ {
        self.ended.drain(..)
    }

    /// The names of the open groups, from the outermost, with the rounds of the repetitions in them.
    pub(super) fn within(&self, groups: &[Group]) -> String {
        let open = self.open.iter().filter_map(|open| groups.get(usize::from(open.number)));
        let names: Vec<&str> = open.map(|group| group.name.as_str()).collect();
        let rounds: Vec<String> = self.rounds.iter().map(|round| (round + 1).to_string()).collect();
        match &rounds[..] {
            [] => names.join(" / "),
            rounds => format!("{}, round {}", names.join(" / "), rounds.join(".")),
        }
    }

    /// Begins a repetition, in its first round.
    pub(super) fn start(&mut self, depth: usize) {
        self.rounds.truncate(depth);
        self.rounds.resize(depth + 1, 0);
    }

    /// The number of the current round of a repetition.
    pub(super) fn round(&self, depth: usize) -> u64 {
        self.rounds.get(depth).copied().unwrap_or_default()
    }

    /// Begins the next round.
    pub(super) fn again(&mut self, depth: usize) {
        self.rounds.truncate(depth + 1);
        if let Some(round) = self.rounds.get_mut(depth) {
            *round += 1;
        }
    }

    /// Ends a repetition.
    pub(super) fn over(&mut self, depth: usize) {
        self.rounds.truncate(depth);
    }

    /// The number of the current round of the innermost repetition.
    pub(super) fn innermost(&self) -> u64 {
        self.rounds.last().copied().unwrap_or_default()
    }
}
