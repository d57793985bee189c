//! The numbers of a range in random order, each once: `xrand` without a table.
//!
//! A keyed Feistel network permutes the next power of four, and a value outside the range is permuted again until it is
//! inside ("cycle walking", Black and Rogaway, CT-RSA 2002). This takes fewer than four passes on average and a few
//! words of memory, however large the range is.

use crate::stream::{Stream, mix};

const ROUNDS: u64 = 8;

/// A permutation of `0..=last`, different for each pass through the range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    stream: Stream,
    last: u64,
    half: u32,
}

impl Permutation {
    /// The permutations of `0..=last` that `stream` determines.
    pub(crate) fn new(stream: Stream, last: u64) -> Self {
        let bits = (u64::BITS - last.leading_zeros()).max(2);
        Self { stream, last, half: bits.div_ceil(2) }
    }

    /// The value at place `number` of the endless sequence of permutations.
    pub(crate) fn value(&self, number: u64) -> u64 {
        let count = u128::from(self.last) + 1;
        let pass = (u128::from(number) / count) as u64;
        let mut value = (u128::from(number) % count) as u64;
        let key = self.stream.at(pass).bits();
        loop {
            value = self.permute(key, value);
            if value <= self.last {
                return value;
            }
        }
    }

    fn permute(&self, key: u64, value: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (value >> self.half, value & mask);
        for round in 0..ROUNDS {
            let spread = mix(key.wrapping_add(round << 56) ^ mix(right.wrapping_add(round)));
            (left, right) = (right, (left ^ (spread >> 32)) & mask);
        }
        (left << self.half) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn permutation_pass_contains_each_value_once(seed: u64, last in 1u64..3000, pass in 0u64..5) {
            let permutation = Permutation::new(Stream::new(seed, 0), last);
            let start = pass * (last + 1);
            let mut values: Vec<u64> = (start..=start + last).map(|number| permutation.value(number)).collect();
            values.sort_unstable();
            prop_assert_eq!(values, (0..=last).collect::<Vec<_>>());
        }
    }

    #[test]
    fn permutation_passes_differ() {
        let permutation = Permutation::new(Stream::new(3, 0), 99);
        let first: Vec<u64> = (0..100).map(|number| permutation.value(number)).collect();
        let second: Vec<u64> = (100..200).map(|number| permutation.value(number)).collect();
        assert_ne!(first, second);
        assert_ne!(first, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn permutation_of_the_largest_range_works() {
        let permutation = Permutation::new(Stream::new(3, 0), u64::MAX);
        assert_ne!(permutation.value(0), permutation.value(1));
        assert_ne!(permutation.value(u64::MAX), permutation.value(u64::MAX - 1));
    }

    #[test]
    fn permutation_first_values_are_uniform() {
        // The first values of 10,000 differently seeded permutations of ten values are evenly distributed.
        let mut counts = [0u32; 10];
        for seed in 0..10_000 {
            counts[Permutation::new(Stream::new(seed, 0), 9).value(0) as usize] += 1;
        }
        let chi: f64 =
            counts.iter().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 27.9, "chi-square {chi}, counts {counts:?}");
    }
}
