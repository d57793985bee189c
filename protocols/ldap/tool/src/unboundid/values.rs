//! The options of a line of UnboundID's grammar with checked values, available by name.

use brunt_run::options::fault::Fault;
use brunt_run::options::row::{Kind, Row};

use super::words::Given;

/// The options that were given, on the command line or in a properties file.
#[derive(Debug)]
pub(super) struct Values {
    given: Vec<Given>,
}

impl Values {
    /// Checks every value that was given.
    pub(super) fn new(given: Vec<Given>) -> Result<Self, Fault> {
        given.iter().try_for_each(check)?;
        Ok(Self { given })
    }

    /// Every option, in the order in which they were given.
    pub(super) fn all(&self) -> &[Given] {
        &self.given
    }

    /// Whether it was given.
    pub(super) fn has(&self, long: &str) -> bool {
        self.given.iter().any(|given| given.row.name == long)
    }

    /// The option as it was spelled, or its long name.
    pub(super) fn spelled(&self, long: &str) -> String {
        let given = self.given.iter().find(|given| given.row.name == long);
        given.map_or_else(|| format!("--{long}"), |given| given.spelled.clone())
    }

    /// Its text.
    pub(super) fn text(&self, long: &str) -> Option<&str> {
        self.given.iter().find(|given| given.row.name == long).map(|given| given.value.as_str())
    }

    /// Every text of an option that may be repeated.
    pub(super) fn texts(&self, long: &str) -> Vec<String> {
        let given = self.given.iter().filter(|given| given.row.name == long);
        given.map(|given| given.value.clone()).collect()
    }

    /// Its number.
    pub(super) fn integer(&self, long: &str) -> Option<i64> {
        self.text(long)?.parse().ok()
    }

    /// Its number, where that cannot be negative.
    pub(super) fn count(&self, long: &str) -> Option<u64> {
        self.integer(long).and_then(|number| u64::try_from(number).ok())
    }
}

/// Whether a text stands for a switch that is on, or off.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn check(given: &Given) -> Result<(), Fault> {
    let Given { row, spelled, value, .. } = given;
    // Ours are checked where the other dialect reads them.
    if row.is_ours {
        return Ok(());
    }
    let wrong =
        |why: String| Err(Fault::new(format!("{spelled} '{value}' is not possible: {why}")));
    match row.kind {
        Kind::Integer(least, most) => match value.parse::<i64>().map(i128::from) {
            Err(_) => wrong("it must be a whole number".to_owned()),
            Ok(number) if number < least => wrong(format!("the smallest value is {least}")),
            Ok(number) if number > most => wrong(format!("the largest value is {most}")),
            Ok(_) => Ok(()),
        },
        Kind::Choice(words) if !words.iter().any(|word| word.eq_ignore_ascii_case(value)) => {
            wrong(format!("it must be one of {}", words.join(", ")))
        }
        Kind::Path if value.is_empty() => wrong("a file name cannot be empty".to_owned()),
        _ => Ok(()),
    }
}

/// Refuses options that exclude each other.
pub(super) fn exclusive(values: &Values, longs: &[&str]) -> Result<(), Fault> {
    let given: Vec<&&str> = longs.iter().filter(|long| values.has(long)).collect();
    match given[..] {
        [one, other, ..] => Err(Fault::new(format!(
            "{} and {} cannot be used together: leave one of them out",
            values.spelled(one),
            values.spelled(other)
        ))),
        _ => Ok(()),
    }
}

/// Refuses an option without one of those that it needs.
pub(super) fn needs(values: &Values, long: &str, others: &[&str]) -> Result<(), Fault> {
    if values.has(long) && !others.iter().any(|other| values.has(other)) {
        return Err(Fault::new(format!(
            "{} needs {}",
            values.spelled(long),
            others.iter().map(|other| format!("--{other}")).collect::<Vec<_>>().join(" or ")
        )));
    }
    Ok(())
}

/// Refuses a line without one of these.
pub(super) fn required(values: &Values, rows: &[Row], others: &[&str]) -> Result<(), Fault> {
    if others.iter().any(|long| values.has(long)) {
        return Ok(());
    }
    let name = |long: &&str| {
        let short = rows.iter().find(|row| row.name == *long).and_then(|row| row.short);
        short.map_or_else(|| format!("--{long}"), |short| format!("-{short} (--{long})"))
    };
    let names: Vec<String> = others.iter().map(name).collect();
    Err(Fault::new(format!("{} is required and was not given", names.join(" or "))))
}
