//! [`TableOptions`]: what the table shows, and where it is written.

use std::path::PathBuf;
use std::time::Duration;

use super::{UsageError, Values};

/// What the table shows, and where it is written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Debug, PartialEq)]
pub struct TableOptions {
    /// Comma-separated values instead of a table.
    pub script_friendly: bool,
    /// Print each failed operation.
    pub verbose: bool,
    /// Print result codes after each row.
    pub codes: bool,
    /// Time between rows.
    pub interval: Duration,
    /// The timestamps before rows.
    pub timestamps: Timestamps,
    /// A file for the output that would go to the terminal.
    pub file: Option<PathBuf>,
    /// Whether that file is appended to.
    pub append: bool,
    /// Whether the output goes to the terminal as well.
    pub tee: bool,
}

/// The timestamps before rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timestamps {
    /// Nothing.
    None,
    /// Date and time.
    WithDate,
    /// The time of day.
    WithoutDate,
}

/// Reads what the table shows.
pub fn read(values: &Values) -> Result<TableOptions, UsageError> {
    let file = values.path("outputFile");
    for long in ["appendToOutputFile", "teeOutput"] {
        if values.has(long) && file.is_none() {
            return Err(UsageError::new(format!("--{long} needs --outputFile")));
        }
    }
    Ok(TableOptions {
        script_friendly: values.has("scriptFriendly"),
        verbose: values.has("verbose"),
        codes: values.has("codes"),
        interval: Duration::from_secs(values.count("statInterval").unwrap_or(5)),
        timestamps: match values.choice("timestampFormat") {
            Some("with-date") => Timestamps::WithDate,
            Some("without-date") => Timestamps::WithoutDate,
            _ => Timestamps::None,
        },
        append: values.has("appendToOutputFile"),
        tee: values.has("teeOutput"),
        file,
    })
}
