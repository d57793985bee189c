//! [`Verbosity`] and [`Outcome`]: what a command passes to another that it carries out, and gets back.

use brunt_record::Record;

use crate::options::exit::Exit;

/// Whether a run prints what it measures, or only returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Prints the table and the summary.
    Normal,
    /// Prints nothing.
    Quiet,
}

/// The result of a run, for a caller that shows it in its own way.
pub struct Outcome {
    /// The record.
    pub record: Record,
    /// The exit code that the program should have.
    pub exit: Exit,
}
