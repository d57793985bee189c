//! [`Syntax`]: how a tool splits the words of a command line, reads numbers, and words its refusals.
//!
//! Tools with grammars of their own differ in these only: a [`Syntax`] splits words by a table of [`Row`]s, and what
//! was given is kept in [`Values`](super::values::Values), whatever the tool.

use std::fmt::{Debug, Display};
use std::time::Duration;

use super::row::{Kind, Row};
use super::usage_error::UsageError;

/// The longest time that can be given, in seconds: ten years.
pub const TIME_MAX: f64 = 315_360_000.0;

/// The pieces of a command line.
#[derive(Debug, Default)]
pub struct Words {
    /// The options, in the order in which they were given.
    pub given: Vec<Given>,
    /// The trailing arguments.
    pub trailing: Vec<String>,
}

/// One option as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The name of its row.
    pub name: &'static str,
    /// As it was spelled, dashes included, or the key and the line of a properties file; for messages.
    pub spelled: String,
    /// The source of the value.
    pub source: Source,
    /// The text of the value; empty for a switch.
    pub value: String,
    /// The word that contains the value, and the byte in it at which the value starts, if it is in one.
    pub place: Option<(usize, usize)>,
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text itself.
    Literal,
    /// The text itself, where a dash has no meaning.
    Verbatim,
    /// An environment variable named by the text.
    Variable,
    /// A file named by the text.
    File,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is empty.
    Empty,
    /// It is no value of its kind.
    Unreadable,
    /// It is below this bound.
    Low(String),
    /// It is above this bound.
    High(String),
}

/// The dialect of a tool.
pub trait Syntax: Debug + Sync {
    /// Splits the words after the name of the tool.
    fn split(&self, words: &[String], rows: &[Row]) -> Result<Words, UsageError>;

    /// Whether any of its tools has an option of this name. It is called for every option that is read.
    fn knows(&self, name: &str) -> bool;

    /// A whole number.
    fn whole(&self, text: &str) -> Option<i128>;

    /// A number with or without decimals.
    fn decimal(&self, text: &str) -> Option<f64>;

    /// The word of a choice that a text is.
    fn choice(&self, text: &str, words: &'static [&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
    }

    /// What is wrong with a value.
    fn wrong(&self, row: &Row, text: &str) -> Option<Wrong> {
        wrong(self, row.kind, text)
    }

    /// Refuses a value.
    fn refused(&self, row: &Row, given: &Given, wrong: &Wrong) -> UsageError;

    /// Refuses an option that was given before, unless it may be repeated.
    fn repeated(&self, row: &Row, given: &Given, before: usize) -> Result<(), UsageError> {
        let _ = (row, given, before);
        Ok(())
    }

    /// `0.05` or `5%`.
    fn share(&self, text: &str) -> Option<f64> {
        let share = match text.strip_suffix('%') {
            Some(percent) => self.decimal(percent)? / 100.0,
            None => self.decimal(text)?,
        };
        (share <= 1.0).then_some(share)
    }

    /// A time in seconds.
    fn seconds(&self, text: &str) -> Option<Duration> {
        self.decimal(text).filter(|it| *it <= TIME_MAX).map(Duration::from_secs_f64)
    }
}

/// What is wrong with a value of a kind, in numbers and words of this syntax.
pub fn wrong<S: Syntax + ?Sized>(syntax: &S, kind: Kind, text: &str) -> Option<Wrong> {
    let unreadable = |legal: bool| (!legal).then_some(Wrong::Unreadable);
    match kind {
        Kind::Switch | Kind::Text | Kind::Attached | Kind::Secret => None,
        Kind::Path => text.is_empty().then_some(Wrong::Empty),
        Kind::Integer(least, most) => bounded(syntax.whole(text), least, most),
        Kind::Decimal(least, most) => bounded(syntax.decimal(text), least, most),
        Kind::Above(most) => {
            unreadable(syntax.decimal(text).is_some_and(|number| number > 0.0 && number <= most))
        }
        Kind::Time => unreadable(syntax.seconds(text).is_some_and(|time| !time.is_zero())),
        Kind::TimeOrNone => unreadable(syntax.seconds(text).is_some()),
        Kind::Share => unreadable(syntax.share(text).is_some()),
        Kind::Choice(words) => unreadable(syntax.choice(text, words).is_some()),
    }
}

fn bounded<N: Copy + PartialOrd + Display>(number: Option<N>, least: N, most: N) -> Option<Wrong> {
    match number {
        None => Some(Wrong::Unreadable),
        Some(number) if number < least => Some(Wrong::Low(least.to_string())),
        Some(number) if number > most => Some(Wrong::High(most.to_string())),
        Some(_) => None,
    }
}
