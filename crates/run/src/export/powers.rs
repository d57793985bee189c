//! [`Powers`]: durations in buckets whose bounds are powers of a base, as OpenTelemetry's exponential histograms have
//! them.
//!
//! Bucket `i` of scale `s` is for seconds above `b^i` and up to `b^(i+1)`, where `b` is 2^(2^-s). Counts are kept at
//! one fine scale, and joined in pairs until they fit the number of buckets that collectors take.

use std::collections::BTreeMap;

use brunt_record::Histogram;

/// The scale that counts are kept at: 64 buckets for each doubling. A bucket is 1.1 percent wide, ten times as much as
/// the record's.
const SCALE: i32 = 6;
/// The most buckets of a message, which is the default of OpenTelemetry's SDKs.
const MOST: i32 = 160;

/// Durations by bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Powers {
    counts: BTreeMap<i32, u64>,
}

/// The same in consecutive buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    pub scale: i32,
    /// The number of the first.
    pub offset: i32,
    pub counts: Vec<u64>,
}

impl Powers {
    /// Adds the durations of a histogram, each by the greatest value of its bucket there, which is above 0. Those
    /// beyond its range are in the bucket above its greatest value.
    pub(super) fn add(&mut self, durations: &Histogram) {
        let mut beyond = durations.saturated();
        let ceiling = u64::try_from(Histogram::CEILING.as_nanos()).unwrap_or(u64::MAX);
        for (nanos, count) in durations.buckets() {
            let above = if nanos >= ceiling { beyond.min(count) } else { 0 };
            beyond -= above;
            let at = index(nanos.clamp(1, ceiling));
            for (at, count) in [(at, count - above), (at + 1, above)] {
                if count > 0 {
                    *self.counts.entry(at).or_default() += count;
                }
            }
        }
    }

    /// The buckets at the finest scale at which there are few enough.
    pub(super) fn buckets(&self) -> Buckets {
        let first = self.counts.keys().next().copied().unwrap_or_default();
        let last = self.counts.keys().next_back().copied().unwrap_or_default();
        // Two neighbours become one with each step, whose number is half of theirs, rounded down.
        let fits = |halvings: &i32| ((last >> halvings) - (first >> halvings)) < MOST;
        let halvings: i32 = (0..31).find(fits).unwrap_or(31);
        let offset = first >> halvings;
        let mut counts = vec![0; ((last >> halvings) - offset) as usize + 1];
        for (at, count) in &self.counts {
            counts[((at >> halvings) - offset) as usize] += count;
        }
        if self.counts.is_empty() {
            counts.clear();
        }
        Buckets { scale: SCALE - halvings, offset, counts }
    }
}

/// The bucket of a number of nanoseconds above 0.
fn index(nanos: u64) -> i32 {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = (nanos as f64 / 1e9).to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let fraction = bits & FRACTION;
    let whole = exponent << SCALE;
    if fraction == 0 {
        // A power of two is the upper bound of a bucket.
        return whole - 1;
    }
    let significand = f64::from_bits(fraction | 1023 << 52);
    let within = (significand.log2() * f64::from(1 << SCALE)).ceil() as i32 - 1;
    whole + within.clamp(0, (1 << SCALE) - 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The upper bound of a bucket in seconds.
    fn bound(scale: i32, number: i32) -> f64 {
        2_f64.powf(f64::from(number + 1) / 2_f64.powi(scale))
    }

    #[test]
    fn durations_lie_within_their_bucket_bounds() {
        let mut nanos = 1_u64;
        while nanos < 60_000_000_000 {
            let (at, seconds) = (index(nanos), nanos as f64 / 1e9);
            let (below, above) = (bound(6, at - 1), bound(6, at));
            let slack = 1e-12 * seconds;
            assert!(
                below < seconds + slack && seconds <= above + slack,
                "{nanos}: {below} {above}"
            );
            nanos += nanos / 7 + 1;
        }
        for (nanos, expected) in
            [(1_000_000_000, -1), (1_000_000_001, 0), (2_000_000_000, 63), (500_000_000, -65)]
        {
            assert_eq!(index(nanos), expected, "{nanos}");
        }
    }

    #[test]
    fn buckets_are_merged_until_they_fit() {
        let mut histogram = Histogram::new();
        for nanos in [1_000, 1_020, 5_000_000, 61_000_000_000, 120_000_000_000] {
            histogram.record(Duration::from_nanos(nanos));
        }
        let mut powers = Powers::default();
        powers.add(&histogram);
        powers.add(&histogram);
        let buckets = powers.buckets();
        assert!(buckets.counts.len() <= 160 && buckets.scale == 2, "{buckets:?}");
        assert_eq!(buckets.counts.iter().sum::<u64>(), 10);
        assert_eq!((buckets.counts.first(), buckets.counts.last()), (Some(&4), Some(&4)));
        // The bounds of the first and the last bucket enclose what is in them.
        let last = buckets.offset + i32::try_from(buckets.counts.len()).unwrap() - 1;
        assert!(bound(2, buckets.offset) >= 1.02e-6 && bound(2, buckets.offset - 1) < 1e-6);
        assert!(bound(2, last) >= 60.0);
        // Where they are close to each other, the scale is fine.
        let mut near = Histogram::new();
        near.record(Duration::from_millis(5));
        near.record(Duration::from_millis(8));
        let mut powers = Powers::default();
        powers.add(&near);
        assert_eq!((powers.buckets().scale, powers.buckets().counts.len()), (6, 45));
        assert!(Powers::default().buckets().counts.is_empty());
    }
}
