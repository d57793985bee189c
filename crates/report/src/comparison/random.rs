//! Random numbers that are the same on every machine: [`Random`], Vigna's `SplitMix64`.
//!
//! A comparison of the same files must give the same result at any time and on any machine, so the numbers follow from
//! a constant and from their use.

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The sequence of this number.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, each equally likely.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Shuffles the items, each order equally likely.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A number of the normal distribution with mean 0 and deviation 1 (Box and Muller).
    #[cfg(test)]
    pub(super) fn normal(&mut self) -> f64 {
        let mut uniform = || (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let (radius, angle) = (1.0 - uniform(), uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_sequence_equals_the_published_one() {
        let mut random = Random::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn random_numbers_are_uniform() {
        let mut random = Random::new(7);
        let mut counts = [0; 7];
        (0..7_000).for_each(|_| counts[random.below(7)] += 1);
        // The deviation of a count of 1,000 of 7,000 is 29.
        assert!(counts.iter().all(|count| (880..1_120).contains(count)), "{counts:?}");
        let mut order: Vec<usize> = (0..50).collect();
        random.shuffle(&mut order);
        assert!(order.iter().enumerate().any(|(place, item)| place != *item));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
    }
}
