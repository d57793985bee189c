//! [`Getopt`]: how perfdhcp splits words and reads numbers, and the refusals of its lines.
//!
//! A message names the switch, the value and what would be valid. If a switch with one value is given several times,
//! the last one counts, so that a script can append to its own arguments.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use brunt_run::options::declared::Unfit;
use brunt_run::options::row::{Kind, Row, dashed};
use brunt_run::options::syntax::{self, Given, Syntax, TIME_MAX, Words, Wrong};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::{getopt, switches};

/// The dialect of perfdhcp.
#[derive(Debug)]
pub(super) struct Getopt;

impl Syntax for Getopt {
    fn split(&self, words: &[String], rows: &[Row]) -> Result<Words, UsageError> {
        getopt::split(words, rows)
    }

    fn knows(&self, name: &str) -> bool {
        static KNOWN: LazyLock<HashSet<&'static str>> =
            LazyLock::new(|| switches::all().into_iter().map(|switch| switch.name).collect());
        KNOWN.contains(name)
    }

    /// Only digits.
    fn whole(&self, text: &str) -> Option<i128> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| plain).map(i128::from)
    }

    /// A number without sign, exponent or anything but digits and a point.
    fn decimal(&self, text: &str) -> Option<f64> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        text.parse().ok().filter(|number: &f64| plain && number.is_finite())
    }

    fn choice(&self, text: &str, words: &'static [&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| *word == text)
    }

    fn wrong(&self, row: &Row, text: &str) -> Option<Wrong> {
        match row.kind {
            Kind::Text | Kind::Secret => text.is_empty().then_some(Wrong::Empty),
            kind => syntax::wrong(self, kind, text),
        }
    }

    fn refused(&self, row: &Row, given: &Given, _: &Wrong) -> UsageError {
        let right = match row.kind {
            Kind::Switch | Kind::Text | Kind::Path | Kind::Attached | Kind::Secret => {
                format!("a non-empty {}", row.value)
            }
            Kind::Integer(least, most) => bounds(least, most),
            Kind::Decimal(least, most) => format!("a number from {least} to {most}"),
            Kind::Above(most) => format!("a number above 0, at most {most}, such as 100 or 0.5"),
            Kind::Time => "seconds above 0, such as 10 or 0.5".to_owned(),
            Kind::TimeOrNone => "seconds, such as 10 or 0.5".to_owned(),
            Kind::Share => "a fraction from 0 to 1, or from 0% to 100%".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
        };
        refused(row.name, &given.value, &right)
    }

    fn repeated(&self, row: &Row, given: &Given, before: usize) -> Result<(), UsageError> {
        if row.is_repeatable() && before >= row.most {
            let (name, most) = (dashed(row.name), row.most);
            return Err(UsageError::new(format!(
                "{name} '{}' is one too many: {name} may be given at most {most} times",
                given.value
            )));
        }
        Ok(())
    }
}

fn bounds(least: i128, most: i128) -> String {
    if least == most {
        least.to_string()
    } else if most == i128::from(u64::MAX) {
        format!("a whole number, at least {least}")
    } else {
        format!("a whole number from {least} to {most}")
    }
}

/// Refuses a value, and says what would be valid.
pub(super) fn refused(name: &str, value: &str, right: &str) -> UsageError {
    UsageError::new(format!("{} '{value}' is invalid: give {right}", dashed(name)))
}

/// Refuses the value of a switch that other commands have as well.
pub(super) fn unfit(Unfit { name, value, why }: Unfit) -> UsageError {
    UsageError::new(format!("{} '{value}' is invalid: {why}", dashed(name)))
}

/// Refuses two switches together if both were given.
pub(super) fn exclusive(
    values: &Values,
    one: &str,
    other: &str,
    why: &str,
) -> Result<(), UsageError> {
    if values.has(one) && values.has(other) {
        let (one, other) = (dashed(one), dashed(other));
        return Err(UsageError::new(format!("{one} cannot be used with {other}: {why}")));
    }
    Ok(())
}

/// A time: `5`, `5s`, `500ms`, `2m`, `1h`.
pub(super) fn moment(text: &str) -> Option<Duration> {
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = Getopt.decimal(number)? * unit;
    (seconds <= TIME_MAX).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain_decimals() {
        for (text, expected) in
            [("1", Some(1.0)), ("0.5", Some(0.5)), (".5", Some(0.5)), ("5.", Some(5.0))]
        {
            assert_eq!(Getopt.decimal(text), expected, "{text}");
        }
        for text in ["", ".", "-1", "+1", "1e3", "inf", "nan", "1,5", " 1"] {
            assert_eq!(Getopt.decimal(text), None, "{text}");
        }
    }

    #[test]
    fn shares_and_times_have_units() {
        assert_eq!(Getopt.share("5%"), Some(0.05));
        assert_eq!(Getopt.share("1"), Some(1.0));
        let wrong = ["1.1", "101%", "%"].map(|text| Getopt.share(text));
        assert_eq!(wrong, [None; 3]);
        assert_eq!(moment("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(moment("1.5m"), Some(Duration::from_secs(90)));
        assert_eq!(moment("2"), moment("2s"));
        assert_eq!(moment("1h"), Some(Duration::from_secs(3600)));
        assert_eq!((moment("s"), moment("5x"), moment("99999999h")), (None, None, None));
    }
}
