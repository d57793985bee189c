//! How long the blocks of a bootstrap must be: [`Blocks`].
//!
//! A second of a run resembles the second before it: a busy neighbour, a full cache or a checkpoint lasts for several
//! seconds. Seconds drawn one by one would count as more evidence than they are. Blocks of neighbours keep them
//! together. Their length follows from the autocorrelation of first order, by the rule that minimises the mean squared
//! error of a variance (Politis and White 2004, for circular blocks, with the spectrum of an AR(1) process as in
//! Andrews 1991): sixty seconds are enough data only for a rule with one parameter.

/// A greater autocorrelation is a drift, which blocks cannot represent.
const CORRELATION_MAX: f64 = 0.9;
/// Fewer blocks than this do not show how blocks vary.
const BLOCKS_MIN: usize = 4;

/// How a run of steps is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Blocks {
    /// How many steps there are.
    pub(super) steps: usize,
    /// How many steps a block holds.
    pub(super) length: usize,
    correlation: f64,
}

impl Blocks {
    /// The blocks for these series, each of the same steps: as long as the most correlated series needs them.
    pub(super) fn new(steps: usize, series: &[Vec<f64>]) -> Self {
        let correlations = series.iter().map(|values| correlation(values));
        let correlation = correlations.fold(0.0, f64::max).min(CORRELATION_MAX);
        let memory = 2.0 * correlation / (1.0 - correlation * correlation);
        let length = (1.5 * memory * memory * steps as f64).cbrt().ceil() as usize;
        Self { steps, length: length.clamp(1, (steps / BLOCKS_MIN).max(1)), correlation }
    }

    /// The number of blocks in a resample.
    pub(super) fn count(&self) -> usize {
        (self.steps as f64 / self.length as f64).round().max(1.0) as usize
    }

    /// The degrees of freedom of a variance that was estimated with these blocks.
    pub(super) fn freedom(&self) -> f64 {
        (self.steps as f64 / self.length as f64 - 1.0).max(1.0)
    }

    /// The factor by which the variance over resamples must be multiplied to be that of the figure.
    ///
    /// Resamples are a little longer or shorter than the run; they vary about the mean of the run and not about the
    /// true one; and where blocks meet, the correlation of neighbours is lost. This loss is a known share for the
    /// autocorrelation of the run.
    pub(super) fn correction(&self) -> f64 {
        let (steps, length) = (self.steps as f64, self.length as f64);
        let size = self.count() as f64 * length / steps;
        let centred = 1.0 - length / steps;
        let correlation = self.correlation;
        let lost = 2.0 * correlation * (1.0 - correlation.powf(length))
            / (length * (1.0 - correlation * correlation));
        size / (centred.max(0.5) * (1.0 - lost).max(0.2))
    }
}

/// The autocorrelation of first order, without the bias that it has in short series (Marriott and Pope 1954).
fn correlation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    if values.len() < 3 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if squares <= 0.0 || !squares.is_finite() {
        return 0.0;
    }
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let found = products / squares;
    found + (1.0 + 3.0 * found) / count
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// A series in which each value keeps this share of the one before.
    fn autoregressive(count: usize, share: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut last = random.normal() / (1.0 - share * share).sqrt();
        let mut next = || {
            last = share * last + random.normal();
            last
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn autocorrelation_is_estimated() {
        for share in [0.0, 0.5, 0.8] {
            let found: f64 =
                (0..50).map(|seed| correlation(&autoregressive(60, share, seed))).sum::<f64>()
                    / 50.0;
            assert!((found - share).abs() < 0.06, "{share}: {found}");
        }
        assert!(correlation(&[1.0; 60]).abs() < 1e-12);
    }

    #[test]
    fn block_length_grows_with_the_autocorrelation() {
        let alone = Blocks::new(60, &[autoregressive(60, 0.0, 3)]);
        let alike = Blocks::new(60, &[autoregressive(60, 0.0, 3), autoregressive(60, 0.8, 4)]);
        assert!(alone.length <= 4 && alike.length >= 8, "{alone:?} {alike:?}");
        assert!(Blocks::new(12, &[autoregressive(12, 0.95, 1)]).length <= 3);
        assert_eq!(Blocks::new(60, &[]).length, 1);
    }

    #[test]
    fn block_correction_restores_the_variance() {
        // By blocks of one step, a mean varies by 1; with half of each value carried over, it varies 3 times as much.
        let blocks = Blocks { steps: 10_000, length: 1, correlation: 0.5 };
        assert!((blocks.correction() - 1.0 / (1.0 - 2.0 / 3.0)).abs() < 1e-3, "{blocks:?}");
        let blocks = Blocks { steps: 60, length: 1, correlation: 0.0 };
        assert!((blocks.correction() - 60.0 / 59.0).abs() < 1e-9);
    }
}
