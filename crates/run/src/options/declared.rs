//! Options that were declared for clap as rows of a table, and rows as clap's generators need them.
//!
//! The tables of tools with grammars of their own take a [`Row`] for each option that they share with other commands,
//! and pass the values back to [`matches()`], which parses them with the declaration.

use std::error::Error as _;

use clap::builder::ValueHint;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::row::{Kind, Row};

/// A row for each option of a declaration whose field `is_wanted`. Their texts live as long as the program, so a table
/// is made once. The table that takes a row sets its group.
pub fn rows(declared: &Command, is_wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let args = declared.get_arguments().filter(|arg| is_wanted(arg.get_id().as_str()));
    args.map(row).collect()
}

fn row(arg: &Arg) -> Row {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = arg.get_value_names().and_then(|names| names.first());
    let value = value.filter(|_| takes_value).map_or(String::new(), |it| it.to_lowercase());
    let defaults = arg.get_default_values().iter().filter(|_| takes_value);
    let default = defaults.map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(", ");
    let is_many = matches!(arg.get_action(), ArgAction::Append);
    Row {
        default: kept(default),
        most: if is_many { usize::MAX } else { 1 },
        ..Row::new(
            "",
            kept(arg.get_long().unwrap_or_default().to_owned()),
            kept(value),
            kind(arg, takes_value),
            kept(sentences(arg)),
        )
        .ours()
    }
}

fn kind(arg: &Arg, takes_value: bool) -> Kind {
    let words = arg.get_possible_values();
    if !takes_value {
        Kind::Switch
    } else if !words.is_empty() {
        let words: Vec<_> = words.iter().map(|word| kept(word.get_name().to_owned())).collect();
        Kind::Choice(Box::leak(words.into_boxed_slice()))
    } else if matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath) {
        Kind::Path
    } else if arg.get_num_args().is_some_and(|number| number.min_values() == 0) {
        Kind::Attached
    } else {
        Kind::Text
    }
}

/// An option as clap's generators of completions and manual pages need it. clap does not parse it: its tool does.
pub fn arg(row: &Row) -> Arg {
    let arg = Arg::new(row.name).help(row.help);
    let arg = row.short.map_or(arg.clone(), |short| arg.short(short));
    let arg = row.names().fold(arg, |arg, name| match name.chars().next() {
        Some(short) if name.len() == 1 => arg.short(short),
        _ if arg.get_long().is_some() => arg,
        _ => arg.long(name),
    });
    match row.kind {
        Kind::Switch => arg.action(ArgAction::SetTrue),
        Kind::Choice(words) => arg.value_name(row.value).value_parser(words.to_vec()),
        Kind::Path => arg.value_name(row.value).value_hint(ValueHint::FilePath),
        Kind::Attached => arg.value_name(row.value).num_args(0..=1).require_equals(true),
        _ => arg.value_name(row.value),
    }
}

/// An invalid value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The option, without dashes.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// What is wrong with it.
    pub why: String,
}

/// Parses the values of each row on a command line, by its name. For an option with one value the last counts.
pub fn matches<T: AsRef<str>>(
    rows: &[Row],
    declared: Command,
    given: impl Fn(&str) -> Vec<T>,
) -> Result<ArgMatches, Unfit> {
    let mut words = vec![String::new()];
    for row in rows {
        let values = given(row.name);
        let skipped = if row.is_repeatable() { 0 } else { values.len().saturating_sub(1) };
        words.extend(values.iter().skip(skipped).map(|value| match row.kind {
            Kind::Switch => format!("--{}", row.name),
            Kind::Attached if value.as_ref().is_empty() => format!("--{}", row.name),
            _ => format!("--{}={}", row.name, value.as_ref()),
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
        arg.strip_prefix("--").and_then(|it| it.split([' ', '=', '[']).next()) == Some(row.name)
    });
    let message = || error.to_string().lines().next().unwrap_or_default().to_owned();
    Unfit {
        name: named.map_or("", |row| row.name),
        value: text(ContextKind::InvalidValue),
        why: error.source().map_or_else(message, ToString::to_string),
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
