//! A histogram as a record shows it: figures for people and jq, and the buckets for programs.

use crate::{Histogram, HistogramError, Waits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One percentile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// Which one, from 0 to 100.
    pub percentile: f64,
    /// Its value in microseconds.
    pub us: f64,
    /// Whether that is only the least it can be: exchanges without an answer lie at or below it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_least: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A distribution of durations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// How many durations.
    pub count: u64,
    /// The exact mean in microseconds; null if there were none.
    pub mean_us: Option<f64>,
    /// The standard deviation in microseconds, with the precision of the buckets.
    pub stddev_us: Option<f64>,
    /// The exact least, in nanoseconds.
    pub min_ns: Option<u64>,
    /// The exact greatest, in nanoseconds.
    pub max_ns: Option<u64>,
    /// The exact sum, in nanoseconds.
    pub sum_ns: u64,
    /// Durations beyond the range of the buckets (60 s).
    pub saturated: u64,
    /// The durations among them that are censored: there was no answer, so each is only known to be at least this long.
    /// Absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub censored: Option<Box<Self>>,
    /// Percentiles in ascending order. None exceeds the greatest.
    pub percentiles: Vec<Percentile>,
    /// The buckets, in nanoseconds: `HdrHistogram` V2, deflated, base64. Empty if there were none.
    pub hdr_v2: String,
}

impl Latency {
    /// The percentiles in a record unless others are requested.
    pub const PERCENTILES: [f64; 8] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999];

    /// Describes a histogram with these percentiles.
    pub fn new(histogram: &Histogram, percentiles: &[f64]) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let nanos = |took: Duration| u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let percentiles = percentiles.iter().filter_map(|&percentile| {
            let value = histogram.quantile(percentile / 100.0)?;
            Some(Percentile { percentile, us: micros(value), at_least: false })
        });
        Self {
            count: histogram.count(),
            mean_us: histogram.mean().map(micros),
            stddev_us: histogram.deviation().map(micros),
            min_ns: histogram.min().map(nanos),
            max_ns: histogram.max().map(nanos),
            sum_ns: u64::try_from(histogram.sum_nanos()).unwrap_or(u64::MAX),
            saturated: histogram.saturated(),
            censored: None,
            percentiles: percentiles.collect(),
            hdr_v2: histogram.to_base64(),
        }
    }

    /// Describes durations of which some are only bounds: those count with the least they can be.
    pub fn with_bounds(known: &Histogram, bounds: &Histogram, percentiles: &[f64]) -> Self {
        if bounds.is_empty() {
            return Self::new(known, percentiles);
        }
        let mut all = known.clone();
        all.merge(bounds);
        Self::with_censored(&all, known, bounds, percentiles)
    }

    /// Describes all of these durations, of which those in `bounds` are only bounds and the others `known`.
    fn with_censored(
        all: &Histogram,
        known: &Histogram,
        bounds: &Histogram,
        percentiles: &[f64],
    ) -> Self {
        let mut latency = Self::new(all, percentiles);
        let waits = Waits { known: known.clone(), censored: bounds.clone(), endless: 0 };
        for percentile in &mut latency.percentiles {
            let reach = waits.quantile(percentile.percentile / 100.0);
            percentile.at_least = reach.is_some_and(|reach| !reach.is_exact());
        }
        latency.censored = Some(Box::new(Self::new(bounds, &[])));
        latency
    }

    /// Describes the durations of several descriptions together, exact to the bucket.
    pub fn together<'a>(
        parts: impl IntoIterator<Item = &'a Self>,
        percentiles: &[f64],
    ) -> Result<Self, HistogramError> {
        let (mut all, mut bounds) = (Histogram::new(), Histogram::new());
        for part in parts {
            all.merge(&part.histogram()?);
            if let Some(censored) = &part.censored {
                bounds.merge(&censored.histogram()?);
            }
        }
        if bounds.is_empty() {
            return Ok(Self::new(&all, percentiles));
        }
        Ok(Self::with_censored(&all, &all.without(&bounds), &bounds, percentiles))
    }

    /// The durations that were described, with those that are only bounds kept separately.
    pub fn waits(&self) -> Result<Waits, HistogramError> {
        let all = self.histogram()?;
        let Some(censored) = &self.censored else {
            return Ok(Waits { known: all, ..Waits::default() });
        };
        let censored = censored.histogram()?;
        Ok(Waits { known: all.without(&censored), censored, endless: 0 })
    }

    /// The histogram that was described.
    pub fn histogram(&self) -> Result<Histogram, HistogramError> {
        if self.hdr_v2.is_empty() {
            return Ok(Histogram::new());
        }
        let buckets = Histogram::from_base64(&self.hdr_v2)?;
        if buckets.is_empty() {
            return Ok(buckets);
        }
        let min = self.min_ns.ok_or(HistogramError::Exact("least"))?;
        let max = self.max_ns.filter(|max| *max >= min).ok_or(HistogramError::Exact("greatest"))?;
        let (min, max) = (Duration::from_nanos(min), Duration::from_nanos(max));
        Ok(buckets.with_exact(self.sum_ns.into(), min, max, self.saturated))
    }

    /// The greatest.
    pub fn max(&self) -> Option<Duration> {
        self.max_ns.map(Duration::from_nanos)
    }
}

