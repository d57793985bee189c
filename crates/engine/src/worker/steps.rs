//! The [`Steps`] of a run: when each interval of the record ends, and which phase it belongs to.
//!
//! Boundaries are computed from their numbers, so they do not drift however long a run lasts. It must not know what is
//! measured in a step.

use brunt_record::Phase;
use std::time::Duration;

/// The steps of a run: each phase is divided into intervals of the same length from its own beginning, so that no row
/// mixes two phases. Boundaries are computed from their numbers.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    phases: Vec<(Phase, Duration)>,
    interval: Duration,
    /// Boundaries from here on are left out: the last step runs until the last answer.
    end: Option<Duration>,
    at: usize,
    passed: u32,
}

impl Steps {
    pub(super) fn new(
        phases: Vec<(Phase, Duration)>,
        interval: Duration,
        end: Option<Duration>,
    ) -> Self {
        Self { phases, interval, end, at: 0, passed: 0 }
    }

    /// The phase of the current step.
    pub(super) fn phase(&self) -> Phase {
        self.phases.get(self.at).map_or(Phase::Steady, |(phase, _)| *phase)
    }

    /// When the current step is over; `None` for the last.
    pub(super) fn boundary(&self) -> Option<Duration> {
        let (_, from) = self.phases.get(self.at)?;
        let next = self.phases.get(self.at + 1).map(|(_, from)| *from);
        let cut = *from + self.interval.saturating_mul(self.passed + 1);
        let boundary = next.map_or(cut, |next| next.min(cut));
        (self.end.is_none_or(|end| boundary < end)).then_some(boundary)
    }

    pub(super) fn advance(&mut self) {
        let boundary = self.boundary();
        let turn = self.phases.get(self.at + 1).map(|(_, from)| *from);
        if turn.is_some() && turn == boundary {
            self.at += 1;
            self.passed = 0;
        } else {
            self.passed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundaries(steps: &mut Steps, many: usize) -> Vec<(Phase, Option<u128>)> {
        let mut all = Vec::new();
        for _ in 0..many {
            all.push((steps.phase(), steps.boundary().map(|at| at.as_millis())));
            steps.advance();
        }
        all
    }

    #[test]
    fn steps_restart_with_each_phase() {
        use Phase::{Steady, WarmUp};
        let ms = Duration::from_millis;
        let phases = vec![(WarmUp, ms(0)), (Steady, ms(2_500))];
        let mut steps = Steps::new(phases, ms(1_000), Some(ms(5_500)));
        let expected = [
            (WarmUp, Some(1_000)),
            (WarmUp, Some(2_000)),
            (WarmUp, Some(2_500)),
            (Steady, Some(3_500)),
            (Steady, Some(4_500)),
            (Steady, None),
        ];
        assert_eq!(boundaries(&mut steps, 6), expected);
    }

    #[test]
    fn step_boundaries_do_not_drift() {
        let phases = vec![(Phase::Steady, Duration::ZERO)];
        let mut steps = Steps::new(phases, Duration::from_millis(333), None);
        let last = boundaries(&mut steps, 30_000).pop().unwrap();
        assert_eq!(last.1, Some(333 * 30_000));
    }
}
