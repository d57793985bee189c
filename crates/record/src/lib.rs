//! What a run was measured to be: histograms, intervals, records, verdicts.
//!
//! Workers fill an [`Interval`] each and give it away once a second; merged, the intervals are the
//! one stream that every table, live view and file is made from. Nothing here knows a protocol:
//! operations and parts are numbers until a [`Catalogue`] names them, and nothing here reads a
//! clock.

mod catalogue;
mod codes;
mod counts;
mod health;
mod histogram;
mod interval;
mod operation;
mod phase;
mod sample;

pub use catalogue::Catalogue;
pub use codes::Codes;
pub use counts::{Counts, Imbalance};
pub use health::{Health, WorkerLoad};
pub use histogram::{Histogram, HistogramError};
pub use interval::Interval;
pub use operation::Operation;
pub use phase::Phase;
pub use sample::{Sample, Samples};
