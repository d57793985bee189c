//! Everything a run measured, phase by phase, in memory that does not grow with the run.

use crate::{Absences, Counts, Interval, Phase, Sample, Samples};

/// The sums of the intervals of a run, one for each phase.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    phases: Vec<Interval>,
    samples: Samples,
    absences: Absences,
}

impl Totals {
    /// Nothing measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an interval to the sum of its phase.
    pub fn absorb(&mut self, interval: &Interval) {
        self.samples.merge(interval.samples.iter().cloned());
        self.absences.absorb(&interval.presence);
        let known = self.phases.iter_mut().find(|total| total.phase == interval.phase);
        if let Some(total) = known {
            total.append(interval);
        } else {
            self.phases.push(interval.to_sum());
            self.phases.sort_by_key(|total| total.phase);
        }
    }

    /// The sum of one phase, if the run reached it.
    pub fn phase(&self, phase: Phase) -> Option<&Interval> {
        self.phases.iter().find(|total| total.phase == phase)
    }

    /// The sums, in the order of the phases.
    pub fn phases(&self) -> &[Interval] {
        &self.phases
    }

    /// The counts of the whole run. These are the ones that must be conserved: an exchange may
    /// become due in one phase and end in the next.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.phases.iter().for_each(|total| counts.merge(&total.counts()));
        counts
    }

    /// What was measured of everything that became due in the steady phase, including the later steps
    /// of iterations that began in it and become due while the run drains.
    pub fn measured(&self) -> Option<Interval> {
        let mut measured = self.phase(Phase::Steady)?.clone();
        if let Some(drain) = self.phase(Phase::Drain) {
            measured.append(drain);
        }
        Some(measured)
    }

    /// When the target stopped responding, as far as it is known yet.
    pub fn absences(&self) -> &Absences {
        &self.absences
    }

    /// The texts of failures that were kept.
    pub fn samples(&self) -> &[Sample] {
        self.samples.kept()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Moment, Outcome, Stamps};
    use std::time::Duration;

    #[test]
    fn phases_are_summed_separately_and_conserved_together() {
        let mut totals = Totals::new();
        let moment = Moment::from_nanos(1_000);
        let stamps = Stamps { due: moment, free: moment, sent: moment, ended: moment };
        for (index, phase, planned, ended) in [
            (0, Phase::WarmUp, 2, 1),
            (1, Phase::Steady, 3, 3),
            (2, Phase::Steady, 1, 1),
            (3, Phase::Drain, 0, 1),
        ] {
            let mut interval = Interval::new(1, 0);
            interval.reset(index, phase, Duration::from_secs(index));
            interval.to = Duration::from_secs(index + 1);
            interval.planned = planned;
            (0..ended).for_each(|_| {
                interval.record(0, Outcome::Ok(0), &stamps, 0, crate::Own::default());
            });
            totals.absorb(&interval);
        }
        let steady = totals.phase(Phase::Steady).unwrap();
        assert_eq!((steady.planned, steady.counts().ok), (4, 4));
        assert_eq!(steady.lasted(), Duration::from_secs(2));
        assert_eq!(totals.counts().conserved(), Ok(()));
        assert!(totals.phase(Phase::WarmUp).unwrap().counts().conserved().is_err());
    }
}
