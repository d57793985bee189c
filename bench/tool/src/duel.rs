//! Two contenders that take turns, and the ratio of their times.
//!
//! The expected difference is a few hundredths, and a machine drifts by more than that within a minute. So a round is
//! ours, theirs, theirs, ours: an even drift affects both equally, and each round has a ratio of its own. The median of
//! the ratios is the figure, their lowest and highest the spread; the ratio of the best times is shown as well, since
//! noise from other programs can only add time.

use crate::figures::median;
use crate::lap::Lap;

/// One phase over all rounds.
#[derive(Debug)]
pub struct Duel {
    /// Its name.
    pub phase: String,
    /// How many operations it has.
    pub operations: u64,
    /// How many of them did what was asked, in every run.
    pub done: u64,
    ours_us: Vec<f64>,
    theirs_us: Vec<f64>,
}

impl Duel {
    /// Lets the two take turns. Panics where one of them did other work than the other: both draw the same leases.
    pub fn fight(
        rounds: usize,
        mut ours: impl FnMut() -> Vec<Lap>,
        mut theirs: impl FnMut() -> Vec<Lap>,
    ) -> Vec<Self> {
        let mut duels: Vec<Self> = Vec::new();
        for _ in 0..rounds {
            let (first, second) = (ours(), theirs());
            let (third, fourth) = (theirs(), ours());
            if duels.is_empty() {
                duels = first.iter().map(Self::new).collect();
            }
            for duel in &mut duels {
                duel.add([&first, &second, &third, &fourth]);
            }
        }
        duels
    }

    fn new(lap: &Lap) -> Self {
        let (ours_us, theirs_us) = (Vec::new(), Vec::new());
        let Lap { phase, operations, done, .. } = lap.clone();
        Self { phase, operations, done, ours_us, theirs_us }
    }

    fn add(&mut self, runs: [&[Lap]; 4]) {
        let laps = runs.map(|laps| {
            let found = laps.iter().find(|lap| lap.phase == self.phase);
            found.unwrap_or_else(|| panic!("one of the two did not {}: {laps:?}", self.phase))
        });
        for lap in &laps {
            assert_eq!(lap.operations, self.operations, "{} of other length: {laps:?}", self.phase);
            assert_eq!(lap.done, self.done, "{} came to other rows: {laps:?}", self.phase);
        }
        self.ours_us.extend([laps[0].each_us(), laps[3].each_us()]);
        self.theirs_us.extend([laps[1].each_us(), laps[2].each_us()]);
    }

    /// What an operation of ours takes, in the middle of all runs.
    pub fn ours_us(&self) -> f64 {
        median(self.ours_us.iter().copied())
    }

    /// What one of theirs takes.
    pub fn theirs_us(&self) -> f64 {
        median(self.theirs_us.iter().copied())
    }

    /// Our time to theirs, of each round.
    fn ratios(&self) -> impl Iterator<Item = f64> {
        let rounds = self.ours_us.chunks(2).zip(self.theirs_us.chunks(2));
        rounds.map(|(ours, theirs)| ours.iter().sum::<f64>() / theirs.iter().sum::<f64>())
    }

    /// The middle of the rounds' ratios.
    pub fn ratio(&self) -> f64 {
        median(self.ratios())
    }

    /// The lowest and the highest of the rounds' ratios.
    pub fn spread(&self) -> (f64, f64) {
        (self.ratios().fold(f64::INFINITY, f64::min), self.ratios().fold(0.0, f64::max))
    }

    /// How the best of ours stands to the best of theirs.
    pub fn best(&self) -> f64 {
        let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        least(&self.ours_us) / least(&self.theirs_us)
    }

    /// How often ours did what theirs did once in the same time, in the middle of the rounds.
    pub fn faster(&self) -> f64 {
        1.0 / self.ratio()
    }

    /// Whether our time is within `most` of theirs, and whether that is more than chance.
    pub fn met(&self, most: f64) -> &'static str {
        let (low, high) = self.spread();
        match (self.ratio() <= most, low <= most && most < high) {
            (true, false) => "yes",
            (true, true) => "yes, not in every round",
            (false, true) => "**no**, but in some rounds",
            (false, false) => "**no**",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laps(seconds: f64) -> Vec<Lap> {
        vec![Lap { phase: "create".to_owned(), operations: 10, seconds, done: 10 }]
    }

    #[test]
    fn drift_affects_both_contenders() {
        // Each run is a tenth slower than the one before it, ours twice as slow beside that.
        let time = std::cell::Cell::new(1.0);
        let next = || {
            time.set(time.get() + 0.1);
            time.get()
        };
        let duels = Duel::fight(3, || laps(2.0 * next()), || laps(next()));
        let duel = &duels[0];
        assert_eq!((duels.len(), duel.ours_us.len(), duel.theirs_us.len()), (1, 6, 6));
        assert!((duel.ratio() - 2.0).abs() < 1e-9, "{duel:?}");
        let (low, high) = duel.spread();
        assert!((low - 2.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9, "{duel:?}");
        assert_eq!(duel.met(1.03), "**no**");
        assert_eq!(duel.met(2.1), "yes");
    }

    #[test]
    fn difference_by_chance_is_recognized() {
        let mut ours = [1.0, 1.0, 1.2, 1.2, 1.0, 1.0].into_iter();
        let duels = Duel::fight(3, || laps(ours.next().unwrap()), || laps(1.0));
        assert!((duels[0].ratio() - 1.0).abs() < 1e-9);
        assert_eq!(duels[0].met(1.03), "yes, not in every round");
        assert_eq!(duels[0].met(0.99), "**no**");
        assert!((duels[0].best() - 1.0).abs() < 1e-9);
    }

    #[test]
    #[should_panic(expected = "other rows")]
    fn unfinished_work_is_no_victory() {
        let lazy = || vec![Lap { done: 9, ..laps(0.1).remove(0) }];
        Duel::fight(1, lazy, || laps(1.0));
    }
}
