//! [`Unboundid`]: how UnboundID's tools split words and read numbers, and the refusals of their lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use brunt_run::options::row::{Kind, Row};
use brunt_run::options::syntax::{self, Given, Syntax, Words, Wrong};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::{table, words};
use crate::options::tool::Tool;

/// The dialect of UnboundID's tools.
#[derive(Debug)]
pub(super) struct Unboundid;

impl Syntax for Unboundid {
    fn split(&self, words: &[String], rows: &[Row]) -> Result<Words, UsageError> {
        words::split(words, rows)
    }

    fn knows(&self, name: &str) -> bool {
        static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
            Tool::ALL.into_iter().flat_map(table::of).map(|option| option.name).collect()
        });
        KNOWN.contains(name)
    }

    fn whole(&self, text: &str) -> Option<i128> {
        text.parse::<i64>().ok().map(i128::from)
    }

    fn decimal(&self, text: &str) -> Option<f64> {
        text.parse().ok()
    }

    /// Ours are checked where the other dialect reads them.
    fn wrong(&self, row: &Row, text: &str) -> Option<Wrong> {
        if row.is_ours { None } else { syntax::wrong(self, row.kind, text) }
    }

    fn refused(&self, row: &Row, given: &Given, wrong: &Wrong) -> UsageError {
        let why = match (wrong, row.kind) {
            (Wrong::Empty, _) => "a file name cannot be empty".to_owned(),
            (Wrong::Low(least), _) => format!("the smallest value is {least}"),
            (Wrong::High(most), _) => format!("the largest value is {most}"),
            (Wrong::Unreadable, Kind::Choice(words)) => {
                format!("it must be one of {}", words.join(", "))
            }
            (Wrong::Unreadable, _) => "it must be a whole number".to_owned(),
        };
        UsageError::new(format!("{} '{}' is not possible: {why}", given.spelled, given.value))
    }
}

/// The option as it was first spelled, or its long name.
pub(super) fn spelled(values: &Values, name: &str) -> String {
    let given = values.given().iter().find(|given| given.name == name);
    given.map_or_else(|| format!("--{name}"), |given| given.spelled.clone())
}

/// Whether a text stands for a switch that is on, or off.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Refuses options that exclude each other.
pub(super) fn exclusive(values: &Values, longs: &[&str]) -> Result<(), UsageError> {
    let given: Vec<&&str> = longs.iter().filter(|long| values.has(long)).collect();
    match given[..] {
        [one, other, ..] => Err(UsageError::new(format!(
            "{} and {} cannot be used together: leave one of them out",
            spelled(values, one),
            spelled(values, other)
        ))),
        _ => Ok(()),
    }
}

/// Refuses an option without one of those that it needs.
pub(super) fn needs(values: &Values, long: &str, others: &[&str]) -> Result<(), UsageError> {
    if values.has(long) && !others.iter().any(|other| values.has(other)) {
        return Err(UsageError::new(format!(
            "{} needs {}",
            spelled(values, long),
            others.iter().map(|other| format!("--{other}")).collect::<Vec<_>>().join(" or ")
        )));
    }
    Ok(())
}

/// Refuses a line without one of these.
pub(super) fn required(values: &Values, rows: &[Row], others: &[&str]) -> Result<(), UsageError> {
    if others.iter().any(|long| values.has(long)) {
        return Ok(());
    }
    let name = |long: &&str| {
        let short = rows.iter().find(|row| row.name == *long).and_then(|row| row.short);
        short.map_or_else(|| format!("--{long}"), |short| format!("-{short} (--{long})"))
    };
    let names: Vec<String> = others.iter().map(name).collect();
    Err(UsageError::new(format!("{} is required and was not given", names.join(" or "))))
}
