//! [`Times`]: durations counted in the buckets that other tools read.
//!
//! The bounds are the same in every run and every version, so that runs can be overlaid. The record's histograms have a
//! precision of a thousandth; a duration is counted by the upper end of its bucket there, as in percentiles.

use brunt_record::Histogram;

use super::powers::Powers;

/// The upper bounds of the buckets, in nanoseconds and as Prometheus writes them in seconds. The last bucket has none.
pub(super) const BOUNDS: [(u64, &str); 21] = [
    (10_000, "1e-05"),
    (25_000, "2.5e-05"),
    (50_000, "5e-05"),
    (100_000, "0.0001"),
    (250_000, "0.00025"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (2_500_000, "0.0025"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (25_000_000, "0.025"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (250_000_000, "0.25"),
    (500_000_000, "0.5"),
    (1_000_000_000, "1.0"),
    (2_500_000_000, "2.5"),
    (5_000_000_000, "5.0"),
    (10_000_000_000, "10.0"),
    (30_000_000_000, "30.0"),
    (60_000_000_000, "60.0"),
];

/// The longest duration that histograms record exactly: the last of the bounds.
const CEILING: u64 = BOUNDS[BOUNDS.len() - 1].0;

/// Durations by bucket, with their exact sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    /// The count of each single bucket; the last has everything beyond all bounds.
    pub counts: [u64; BOUNDS.len() + 1],
    /// Their sum in nanoseconds.
    pub sum_nanos: u128,
    /// The same in buckets that are powers of a base, if these are wanted.
    pub powers: Option<Powers>,
}

impl Times {
    /// Adds the durations of a histogram, also to the powers of a base if these are wanted.
    pub(super) fn add_to(&mut self, durations: &Histogram, powers: bool) {
        if powers {
            self.powers.get_or_insert_default().add(durations);
        }
        self.add(durations);
    }

    /// Adds the durations of a histogram.
    pub(super) fn add(&mut self, durations: &Histogram) {
        let mut at = 0;
        for (nanos, count) in durations.buckets() {
            let nanos = nanos.min(CEILING);
            while BOUNDS.get(at).is_some_and(|(bound, _)| nanos > *bound) {
                at += 1;
            }
            self.counts[at] += count;
        }
        // The last bucket of a histogram contains everything beyond its range.
        let saturated = durations.saturated().min(self.counts[BOUNDS.len() - 1]);
        self.counts[BOUNDS.len() - 1] -= saturated;
        self.counts[BOUNDS.len()] += saturated;
        self.sum_nanos += durations.sum_nanos();
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn durations_are_in_the_first_bucket_not_below() {
        let durations = [9_000_u64, 24_000, 1_200_000, 59_000_000_000, 61_000_000_000];
        let mut histogram = Histogram::new();
        for nanos in durations {
            histogram.record(Duration::from_nanos(nanos));
        }
        let mut times = Times::default();
        times.add(&histogram);
        times.add(&histogram);
        for (number, held) in times.counts.iter().enumerate() {
            let below = number.checked_sub(1).map_or(0, |before| BOUNDS[before].0);
            let bound = BOUNDS.get(number).map_or(u64::MAX, |bound| bound.0);
            let of = durations.iter().filter(|nanos| (below + 1..=bound).contains(nanos)).count();
            assert_eq!(*held, 2 * of as u64, "up to {bound}");
        }
        assert_eq!(times.count(), 10);
        assert_eq!(times.sum_nanos, 2 * durations.map(u128::from).iter().sum::<u128>());
    }

    #[test]
    fn bucket_bounds_equal_their_labels() {
        for (nanos, text) in BOUNDS {
            let seconds: f64 = text.parse().unwrap();
            assert_eq!((seconds * 1e9).round() as u64, nanos, "{text}");
        }
        assert!(BOUNDS.is_sorted());
        assert_eq!(u128::from(CEILING), Histogram::CEILING.as_nanos());
    }
}
