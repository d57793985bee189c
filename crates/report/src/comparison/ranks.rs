//! Percentiles of resamples without merging a histogram for each: [`Ranks`].
//!
//! A resample is made of blocks, and its histogram is their sum. For each block that may be drawn the table contains
//! how many of its times lie at or below each value. So a percentile of a resample is found by bisection over sums of
//! as many numbers as there are blocks in it. Values are kept to half a percent, with interpolation between them: this
//! table shows how a percentile varies, and never what it is.

use super::blocks::Blocks;
use brunt_record::Histogram;

/// How many values there are to each doubling.
const FINENESS: f64 = 128.0;

/// How many times of each block lie at or below each value.
pub(super) struct Ranks {
    steps: usize,
    /// The values, as logarithms to the base 2 times [`FINENESS`].
    keys: Vec<i64>,
    /// By value and then by the step with which a block begins.
    counts: Vec<u64>,
}

impl Ranks {
    /// The table for these steps.
    pub(super) fn new<'a>(
        histograms: impl Iterator<Item = &'a Histogram> + Clone,
        blocks: Blocks,
    ) -> Self {
        let key = |nanos: u64| ((nanos.max(1) as f64).log2() * FINENESS) as i64;
        let mut keys: Vec<i64> = Vec::new();
        for histogram in histograms.clone() {
            keys.extend(histogram.buckets().map(|(nanos, _)| key(nanos)));
            keys.sort_unstable();
            keys.dedup();
        }
        let steps = blocks.steps;
        let mut counts = vec![0_u64; keys.len() * steps];
        for (step, histogram) in histograms.enumerate() {
            let mut row = 0;
            for (nanos, count) in histogram.buckets() {
                let wanted = key(nanos);
                row += keys[row..].iter().take_while(|found| **found < wanted).count();
                counts[row * steps + step] += count;
            }
        }
        let mut below = vec![0_u64; steps];
        for row in counts.chunks_mut(steps.max(1)) {
            let ended: Vec<u64> = row.to_vec();
            let mut sum: u64 = (0..blocks.length).map(|step| ended[step % steps]).sum();
            for (start, (cell, below)) in row.iter_mut().zip(&mut below).enumerate() {
                *below += sum;
                *cell = *below;
                sum = sum - ended[start] + ended[(start + blocks.length) % steps];
            }
        }
        Self { steps, keys, counts }
    }

    /// The logarithm of this quantile of the resample of these blocks; none if there are no times.
    pub(super) fn quantile(&self, starts: &[usize], quantile: f64) -> Option<f64> {
        let sum = |row: usize| -> u64 {
            let row = &self.counts[row * self.steps..][..self.steps];
            starts.iter().map(|start| row[*start]).sum()
        };
        let last = self.keys.len().checked_sub(1)?;
        let rank = quantile * sum(last) as f64;
        if rank <= 0.0 {
            return None;
        }
        let (mut from, mut to) = (0, last);
        while from < to {
            let middle = usize::midpoint(from, to);
            if (sum(middle) as f64) < rank { from = middle + 1 } else { to = middle }
        }
        let below = from.checked_sub(1).map_or(0, sum) as f64;
        let inside = (rank - below) / (sum(from) as f64 - below).max(1.0);
        Some((self.keys[from] as f64 + inside) / FINENESS * std::f64::consts::LN_2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn quantile_of_blocks_equals_the_merged_histograms() {
        let histogram = |step: u64| {
            let mut histogram = Histogram::new();
            (0..200).for_each(|n| {
                histogram
                    .record(Duration::from_nanos(1_000 + (n * 7_919 + step * 104_729) % 90_000));
            });
            histogram
        };
        let histograms: Vec<Histogram> = (0..12).map(histogram).collect();
        let mut blocks = Blocks::new(12, &[]);
        blocks.length = 3;
        let ranks = Ranks::new(histograms.iter(), blocks);
        for starts in [&[0, 3, 6, 9][..], &[11, 11, 4, 0], &[5, 10, 10, 1]] {
            let mut merged = Histogram::new();
            for start in starts {
                (*start..start + 3).for_each(|step| merged.merge(&histograms[step % 12]));
            }
            for quantile in [0.05, 0.5, 0.9, 0.99, 0.999] {
                let found = ranks.quantile(starts, quantile).unwrap().exp();
                let expected = merged.quantile(quantile).unwrap().as_nanos() as f64;
                assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
            }
        }
        let nothing = [Histogram::new(), Histogram::new()];
        let ranks = Ranks::new(nothing.iter(), Blocks::new(2, &[]));
        assert_eq!(ranks.quantile(&[0, 1], 0.5), None);
    }
}
