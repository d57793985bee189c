//! The options of UnboundID's tools, as rows.

mod connection;
mod files;
mod load;
mod operation;

use super::row::Row;
use crate::options::table::{self as options, Group, Kind};
use crate::options::tool::Tool;

/// The largest number that an option of these tools takes.
pub(super) const MOST: i64 = 2_147_483_647;

/// Options of ours that mean nothing in this dialect: its tables are always those of the original, its values are
/// always patterns, and its connections stay open.
const NOT_HERE: [&str; 8] =
    ["close", "codes", "compat", "dialect", "inc-scope", "rand-inclusive", "raw", "value-patterns"];

/// Every option of a tool: those of the original in the order of its help, and then ours.
pub(super) fn of(tool: Tool) -> Vec<Row> {
    let mut rows = [connection::ROWS, &operation::of(tool), load::ROWS, files::ROWS].concat();
    let theirs = rows.clone();
    let known = |name: &str| theirs.iter().any(|row| row.is_named(name));
    let ours = options::of(tool).into_iter().filter(|option| suits(option.group, option.long));
    rows.extend(ours.filter(|option| !known(option.long)).map(|option| Row::ours(&option)));
    rows
}

fn suits(group: Group, long: &str) -> bool {
    match group {
        Group::Load | Group::Network | Group::Output => !NOT_HERE.contains(&long),
        Group::Request => ["bindControl", "manageDsaIt"].contains(&long),
        Group::Connection => long == "connectTimeout",
        Group::Command | Group::Utility | Group::General => false,
    }
}

/// The row of a long name.
pub(super) fn find_long<'t>(name: &str, rows: &'t [Row]) -> Option<&'t Row> {
    // A name of the original precedes one of ours, which come last.
    rows.iter().find(|row| row.is_named(name))
}

/// The row of a letter.
pub(super) fn find_short(letter: char, rows: &[Row]) -> Option<&Row> {
    let letter = if letter == '?' { 'H' } else { letter };
    rows.iter().find(|row| row.short == Some(letter))
}

/// A number from 1.
const COUNT: Kind = Kind::Integer(1, MOST);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::options::dialect::Dialect;

    #[test]
    fn no_tool_has_two_options_of_one_name_and_every_target_exists() {
        for tool in Tool::ALL.into_iter().filter(|tool| Dialect::Unboundid.has(*tool)) {
            let (mut shorts, mut longs) = (HashSet::new(), HashSet::new());
            let known = options::of(tool);
            for row in of(tool) {
                assert!(row.short.is_none_or(|it| shorts.insert(it)), "{tool:?} {:?}", row.short);
                assert!(longs.insert(row.long.to_lowercase()), "{tool:?} {}", row.long);
                let target = row.to.is_empty() || known.iter().any(|option| option.long == row.to);
                assert!(target, "{tool:?} {} becomes {}", row.long, row.to);
                assert!(row.help.ends_with(['.', ')']), "{}", row.long);
                assert_eq!(row.value.is_empty(), row.kind == Kind::Switch, "{}", row.long);
            }
        }
    }
}
