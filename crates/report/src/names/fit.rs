//! Lines through measured points: what a comparison over numbers of users is summed up by.
//!
//! Two shapes are enough here. Seconds of a lookup go with n on a straight line, whose slope is what a linear scan
//! costs for each user; seconds of inserting n users go with a power of n. Both are ordinary least squares, the power
//! on logarithms. Nothing is known of what the points are.

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// The value at 0.
    pub(super) intercept: f64,
    /// How much the value grows with 1.
    pub(super) slope: f64,
}

impl Line {
    /// The line nearest to these points; none where they do not have two different abscissae.
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
        let spread = points.iter().map(|point| (point.0 - mean_x).powi(2)).sum::<f64>();
        if points.len() < 2 || spread <= 0.0 {
            return None;
        }
        let shared = points.iter().map(|point| (point.0 - mean_x) * (point.1 - mean_y));
        let slope = shared.sum::<f64>() / spread;
        Some(Self { intercept: mean_y - slope * mean_x, slope })
    }

    /// Where `factor` times the other line meets this one, if that is right of 0.
    ///
    /// A factor of 1 asks where two things cost the same.
    pub(super) fn meets(self, other: Self, factor: f64) -> Option<f64> {
        let steeper = self.slope - factor * other.slope;
        let behind = factor * other.intercept - self.intercept;
        let meeting = behind / steeper;
        (meeting.is_finite() && meeting > 0.0).then_some(meeting)
    }
}

/// The exponent `e` of the power of x, `y = factor * x^e`, that is nearest to these points on logarithmic scales.
pub(super) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let positive = points.iter().all(|point| point.0 > 0.0 && point.1 > 0.0);
    let logarithms: Vec<_> = points.iter().map(|point| (point.0.ln(), point.1.ln())).collect();
    if positive { Line::through(&logarithms).map(|line| line.slope) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_line_is_found_again() {
        let points = [1_000.0, 3_000.0, 11_000.0].map(|n| (n, 0.97 + 0.001_125 * n));
        let line = Line::through(&points).unwrap();
        assert!((line.intercept - 0.97).abs() < 1e-9 && (line.slope - 0.001_125).abs() < 1e-12);
    }

    #[test]
    fn the_nearest_line_is_the_one_of_least_squares() {
        // By hand: mean (2, 2), slope = ((-1)(-1) + 0 + (1)(0.5)) ... = sum(dx*dy)/sum(dx^2) = (1 + 0.5) / 2.
        let line = Line::through(&[(1.0, 1.0), (2.0, 2.5), (3.0, 2.5)]).unwrap();
        assert!((line.slope - 0.75).abs() < 1e-12, "{line:?}");
        assert!((line.intercept - 0.5).abs() < 1e-12, "{line:?}");
    }

    #[test]
    fn fewer_than_two_abscissae_have_no_line() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through(&[(1.0, 2.0)]), None);
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn lines_meet_where_arithmetic_says() {
        let flat = Line { intercept: 0.0, slope: 2.0 };
        let level = Line { intercept: 10.0, slope: 0.0 };
        assert_eq!(flat.meets(level, 1.0), Some(5.0));
        assert_eq!(level.meets(flat, 1.0), Some(5.0));
        assert_eq!(flat.meets(level, 100.0), Some(500.0));
        assert_eq!(flat.meets(flat, 1.0), None);
        // They met left of 0, so they do not meet for any number of users.
        assert_eq!(
            Line { intercept: 1.0, slope: 2.0 }.meets(Line { intercept: 0.0, slope: 1.0 }, 1.0),
            None
        );
    }

    #[test]
    fn a_known_power_is_found_again() {
        let points = [1_000.0, 3_000.0, 9_000.0].map(|n: f64| (n, 3e-5 * n.powf(1.9)));
        assert!((exponent(&points).unwrap() - 1.9).abs() < 1e-9);
        assert_eq!(exponent(&[(0.0, 1.0), (1.0, 1.0)]), None);
        assert_eq!(exponent(&[(5.0, 1.0)]), None);
    }
}
