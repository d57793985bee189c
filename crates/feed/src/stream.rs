//! Random bits as a pure function of a key and a position, with no state between draws.
//!
//! The mixing function is the finaliser of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014). It is
//! implemented here because a stream must never change: a record contains its seed, and a library
//! that changed its generator would make the run unrepeatable. It is not suitable for secrets.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Distributes every bit of `bits` over the whole word. It is a bijection.
pub(crate) const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The source of one generator's draws; two keys give independent streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of the generator with this index in a run with this seed.
    pub const fn new(seed: u64, index: u64) -> Self {
        Self(mix(mix(seed ^ GOLDEN).wrapping_add(index.wrapping_mul(GOLDEN))))
    }

    /// A separate stream for `index`, to make several kinds of draws of one generator independent.
    pub(crate) const fn fork(self, index: u64) -> Self {
        Self::new(self.0, index)
    }

    /// The draws made for the exchange `number`.
    pub const fn at(self, number: u64) -> Draws {
        Draws(mix(self.0.wrapping_add(mix(number.wrapping_add(GOLDEN)))))
    }
}

/// The successive draws for one exchange.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number in `0..=last`, with equal probabilities to within 2^-64.
    ///
    /// It uses a multiplication instead of a remainder: no division, and no relevant bias (Lemire,
    /// "Fast random integer generation in an interval", 2019, without its rejection step).
    pub const fn up_to(&mut self, last: u64) -> u64 {
        ((self.bits() as u128 * (last as u128 + 1)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_draws_are_uniform() {
        let stream = Stream::new(7, 0);
        let mut counts = [0u32; 10];
        for number in 0..100_000 {
            counts[stream.at(number).up_to(9) as usize] += 1;
        }
        // Chi-square with 9 degrees of freedom exceeds 27.9 for one in a thousand unbiased seeds.
        let chi: f64 =
            counts.iter().map(|&count| (f64::from(count) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 27.9, "chi-square {chi}, counts {counts:?}");
    }

    #[test]
    fn stream_pairs_are_independent() {
        let (left, right) = (Stream::new(0, 0), Stream::new(0, 1));
        let mut counts = [0u32; 16];
        for number in 0..160_000 {
            counts[(left.at(number).up_to(3) * 4 + right.at(number).up_to(3)) as usize] += 1;
        }
        // 15 degrees of freedom: 37.7 is the one-in-a-thousand bound.
        let chi: f64 =
            counts.iter().map(|&count| (f64::from(count) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 37.7, "chi-square {chi}, counts {counts:?}");
    }

    #[test]
    fn stream_covers_the_whole_range_of_a_word() {
        let mut draws = Stream::new(1, 1).at(0);
        let mut seen = 0;
        for _ in 0..64 {
            seen |= draws.up_to(u64::MAX);
        }
        assert_eq!(seen, u64::MAX);
    }
}
