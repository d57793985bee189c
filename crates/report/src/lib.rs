//! Tables, CSV and text made from a record or its intervals.
//!
//! Everything here turns measurements into text and prints nothing: where the text goes is the
//! binary's business. No figure is shown that was not measured: what is unknown is a dash.

pub mod dhcp;
mod intervals;
pub mod loadgen;
mod summary;
pub mod table;

pub use intervals::intervals_csv;
pub use summary::{Style, summary};

use brunt_record::Record;

/// The record as the JSON that `--record` writes.
pub fn json(record: &Record) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(record)
}
