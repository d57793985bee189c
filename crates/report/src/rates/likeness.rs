//! Whether runs differ only in their rate.
//!
//! A rate is in the command of a run, and it determines other values: the largest number of DHCP exchanges in flight.
//! So two commands are alike if each word is the same in both or is the rate of its run, however it is written.

use brunt_record::Mode;

use crate::comparison::{ComparableProperties, Input, Mismatch, unlike as compared};

/// The properties that differ where rates differ.
const OF_RATES: [&str; 3] = ["command", "rate", "iterations a second"];
/// The property that may follow from the rate in the command.
const FOLLOWS: &str = "sessions";
/// Two spellings of a rate mean the same if they are this close.
const CLOSE: f64 = 1e-6;

/// Why runs make no curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RatesError {
    /// There are no runs.
    #[error("draw a curve of no runs")]
    Few,
    /// With as many exchanges as possible, the rate is a result.
    #[error(
        "find the rate of {0}: it has no given rate (closed loop, as many as possible), so its rate is a result; \
         'brunt compare' compares such runs"
    )]
    NoRate(String),
    /// A run of many rates.
    #[error(
        "find the rate of {0}: it varied within the run; 'brunt report {0}' shows its response against rate"
    )]
    Varies(String),
    /// There is nothing to draw a curve over.
    #[error("draw a curve: all runs have the same rate, {0}/s; 'brunt compare' compares them")]
    OneRate(f64),
}

/// The requested rate of a run.
pub(super) fn rate(run: &Input) -> Result<f64, RatesError> {
    let plan = &run.record.plan;
    if !plan.constant {
        return Err(RatesError::Varies(run.name.clone()));
    }
    let requested = plan.target_iterations.or(plan.target_rate).or(run.record.rates.target);
    let requested = requested.filter(|rate| rate.is_finite() && *rate > 0.0);
    requested
        .filter(|_| plan.mode == Mode::Open)
        .ok_or_else(|| RatesError::NoRate(run.name.clone()))
}

/// All differences of the runs from the first one, except their rates.
pub fn unlike(runs: &[Input]) -> Vec<Mismatch> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    others.iter().flat_map(|other| apart(first, other)).collect()
}

fn apart(first: &Input, other: &Input) -> Vec<Mismatch> {
    let mut found = compared(
        &ComparableProperties::new(first),
        (other.name.as_str(), &ComparableProperties::new(other)),
    );
    let alike = is_alike(first, other);
    found.retain(|unlike| {
        let what = unlike.what.as_str();
        let of_rates = OF_RATES.contains(&what) && (what != "command" || alike);
        let follows = what == FOLLOWS && alike && first.requested != other.requested;
        !of_rates && !follows
    });
    found
}

/// Whether two commands differ only in the words that give their rates.
fn is_alike(first: &Input, other: &Input) -> bool {
    let (Ok(one), Ok(two)) = (rate(first), rate(other)) else {
        return first.requested == other.requested;
    };
    let mut pairs = first.requested.iter().zip(&other.requested);
    first.requested.len() == other.requested.len()
        && pairs.all(|(a, b)| {
            let message = before_rate(a, one);
            a == b || message.is_some() && message == before_rate(b, two)
        })
}

/// The text before the rate in a word that contains it: nothing, `-q`, `--rate=`.
fn before_rate(word: &str, rate: f64) -> Option<&str> {
    let option = word.starts_with('-');
    let digits = word.find(|char: char| char.is_ascii_digit())?;
    let (before, value) = word.split_at(digits);
    let is_short = before.len() == 2 && option;
    let stands = before.is_empty() || is_short || (option && before.ends_with('='));
    let close = |found: f64| (found - rate).abs() <= CLOSE * rate;
    (stands && per_second(value).is_some_and(close)).then_some(before)
}

/// A rate as command lines write it: `500`, `2.5k/s`, `90/m`.
fn per_second(text: &str) -> Option<f64> {
    let (number, seconds) = match text.split_once('/') {
        None | Some((_, "s")) => (text.split('/').next().unwrap_or(text), 1.0),
        Some((number, "m")) => (number, 60.0),
        Some((number, "h")) => (number, 3_600.0),
        Some(_) => return None,
    };
    let thousand = number.strip_suffix(['k', 'K']);
    let plain: f64 = thousand.unwrap_or(number).replace('_', "").parse().ok()?;
    Some(plain * if thousand.is_some() { 1_000.0 } else { 1.0 } / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_recognized_in_every_notation() {
        for (word, rate, before) in [
            ("500", 500.0, Some("")),
            ("2.5k/s", 2_500.0, Some("")),
            ("90/m", 1.5, Some("")),
            ("-r500", 500.0, Some("-r")),
            ("--throughput=1k", 1_000.0, Some("--throughput=")),
            ("500", 501.0, None),
            ("user500", 500.0, None),
            ("--rate500", 500.0, None),
            ("http://127.0.0.1:500/", 500.0, None),
            ("500ms", 500.0, None),
            ("-q", 500.0, None),
        ] {
            assert_eq!(before_rate(word, rate), before, "{word}");
        }
    }
}
