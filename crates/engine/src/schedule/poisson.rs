//! Poisson arrivals that are the same on every node.
//!
//! Time is divided into blocks in which some 64 arrivals are expected, and each block has a random stream of its own,
//! seeded by (seed, stage, block). Within a block, gaps are drawn from the exponential distribution until they leave
//! it; what a Poisson process does after a point in time does not depend on what it did before, so the blocks laid end
//! to end are exactly that process. Arrival n is thus a pure function of (seed, n), found by computing the blocks in
//! order, at about 15 ns an arrival. This file must not know of shares or other stages.

use super::Rate;
use brunt_exchange::chance::{Stream, mix};

const EXPECTED_PER_BLOCK: u64 = 64;

/// The arrivals of one Poisson stage, in ascending order.
#[derive(Clone, Debug)]
pub(super) struct PoissonArrivals {
    rate: Rate,
    seed: u64,
    lasting: u64,
    block_nanos: u64,
    block: u64,
    /// How many arrivals the previous blocks contained.
    before: u64,
    /// The offsets in this block, kept in one buffer for all blocks.
    offsets: Vec<u64>,
}

impl PoissonArrivals {
    /// The arrivals from the beginning of a stage that lasts `lasting` nanoseconds.
    pub(super) fn new(rate: Rate, seed: u64, lasting: u64) -> Self {
        let block_nanos = rate.offset(EXPECTED_PER_BLOCK).clamp(1, lasting.max(1));
        let mut arrivals = Self {
            rate,
            seed,
            lasting,
            block_nanos,
            block: 0,
            before: 0,
            offsets: Vec::with_capacity(2 * EXPECTED_PER_BLOCK as usize),
        };
        arrivals.fill();
        arrivals
    }

    /// The offset of arrival `n`, or the number of arrivals if it is at most `n`. Calls must be in ascending order of
    /// `n`.
    pub(super) fn at(&mut self, n: u64) -> Result<u64, u64> {
        debug_assert!(n >= self.before, "numbers ascend");
        loop {
            let held = self.offsets.len() as u64;
            if let Some(offset) = self.offsets.get((n - self.before) as usize) {
                return Ok(*offset);
            }
            if self.end_of_block() >= self.lasting {
                return Err(self.before + held);
            }
            self.before += held;
            self.block += 1;
            self.fill();
        }
    }

    fn end_of_block(&self) -> u64 {
        (self.block + 1).saturating_mul(self.block_nanos)
    }

    fn fill(&mut self) {
        self.offsets.clear();
        if self.rate.is_zero() {
            return;
        }
        let mut stream = Stream::new(mix(self.seed, self.block));
        let begin = self.block.saturating_mul(self.block_nanos);
        let end = self.end_of_block().min(self.lasting);
        let mean_gap = 1e9 / self.rate.as_per_second();
        let mut at = 0.0;
        loop {
            at += stream.exponential() * mean_gap;
            let offset = begin.saturating_add(at as u64);
            if offset >= end {
                return;
            }
            self.offsets.push(offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn all(rate: u64, seed: u64, seconds: u64) -> Vec<u64> {
        let mut arrivals =
            PoissonArrivals::new(Rate::per_second(rate).unwrap(), seed, seconds * SECOND);
        (0..).map_while(|n| arrivals.at(n).ok()).collect()
    }

    #[test]
    fn poisson_skipping_sees_the_same_arrivals() {
        let every = all(1_000, 7, 10);
        let mut arrivals = PoissonArrivals::new(Rate::per_second(1_000).unwrap(), 7, 10 * SECOND);
        for n in (3..every.len()).step_by(17) {
            assert_eq!(arrivals.at(n as u64), Ok(every[n]));
        }
        assert_eq!(arrivals.at(1 << 40), Err(every.len() as u64));
    }

    #[test]
    fn poisson_counts_have_the_right_mean_and_variance() {
        // Counts in 2,000 windows of 100 ms, where 50 are expected. Mean and variance are both 50;
        // the bounds are five standard errors wide. Windows straddle the blocks of 128 ms.
        let arrivals = all(500, 42, 200);
        let mut windows = vec![0.0_f64; 2_000];
        for at in &arrivals {
            windows[(at / 100_000_000) as usize] += 1.0;
        }
        let mean = windows.iter().sum::<f64>() / 2_000.0;
        let variance = windows.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / 1_999.0;
        assert!((mean - 50.0).abs() < 0.8, "{mean}");
        assert!((variance - 50.0).abs() < 8.0, "{variance}");
    }

    #[test]
    fn poisson_gaps_are_exponential_across_blocks() {
        let arrivals = all(1_000, 3, 100);
        assert!(arrivals.is_sorted());
        let longer = arrivals.windows(2).filter(|w| w[1] - w[0] > 2_000_000).count();
        // A gap outlasts two mean gaps with probability e^-2 = 0.1353.
        let share = longer as f64 / (arrivals.len() - 1) as f64;
        assert!((share - 0.1353).abs() < 0.006, "{share}");
    }

    #[test]
    fn poisson_seeds_differ() {
        assert_eq!(all(100, 1, 5), all(100, 1, 5));
        assert_ne!(all(100, 1, 5), all(100, 2, 5));
    }
}
