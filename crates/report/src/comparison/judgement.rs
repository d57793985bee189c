//! Whether two sides differ in one figure: [`apart`].
//!
//! A side is one run or several. For one run, only the variation of the figure within it is known; for several, the
//! variation from run to run, which also applies to a new run. Intervals are Student's with Welch's degrees of freedom.
//! They hold for all figures of a comparison together, since a reader of twenty figures finds one in twenty that
//! differs.

use super::bootstrap::Spread;
use super::figure::Figure;
use super::student;

/// The chance of reporting any difference in a comparison of two things that are the same.
pub const ALARMS: f64 = 0.05;
/// The least change that is called a difference where a side has one run: runs of the same thing differ by that much,
/// and one run does not show by how much.
pub const LEAST_SINGLE: f64 = 0.05;
/// The same where both sides have several runs.
pub const LEAST_REPEATED: f64 = 0.01;
/// The least change of a share of errors, in terms of all exchanges.
pub const LEAST_ERRORS: f64 = 0.001;

/// A figure of one run: for shares the share, for all other figures the logarithm.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    pub(super) value: f64,
    /// How it varied within the run, if that is known.
    pub(super) spread: Option<Spread>,
}

/// How far two sides lie apart: for shares a difference, for all other figures the logarithm of a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distance {
    pub(super) change: f64,
    /// The interval that holds the true change, where there is one.
    pub(super) interval: Option<(f64, f64)>,
    /// Whether a side has a single run.
    pub(super) single: bool,
}

/// How far `b` lies from `a`, as one of this many figures that are judged together.
pub(super) fn apart(a: &[Estimate], b: &[Estimate], together: usize) -> Option<Distance> {
    let change = mean(b)? - mean(a)?;
    let single = a.len() == 1 || b.len() == 1;
    let alarms = ALARMS / together.max(1) as f64;
    let interval = variance(a, b).zip(variance(b, a)).map(|(a_known, b_known)| {
        let error = (a_known.0 + b_known.0).sqrt();
        let reach = error * student::quantile(1.0 - alarms / 2.0, welch(a_known, b_known));
        let (low, high) = (change - reach, change + reach);
        match drawn(a, b, alarms) {
            Some((least, most)) => (low.min(least), high.max(most)),
            None => (low, high),
        }
    });
    Some(Distance { change, interval, single })
}

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// There is less of it than there was.
    Less,
    /// There is more of it.
    More,
    /// It did not change by as much as could be detected, or as would matter.
    Same,
    /// There is no data to decide by.
    Unknown,
}

/// Whether the figure changed: by more than chance explains, and by enough to matter.
pub(super) fn sign(figure: Figure, apart: &Distance) -> Sign {
    let Some((low, high)) = apart.interval else { return Sign::Unknown };
    let least = match (figure.is_share(), apart.single) {
        (true, _) => LEAST_ERRORS,
        (false, true) => LEAST_SINGLE,
        (false, false) => LEAST_REPEATED,
    };
    let size = if figure.is_share() { apart.change } else { apart.change.exp_m1() };
    match () {
        () if size.abs() < least => Sign::Same,
        () if low > 0.0 => Sign::More,
        () if high < 0.0 => Sign::Less,
        () => Sign::Same,
    }
}

fn mean(side: &[Estimate]) -> Option<f64> {
    let sum: f64 = side.iter().map(|estimate| estimate.value).sum();
    Some(sum / side.len() as f64).filter(|mean| mean.is_finite())
}

/// The variance of the mean of a side and its degrees of freedom. A single run is assumed to differ from others of its
/// kind as the runs of the other side differ from each other.
fn variance(side: &[Estimate], other: &[Estimate]) -> Option<(f64, f64)> {
    let count = side.len() as f64;
    let within: Option<(f64, f64)> =
        side.iter().try_fold((0.0, 0.0), |(sum, freedom), estimate| {
            let spread = estimate.spread.as_ref()?;
            Some((sum + spread.variance / (count * count), freedom + spread.freedom))
        });
    let between = between(side).or_else(|| between(other));
    let between = between.map(|(variance, freedom)| (variance / count, freedom));
    match (between, within) {
        // Few runs may agree by chance more closely than the variation within each allows.
        (Some(between), Some(within)) if within.0 > between.0 => Some((within.0, between.1)),
        (Some(between), _) => Some(between),
        (None, within) => within,
    }
}

/// The variance from run to run.
fn between(side: &[Estimate]) -> Option<(f64, f64)> {
    let freedom = side.len() as f64 - 1.0;
    let mean = mean(side)?;
    let squares: f64 = side.iter().map(|estimate| (estimate.value - mean).powi(2)).sum();
    (freedom > 0.0).then(|| (squares / freedom, freedom))
}

/// Welch's degrees of freedom.
fn welch((a, of_a): (f64, f64), (b, of_b): (f64, f64)) -> f64 {
    let divisor = a * a / of_a + b * b / of_b;
    if divisor > 0.0 { (a + b).powi(2) / divisor } else { of_a.min(of_b) }
}

/// The interval that the resamples of two single runs give: wide where a figure depends on a few blocks of a run, which
/// Student's interval does not take into account.
fn drawn(a: &[Estimate], b: &[Estimate], chance: f64) -> Option<(f64, f64)> {
    let ([a], [b]) = (a, b) else { return None };
    let (a, b) = (a.spread.as_ref()?, b.spread.as_ref()?);
    let mut changes: Vec<f64> = a.resamples.iter().zip(&b.resamples).map(|(a, b)| b - a).collect();
    changes.sort_by(f64::total_cmp);
    let beyond = (changes.len() as f64 * chance / 2.0) as usize;
    Some((*changes.get(beyond)?, *changes.get(changes.len().checked_sub(beyond + 1)?)?))
}
