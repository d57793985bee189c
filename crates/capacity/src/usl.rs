//! The Universal Scalability Law (Gunther), fitted to the steps of a search: [`Usl`].
//!
//! `X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))`, where N exchanges are in the system at a time. A step in
//! the open model has no N of its own; Little's law gives it: the achieved rate times the mean response time. So `R = N
//! / X` is linear in `1/lambda`, `sigma/lambda` and `kappa/lambda`, and is fitted by least squares of relative errors.
//! A fit is a description; it is never used for a claim or a number of servers.

use crate::document::{Reading, Row};
use crate::spread::student_quantile;
use crate::verdict::Verdict;
use serde::Serialize;

/// The fewest steps: three numbers are fitted, and further steps show the quality of the fit.
const STEPS_MIN: usize = 6;
/// The greatest deviation of a mean from the law; with a greater one the law does not describe it.
const APART_MAX: f64 = 0.15;
/// Concurrencies must differ by this factor for curvature to be seen.
const REACH_MIN: f64 = 4.0;

/// A figure and its interval: with 90 % confidence it is no less than `least` and no more than `most`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Between {
    /// The figure.
    pub value: f64,
    /// No less than this.
    pub least: f64,
    /// No more than this.
    pub most: f64,
}

/// The fitted law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Usl {
    /// Exchanges a second with one in the system.
    pub lambda: Between,
    /// Contention: the share of the work that queues.
    pub sigma: Between,
    /// Coherency: the additional cost of each pair of exchanges.
    pub kappa: Between,
    /// The highest rate by the law, and the concurrency there; absent if the law has no peak.
    pub peak: Option<Peak>,
    /// The rate that it approaches if it has no peak, and contention is more than zero.
    pub approaches: Option<f64>,
    /// The least and the greatest concurrency that were measured.
    pub measured: (f64, f64),
    /// The greatest deviation of a mean response time from the law, as a share.
    pub apart: f64,
    /// The number of steps that it rests on.
    pub steps: usize,
    /// The reasons why the fit must not be trusted, if there are any.
    pub doubts: Vec<String>,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UslError {
    /// Fewer steps than a fit needs.
    #[error("{0} valid steps are too few, it takes {STEPS_MIN}")]
    TooFew(usize),
    /// Steps of one concurrency define no curve.
    #[error("the steps are all alike")]
    Alike,
    /// The fitted time of one request alone is not above 0.
    #[error("the steps contradict it: by them one request alone would take no time")]
    Contradicted,
}

/// The maximum of the law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Exchanges in the system.
    pub concurrency: f64,
    /// Exchanges a second.
    pub rate: f64,
}

/// A step: concurrency and mean response time, in seconds.
type Point = (f64, f64);

impl Usl {
    /// Fits the law to the valid steps.
    pub fn new(reading: &Reading<'_>) -> Result<Self, UslError> {
        let curve = reading.curve();
        let valid = curve.iter().filter(|row| row.verdict != Verdict::Void);
        Self::through(&valid.filter_map(point).collect::<Vec<_>>())
    }

