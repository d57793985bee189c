//! The summary of a run, for the terminal.

use std::path::Path;

use brunt_record::Record;
use brunt_report::Style;

use crate::console;

/// The summary of a record, coloured where standard error is.
pub(crate) fn summary(record: &Record) -> Result<String, String> {
    let style = Style { colour: console::colours(), verdict_always: false };
    brunt_report::summary(record, style).map_err(|error| format!("failed to {error}"))
}

/// Prints the summary to standard error with what else there is to say: standard output belongs to the table of a tool.
pub(crate) fn tell(record: &Record, more: &str, written: Option<&Path>) -> Result<(), String> {
    console::tell(&format!("\n{}{more}", summary(record)?));
    say_where(written);
    Ok(())
}

/// Says where the record is.
pub(crate) fn say_where(record: Option<&Path>) {
    if let Some(path) = record {
        console::say(&format!("record: {}", path.display()));
    }
}
