//! The [`Shape`] of a stage: how its arrivals are distributed over its time.
//!
//! A shape computes when arrival n is due by inverting the integral of its rate: the number of arrivals up to time t is
//! known in closed form, and arrival n is due when it reaches n. The square root and the sine are computed in floating
//! point, whose error over a day is below a microsecond and does not accumulate, since no arrival is computed from the
//! previous one. The Poisson process has no closed inverse and is in its own file.

use super::Rate;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Duration;

/// How the arrivals of a stage are distributed over its time.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Evenly.
    Constant(Rate),
    /// At a rate that changes linearly over the whole stage.
    Ramp {
        /// The rate at the beginning.
        from: Rate,
        /// The rate at the end.
        to: Rate,
    },
    /// At a rate that oscillates about a mean, beginning at the mean and rising.
    Sine {
        /// The mean rate.
        mean: Rate,
        /// The amplitude; at most the mean.
        amplitude: Rate,
        /// The time of one oscillation.
        period: Duration,
    },
    /// As independent users arrive: a Poisson process of this rate.
    Poisson(Rate),
    /// At given offsets in nanoseconds from the beginning of the stage, in ascending order.
    Trace(Arc<[u64]>),
}

impl Shape {
    /// The rate at the beginning, if the shape has a rate.
    pub fn opening_rate(&self) -> Option<Rate> {
        match self {
            Self::Constant(rate) | Self::Poisson(rate) => Some(*rate),
            Self::Ramp { from, .. } => Some(*from),
            Self::Sine { mean, .. } => Some(*mean),
            Self::Trace(_) => None,
        }
    }

    /// The most arrivals that are due in any second; an average if they are random.
    pub fn most_per_second(&self) -> f64 {
        match self {
            Self::Constant(rate) | Self::Poisson(rate) => rate.as_per_second(),
            Self::Ramp { from, to } => from.as_per_second().max(to.as_per_second()),
            Self::Sine { mean, amplitude, .. } => mean.as_per_second() + amplitude.as_per_second(),
            Self::Trace(offsets) => {
                let mut first = 0;
                let within = offsets.iter().enumerate().map(|(at, offset)| {
                    while offset - offsets[first] >= 1_000_000_000 {
                        first += 1;
                    }
                    at - first + 1
                });
                within.max().unwrap_or(0) as f64
            }
        }
    }

    /// The mean rate a second over `lasting` nanoseconds, if the shape has a rate.
    pub fn mean_per_second(&self) -> Option<f64> {
        match self {
            Self::Ramp { from, to } => {
                Some(f64::midpoint(from.as_per_second(), to.as_per_second()))
            }
            other => other.opening_rate().map(Rate::as_per_second),
        }
    }

    /// The offset of arrival `n` in nanoseconds in a stage of `lasting` nanoseconds. Poisson
    /// arrivals are not computed here.
    pub(super) fn offset(&self, n: u64, lasting: u64) -> u64 {
        match self {
            Self::Constant(rate) | Self::Poisson(rate) => rate.offset(n),
            Self::Ramp { from, to } => ramp_offset(*from, *to, n, lasting),
            Self::Sine { mean, amplitude, period } => sine_offset(*mean, *amplitude, *period, n),
            Self::Trace(offsets) => {
                usize::try_from(n).ok().and_then(|n| offsets.get(n)).copied().unwrap_or(u64::MAX)
            }
        }
    }

    /// How many arrivals have an offset below `lasting`; for an endless stage, the greatest number.
    pub(super) fn arrivals(&self, lasting: u64) -> u64 {
        let guess = match self {
            Self::Constant(rate) | Self::Poisson(rate) => return rate.arrivals(lasting),
            Self::Trace(offsets) => return offsets.partition_point(|at| *at < lasting) as u64,
            Self::Ramp { from, to } => {
                f64::midpoint(from.as_per_second(), to.as_per_second()) * seconds(lasting)
            }
            Self::Sine { .. } if lasting == u64::MAX => return u64::MAX,
            Self::Sine { mean, amplitude, period } => {
                let (swing, time) = (period.as_secs_f64() / TAU, seconds(lasting));
                mean.as_per_second() * time
                    + amplitude.as_per_second() * swing * (1.0 - (time / swing).cos())
            }
        };
        // The guess is wrong by at most a rounding; the offsets themselves decide.
        let mut arrivals = guess.max(0.0).ceil() as u64;
        while arrivals > 0 && self.offset(arrivals - 1, lasting) >= lasting {
            arrivals -= 1;
        }
        while self.offset(arrivals, lasting) < lasting {
            arrivals += 1;
        }
        arrivals
    }
}

/// Solves n = from·t + (to − from)·t²/2T for t, in the form that does not cancel when the two rates
/// are close.
fn ramp_offset(from: Rate, to: Rate, n: u64, lasting: u64) -> u64 {
    // Without a rate at first the formula would divide zero by zero.
    if n == 0 && !(from.is_zero() && to.is_zero()) {
        return 0;
    }
    let (from, to) = (from.as_per_second(), to.as_per_second());
    let steepness = (to - from) / seconds(lasting);
    let discriminant = from.mul_add(from, 2.0 * n as f64 * steepness);
    let divisor = from + discriminant.sqrt();
    // Beyond the last arrival of a falling ramp the root is not a number; with no rate at all the divisor is zero.
    // Neither is ever due.
    if !(discriminant >= 0.0 && divisor > 0.0) {
        return u64::MAX;
    }
    nanos(2.0 * n as f64 / divisor)
}

