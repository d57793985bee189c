//! [`Finished`]: a run that is over.

use std::path::PathBuf;

use brunt_record::{Measured, Record};

use super::exit::Early;
use super::export::LastScrape;
use super::losses::Losses;
use super::signals::Signal;

/// A run that is over.
pub(crate) struct Finished {
    /// The record.
    pub(crate) record: Record,
    /// What was measured.
    pub(crate) measured: Measured,
    /// What the engine says of the run.
    pub(crate) engine: brunt_engine::Finished,
    /// The signal that ended it.
    pub(crate) signal: Option<Signal>,
    /// The condition of `--abort-on` that ended it, in words.
    pub(crate) aborted: Option<String>,
    /// Where the record was written.
    pub(crate) written: Option<PathBuf>,
    /// What could not be written, or given back to the target.
    pub(crate) losses: Losses,
    /// Figures that can still be scraped. They are waited for when this is dropped, so it is kept until all is printed.
    pub(crate) last_scrape: LastScrape,
}

impl Finished {
    /// What ended it early.
    pub(crate) fn early(&self) -> Option<Early> {
        self.signal.map(Early::Signal).or(self.aborted.as_ref().map(|_| Early::Aborted))
    }
}
