//! [`Finished`]: a run that is over.

use std::path::PathBuf;

use brunt_record::{Measured, Record};

use super::exit::Early;
use super::export::LastScrape;
use super::signals::Signal;
use super::write_failures::WriteFailures;

/// A run that is over.
pub struct Finished {
    /// The record.
    pub record: Record,
    /// What was measured.
    pub measured: Measured,
    /// The engine's report of the run.
    pub engine: brunt_engine::Finished,
    /// The signal that ended it.
    pub signal: Option<Signal>,
    /// The condition of `--abort-on` that ended it, as text.
    pub aborted: Option<String>,
    /// Whether it is a canary after which the run did not begin.
    pub is_canary: bool,
    /// The path of the record.
    pub written: Option<PathBuf>,
    /// What could not be written, or given back to the target.
    pub losses: WriteFailures,
    /// Figures that can still be scraped. Dropping this waits for a last scrape, so it is kept until everything is
    /// printed.
    pub last_scrape: LastScrape,
}

impl Finished {
    /// What ended it early.
    pub fn early(&self) -> Option<Early> {
        self.signal.map(Early::Signal).or(self.aborted.as_ref().map(|_| Early::Aborted))
    }
}
