//! [`Opendj`]: how OpenDJ's tools read numbers and word their refusals.
//!
//! In numbers, commas may group digits. The texts are those of the original tools, which scripts may look for.

use std::fmt::Display;

use brunt_run::options::row::{Kind, Row};
use brunt_run::options::syntax::{Given, Syntax, Words, Wrong};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::table::is_known;
use super::words;

/// The dialect of OpenDJ's tools, which is that of our own options as well.
#[derive(Debug)]
pub struct Opendj;

impl Syntax for Opendj {
    fn split(&self, words: &[String], rows: &[Row]) -> Result<Words, UsageError> {
        words::split(words, rows)
    }

    fn knows(&self, name: &str) -> bool {
        is_known(name)
    }

    fn whole(&self, text: &str) -> Option<i128> {
        ungroup(text)?.parse().ok().map(|number: i64| number.into())
    }

    fn decimal(&self, text: &str) -> Option<f64> {
        let plain = ungroup(text)?;
        let legal =
            plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'));
        plain.parse().ok().filter(|number: &f64| legal && number.is_finite())
    }

    fn refused(&self, row: &Row, given: &Given, wrong: &Wrong) -> UsageError {
        let (name, text) = (row.name, given.value.as_str());
        let bound = |side: &str, bound: &dyn Display| {
            format!(
                "The provided {name} value {text} is unacceptable because it is {side} bound of {bound}"
            )
        };
        let decoded = |what: &str| {
            format!(
                "The provided value \"{text}\" for the {name} argument cannot be decoded as {what}"
            )
        };
        let why = match (wrong, row.kind) {
            (Wrong::Empty, _) => "A file name cannot be empty".to_owned(),
            (Wrong::Low(least), _) => bound("below the lower", least),
            (Wrong::High(most), _) => bound("above the upper", most),
            (Wrong::Unreadable, Kind::Integer(..)) => decoded("an integer"),
            (Wrong::Unreadable, Kind::Choice(words)) => format!(
                "The provided {name} value {text} is unacceptable because it is not one of {}",
                words.join(", ")
            ),
            (Wrong::Unreadable, _) => decoded("a number"),
        };
        refused(text, &given.spelled, &why)
    }

    fn repeated(&self, row: &Row, given: &Given, before: usize) -> Result<(), UsageError> {
        if before > 0 && row.takes_value() && !row.is_repeatable() {
            return Err(UsageError::new(format!(
                "The argument {} was included multiple times in the provided set of arguments but it does not allow \
                 multiple values",
                given.spelled
            )));
        }
        Ok(())
    }
}

/// Refuses options that exclude each other.
pub fn exclusive(values: &Values, names: &[&str]) -> Result<(), UsageError> {
    let given: Vec<&str> = names.iter().copied().filter(|name| values.has(name)).collect();
    match given[..] {
        [one, other, ..] => Err(UsageError::new(format!(
            "You may not provide both the --{one} and the --{other} arguments"
        ))),
        _ => Ok(()),
    }
}

/// A value that is not acceptable, and why.
pub fn refused(value: &str, spelled: &str, why: &str) -> UsageError {
    UsageError::new(format!(
        "The provided value \"{value}\" for argument {spelled} is not acceptable:  {why}"
    ))
}

/// Removes grouping commas, if they are in the right positions.
fn ungroup(text: &str) -> Option<String> {
    let (whole, fraction) =
        text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    if !whole.contains(',') {
        return Some(text.to_owned());
    }
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let mut groups = digits.split(',');
    let first = groups.next().unwrap_or_default();
    if !(1..=3).contains(&first.len()) || groups.any(|group| group.len() != 3) {
        return None;
    }
    let plain = whole.replace(',', "");
    Some(fraction.map_or_else(|| plain.clone(), |fraction| format!("{plain}.{fraction}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_commas_group_three_digits() {
        for (text, number) in [
            ("10,000", Some(10_000)),
            ("1,234,567", Some(1_234_567)),
            ("-1,000", Some(-1_000)),
            ("10000", Some(10_000)),
            ("1,00", None),
            (",100", None),
            ("1000,000", None),
            ("", None),
            ("1e3", None),
        ] {
            assert_eq!(Opendj.whole(text), number, "{text}");
        }
        assert_eq!(Opendj.decimal("1,000.5"), Some(1000.5));
        assert_eq!(Opendj.decimal("99.95"), Some(99.95));
        for text in ["nan", "inf", "1e3", "1.2,3", ""] {
            assert_eq!(Opendj.decimal(text), None, "{text}");
        }
    }
}
