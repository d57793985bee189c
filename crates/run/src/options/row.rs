//! [`Row`]: an option that was declared for clap, for the tables of tools with grammars of their own.
//!
//! The LDAP rate tools and perfdhcp split words in their own ways. Their tables take a [`Row`] for each option that
//! they share with other commands, and pass the values back to [`matches()`], which parses them with the declaration.

use std::error::Error as _;

use clap::builder::ValueHint;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The description of one declared option for a table of options.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of its field.
    pub id: &'static str,
    /// Its long name, without dashes.
    pub long: &'static str,
    /// The placeholder of its value, in lower case; empty for a switch.
    pub value: &'static str,
    /// The words that are legal; none if others are.
    pub choices: &'static [&'static str],
    /// Whether the value is the name of a file.
    pub is_path: bool,
    /// Whether the value is optional, and otherwise follows an `=`.
    pub is_optional: bool,
    /// Whether it may be given more than once.
    pub many: bool,
    /// The default, as the help states it.
    pub default: &'static str,
    /// What it does, in sentences.
    pub help: &'static str,
}

impl Row {
    fn of(arg: &Arg) -> Self {
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let name = arg.get_value_names().and_then(|names| names.first());
        let value = name.filter(|_| takes_value).map_or(String::new(), |it| it.to_lowercase());
        let defaults = arg.get_default_values().iter().filter(|_| takes_value);
        let default = defaults.map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(", ");
        let words = arg.get_possible_values().into_iter().filter(|_| takes_value);
        let words: Vec<_> = words.map(|word| kept(word.get_name().to_owned())).collect();
        Self {
            id: kept(arg.get_id().to_string()),
            long: kept(arg.get_long().unwrap_or_default().to_owned()),
            value: kept(value),
            choices: Box::leak(words.into_boxed_slice()),
            is_path: matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath),
            is_optional: arg.get_num_args().is_some_and(|number| number.min_values() == 0),
            many: matches!(arg.get_action(), ArgAction::Append),
            default: kept(default),
            help: kept(sentences(arg)),
        }
    }
}

/// A row for each option of a declaration. Their texts live as long as the program, so a table is made once.
pub fn of(declared: &Command) -> Vec<Row> {
    declared.get_arguments().map(Row::of).collect()
}

/// An invalid value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The option, without dashes.
    pub long: &'static str,
    /// The value.
    pub value: String,
    /// What is wrong with it.
    pub why: String,
}

/// Parses the values of each row on a command line, by its long name. For an option with one value the last counts.
pub fn matches<T: AsRef<str>>(
    rows: &[Row],
    declared: Command,
    given: impl Fn(&str) -> Vec<T>,
) -> Result<ArgMatches, Unfit> {
    let mut words = vec![String::new()];
    for row in rows {
        let values = given(row.long);
        let skipped = if row.many { 0 } else { values.len().saturating_sub(1) };
        words.extend(values.iter().skip(skipped).map(|value| match row.value {
            "" => format!("--{}", row.long),
            _ if row.is_optional && value.as_ref().is_empty() => format!("--{}", row.long),
            _ => format!("--{}={}", row.long, value.as_ref()),
        }));
    }
    declared.try_get_matches_from(words).map_err(|error| unfit(rows, &error))
}

/// The value that clap refused, in the terms of a table.
pub fn unfit(rows: &[Row], error: &clap::Error) -> Unfit {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let arg = text(ContextKind::InvalidArg);
    let named = rows.iter().find(|row| {
        arg.strip_prefix("--").and_then(|it| it.split([' ', '=', '[']).next()) == Some(row.long)
    });
    let said = || error.to_string().lines().next().unwrap_or_default().to_owned();
    Unfit {
        long: named.map_or("", |row| row.long),
        value: text(ContextKind::InvalidValue),
        why: error.source().map_or_else(said, ToString::to_string),
    }
}

/// The help of an argument as sentences of one paragraph.
fn sentences(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let ended = |it: &str| if it.ends_with(['.', ')']) { it.to_owned() } else { format!("{it}.") };
    help.split("\n\n").map(|it| ended(it.trim())).collect::<Vec<_>>().join(" ")
}

/// A text for the tables, which live as long as the program.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
