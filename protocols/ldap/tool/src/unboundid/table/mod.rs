//! The options of UnboundID's tools, as rows.

mod connection;
mod load;
mod operation;

use brunt_run::options::row::{Kind, Row};

use crate::options::table::{self as options, group};
use crate::options::tool::Tool;
use crate::unboundid::names::is_named;

/// The headings of the help.
pub(super) const ORIGINAL: &str = "Options of the original";
pub(super) const ADDED: &str = "Options added by brunt";

/// The largest number that an option of these tools takes.
pub(super) const MOST: i128 = 2_147_483_647;

/// Options of ours that mean nothing in this dialect: its tables are always those of the original, its values are
/// always patterns, and its connections stay open.
const NOT_HERE: [&str; 8] =
    ["close", "codes", "compat", "dialect", "inc-scope", "rand-inclusive", "raw", "value-patterns"];

/// Every option of a tool: those of the original in the order of its help, and then ours.
pub(crate) fn of(tool: Tool) -> Vec<Row> {
    let mut rows = [connection::ROWS, &operation::of(tool), load::ROWS, PROPERTIES_ROWS].concat();
    let theirs = rows.clone();
    let known = |name: &str| theirs.iter().any(|row| is_named(row, name));
    let ours = options::of(tool).into_iter().filter(|option| suits(option.group, option.name));
    rows.extend(ours.filter(|option| !known(option.name)).map(of_ours));
    rows
}

/// An option of ours, which both dialects have. The letters are those of the original.
fn of_ours(option: Row) -> Row {
    Row { short: None, group: ADDED, to: option.name, is_ours: true, ..option }
}

/// An option of the original.
const fn row(name: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(ORIGINAL, name, value, kind, help)
}

/// An option of the original without a value.
const fn switch(name: &'static str, help: &'static str) -> Row {
    Row::switch(ORIGINAL, name, help)
}

fn suits(group: &str, name: &str) -> bool {
    match group {
        group::LOAD | group::NETWORK | group::OUTPUT => !NOT_HERE.contains(&name),
        group::REQUEST => ["bindControl", "manageDsaIt"].contains(&name),
        group::CONNECTION => name == "connectTimeout",
        _ => false,
    }
}

/// The row of a long name.
pub(super) fn find_long<'t>(name: &str, rows: &'t [Row]) -> Option<&'t Row> {
    // A name of the original precedes one of ours, which come last.
    rows.iter().find(|row| is_named(row, name))
}

/// The row of a letter.
pub(super) fn find_short(letter: char, rows: &[Row]) -> Option<&Row> {
    let letter = if letter == '?' { 'H' } else { letter };
    rows.iter().find(|row| row.short == Some(letter))
}

/// A number from 1.
const COUNT: Kind = Kind::Integer(1, MOST);

/// What is about the command line itself.
const PROPERTIES_ROWS: &[Row] = &[
    row(
        "propertiesFilePath",
        "path",
        Kind::Path,
        "Properties file with options that the command line does not set.",
    ),
    switch(
        "noPropertiesFile",
        "Do not read a properties file, also if UNBOUNDID_TOOL_PROPERTIES_FILE_PATH names one.",
    ),
    switch("suppressPropertiesFileComment", "Do not print what came from the properties file."),
    row(
        "generatePropertiesFile",
        "path",
        Kind::Path,
        "Write a commented properties file and exit.",
    ),
    switch("interactive", "Not supported: give the options on the command line."),
    switch("version", "Show the version and exit.").short('V'),
    switch("help", "Show this page and exit.").short('H'),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::options::dialect::Dialect;

    #[test]
    fn option_names_are_unique_and_targets_exist() {
        for tool in Tool::ALL.into_iter().filter(|tool| Dialect::Unboundid.has(*tool)) {
            let (mut shorts, mut longs) = (HashSet::new(), HashSet::new());
            let known = options::of(tool);
            for row in of(tool) {
                assert!(row.short.is_none_or(|it| shorts.insert(it)), "{tool:?} {:?}", row.short);
                assert!(longs.insert(row.name.to_lowercase()), "{tool:?} {}", row.name);
                let target = row.to.is_empty() || known.iter().any(|option| option.name == row.to);
                assert!(target, "{tool:?} {} becomes {}", row.name, row.to);
                assert!(row.help.ends_with(['.', ')']), "{}", row.name);
                assert_eq!(row.value.is_empty(), row.kind == Kind::Switch, "{}", row.name);
            }
        }
    }
}
