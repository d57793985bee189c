//! The output of real database clients: rows as the text that `mariadb` and `psql` print.

use crate::tool::finish;
use std::process::Command;

/// Runs a client that separates columns by tabs, and reads its rows.
pub(crate) fn rows(client: &mut Command) -> Vec<Vec<String>> {
    let text = finish(client);
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The one number that a query answered.
pub(crate) fn number(rows: &[Vec<String>], query: &str) -> u64 {
    let first = rows.first().and_then(|row| row.first());
    let first = first.unwrap_or_else(|| panic!("no row for {query}"));
    first.parse().unwrap_or_else(|_| panic!("{first:?} is no number, for {query}"))
}
