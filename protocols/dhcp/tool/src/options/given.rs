//! The values of a command line, checked against the table and available by name.
//!
//! A value is checked when it is read, so that getting it later cannot fail, and the message names the switch, the
//! value and what would be valid. If a switch with one value is given several times, the last one counts, so that a
//! script can append to its own arguments. This module does not depend on the effect of the values.

use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::declared::Unfit;
use brunt_run::options::fault::Fault;
use brunt_run::options::row::{Kind, Row, dashed};

use super::getopt::{Given, Words};

/// The longest time that can be given, in seconds: ten years.
const TIME_MAX: f64 = 315_360_000.0;

/// The values of one command line.
#[derive(Debug)]
pub(super) struct Values<'a> {
    given: Vec<Given<'a>>,
}

impl<'a> Values<'a> {
    /// Checks every value.
    pub(super) fn new(words: &Words<'a>) -> Result<Self, Fault> {
        for (at, given) in words.switches.iter().enumerate() {
            check(given)?;
            let most = given.switch.most;
            let before = &words.switches[..at];
            let times = before.iter().filter(|it| it.switch.name == given.switch.name).count();
            if most > 1 && times >= most {
                let name = dashed(given.switch.name);
                return Err(Fault::new(format!(
                    "{name} '{}' is one too many: {name} may be given at most {most} times",
                    given.value
                )));
            }
        }
        Ok(Self { given: words.switches.clone() })
    }

    /// Whether a switch was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// How often a switch was given.
    pub(super) fn count(&self, name: &str) -> usize {
        self.all(name).count()
    }

    /// Every value of a switch, in order.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        debug_assert!(
            super::switches::all().iter().any(|switch| switch.name == name),
            "there is no switch {name}"
        );
        self.given.iter().filter(move |given| given.switch.name == name).map(|given| given.value)
    }

    /// Every value of several switches, in order, each with the name it was given under.
    pub(super) fn each(&self, names: &[&str]) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.given
            .iter()
            .map(|given| (given.switch.name, given.value))
            .filter(move |(name, _)| names.contains(name))
    }

    /// The last value of a switch.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.all(name).last()
    }

    /// The last value of a switch, as the name of a file.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// The last value of a switch, as a whole number.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(whole)
    }

    /// The same for numbers whose bounds fit fewer bits.
    pub(super) fn small<T: TryFrom<u64>>(&self, name: &str) -> Option<T> {
        self.whole(name).and_then(|number| T::try_from(number).ok())
    }

    /// Every value of a switch, as whole numbers.
    pub(super) fn wholes(&self, name: &str) -> Vec<u64> {
        self.all(name).filter_map(whole).collect()
    }

    /// The last value of a switch, as a number with decimals.
    pub(super) fn decimal(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(decimal)
    }

    /// The last value of a switch, as a share between 0 and 1.
    pub(super) fn share(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(share)
    }

    /// The last value of a switch, as a time in seconds.
    pub(super) fn time(&self, name: &str) -> Option<Duration> {
        self.text(name).and_then(seconds)
    }

    /// Every value of a switch, as times in seconds.
    pub(super) fn times(&self, name: &str) -> Vec<Duration> {
        self.all(name).filter_map(seconds).collect()
    }
}

/// Refuses a value, and says what would be valid.
pub(super) fn refused(name: &str, value: &str, right: &str) -> Fault {
    Fault::new(format!("{} '{value}' is invalid: give {right}", dashed(name)))
}

/// Refuses the value of a switch that other commands have as well.
pub(super) fn unfit(Unfit { name, value, why }: Unfit) -> Fault {
    Fault::new(format!("{} '{value}' is invalid: {why}", dashed(name)))
}

/// Refuses two switches together if both were given.
pub(super) fn exclusive(
    values: &Values<'_>,
    one: &str,
    other: &str,
    why: &str,
) -> Result<(), Fault> {
    if values.has(one) && values.has(other) {
        let (one, other) = (dashed(one), dashed(other));
        return Err(Fault::new(format!("{one} cannot be used with {other}: {why}")));
    }
    Ok(())
}

/// A number without sign, exponent or anything but digits and a point.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// `0.05` or `5%`.
pub(super) fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => decimal(percent)? / 100.0,
        None => decimal(text)?,
    };
    (share <= 1.0).then_some(share)
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
    let seconds = decimal(number)? * unit;
    (seconds <= TIME_MAX).then(|| Duration::from_secs_f64(seconds))
}

fn whole(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn seconds(text: &str) -> Option<Duration> {
    decimal(text).filter(|it| *it <= TIME_MAX).map(Duration::from_secs_f64)
}

fn check(given: &Given<'_>) -> Result<(), Fault> {
    let Row { name, kind, value: called, .. } = given.switch;
    if is_legal(*kind, given.value) {
        return Ok(());
    }
    let right = match kind {
        Kind::Switch | Kind::Text | Kind::Path | Kind::Attached | Kind::Secret => {
            format!("a non-empty {called}")
        }
        Kind::Integer(least, most) => bounds(*least, *most),
        Kind::Decimal(least, most) => format!("a number from {least} to {most}"),
        Kind::Above(most) => format!("a number above 0, at most {most}, such as 100 or 0.5"),
        Kind::Time => "seconds above 0, such as 10 or 0.5".to_owned(),
        Kind::TimeOrNone => "seconds, such as 10 or 0.5".to_owned(),
        Kind::Share => "a fraction from 0 to 1, or from 0% to 100%".to_owned(),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
    };
    Err(refused(name, given.value, &right))
}

fn is_legal(kind: Kind, value: &str) -> bool {
    match kind {
        Kind::Switch | Kind::Attached => true,
        Kind::Text | Kind::Path | Kind::Secret => !value.is_empty(),
        Kind::Decimal(least, most) => {
            decimal(value).is_some_and(|number| (least..=most).contains(&number))
        }
        Kind::Integer(least, most) => {
            whole(value).is_some_and(|number| (least..=most).contains(&number.into()))
        }
        Kind::Above(most) => decimal(value).is_some_and(|number| number > 0.0 && number <= most),
        Kind::Time => seconds(value).is_some_and(|time| !time.is_zero()),
        Kind::TimeOrNone => seconds(value).is_some(),
        Kind::Share => share(value).is_some(),
        Kind::Choice(words) => words.contains(&value),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain() {
        for (text, expected) in
            [("1", Some(1.0)), ("0.5", Some(0.5)), (".5", Some(0.5)), ("5.", Some(5.0))]
        {
            assert_eq!(decimal(text), expected, "{text}");
        }
        for text in ["", ".", "-1", "+1", "1e3", "inf", "nan", "1,5", " 1"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn shares_and_moments_have_units() {
        assert_eq!(share("5%"), Some(0.05));
        assert_eq!(share("1"), Some(1.0));
        assert_eq!((share("1.1"), share("101%"), share("%")), (None, None, None));
        assert_eq!(moment("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(moment("1.5m"), Some(Duration::from_secs(90)));
        assert_eq!(moment("2"), moment("2s"));
        assert_eq!(moment("1h"), Some(Duration::from_secs(3600)));
        assert_eq!((moment("s"), moment("5x"), moment("99999999h")), (None, None, None));
    }
}