    fn through(points: &[Point]) -> Result<Self, UslError> {
        if points.len() < STEPS_MIN {
            return Err(UslError::TooFew(points.len()));
        }
        let Some((fit, covariance)) = least_squares(points) else {
            return Err(UslError::Alike);
        };
        let [a, b, c] = fit;
        if a <= 0.0 {
            return Err(UslError::Contradicted);
        }
        let reach = student_quantile(0.95, (points.len() - 3) as f64);
        let (sigma, kappa) = (b / a, c / a);
        let ratio = |value: f64, at: usize| {
            // The error of a quotient, to the first order.
            let variance = covariance[at][at] - 2.0 * value * covariance[0][at]
                + value * value * covariance[0][0];
            let error = variance.max(0.0).sqrt() / a;
            Between { value, least: value - reach * error, most: value + reach * error }
        };
        let error = covariance[0][0].max(0.0).sqrt() / (a * a);
        let lambda = Between {
            value: 1.0 / a,
            least: 1.0 / a - reach * error,
            most: 1.0 / a + reach * error,
        };
        let rate = |n: f64| n / (a + b * (n - 1.0) + c * n * (n - 1.0));
        let peak = (kappa > 0.0 && sigma < 1.0)
            .then(|| ((1.0 - sigma) / kappa).sqrt())
            .map(|concurrency| Peak { concurrency, rate: rate(concurrency) });
        let greatest = points.iter().map(|(n, _)| *n).fold(0.0, f64::max);
        let least = points.iter().map(|(n, _)| *n).fold(f64::INFINITY, f64::min);
        let apart = points.iter().map(|(n, r)| (n / rate(*n) / r - 1.0).abs()).fold(0.0, f64::max);
        let mut usl = Self {
            lambda,
            sigma: ratio(sigma, 1),
            kappa: ratio(kappa, 2),
            peak,
            approaches: (peak.is_none() && sigma > 0.0).then(|| lambda.value / sigma),
            measured: (least, greatest),
            apart,
            steps: points.len(),
            doubts: Vec::new(),
        };
        usl.doubts = usl.doubt();
        Ok(usl)
    }

    fn doubt(&self) -> Vec<String> {
        let (least, greatest) = self.measured;
        let mut doubts = Vec::new();
        if self.apart > APART_MAX {
            doubts.push(format!(
                "it does not describe this target: a mean response time is {:.0}% away from it",
                100.0 * self.apart
            ));
        }
        if self.sigma.value < 0.0 || self.kappa.value < 0.0 {
            doubts.push(
                "a coefficient is below 0, which the law does not know: the target becomes better with load, or the \
                 steps are too uncertain"
                    .to_owned(),
            );
        }
        if self.kappa.least <= 0.0 && self.peak.is_some() {
            doubts.push("whether there is a peak at all is not known: kappa may be 0".to_owned());
        }
        if greatest < REACH_MIN * least {
            doubts.push(format!(
                "concurrencies from {least:.2} to {greatest:.2} are too close together to see a curve"
            ));
        }
        if let Some(peak) = self.peak.filter(|peak| peak.concurrency > greatest) {
            doubts.push(format!(
                "its peak is at {:.0} requests in the system, and no more than {greatest:.1} were measured",
                peak.concurrency
            ));
        }
        doubts
    }

    /// The mean response time, in seconds, and the rate, with `n` exchanges in the system.
    pub fn at(&self, n: f64) -> (f64, f64) {
        let (sigma, kappa) = (self.sigma.value, self.kappa.value);
        let rate = self.lambda.value * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0));
        (n / rate, rate)
    }
}

fn point(row: &Row<'_>) -> Option<Point> {
    let (rate, mean) = (row.figure("achieved")?, row.figure("mean_us")? / 1e6);
    (rate > 0.0 && mean > 0.0).then_some((rate * mean, mean))
}

/// The coefficients of `R = a + b (N - 1) + c N (N - 1)` with the least relative errors, and their covariance.
fn least_squares(points: &[Point]) -> Option<([f64; 3], [[f64; 3]; 3])> {
    let mut squares = [[0.0; 3]; 3];
    let mut products = [0.0; 3];
    for (n, r) in points {
        let terms = [1.0, n - 1.0, n * (n - 1.0)].map(|term| term / r);
        for (row, term) in terms.iter().enumerate() {
            products[row] += term;
            for (column, other) in terms.iter().enumerate() {
                squares[row][column] += term * other;
            }
        }
    }
    let inverse = inverse(squares)?;
    let fit = inverse.map(|row| row.iter().zip(products).map(|(a, b)| a * b).sum::<f64>());
    let [a, b, c] = fit;
    let left =
        points.iter().map(|(n, r)| ((a + b * (n - 1.0) + c * n * (n - 1.0)) / r - 1.0).powi(2));
    let variance = left.sum::<f64>() / (points.len() - 3) as f64;
    Some((fit, inverse.map(|row| row.map(|value| value * variance))))
}

