//! A [`Histogram`] of durations: HDR buckets for the quantiles, exact integers for the rest.
//!
//! Values are nanoseconds and the lowest bucket is 16 ns wide: a directory on the same machine answers in 20 us, and
//! buckets of a microsecond would blur a twentieth of that. A finer bucket would be below the cost of a clock call.
//! Sum, least and greatest are kept exactly beside the buckets: a mean must not depend on bucket widths, and no
//! quantile may exceed the greatest. Every histogram has the same bounds, so any two can be merged. Most histograms of
//! a run (of failures, of exchanges that were cut off) stay empty, and an empty one costs nothing; the cost of the
//! others depends on their values ([`Buckets`]).

use crate::buckets::{Buckets, CEILING, DIGITS, DOUBLINGS, LOWEST};
use crate::v2::{self, Layout};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::fmt;
use std::time::Duration;

/// A distribution of durations from nothing to a minute.
#[derive(Clone)]
pub struct Histogram {
    buckets: Buckets,
    sum: u128,
    min: u64,
    max: u64,
    saturated: u64,
}

/// How many of all durations were no longer than a given number of nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The duration.
    pub nanos: u64,
    /// The share of all, from 0 to 1.
    pub quantile: f64,
    /// The number of durations in this share.
    pub count: u64,
}

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The text is not base64.
    #[error("read a histogram: its text is not base64")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not a V2 histogram.
    #[error("read a histogram: its bytes are not a compressed V2 HdrHistogram ({0})")]
    Bytes(String),
    /// The exact integers beside the buckets do not fit the buckets.
    #[error("read a histogram: its {0} does not fit its buckets")]
    Exact(&'static str),
    /// A histogram with other bounds contains values that are out of range here.
    #[error("read a histogram: it holds values beyond 60 s, which this version cannot hold")]
    Bounds,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// The longest duration that is distinguished from longer ones.
    pub const CEILING: Duration = Duration::from_nanos(CEILING);

    /// An empty histogram.
    pub fn new() -> Self {
        Self { buckets: Buckets::default(), sum: 0, min: u64::MAX, max: 0, saturated: 0 }
    }

    /// Records one duration. Beyond [`CEILING`](Self::CEILING) it still enters sum, count and
    /// maximum exactly, but shares the last bucket and is counted as saturated.
    #[inline]
    pub fn record(&mut self, took: Duration) {
        let nanos = took
            .as_secs()
            .saturating_mul(1_000_000_000)
            .saturating_add(u64::from(took.subsec_nanos()));
        self.sum += u128::from(nanos);
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        self.saturated += u64::from(nanos > CEILING);
        self.buckets.record(nanos.min(CEILING));
    }

    /// Records a duration of zero, `count` times.
    pub fn record_zero(&mut self, count: u64) {
        if count > 0 {
            self.min = 0;
            self.buckets.record_n(0, count);
        }
    }

    /// Adds the durations of another.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.buckets.merge(&other.buckets);
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.saturated += other.saturated;
    }

    /// The durations without those of `part`, which was merged into this before. Least and greatest then have the
    /// precision of the buckets.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        if part.is_empty() {
            return self.clone();
        }
        let mut rest = Self::new();
        let Some(buckets) = self.buckets.without(&part.buckets) else { return rest };
        let (Some(min), Some(max)) = (buckets.min(), buckets.max()) else { return rest };
        rest.min = if part.min > self.min { self.min } else { min };
        rest.max = if part.max < self.max { self.max } else { max };
        rest.sum = self.sum.saturating_sub(part.sum);
        rest.saturated = self.saturated.saturating_sub(part.saturated);
        rest.buckets = buckets;
        rest
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        if self.is_empty() {
            return;
        }
        self.buckets.reset();
        (self.sum, self.min, self.max, self.saturated) = (0, u64::MAX, 0, 0);
    }

    /// How many durations were recorded.
    pub fn count(&self) -> u64 {
        self.buckets.count()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Durations beyond [`CEILING`](Self::CEILING), whose quantiles are only known to be at least this long.
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// The exact sum, in nanoseconds.
    pub fn sum_nanos(&self) -> u128 {
        self.sum
    }

    /// The exact mean, to the nanosecond.
    pub fn mean(&self) -> Option<Duration> {
        let count = u128::from(self.count());
        (count > 0).then(|| Duration::from_nanos((self.sum / count) as u64))
    }

    /// The standard deviation, with the precision of the buckets.
    pub fn deviation(&self) -> Option<Duration> {
        (!self.is_empty()).then(|| Duration::from_nanos(self.buckets.deviation() as u64))
    }

    /// The exact least.
    pub fn min(&self) -> Option<Duration> {
        (!self.is_empty()).then_some(Duration::from_nanos(self.min))
    }

    /// The exact greatest.
    pub fn max(&self) -> Option<Duration> {
        (!self.is_empty()).then_some(Duration::from_nanos(self.max))
    }

    /// The duration that the share `quantile` (0 to 1) of all did not exceed: the upper end of the
    /// bucket it falls into, and never more than the greatest recorded.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        // 0.07 x 100 is a little more than 7 in binary, which would select the eighth of a hundred.
        let quantile = quantile.clamp(0.0, 1.0) * (1.0 - 4.0 * f64::EPSILON);
        let nanos = self.buckets.quantile(quantile)?;
        let nanos = if nanos >= CEILING { self.max } else { nanos };
        Some(Duration::from_nanos(nanos.clamp(self.min, self.max)))
    }

    /// The duration of this rank among all, counted from 1: the upper end of its bucket, and never
    /// more than the greatest recorded. `None` beyond the last.
    pub fn at_rank(&self, rank: u64) -> Option<Duration> {
        let mut count = 0;
        let (value, _) = self.buckets().find(|(_, held)| {
            count += held;
            count >= rank
        })?;
        let nanos = if value >= CEILING { self.max } else { value };
        Some(Duration::from_nanos(nanos.clamp(self.min, self.max)))
    }

    /// The non-empty buckets in ascending order: the greatest value of each, in nanoseconds, and its count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buckets.iter()
    }

    /// The distribution in steps that grow finer towards the greatest: `steps` to each halving of
    /// the distance to 1, as the `HdrHistogram` tools list it.
    pub fn distribution(&self, steps: u32) -> Vec<Share> {
        let mut shares = Vec::new();
        let (mut count, mut percentile) = (0, 0.0_f64);
        for (value, held) in self.buckets() {
            let nanos = value.min(self.max);
            count += held;
            while 100.0 * count as f64 / self.count() as f64 >= percentile {
                shares.push(Share { nanos, quantile: percentile / 100.0, count });
                if count == self.count() {
                    shares.push(Share { nanos: self.max, quantile: 1.0, count });
                    break;
                }
                let halvings = (100.0 / (100.0 - percentile)).log2().floor() as i32 + 1;
                percentile += 100.0 / (f64::from(steps) * 2_f64.powi(halvings));
            }
        }
        shares
    }

    /// How many times the range doubles, and into how many buckets each doubling is divided.
    pub fn layout() -> (u32, u32) {
        (DOUBLINGS as u32, 2 * 10_u32.pow(DIGITS.into()).next_power_of_two())
    }

    /// The buckets in the V2 compressed form of the public `HdrHistogram` tools, values in
    /// nanoseconds.
    pub fn to_v2(&self) -> Vec<u8> {
        v2::deflate((LOWEST, CEILING, DIGITS), self.buckets.counts())
    }

    /// [`to_v2`](Self::to_v2) as base64.
    pub fn to_base64(&self) -> String {
        BASE64.encode(self.to_v2())
    }

    /// The histogram whose buckets [`to_base64`](Self::to_base64) wrote. The exact integers are
    /// not in that form: they are estimated until [`with_exact`](Self::with_exact) restores them.
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        Self::from_v2(&BASE64.decode(text)?)
    }

    /// The histogram whose buckets [`to_v2`](Self::to_v2) wrote.
    pub fn from_v2(bytes: &[u8]) -> Result<Self, HistogramError> {
        let plain = v2::inflate(bytes).map_err(HistogramError::Bytes)?;
        let layout = Layout::read(&plain).map_err(|why| HistogramError::Bytes(why.to_owned()))?;
        let mut whole = Self::new();
        for (bucket, count) in v2::counts(&plain) {
            let beyond = || HistogramError::Bytes("it has buckets beyond its bounds".to_owned());
            let (least, width) = layout.range(bucket).ok_or_else(beyond)?;
            if least > CEILING {
                return Err(HistogramError::Bounds);
            }
            whole.min = whole.min.min(least);
            whole.max = least + width - 1;
            whole.sum += u128::from(least + width / 2) * u128::from(count);
            whole.refill(least, count);
        }
        Ok(whole)
    }

    /// The same buckets with the exact integers that were kept beside them.
    #[must_use]
    pub fn with_exact(mut self, sum: u128, min: Duration, max: Duration, saturated: u64) -> Self {
        if !self.is_empty() {
            self.sum = sum;
            self.min = u64::try_from(min.as_nanos()).unwrap_or(u64::MAX);
            self.max = u64::try_from(max.as_nanos()).unwrap_or(u64::MAX);
            self.saturated = saturated;
        }
        self
    }

    /// Records `count` times the value of a bucket from [`buckets`](Self::buckets), without changing the exact
    /// integers.
    pub(crate) fn refill(&mut self, value: u64, count: u64) {
        self.buckets.record_n(value.min(CEILING), count);
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        (self.count(), self.sum, self.min, self.max, self.saturated)
            == (other.count(), other.sum, other.min, other.max, other.saturated)
            && self.buckets().eq(other.buckets())
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("mean", &self.mean())
            .field("min", &self.min())
            .field("max", &self.max())
            .field("saturated", &self.saturated)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::iterators::IterationValue;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
    use proptest::prelude::*;

    /// The histogram type of the public tools.
    type Public = hdrhistogram::Histogram<u64>;

    fn empty_public() -> Public {
        Public::new_with_bounds(LOWEST, CEILING, DIGITS).unwrap()
    }

    #[test]
    fn empty_histogram_is_serialized_like_the_library() {
        let mut expected = Vec::new();
        V2DeflateSerializer::new().serialize(&empty_public(), &mut expected).unwrap();
        assert_eq!(Histogram::new().to_v2(), expected);
    }

    fn histogram_of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for nanos in values {
            histogram.record(Duration::from_nanos(*nanos));
        }
        histogram
    }

    #[test]
    fn empty_histogram_has_no_figures() {
        let empty = Histogram::new();
        assert_eq!(
            (empty.mean(), empty.min(), empty.max(), empty.quantile(0.5)),
            (None, None, None, None)
        );
        assert_eq!(empty.deviation(), None);
    }

    #[test]
    fn mean_is_exact_despite_wide_buckets() {
        // 10,000,001 and 10,000,004 share a bucket 8 us wide.
        let histogram = histogram_of(&[10_000_001, 10_000_004]);
        assert_eq!(histogram.mean(), Some(Duration::from_nanos(10_000_002)));
        assert_eq!(histogram.max(), Some(Duration::from_nanos(10_000_004)));
        assert_eq!(histogram.quantile(1.0), Some(Duration::from_nanos(10_000_004)));
    }

    #[test]
    fn resolution_tells_20_from_20_1_microseconds() {
        let histogram = histogram_of(&[20_000, 20_100]);
        let median = histogram.quantile(0.5).unwrap();
        assert!(median < Duration::from_nanos(20_050), "{median:?}");
    }

    #[test]
    fn values_beyond_the_ceiling_are_counted_as_saturated() {
        let histogram = histogram_of(&[1_000, 90_000_000_000]);
        assert_eq!(histogram.saturated(), 1);
        assert_eq!(histogram.count(), 2);
        assert_eq!(histogram.max(), Some(Duration::from_secs(90)));
        assert_eq!(histogram.quantile(0.99), Some(Duration::from_secs(90)));
        assert_eq!(histogram.sum_nanos(), 90_000_001_000);
    }

    #[test]
    fn quantile_of_a_hundred_values_has_the_right_rank() {
        let values: Vec<u64> = (1..=100).map(|n| n * 16).collect();
        let found = histogram_of(&values).quantile(0.07).unwrap();
        assert!((7 * 16..8 * 16).contains(&(found.as_nanos() as u64)), "{found:?}");
    }

    #[test]
    fn invalid_bytes_are_an_error() {
        assert!(matches!(Histogram::from_base64("%%%"), Err(HistogramError::Base64(_))));
        assert!(matches!(Histogram::from_base64("AAAA"), Err(HistogramError::Bytes(_))));
        let beyond = v2::deflate((LOWEST, CEILING, DIGITS), [(3, 1), (1 << 20, 1)].into_iter());
        assert!(matches!(Histogram::from_v2(&beyond), Err(HistogramError::Bytes(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn quantiles_equal_the_sorted_values(
            mut values in prop::collection::vec(0u64..60_000_000_000, 1..300),
            quantile in 0.0f64..=1.0,
        ) {
            let histogram = histogram_of(&values);
            values.sort_unstable();
            let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1] as f64;
            let found = histogram.quantile(quantile).unwrap().as_nanos() as f64;
            // A rank just past an integer by rounding may fall one lower.
            let lower = values[rank.saturating_sub(2)] as f64;
            prop_assert!(found <= exact.mul_add(1.001, 16.0) && found >= lower, "{} {}", found, exact);
            prop_assert!(found <= *values.last().unwrap() as f64);
        }

        #[test]
        fn merging_equals_recording_both(
            one in prop::collection::vec(0u64..90_000_000_000, 0..100),
            two in prop::collection::vec(0u64..90_000_000_000, 0..100),
        ) {
            let mut merged = histogram_of(&one);
            merged.merge(&histogram_of(&two));
            let all: Vec<u64> = one.iter().chain(&two).copied().collect();
            prop_assert_eq!(merged, histogram_of(&all));
        }

        #[test]
        fn serialization_equals_the_library(
            values in prop::collection::vec(prop_oneof![0u64..90_000_000_000, 0..5_000u64], 0..100),
            many in 1u64..1 << 40,
        ) {
            let (mut ours, mut theirs) = (histogram_of(&values), empty_public());
            ours.refill(40_000, many);
            for value in &values {
                theirs.saturating_record((*value).min(CEILING));
            }
            theirs.saturating_record_n(40_000, many);
            let mut expected = Vec::new();
            V2DeflateSerializer::new().serialize(&theirs, &mut expected).unwrap();
            prop_assert_eq!(ours.to_v2(), expected);
        }

        #[test]
        fn deserialization_equals_the_library(
            values in prop::collection::vec(prop_oneof![0u64..60_000_000_000, 0..5_000u64], 1..100),
            many in 1u64..1 << 40,
            lowest in prop_oneof![1u64..100, 1u64..100_000, Just(LOWEST)],
            highest in prop_oneof![60_000_000_000u64..1 << 62, Just(CEILING)],
            digits in 0u8..=3,
        ) {
            let mut theirs = Public::new_with_bounds(lowest, highest, digits).unwrap();
            for value in &values {
                theirs.record(*value).unwrap();
            }
            theirs.record_n(40_000, many).unwrap();
            let mut written = Vec::new();
            V2DeflateSerializer::new().serialize(&theirs, &mut written).unwrap();
            let read = Histogram::from_v2(&written).unwrap();
            let library: Public = Deserializer::new().deserialize(&mut &*written).unwrap();
            prop_assert_eq!((read.min, read.max), (library.min(), library.max()));
            let mut ours = empty_public();
            ours.add(&library).unwrap();
            let step = |step: IterationValue<u64>| (step.value_iterated_to(), step.count_at_value());
            let buckets: Vec<(u64, u64)> = ours.iter_recorded().map(step).collect();
            prop_assert_eq!(read.buckets().collect::<Vec<_>>(), buckets);
            let middle = |value| u128::from(library.median_equivalent(value));
            let steps = library.iter_recorded().map(step);
            let sum: u128 = steps.map(|(value, count)| middle(value) * u128::from(count)).sum();
            prop_assert_eq!(read.sum, sum);
        }

        #[test]
        fn histogram_round_trips(values in prop::collection::vec(0u64..90_000_000_000, 0..100)) {
            let written = histogram_of(&values);
            let read = Histogram::from_base64(&written.to_base64()).unwrap();
            prop_assert!(read.buckets().eq(written.buckets()));
            let zero = Duration::ZERO;
            let exact = read.with_exact(
                written.sum_nanos(), written.min().unwrap_or(zero), written.max().unwrap_or(zero), written.saturated(),
            );
            prop_assert_eq!(exact.quantile(0.5), written.quantile(0.5));
            prop_assert_eq!(exact, written);
        }
    }
}
