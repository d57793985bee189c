//! Response times by class, for a map of latency over time: [`Heat`].
//!
//! The classes are the same for every run, so that a row can be made before the next is known.

use brunt_record::Histogram;
use serde::{Deserialize, Serialize};

const LEAST_NANOS: f64 = 1_000.0;
const PER_DECADE: u32 = 12;

/// How classes of latencies are numbered: class k begins at `least_ms` times 10^(k / `per_decade`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// Where class 0 begins, in milliseconds. It also contains shorter times.
    pub least_ms: f64,
    /// How many classes there are to each power of ten.
    pub per_decade: u32,
}

impl Default for Heat {
    fn default() -> Self {
        Self { least_ms: LEAST_NANOS / 1e6, per_decade: PER_DECADE }
    }
}

impl Heat {
    /// Where a class begins, in milliseconds.
    pub fn edge(&self, class: u64) -> f64 {
        self.least_ms * 10_f64.powf(class as f64 / f64::from(self.per_decade))
    }
}

/// The class of a number of nanoseconds.
fn class(nanos: u64) -> usize {
    let decades = (nanos as f64 / LEAST_NANOS).max(1.0).log10();
    (decades * f64::from(PER_DECADE)).floor() as usize
}

/// How many durations fell into which class: the number of the first non-empty class, then the counts from there on.
pub(super) fn classes(histogram: &Histogram) -> Vec<u64> {
    let mut counts: Vec<u64> = Vec::new();
    let mut first = 0;
    for (nanos, count) in histogram.buckets() {
        let class = class(nanos);
        if counts.is_empty() {
            first = class;
        }
        counts.resize(counts.len().max(class - first + 1), 0);
        counts[class - first] += count;
    }
    if !counts.is_empty() {
        counts.insert(0, first as u64);
    }
    counts
}
