//! The tables of options of the LDAP rate tools.
//!
//! This module does not depend on the effect of an option.

mod command;
mod connection;
pub mod group;
mod own;

use std::collections::HashSet;
use std::sync::LazyLock;

use brunt_run::options::load_options;
use brunt_run::options::row::{Kind, Row};
use brunt_run::options::spelling::{Own, Spelling};

use super::tool::Tool;

/// The largest and the smallest number of 64 bits.
const I64_MAX: i128 = i64::MAX as i128;
const I64_MIN: i128 = i64::MIN as i128;

/// The key by which the help is sorted.
pub(super) fn order(row: &Row) -> (String, bool) {
    let name =
        row.short.map_or_else(|| row.name.to_lowercase(), |short| short.to_lowercase().collect());
    (name, row.short.is_some_and(char::is_uppercase))
}

/// Every option of a tool, group by group, each group in the order of the help.
pub fn of(tool: Tool) -> Vec<Row> {
    let mut all: Vec<Row> = unsorted(tool).collect();
    all.sort_by_cached_key(|option| {
        let group = group::ALL.iter().position(|group| *group == option.group);
        (group, order(option))
    });
    all
}

/// Whether any tool has an option whose first long name is this. It is asked for every option that is read, so the
/// tables are made once.
pub fn is_known(long: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        Tool::ALL.into_iter().flat_map(unsorted).map(|option| option.name).collect()
    });
    KNOWN.contains(long)
}

fn unsorted(tool: Tool) -> impl Iterator<Item = Row> {
    [command::of(tool), connection::of(tool), own::of(tool)].into_iter().flatten()
}

/// The names.
pub static OPERATIONS: Spelling = Spelling {
    noun: "operation",
    nouns: "operations",
    session: "connection",
    is_open: false,
    own: &[
        Own::new("rate", "targetThroughput").shorts(&['M']),
        Own::new("rate_file", "variableRateData"),
        Own::new("warm_up", "warmUpDuration").shorts(&['B']),
        Own::new("duration", "maxDuration").shorts(&['d']),
        Own::new("count", "maxIterations").shorts(&['m']),
        Own::new("timeout", "operationTimeout"),
        Own::new("drain", "drainTimeout"),
    ],
    lacks: &[],
};

/// The options that the original tools do not have.
pub fn common_rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| load_options::rows(&OPERATIONS));
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_unique_per_tool() {
        for tool in Tool::ALL {
            let mut names = HashSet::new();
            let mut shorts = HashSet::new();
            for option in of(tool) {
                for name in option.names() {
                    assert!(names.insert(name.to_lowercase()), "{} has two --{name}", tool.name());
                }
                if let Some(short) = option.short {
                    assert!(shorts.insert(short), "{} has two -{short}", tool.name());
                }
            }
        }
    }

    #[test]
    fn option_rows_are_complete() {
        for option in Tool::ALL.into_iter().flat_map(of) {
            assert!(option.help.ends_with(['.', ')']), "--{} has no sentence", option.name);
            assert_eq!(option.value.is_empty(), option.kind == Kind::Switch, "--{}", option.name);
        }
    }
}
