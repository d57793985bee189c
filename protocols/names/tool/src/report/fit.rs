//! Lines through measured points, which summarise a comparison over numbers of users.
//!
//! Two shapes are enough here. Seconds of a lookup grow linearly with n, and the slope is the cost of a linear scan for
//! each user; seconds of inserting n users grow with a power of n. Both are ordinary least squares, the power on
//! logarithms. Nothing here depends on the meaning of the points.

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// The value at 0.
    pub intercept: f64,
    /// How much the value grows when x grows by 1.
    pub slope: f64,
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

    /// Where `factor` times the other line meets this one, if that is at a positive x.
    ///
    /// With a factor of 1 this is where two things cost the same.
    pub(super) fn meets(self, other: Self, factor: f64) -> Option<f64> {
        let steeper = self.slope - factor * other.slope;
        let behind = factor * other.intercept - self.intercept;
        let meeting = behind / steeper;
        (meeting.is_finite() && meeting > 0.0).then_some(meeting)
    }
}

/// A figure with an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Its x.
    pub x: f64,
    /// The figure.
    pub y: f64,
    /// How large its error may be, as a share of it.
    pub error: f64,
}

/// The exponent of a power of x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exponent {
    /// The one of the nearest power.
    pub value: f64,
    /// The least and the greatest that it can be if each figure has its largest error. None where the error of a figure
    /// may be as large as the figure: then any exponent is possible.
    pub range: Option<(f64, f64)>,
}

/// The exponent `e` of the power of x, `y = factor * x^e`, that is nearest to these points on logarithmic scales.
pub(super) fn exponent(points: &[Point]) -> Option<Exponent> {
    let positive = points.iter().all(|point| point.x > 0.0 && point.y > 0.0);
    let logarithms: Vec<_> = points.iter().map(|point| (point.x.ln(), point.y.ln())).collect();
    let value = if positive { Line::through(&logarithms)?.slope } else { return None };
    // The slope is a sum of the logarithms, each with a weight that follows only from the abscissae.
    let mean = logarithms.iter().map(|point| point.0).sum::<f64>() / logarithms.len() as f64;
    let spread = logarithms.iter().map(|point| (point.0 - mean).powi(2)).sum::<f64>();
    let known = points.iter().all(|point| point.error < 1.0);
    let (mut least, mut most) = (value, value);
    for (point, (x, _)) in points.iter().zip(&logarithms) {
        let weight = (x - mean) / spread;
        let (down, up) = ((1.0 - point.error).ln() * weight, (1.0 + point.error).ln() * weight);
        least += down.min(up);
        most += down.max(up);
    }
    Some(Exponent { value, range: known.then_some((least, most)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_recovers_a_known_line() {
        let points = [1_000.0, 3_000.0, 11_000.0].map(|n| (n, 0.97 + 0.001_125 * n));
        let line = Line::through(&points).unwrap();
        assert!((line.intercept - 0.97).abs() < 1e-9 && (line.slope - 0.001_125).abs() < 1e-12);
    }

    #[test]
    fn fit_is_least_squares() {
        // By hand: mean (2, 2), slope = ((-1)(-1) + 0 + (1)(0.5)) ... = sum(dx*dy)/sum(dx^2) = (1 + 0.5) / 2.
        let line = Line::through(&[(1.0, 1.0), (2.0, 2.5), (3.0, 2.5)]).unwrap();
        assert!((line.slope - 0.75).abs() < 1e-12, "{line:?}");
        assert!((line.intercept - 0.5).abs() < 1e-12, "{line:?}");
    }

    #[test]
    fn fit_needs_two_abscissae() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through(&[(1.0, 2.0)]), None);
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn fit_intersection_is_computed() {
        let flat = Line { intercept: 0.0, slope: 2.0 };
        let level = Line { intercept: 10.0, slope: 0.0 };
        assert_eq!(flat.meets(level, 1.0), Some(5.0));
        assert_eq!(level.meets(flat, 1.0), Some(5.0));
        assert_eq!(flat.meets(level, 100.0), Some(500.0));
        assert_eq!(flat.meets(flat, 1.0), None);
        // They meet at a negative x, so they do not meet for any number of users.
        assert_eq!(
            Line { intercept: 1.0, slope: 2.0 }.meets(Line { intercept: 0.0, slope: 1.0 }, 1.0),
            None
        );
    }

    #[test]
    fn fit_recovers_a_known_exponent() {
        let point = |x: f64, y: f64| Point { x, y, error: 0.0 };
        let points = [1_000.0, 3_000.0, 9_000.0].map(|n: f64| point(n, 3e-5 * n.powf(1.9)));
        let found = exponent(&points).unwrap();
        assert!((found.value - 1.9).abs() < 1e-9);
        let (least, most) = found.range.unwrap();
        assert!((least - 1.9).abs() < 1e-9 && (most - 1.9).abs() < 1e-9, "{found:?}");
        assert_eq!(exponent(&[point(0.0, 1.0), point(1.0, 1.0)]), None);
        assert_eq!(exponent(&[point(5.0, 1.0)]), None);
    }

    #[test]
    fn fit_exponent_range_includes_the_errors() {
        // Over a decade, the figures at its ends may be off by half: from 5 / 1.5 to 15 / 0.5 times as much.
        let point = |x: f64, y: f64, error| Point { x, y, error };
        let found = exponent(&[point(1.0, 1.0, 0.5), point(10.0, 10.0, 0.5)]).unwrap();
        let (least, most) = found.range.unwrap();
        assert!((least - (5.0_f64 / 1.5).log10()).abs() < 1e-9, "{found:?}");
        assert!((most - (15.0_f64 / 0.5).log10()).abs() < 1e-9, "{found:?}");
        let unknown = exponent(&[point(1.0, 1.0, 1.15), point(10.0, 10.0, 0.0)]).unwrap();
        assert_eq!((unknown.value.round(), unknown.range), (1.0, None));
    }
}
