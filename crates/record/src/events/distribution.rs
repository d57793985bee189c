//! A histogram in a line: [`Distribution`].

use super::interval::NUMBER_MAX;
use crate::nanos::whole;
use crate::{Histogram, HistogramError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A distribution of durations. One without any durations is left out of its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Distribution {
    /// How many durations.
    pub(super) count: u64,
    /// Their exact sum, in nanoseconds.
    pub(super) sum_ns: u128,
    /// The exact least.
    pub(super) min_ns: u64,
    /// The exact greatest.
    pub(super) max_ns: u64,
    /// The median, to a thousandth. It follows from the buckets.
    pub(super) p50_ns: u64,
    /// The 99th percentile, likewise.
    pub(super) p99_ns: u64,
    /// Durations beyond the range of the buckets (60 s).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) saturated: u64,
    /// The buckets, in nanoseconds: `HdrHistogram` V2, deflated, base64.
    pub(super) hdr_v2: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Distribution {
    /// Describes a histogram. `None` if it is empty.
    pub(super) fn new(histogram: &Histogram) -> Option<Self> {
        let quantile = |quantile| histogram.quantile(quantile).map(whole);
        Some(Self {
            count: histogram.count(),
            sum_ns: histogram.sum_nanos(),
            min_ns: whole(histogram.min()?),
            max_ns: whole(histogram.max()?),
            p50_ns: quantile(0.5)?,
            p99_ns: quantile(0.99)?,
            saturated: histogram.saturated(),
            hdr_v2: histogram.to_base64(),
        })
    }

    /// The histogram that was described.
    pub(super) fn histogram(&self) -> Result<Histogram, HistogramError> {
        let buckets = Histogram::from_base64(&self.hdr_v2)?;
        let count = u128::from(self.count);
        let (least, most) = (u128::from(self.min_ns) * count, u128::from(self.max_ns) * count);
        if buckets.count() != self.count || !(1..=NUMBER_MAX).contains(&self.count) {
            return Err(HistogramError::Exact("count"));
        }
        if self.min_ns > self.max_ns || !(least..=most).contains(&self.sum_ns) {
            return Err(HistogramError::Exact("sum"));
        }
        if self.saturated > self.count {
            return Err(HistogramError::Exact("number of saturated durations"));
        }
        let (min, max) = (Duration::from_nanos(self.min_ns), Duration::from_nanos(self.max_ns));
        Ok(buckets.with_exact(self.sum_ns, min, max, self.saturated))
    }

    /// The histogram of a field that is left out if it is empty.
    pub(super) fn read(field: Option<&Self>) -> Result<Histogram, HistogramError> {
        field.map_or_else(|| Ok(Histogram::new()), Self::histogram)
    }
}
