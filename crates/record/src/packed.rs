//! A histogram in storage: its non-empty buckets, a few bytes each, and its exact integers.
//!
//! A series keeps thousands of distributions, each of which fills a hundredth of its buckets. They are packed as
//! variable-length differences. Two of them can be merged in this form without being unpacked into full arrays: merging
//! happens in the middle of a run.

use crate::Histogram;
use crate::buckets::CEILING;
use std::time::Duration;

/// Enough memory for the buckets of nearly any step.
const ROOM: usize = 8 << 10;
/// The sum in nanoseconds, least and greatest, and how many were beyond the buckets.
pub(crate) type Exact = (u128, [Duration; 2], u64);

/// A packed histogram. Most of those of a series are empty, and take the memory of a pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed(Option<Box<Filled>>);

/// The content of a packed histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Filled {
    bytes: Box<[u8]>,
    sum: u128,
    min: Duration,
    max: Duration,
    saturated: u64,
}

impl Packed {
    /// Packs a histogram.
    pub(crate) fn new(histogram: &Histogram) -> Self {
        let (Some(min), Some(max)) = (histogram.min(), histogram.max()) else {
            return Self::default();
        };
        Self(Some(Box::new(Filled {
            bytes: encode(histogram.buckets()),
            sum: histogram.sum_nanos(),
            min,
            max,
            saturated: histogram.saturated(),
        })))
    }

    /// The histogram that was packed.
    pub(crate) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        let Some(filled) = &self.0 else { return histogram };
        filled.buckets().for_each(|(value, count)| histogram.refill(value, count));
        histogram.with_exact(filled.sum, filled.min, filled.max, filled.saturated)
    }

    /// Adds the values of another.
    pub(crate) fn merge(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        match &mut self.0 {
            Some(mine) => mine.merge(theirs),
            None => self.0 = Some(theirs.clone()),
        }
    }

    /// Its buckets and its exact integers; none of an empty one.
    pub(crate) fn parts(&self) -> Option<(&[u8], Exact)> {
        let Filled { bytes, sum, min, max, saturated } = self.0.as_deref()?;
        Some((bytes, (*sum, [*min, *max], *saturated)))
    }

    /// The histogram of the parts that [`parts`](Self::parts) returned, which another program may have changed; `None`
    /// if they are not a histogram.
    pub(crate) fn of_parts(bytes: Vec<u8>, exact: Exact) -> Option<Self> {
        let (sum, [min, max], saturated) = exact;
        let (mut rest, mut value, mut count) = (bytes.as_slice(), 0_u64, 0_u64);
        while !rest.is_empty() {
            value = value.checked_add(take(&mut rest)?)?;
            count = count.checked_add(take(&mut rest)?)?;
            if value > 2 * CEILING {
                return None;
            }
        }
        if min > max {
            return None;
        }
        let bytes = bytes.into_boxed_slice();
        let filled = (count > 0).then_some(Filled { bytes, sum, min, max, saturated });
        Some(Self(filled.map(Box::new)))
    }

    /// How much memory it takes in addition to a pointer.
    pub(crate) fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |filled| size_of::<Filled>() + filled.bytes.len())
    }
}

impl Filled {
    fn merge(&mut self, other: &Self) {
        let (one, two) = (self.buckets().peekable(), other.buckets().peekable());
        self.bytes = encode(Merged { one, two });
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.saturated += other.saturated;
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

fn encode(buckets: impl Iterator<Item = (u64, u64)>) -> Box<[u8]> {
    // A vector that grew and shrank would leave gaps in memory that nothing fits. So enough memory for nearly any step
    // is reserved, and the unused part is freed at once.
    let mut bytes = Vec::with_capacity(ROOM);
    let mut last = 0;
    for (value, count) in buckets {
        put(&mut bytes, value - last);
        put(&mut bytes, count);
        last = value;
    }
    bytes.as_slice().into()
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

    fn histogram_of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for nanos in values {
            histogram.record(Duration::from_nanos(*nanos));
        }
        histogram
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn packing_is_lossless_and_merges_exactly(
            one in prop::collection::vec(0u64..90_000_000_000, 0..60),
            two in prop::collection::vec(0u64..1_000_000, 0..60),
        ) {
            let mut packed = Packed::new(&histogram_of(&one));
            prop_assert_eq!(packed.histogram(), histogram_of(&one));
            packed.merge(&Packed::new(&histogram_of(&two)));
            let all: Vec<u64> = one.iter().chain(&two).copied().collect();
            prop_assert_eq!(packed.histogram(), histogram_of(&all));
        }
    }
}