/// Solves n = mean·t + amplitude·P/2π·(1 − cos 2πt/P) for t. Whole oscillations are subtracted first, so the precision
/// does not depend on how long the stage has lasted.
fn sine_offset(mean: Rate, amplitude: Rate, period: Duration, n: u64) -> u64 {
    let (mean, amplitude, period) =
        (mean.as_per_second(), amplitude.as_per_second(), period.as_secs_f64());
    let per_swing = mean * period;
    if per_swing <= 0.0 {
        return u64::MAX;
    }
    let swings = (n as f64 / per_swing).floor();
    let rest = (-swings).mul_add(per_swing, n as f64);
    let angular = TAU / period;
    let (mut low, mut high) = (0.0, period);
    let mut at = rest / mean;
    for _ in 0..64 {
        let (sin, cos) = (angular * at).sin_cos();
        let excess = mean.mul_add(at, amplitude / angular * (1.0 - cos)) - rest;
        if excess > 0.0 {
            high = at;
        } else {
            low = at;
        }
        let newton = at - excess / amplitude.mul_add(sin, mean);
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - at).abs() < 1e-10 {
            at = next;
            break;
        }
        at = next;
    }
    nanos(swings.mul_add(period, at))
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// To the nearest nanosecond. A float too large becomes the greatest integer.
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn rate(per_second: u64) -> Rate {
        Rate::per_second(per_second).unwrap()
    }

    /// Counts arrivals by summing the rate in small steps, which is what the inverse must undo.
    fn integral(rate_at: impl Fn(f64) -> f64, until: f64) -> f64 {
        let steps = 200_000;
        let step = until / f64::from(steps);
        (0..steps).map(|i| rate_at((f64::from(i) + 0.5) * step) * step).sum()
    }

    #[test]
    fn ramp_offsets_invert_the_integral_of_the_rate() {
        let lasting = 60 * SECOND;
        for (from, to) in [(1_000, 5_000), (5_000, 1_000), (0, 100), (100, 0), (70, 70)] {
            let shape = Shape::Ramp { from: rate(from), to: rate(to) };
            let slope = (to as f64 - from as f64) / 60.0;
            let arrivals = shape.arrivals(lasting);
            assert_eq!(arrivals, (from + to) * 30, "{from}..{to}");
            for n in [1, arrivals / 3, arrivals / 2, arrivals - 1] {
                let at = shape.offset(n, lasting) as f64 / 1e9;
                let counted = integral(|t| slope.mul_add(t, from as f64), at);
                assert!((counted - n as f64).abs() < 1e-3, "{from}..{to} {n}: {counted}");
            }
        }
    }

    #[test]
    fn ramp_begins_with_its_first_arrival() {
        let offsets = |from, to, lasting| {
            let shape = Shape::Ramp { from: rate(from), to: rate(to) };
            (0..shape.arrivals(lasting)).map(|n| shape.offset(n, lasting)).collect::<Vec<_>>()
        };
        // The rate is 2t, its integral t²: it reaches n after √n seconds.
        assert_eq!(offsets(0, 4, 2 * SECOND), [0, SECOND, 1_414_213_562, 1_732_050_808]);
        assert_eq!(offsets(4, 0, 2 * SECOND)[0], 0);
        assert!(offsets(0, 0, 2 * SECOND).is_empty());
    }

    #[test]
    fn sine_offsets_invert_the_integral_of_the_rate() {
        for amplitude in [0, 500, 1_000] {
            let shape = Shape::Sine {
                mean: rate(1_000),
                amplitude: rate(amplitude),
                period: Duration::from_secs(10),
            };
            assert_eq!(shape.arrivals(60 * SECOND), 60_000);
            for n in [0, 1, 4_321, 9_999, 10_000, 25_000] {
                let at = shape.offset(n, 60 * SECOND) as f64 / 1e9;
                let swing = |t: f64| amplitude as f64 * (TAU * t / 10.0).sin() + 1_000.0;
                let counted = integral(swing, at);
                assert!((counted - n as f64).abs() < 0.01, "±{amplitude} {n}: {counted}");
            }
        }
    }

    #[test]
    fn sine_has_no_drift_after_three_hours() {
        let shape = Shape::Sine {
            mean: rate(1_000),
            amplitude: rate(900),
            period: Duration::from_secs(10),
        };
        let hours = 3 * 3_600;
        let late = shape.offset(hours * 1_000 + 1_234, u64::MAX);
        let early = shape.offset(1_234, u64::MAX);
        assert!((late - hours * SECOND).abs_diff(early) < 1_000);
    }

    #[test]
    fn trace_ends_with_its_stage() {
        let shape = Shape::Trace(Arc::from([0, 5, 5, 90]));
        assert_eq!(shape.arrivals(u64::MAX), 4);
        assert_eq!(shape.arrivals(90), 3);
        assert_eq!(shape.offset(2, 90), 5);
    }
}
