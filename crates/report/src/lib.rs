//! Tables, charts, pages and CSV made from a record, its intervals or a collection of records.
//!
//! Everything here turns measurements into text and prints nothing: the binary decides where the
//! text goes. Only measured figures are shown: an unknown figure is a dash.

mod branches;
pub mod capacity;
pub mod cells;
pub mod chart;
pub mod comparison;
mod csv_field;
mod difference;
mod distribution;
mod escaped;
mod failures;
pub mod figure;
pub mod grid;
mod intervals;
mod junit;
mod last_screen;
mod messages;
mod operations;
pub mod page;
mod rate_curve;
pub mod rates;
pub mod run;
pub mod samples;
mod screen;
mod summary;
mod trust;
pub mod view;
mod wrapped;

pub use branches::passed_over;
pub use cells::csv as cells_csv;
pub use difference::{Difference, Finding, compare, median, spread};
pub use distribution::distribution;
pub use failures::failures;
pub use intervals::intervals_csv;
pub use junit::junit;
pub use last_screen::last_screen;
pub use operations::operations_csv;
pub use rate_curve::rate_curve;
pub use screen::Screen;
pub use summary::{attention, attention_of_all, closing, closing_of_all, summary};
pub use wrapped::{command_line, wrapped};

use serde::Serialize;

/// A comparison or a trend as JSON.
pub fn json(document: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(document)
}
