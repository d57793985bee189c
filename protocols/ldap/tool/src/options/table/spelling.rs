//! The names of the LDAP rate tools for the options that loads have in common: those of the original tools.

use std::sync::LazyLock;

use brunt_run::options::load_options;
use brunt_run::options::row::Row;
use brunt_run::options::spelling::{Own, Spelling};

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
