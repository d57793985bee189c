//! How long every exchange that was due waited, including what is not known of it: [`Waits`].
//!
//! An exchange without an answer has no response time. Leaving it out would make a hung target look fast; that is
//! coordinated omission at the end of a run. So it enters as *censored*: at least as long as it had waited at the last
//! observation (Kaplan and Meier, 1958, call this right censoring). An exchange that failed for good never gets an
//! answer and waits forever. A quantile is then an interval: from the least to the most it can be.

use crate::Histogram;
use std::time::Duration;

/// Waits, some of which are known, some only known to be at least this long, and some without an end.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// Those that are known.
    pub known: Histogram,
    /// Those that are at least this long.
    pub censored: Histogram,
    /// How many have no end.
    pub endless: u64,
}

/// The range of a figure, in nanoseconds; infinite where a wait has no end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The least it can be.
    pub least: f64,
    /// The most it can be.
    pub most: f64,
}

impl Reach {
    /// A figure that is known.
    pub const fn exactly(value: f64) -> Self {
        Self { least: value, most: value }
    }

    /// Whether it has only one possible value.
    pub fn is_exact(self) -> bool {
        self.most <= self.least
    }
}

impl Waits {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.known.count() + self.censored.count() + self.endless
    }

    /// The wait that the share `quantile` (0 to 1) of all did not exceed.
    pub fn quantile(&self, quantile: f64) -> Option<Reach> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        // 0.07 x 100 is a little more than 7 in binary, which would select the eighth of a hundred.
        let share = quantile.clamp(0.0, 1.0) * (1.0 - 4.0 * f64::EPSILON);
        let rank = ((share * count as f64).ceil() as u64).clamp(1, count);
        let nanos =
            |took: Option<Duration>| took.map_or(f64::INFINITY, |took| took.as_nanos() as f64);
        let most = nanos(self.known.at_rank(rank));
        if self.censored.is_empty() {
            return Some(Reach::exactly(most));
        }
        let mut least = self.known.clone();
        least.merge(&self.censored);
        Some(Reach { least: nanos(least.at_rank(rank)), most })
    }

    /// The mean of all that have an end, where the censored ones can be longer.
    pub fn mean(&self) -> Option<Reach> {
        let count = self.known.count() + self.censored.count();
        let sum = self.known.sum_nanos() + self.censored.sum_nanos();
        let least = (count > 0).then(|| sum as f64 / count as f64)?;
        let most = if self.censored.is_empty() { least } else { f64::INFINITY };
        Some(Reach { least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram_of(millis: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for ms in millis {
            histogram.record(Duration::from_millis(*ms));
        }
        histogram
    }

    fn millis(reach: Option<Reach>) -> (f64, f64) {
        let reach = reach.unwrap();
        let rounded = |nanos: f64| (nanos / 1e6).round();
        (rounded(reach.least), rounded(reach.most))
    }

    #[test]
    fn quantile_reaching_unanswered_exchanges_is_a_bound() {
        let known: Vec<u64> = (1..=90).collect();
        let waits =
            Waits { known: histogram_of(&known), censored: histogram_of(&[5_000; 10]), endless: 0 };
        assert_eq!(millis(waits.quantile(0.5)), (50.0, 50.0));
        assert_eq!(millis(waits.quantile(0.9)), (90.0, 90.0));
        assert_eq!(millis(waits.quantile(0.99)), (5_000.0, f64::INFINITY));
        // A bound below the quantile may in truth lie above it.
        let early =
            Waits { known: histogram_of(&known), censored: histogram_of(&[0; 10]), endless: 0 };
        assert_eq!(millis(early.quantile(0.5)), (40.0, 50.0));
    }

    #[test]
    fn endless_waits_are_the_slowest() {
        let waits = Waits { known: histogram_of(&[1; 99]), censored: Histogram::new(), endless: 1 };
        assert_eq!(millis(waits.quantile(0.99)), (1.0, 1.0));
        assert_eq!(millis(waits.quantile(0.995)), (f64::INFINITY, f64::INFINITY));
        let dead = Waits { endless: 5, ..Waits::default() };
        assert_eq!(millis(dead.quantile(0.01)), (f64::INFINITY, f64::INFINITY));
        assert_eq!(Waits::default().quantile(0.5), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn quantile_bounds_contain_the_truth(
            known in prop::collection::vec(0u64..60_000, 0..60),
            censored in prop::collection::vec((0u64..30_000, 0u64..30_000), 0..30),
            endless in 0u64..5,
            quantile in 0.01f64..=1.0,
        ) {
            let bounds: Vec<u64> = censored.iter().map(|(bound, _)| *bound).collect();
            let waits = Waits { known: histogram_of(&known), censored: histogram_of(&bounds), endless };
            prop_assume!(waits.count() > 0);
            let longer = censored.iter().map(|(bound, more)| (bound + more) as f64);
            let mut truth: Vec<f64> = known.iter().map(|ms| *ms as f64).chain(longer).collect();
            truth.extend((0..endless).map(|_| f64::INFINITY));
            truth.sort_by(f64::total_cmp);
            let rank = ((quantile * truth.len() as f64).ceil() as usize).clamp(1, truth.len());
            // A rank just past an integer by rounding may fall one lower.
            let (truth, lower) = (truth[rank - 1], truth[rank.saturating_sub(2)]);
            let reach = waits.quantile(quantile).unwrap();
            prop_assert!(reach.least / 1e6 <= truth * 1.001 + 0.001, "{reach:?} {truth}");
            prop_assert!(reach.most / 1e6 * 1.001 + 0.001 >= lower, "{reach:?} {lower}");
        }
    }
}
