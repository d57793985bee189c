//! Quantiles and probabilities of the normal distribution and of Student's, precise enough for a verdict.

/// The probability that a standard normal value is no greater than `z`.
///
/// Abramowitz and Stegun 7.1.26: no more than 1.5e-7 off.
pub(crate) fn phi(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let tail = series.iter().fold(0.0, |sum, term| (sum + term) * t) * (-x * x).exp() / 2.0;
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// The `p`-quantile of the standard normal distribution, for `p` from 1/2 to nearly 1.
///
/// Abramowitz and Stegun 26.2.23, improved by a step of Newton's.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let t = (-2.0 * (1.0 - p).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let first = t - above / below;
    let density = (-first * first / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    first - (phi(first) - p) / density
}

/// The `p`-quantile of Student's distribution.
///
/// Abramowitz and Stegun 26.7.5: within 1 % from 5 degrees of freedom on, and verdicts have no fewer than 7.
pub(crate) fn student_quantile(p: f64, freedom: f64) -> f64 {
    let z = normal_quantile(p);
    let z2 = z * z;
    let terms = [
        z * (z2 + 1.0) / 4.0,
        z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0,
        z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0,
        z * ((((79.0 * z2 + 776.0) * z2 + 1_482.0) * z2 - 1_920.0) * z2 - 945.0) / 92_160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom) + z
}

/// Kendall's statistic of a sequence, as a standard normal value: above 0 if it rises.
pub(crate) fn kendall(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if values.len() < 3 {
        return 0.0;
    }
    let mut concordant = 0_i64;
    for (at, earlier) in values.iter().enumerate() {
        for later in &values[at + 1..] {
            concordant += i64::from(later > earlier) - i64::from(later < earlier);
        }
    }
    concordant as f64 / (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt()
}

/// The autocorrelation of neighbours, from -1 to 1.
pub(crate) fn autocorrelation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if total <= 0.0 {
        return 0.0;
    }
    let beside: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    beside / total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }

    #[test]
    fn quantiles_equal_statistical_tables() {
        near(phi(0.0), 0.5, 1e-6);
        near(phi(1.959_964), 0.975, 1e-6);
        near(phi(-2.326_348), 0.01, 1e-6);
        near(normal_quantile(0.95), 1.644_854, 1e-4);
        near(normal_quantile(0.975), 1.959_964, 1e-4);
        near(normal_quantile(0.999), 3.090_232, 1e-3);
        for (p, freedom, expected) in [
            (0.95, 7.0, 1.8946),
            (0.975, 7.0, 2.3646),
            (0.975, 14.0, 2.1448),
            (0.983_333_3, 9.0, 2.5096),
            (0.975, 149.0, 1.9760),
        ] {
            near(student_quantile(p, freedom), expected, 0.01);
        }
    }

    #[test]
    fn kendall_detects_a_rising_sequence() {
        let rising: Vec<f64> = (0..10).map(f64::from).collect();
        // All 45 pairs rise, and the variance is 10 x 9 x 25 / 18 = 125.
        near(kendall(&rising), 45.0 / 125.0_f64.sqrt(), 1e-9);
        near(kendall(&[1.0; 12]), 0.0, 1e-9);
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        near(kendall(&falling), -45.0 / 125.0_f64.sqrt(), 1e-9);
    }

    #[test]
    fn autocorrelation_detects_similar_neighbours() {
        let waves: Vec<f64> = (0..64).map(|n| f64::from(n / 8 % 2)).collect();
        assert!(autocorrelation(&waves) > 0.5);
        let flips: Vec<f64> = (0..64).map(|n| f64::from(n % 2)).collect();
        assert!(autocorrelation(&flips) < -0.9);
        near(autocorrelation(&[2.0; 9]), 0.0, 1e-9);
    }
}
