//! Whether runs differ, figure by figure: [`compare`], and how a figure changed over many runs: [`trend()`].
//!
//! A comparison reports better or worse only for changes that chance does not explain, and otherwise `~`. How much a
//! figure varies is known within a run from its seconds, by a bootstrap over blocks of them, and between runs from
//! repeated runs. `docs/statistics.md` describes which method is used where, and why. Everything here is a pure
//! function of the records: the random numbers are those of a constant. It reads no file and does not depend on any
//! command.

mod blocks;
mod bootstrap;
mod change_points;
mod compared;
mod distances;
mod document;
mod figure;
mod figured;
mod judgement;
mod markdown;
mod measured;
mod mismatch;
mod page;
mod random;
mod ranks;
#[cfg(test)]
mod simulated;
mod steps;
mod student;
#[cfg(test)]
mod tests;
mod tolerance;
mod trend;
mod trend_page;
mod words;

pub use compared::{compare, compare_figured};
pub use document::{COMPARISON_SCHEMA, Comparison, Difference, Finding, Pair, RunOf, Side};
pub use figure::Figure;
pub use figured::{FIGURES_SCHEMA, FiguredRun, FiguredSide, RunFigures, RunSteps};
pub use judgement::{ALARMS, LEAST_ERRORS, LEAST_REPEATED, LEAST_SINGLE};
pub use markdown::markdown;
pub(crate) use mismatch::{ComparableProperties, unlike};
pub use mismatch::{Mismatch, differences};
pub use page::{attention, closing, page, spectra, spectra_figured};
pub use tolerance::{Tolerance, ToleranceError};
pub use trend::{
    Change, Level, RECORDS_MAX, TREND_SCHEMA, Trend, TrendSeries, levels, trend, trend_figured,
};
pub use trend_page::trend_page;

use brunt_record::Record;

/// One run that is compared.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file it was read from.
    pub name: String,
    /// The words of its command that define the load.
    pub requested: Vec<String>,
    /// The run.
    pub record: Record,
}

/// One side that is compared.
#[derive(Clone, Debug)]
pub struct Given {
    /// The file or directory.
    pub name: String,
    /// Its runs.
    pub runs: Vec<Input>,
}
