//! The names of perfdhcp for the options that loads have in common: the letters of the original tool.

use std::sync::LazyLock;

use brunt_run::options::load_options;
use brunt_run::options::row::Row;
use brunt_run::options::spelling::{Own, Spelling};

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
