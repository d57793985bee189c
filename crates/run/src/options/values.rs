//! [`Values`]: what was given on a command line, checked against a table and available by name.
//!
//! A value is checked when it is inserted, so that getting it later cannot fail; the message names the option as it was
//! spelled, or the file and line, and the value. This module does not depend on the effect of the values.

use std::path::PathBuf;
use std::time::Duration;

use super::row::{Kind, Row};
use super::syntax::{Given, Source, Syntax};
use super::usage_error::UsageError;

/// The values of one command line.
#[derive(Debug)]
pub struct Values {
    syntax: &'static dyn Syntax,
    rows: Vec<Row>,
    given: Vec<Given>,
}

impl Values {
    /// Checks what a line of this syntax gave for the options of a table.
    pub fn new(
        syntax: &'static dyn Syntax,
        rows: Vec<Row>,
        given: Vec<Given>,
    ) -> Result<Self, UsageError> {
        let mut values = Self { syntax, rows, given: Vec::with_capacity(given.len()) };
        given.into_iter().try_for_each(|given| values.insert(given))?;
        Ok(values)
    }

    /// Adds one.
    pub fn insert(&mut self, given: Given) -> Result<(), UsageError> {
        let row = self.row(given.name);
        let wrong = self.syntax.wrong(row, &given.value);
        if let Some(wrong) = wrong.filter(|_| given.source == Source::Literal) {
            return Err(self.syntax.refused(row, &given, &wrong));
        }
        self.syntax.repeated(row, &given, self.occurrences(given.name))?;
        self.given.push(given);
        Ok(())
    }

    /// The table.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of an option of the table.
    pub fn row(&self, name: &str) -> &Row {
        let row = self.rows.iter().find(|row| row.name == name);
        row.unwrap_or_else(|| unreachable!("{name} came from this table"))
    }

    /// Everything that was given, in its order.
    pub fn given(&self) -> &[Given] {
        &self.given
    }

    fn of(&self, name: &str) -> impl DoubleEndedIterator<Item = &Given> {
        debug_assert!(self.syntax.knows(name), "{name} is in no table");
        self.given.iter().filter(move |given| given.name == name)
    }

    /// The last that was given for an option, which is the one that counts if it has one value.
    pub fn last(&self, name: &str) -> Option<&Given> {
        self.of(name).next_back()
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some()
    }

    /// How often an option was given.
    pub fn occurrences(&self, name: &str) -> usize {
        self.of(name).count()
    }

    /// The option as the user spelled it, if it was given.
    pub fn spelled(&self, name: &str) -> Option<&str> {
        self.last(name).map(|given| given.spelled.as_str())
    }

    /// Every value of an option, in order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.of(name).map(|given| given.value.as_str())
    }

    /// Every value of several options, in order, each with the name of its option.
    pub fn each(&self, names: &[&str]) -> impl Iterator<Item = (&'static str, &str)> {
        let all = self.given.iter().filter(move |given| names.contains(&given.name));
        all.map(|given| (given.name, given.value.as_str()))
    }

    /// The text given for an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.last(name).map(|given| given.value.as_str())
    }

    /// Every text given for an option.
    pub fn texts(&self, name: &str) -> Vec<String> {
        self.all(name).map(str::to_owned).collect()
    }

    /// The file given for an option.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// The whole number given for an option.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.whole(name)
    }

    /// The whole number given for an option that cannot be negative.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.whole(name)
    }

    /// The same for numbers whose bounds fit other bits.
    pub fn whole<N: TryFrom<i128>>(&self, name: &str) -> Option<N> {
        let number = self.syntax.whole(self.text(name)?)?;
        N::try_from(number).ok()
    }

    /// Every whole number given for an option that cannot be negative.
    pub fn counts(&self, name: &str) -> Vec<u64> {
        let numbers = self.all(name).filter_map(|text| self.syntax.whole(text));
        numbers.filter_map(|number| number.try_into().ok()).collect()
    }

    /// The number given for an option.
    pub fn decimal(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(|text| self.syntax.decimal(text))
    }

    /// Every number given for an option.
    pub fn decimals(&self, name: &str) -> Vec<f64> {
        self.all(name).filter_map(|text| self.syntax.decimal(text)).collect()
    }

    /// The share given for an option, between 0 and 1.
    pub fn share(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(|text| self.syntax.share(text))
    }

    /// The time given for an option, in seconds.
    pub fn time(&self, name: &str) -> Option<Duration> {
        self.text(name).and_then(|text| self.syntax.seconds(text))
    }

    /// Every time given for an option, in seconds.
    pub fn times(&self, name: &str) -> Vec<Duration> {
        self.all(name).filter_map(|text| self.syntax.seconds(text)).collect()
    }

    /// The word given for an option, in the case of the table.
    pub fn choice(&self, name: &str) -> Option<&'static str> {
        let text = self.text(name)?;
        match self.row(name).kind {
            Kind::Choice(words) => self.syntax.choice(text, words),
            _ => None,
        }
    }
}
