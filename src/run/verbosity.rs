//! [`Verbosity`] and [`Outcome`]: what a command that carries out another says, and gets back.

use brunt_record::Record;

use crate::cli::exit::Exit;

/// Whether a run shows what it measures as it goes, or only returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Prints the table and the summary.
    Normal,
    /// Prints nothing.
    Quiet,
}

/// What came of a run, for a caller that shows it in its own way.
pub(crate) struct Outcome {
    /// The record.
    pub(crate) record: Record,
    /// How the program should end.
    pub(crate) exit: Exit,
}
