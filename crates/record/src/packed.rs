//! A histogram at rest: its non-empty buckets, a few bytes each, and its exact integers.
//!
//! A series keeps thousands of distributions of which each fills a hundredth of its buckets. They
//! are packed as variable-length differences, which two of them can be merged in without being
//! unpacked into full arrays: that happens in the middle of a run.

use crate::Histogram;
use std::time::Duration;

/// A packed histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    sum: u128,
    min: Duration,
    max: Duration,
    saturated: u64,
}

impl Packed {
    /// Packs a histogram.
    pub(crate) fn new(histogram: &Histogram) -> Self {
        Self {
            bytes: encode(histogram.buckets()),
            sum: histogram.sum_nanos(),
            min: histogram.min().unwrap_or_default(),
            max: histogram.max().unwrap_or_default(),
            saturated: histogram.saturated(),
        }
    }

    /// The histogram that was packed.
    pub(crate) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        self.buckets().for_each(|(value, count)| histogram.refill(value, count));
        histogram.with_exact(self.sum, self.min, self.max, self.saturated)
    }

    /// Adds what another holds.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.bytes.is_empty() {
            return;
        }
        if self.bytes.is_empty() {
            self.clone_from(other);
            return;
        }
        self.bytes =
            encode(Merged { one: self.buckets().peekable(), two: other.buckets().peekable() });
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.saturated += other.saturated;
    }

    /// How much memory the buckets take.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    fn buckets(&self) -> Buckets<'_> {
        Buckets { bytes: &self.bytes, value: 0 }
    }
}

struct Buckets<'a> {
    bytes: &'a [u8],
    value: u64,
}

impl Iterator for Buckets<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        self.value += take(&mut self.bytes)?;
        Some((self.value, take(&mut self.bytes)?))
    }
}

struct Merged<'a> {
    one: std::iter::Peekable<Buckets<'a>>,
    two: std::iter::Peekable<Buckets<'a>>,
}

impl Iterator for Merged<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let next = match (self.one.peek(), self.two.peek()) {
            (Some((one, _)), Some((two, _))) => (*one).min(*two),
            (Some((only, _)), None) | (None, Some((only, _))) => *only,
            (None, None) => return None,
        };
        let one = self.one.next_if(|(value, _)| *value == next).map_or(0, |(_, count)| count);
        let two = self.two.next_if(|(value, _)| *value == next).map_or(0, |(_, count)| count);
        Some((next, one + two))
    }
}

fn encode(buckets: impl Iterator<Item = (u64, u64)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for (value, count) in buckets {
        put(&mut bytes, value - last);
        put(&mut bytes, count);
        last = value;
    }
    bytes.shrink_to_fit();
    bytes
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for nanos in values {
            histogram.record(Duration::from_nanos(*nanos));
        }
        histogram
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn packing_loses_nothing_and_merges_exactly(
            one in prop::collection::vec(0u64..90_000_000_000, 0..60),
            two in prop::collection::vec(0u64..1_000_000, 0..60),
        ) {
            let mut packed = Packed::new(&of(&one));
            prop_assert_eq!(packed.histogram(), of(&one));
            packed.merge(&Packed::new(&of(&two)));
            let all: Vec<u64> = one.iter().chain(&two).copied().collect();
            prop_assert_eq!(packed.histogram(), of(&all));
        }
    }
}
