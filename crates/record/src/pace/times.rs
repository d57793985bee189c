//! [`Times`]: a small distribution of durations, for the many cohorts of a run.
//!
//! Its buckets are a thirty-second of their value wide, from a microsecond to two minutes, which takes three kilobytes.
//! The greatest duration is exact, and no quantile exceeds it. Where a figure is shown to a reader, a
//! [`Histogram`](crate::Histogram) is used instead.

use std::time::Duration;

/// The width of the narrowest bucket, in nanoseconds, as a power of two.
const LOWEST_BITS: u32 = 10;
/// The number of buckets in each doubling of the range, as a power of two.
const HALF_BITS: u32 = 5;
/// The number of buckets: the last one begins at two minutes.
pub(super) const BUCKETS: usize = 23 << HALF_BITS;

/// A median rose if it is this many times another, and beyond nine tenths of the others.
const ROSE: f64 = 1.25;
const SPREAD: f64 = 0.9;

/// Durations, counted by bucket.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Empty until the first duration is recorded.
    buckets: Vec<u32>,
    count: u64,
    max: u64,
}

impl PartialEq for Times {
    fn eq(&self, other: &Self) -> bool {
        (self.count, self.max) == (other.count, other.max) && self.counts().eq(other.counts())
    }
}

impl Eq for Times {}

impl Times {
    /// Records one duration.
    #[inline]
    pub fn record(&mut self, took: Duration) {
        self.record_many(took, 1);
    }

    /// Records one duration so often.
    #[inline]
    pub fn record_many(&mut self, took: Duration, count: u32) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.add(bucket_of(nanos), count);
        self.max = self.max.max(nanos);
    }

    /// How many durations were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The duration that this share of all did not exceed; none if there are none.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let rank = ((share * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let bucket = self.buckets.iter().position(|count| {
            seen += u64::from(*count);
            seen >= rank
        })?;
        Some(Duration::from_nanos(greatest_of(bucket).min(self.max)))
    }

    /// What the median of others must exceed to be longer by more than the spread of these; none if there are none.
    pub fn limit(&self) -> Option<Duration> {
        let (median, spread) = self.quantile(0.5).zip(self.quantile(SPREAD))?;
        Some(median.mul_f64(ROSE).max(spread))
    }

    /// How many durations were certainly no longer than this.
    pub fn within(&self, limit: Duration) -> u64 {
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        if self.max <= limit {
            return self.count;
        }
        let fits = |bucket: &(usize, &u32)| greatest_of(bucket.0) <= limit;
        self.buckets.iter().enumerate().take_while(fits).map(|(_, count)| u64::from(*count)).sum()
    }

    /// Adds the durations of another.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in other.counts() {
            self.add(bucket, count);
        }
        self.max = self.max.max(other.max);
    }

    /// Clears everything and keeps its memory.
    pub(super) fn reset(&mut self) {
        self.buckets.fill(0);
        (self.count, self.max) = (0, 0);
    }

    /// The buckets that are not empty.
    pub(super) fn counts(&self) -> impl Iterator<Item = (usize, u32)> {
        self.buckets.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// The greatest duration, in nanoseconds.
    pub(super) fn max_nanos(&self) -> u64 {
        self.max
    }

    /// Durations as they were stored.
    pub(super) fn stored(counts: &[(usize, u32)], max: u64) -> Self {
        let mut times = Self { max, ..Self::default() };
        for (bucket, count) in counts {
            times.add(*bucket, *count);
        }
        times
    }

    #[inline]
    fn add(&mut self, bucket: usize, count: u32) {
        if self.buckets.is_empty() {
            self.buckets = vec![0; BUCKETS];
        }
        if let Some(known) = self.buckets.get_mut(bucket) {
            *known = known.saturating_add(count);
            self.count += u64::from(count);
        }
    }
}

#[inline]
fn bucket_of(nanos: u64) -> usize {
    let value = nanos >> LOWEST_BITS;
    let doublings = (u64::BITS - (value | ((2 << HALF_BITS) - 1)).leading_zeros()) - HALF_BITS - 1;
    let bucket = ((doublings as usize) << HALF_BITS) + (value >> doublings) as usize;
    bucket.min(BUCKETS - 1)
}

/// The greatest value of a bucket, in nanoseconds.
fn greatest_of(bucket: usize) -> u64 {
    let doublings = (bucket >> HALF_BITS).saturating_sub(1);
    let within = (bucket - (doublings << HALF_BITS)) as u64;
    ((within + 1) << (doublings as u32 + LOWEST_BITS)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_error_is_at_most_a_thirty_second() {
        let mut times = Times::default();
        assert_eq!((times.quantile(0.5), times.count()), (None, 0));
        for nanos in [900, 50_000, 1_000_000, 12_345_678, 7_000_000_000] {
            let one = Duration::from_nanos(nanos);
            let mut alone = Times::default();
            alone.record(one);
            alone.record(2 * one);
            let median = alone.quantile(0.5).unwrap();
            assert!(
                median >= one && median <= one + one / 32 + Duration::from_micros(2),
                "{one:?}"
            );
            assert_eq!(alone.quantile(1.0), Some(2 * one), "the greatest is exact");
            times.merge(&alone);
        }
        assert_eq!(times.count(), 10);
    }

    #[test]
    fn count_within_a_limit_is_never_too_high() {
        let mut times = Times::default();
        (1..=100).for_each(|ms| times.record(Duration::from_millis(ms)));
        let within = times.within(Duration::from_millis(50));
        assert!((48..=50).contains(&within), "{within}");
        assert_eq!(times.within(Duration::from_millis(100)), 100);
        assert_eq!(times.within(Duration::ZERO), 0);
    }

    #[test]
    fn buckets_have_no_gaps() {
        for bucket in 1..BUCKETS - 1 {
            let greatest = greatest_of(bucket);
            assert_eq!((bucket_of(greatest), bucket_of(greatest + 1)), (bucket, bucket + 1));
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }
}