/// The inverse of a symmetric matrix by its cofactors; none if it is singular within rounding.
fn inverse(of: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |row: usize, column: usize| {
        let [r0, r1] = [(row + 1) % 3, (row + 2) % 3];
        let [c0, c1] = [(column + 1) % 3, (column + 2) % 3];
        of[r0][c0] * of[r1][c1] - of[r0][c1] * of[r1][c0]
    };
    let determinant: f64 = (0..3).map(|column| of[0][column] * minor(0, column)).sum();
    let size = of[0][0] * of[1][1] * of[2][2];
    if determinant.abs() <= 1e-12 * size.abs() {
        return None;
    }
    let mut inverse = [[0.0; 3]; 3];
    for (row, values) in inverse.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = minor(column, row) / determinant;
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "{found} is not {expected}"
        );
    }

    #[test]
    fn usl_of_a_single_queue_has_no_coherency() {
        // M/M/1 with 1,000/s: R = 1 / (1000 - X) and N = X R, so X = 1000 N / (1 + N): lambda 500, sigma 1/2, kappa 0.
        let points: Vec<Point> = [100.0, 300.0, 500.0, 700.0, 800.0, 900.0, 950.0]
            .into_iter()
            .map(|x| (x / (1_000.0 - x), 1.0 / (1_000.0 - x)))
            .collect();
        let usl = Usl::through(&points).unwrap();
        near(usl.lambda.value, 500.0);
        near(usl.sigma.value, 0.5);
        assert!(usl.kappa.value.abs() < 1e-9 && usl.apart < 1e-9, "{usl:?}");
        let limit = usl.approaches.unwrap_or_else(|| usl.peak.unwrap().rate);
        assert!((limit - 1_000.0).abs() < 1.0, "{usl:?}");
    }

    #[test]
    fn usl_peak_is_computed_and_marked_as_extrapolated() {
        let (lambda, sigma, kappa) = (400.0, 0.02, 0.0005);
        let law = |n: f64| (n, (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0)) / lambda);
        let usl = Usl::through(&[1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0].map(law)).unwrap();
        near(usl.kappa.value, kappa);
        let peak = usl.peak.unwrap();
        // By hand: sqrt(0.98 / 0.0005) = 44.27.
        near(peak.concurrency, (0.98_f64 / 0.0005).sqrt());
        assert!(
            usl.doubts.is_empty() && usl.kappa.least <= kappa && usl.kappa.most >= kappa,
            "{usl:?}"
        );
        let short = Usl::through(&[1.0, 2.0, 3.0, 5.0, 8.0, 12.0].map(law)).unwrap();
        assert!(short.doubts.iter().any(|doubt| doubt.contains("no more than 12.0")), "{short:?}");
        near(usl.at(10.0).1, 10.0 * lambda / (1.0 + 9.0 * sigma + 90.0 * kappa));
    }

    #[test]
    fn usl_refuses_or_doubts_a_bad_fit() {
        let law = |n: f64| (n, 0.002 + 0.001 * n);
        let few = Usl::through(&[1.0, 2.0, 3.0, 4.0, 5.0].map(law)).unwrap_err();
        assert_eq!(few, UslError::TooFew(5));
        assert_eq!(Usl::through(&[law(2.0); 7]).unwrap_err(), UslError::Alike);
        let doubts = |points: &[Point]| Usl::through(points).unwrap().doubts.join("; ");
        // A server that becomes faster with load.
        let faster = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0].map(|n| (n, 0.010 - 0.0008 * n));
        assert!(doubts(&faster).contains("below 0"));
        let close = [2.0, 2.1, 2.3, 2.5, 2.6, 2.8].map(law);
        assert!(doubts(&close).contains("too close"));
        let mut cliff = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|n| (n, 0.002));
        cliff[5].1 = 0.05;
        assert!(doubts(&cliff).contains("does not describe"), "{}", doubts(&cliff));
    }
}