fn micros(took: Duration) -> f64 {
    took.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_shows_figures_and_restores_the_histogram() {
        let mut histogram = Histogram::new();
        (1..=1_000).for_each(|n| histogram.record(Duration::from_micros(n)));
        let latency = Latency::new(&histogram, &[50.0, 100.0]);
        assert_eq!(latency.mean_us, Some(500.5));
        assert_eq!((latency.min_ns, latency.max_ns), (Some(1_000), Some(1_000_000)));
        assert_eq!(
            latency.percentiles[1],
            Percentile { percentile: 100.0, us: 1_000.0, at_least: false }
        );
        assert!((latency.percentiles[0].us - 500.0).abs() < 0.6, "{:?}", latency.percentiles);
        assert_eq!(latency.histogram().unwrap(), histogram);
        let empty = Latency::new(&Histogram::new(), &Latency::PERCENTILES);
        assert_eq!(empty.histogram().unwrap(), Histogram::new());
        assert_eq!(empty.mean_us, None);
    }

    #[test]
    fn latency_with_invalid_extremes_is_an_error() {
        let mut histogram = Histogram::new();
        histogram.record(Duration::from_micros(7));
        let latency = Latency::new(&histogram, &[]);
        for broken in [
            Latency { max_ns: None, ..latency.clone() },
            Latency { min_ns: None, ..latency.clone() },
            Latency { max_ns: Some(6_999), ..latency },
        ] {
            let read = broken.waits().and_then(|_| broken.histogram());
            assert!(matches!(read, Err(HistogramError::Exact(_))), "{read:?}");
        }
    }

    #[test]
    fn latencies_together_equal_one_histogram() {
        let of = |millis: std::ops::Range<u64>| {
            let mut histogram = Histogram::new();
            // Several values to a bucket, so that least and greatest are not bucket limits.
            millis.for_each(|ms| histogram.record(Duration::from_nanos(10_000_001 + ms * 7)));
            histogram
        };
        let percentiles = [1.0, 50.0, 90.0, 99.0];
        for (one, two) in [(0..300, 300..301), (0..1, 0..0), (0..500, 100..900), (0..0, 4..9)] {
            let (mut known, mut bounds) = (of(one.clone()), of(one.end / 3..one.end / 2));
            let first = Latency::with_bounds(&known, &bounds, &percentiles);
            let second = Latency::with_bounds(&of(two.clone()), &of(700..701), &percentiles);
            known.merge(&of(two));
            bounds.merge(&of(700..701));
            let whole = Latency::with_bounds(&known, &bounds, &percentiles);
            assert_eq!(Latency::together([&first, &second], &percentiles).unwrap(), whole);
        }
    }
}
