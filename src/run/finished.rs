//! [`Finished`]: a run that is over.

use std::path::PathBuf;

use brunt_record::{Measured, Record};

use super::exit::Early;
use super::export::LastScrape;
use super::signals::Signal;
use super::write_failures::WriteFailures;

/// A run that is over.
pub(crate) struct Finished {
    /// The record.
    pub(crate) record: Record,
    /// What was measured.
    pub(crate) measured: Measured,
    /// The engine's report of the run.
    pub(crate) engine: brunt_engine::Finished,
    /// The signal that ended it.
    pub(crate) signal: Option<Signal>,
    /// The condition of `--abort-on` that ended it, as text.
    pub(crate) aborted: Option<String>,
    /// The path of the record.
    pub(crate) written: Option<PathBuf>,
    /// What could not be written, or given back to the target.
    pub(crate) losses: WriteFailures,
    /// Figures that can still be scraped. Dropping this waits for a last scrape, so it is kept until everything is
    /// printed.
    pub(crate) last_scrape: LastScrape,
}

impl Finished {
    /// What ended it early.
    pub(crate) fn early(&self) -> Option<Early> {
        self.signal.map(Early::Signal).or(self.aborted.as_ref().map(|_| Early::Aborted))
    }
}
