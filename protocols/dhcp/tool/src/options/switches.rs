//! The table of switches: the spelling, the values and the purpose of each.
//!
//! A name of one letter is a switch of the original tool and is spelled `-r`; our own have only long names, so that no
//! letter of an existing command line changes its meaning. This module does not depend on the effect of a value.

pub mod group;
mod ours;
mod theirs;

use brunt_run::options::load_options;
use brunt_run::options::row::{Kind, Row};
use brunt_run::options::spelling::{Own, Spelling};
use std::sync::LazyLock;

/// Every switch, group by group, each group in the order of the help.
pub fn all() -> Vec<Row> {
    let mut all = [theirs::ALL.to_vec(), ours::all()].concat();
    all.sort_by_key(|switch| {
        let group = group::ALL.iter().position(|group| *group == switch.group);
        let long = switch.name.len() > 1;
        (group, long, switch.name.to_lowercase(), switch.name.starts_with(char::is_uppercase))
    });
    all
}

/// The names.
pub static EXCHANGES: Spelling = Spelling {
    noun: "exchange",
    nouns: "exchanges",
    session: "slot of the window",
    is_open: false,
    own: &[
        Own::new("rate", "r"),
        Own::new("duration", "p"),
        Own::new("count", "n"),
        Own::new("timeout", "d"),
        Own::new("workers", "workers"),
        Own::new("warm_up", "warm-up").help(
            "Run for this long before measuring, such as 10s. -p and -n count from its end",
        ),
        Own::new("drain", "drain").help(
            "How long to wait at the end for outstanding answers, such as 2s; in an avalanche, after ^C. -W is the \
             same in microseconds. Default: as long as -d allows",
        ),
    ],
    lacks: &[],
};

/// The options that the original tool does not have.
pub fn common_rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| load_options::rows(&EXCHANGES));
    &ROWS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use brunt_run::options::row::dashed;

    #[test]
    fn switch_names_are_unique() {
        let mut names = HashSet::new();
        for name in all().iter().flat_map(Row::names) {
            assert!(names.insert(name), "there are two {}", dashed(name));
        }
    }

    #[test]
    fn switch_rows_are_complete() {
        for switch in all() {
            let name = dashed(switch.name);
            assert!(switch.help.ends_with(['.', ')']), "{name} has no sentence");
            assert_eq!(switch.value.is_empty(), switch.kind == Kind::Switch, "{name}");
        }
    }

    /// The letters of the guide of 2012 and of Kea 3, as in their `getopt` strings.
    #[test]
    fn switches_of_the_original_are_all_present() {
        let table = all();
        let find = |name: &str| {
            table.iter().find(|switch| switch.name == name).unwrap_or_else(|| panic!("{name}"))
        };
        let old = "hv46A:r:t:R:b:n:p:d:D:l:P:a:L:N:M:s:iBc1C:J:T:X:O:o:E:S:I:x:W:w:e:f:F:g:uy:Y:V";
        let mut letters = old.chars().peekable();
        let mut count = 0;
        while let Some(letter) = letters.next() {
            let takes_value = letters.next_if_eq(&':').is_some();
            assert_eq!(find(&letter.to_string()).takes_value(), takes_value, "-{letter}");
            count += 1;
        }
        let short = table.iter().filter(|switch| switch.name.chars().count() == 1).count();
        assert_eq!(short, count, "a letter of our own could change what an old script says");
        assert!(find("scenario").takes_value() && find("or").takes_value());
    }
}
