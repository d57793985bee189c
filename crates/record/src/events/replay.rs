//! A run from its event file: [`Replay`].

use super::{Event, EventError, EventReader};
use crate::{Cause, Ending, Head, Measured, Record, SloError};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Why no record could be made of an event file.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It could not be read.
    #[error(transparent)]
    Events(#[from] EventError),
    /// Its objectives do not fit its operations.
    #[error("read the events {}: failed to {source}", path.display())]
    Objective {
        /// The file.
        path: PathBuf,
        /// Which objective, and why.
        source: SloError,
    },
    /// Its intervals do not match its record.
    #[error(
        "read the events {}: its intervals count {intervals} operations and the record in its last line {record}; \
         lines were changed (the record alone: tail -n 1 FILE | jq .record)",
        path.display()
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// Exchanges that ended in the intervals.
        intervals: u64,
        /// Exchanges that ended in the record.
        record: u64,
    },
}

/// A run as described by its event file.
pub struct Replay<R> {
    path: PathBuf,
    events: EventReader<R>,
    head: Head,
    measured: Measured,
    end: Option<(Ending, Box<Record>)>,
}

impl<R: BufRead> Replay<R> {
    /// Reads the whole file; errors name it as `path`.
    pub fn read(path: &Path, input: R) -> Result<Self, ReplayError> {
        let mut events = EventReader::new(path, input);
        let head = events.head()?;
        let mut replay =
            Self { path: path.to_owned(), events, head, measured: Measured::default(), end: None };
        while let Some(event) = replay.events.next_event()? {
            match event {
                Event::Interval(interval) => replay.measured.absorb(&interval),
                Event::Ready { .. } | Event::Verdict { .. } => {}
                Event::End { ending, record } => replay.end = Some((ending, record)),
            }
        }
        Ok(replay)
    }

    /// What was known before the run.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The record of the run: the one that the run made, or, if the file does not contain its end,
    /// a partial one of the intervals that are there.
    pub fn record(&self) -> Result<Record, ReplayError> {
        let ending = self.end.as_ref().map_or_else(|| self.cut_off(), |(ending, _)| ending.clone());
        let made = self.made(ending)?;
        let Some((_, record)) = &self.end else { return Ok(made) };
        if (made.counts, &made.conservation) == (record.counts, &record.conservation) {
            return Ok(Record::clone(record));
        }
        let ended = |record: &Record| record.conservation.counts.sent;
        let (intervals, record) = (ended(&made), ended(record));
        Err(ReplayError::Differs { path: self.path.clone(), intervals, record })
    }

    /// The record that follows from the intervals, with this ending.
    pub(super) fn made(&self, ending: Ending) -> Result<Record, ReplayError> {
        let names = |operation, outcome| self.events.name(operation, outcome);
        let conclusion = self.measured.conclusion(self.head.clone(), &names, ending);
        conclusion
            .record()
            .map_err(|source| ReplayError::Objective { path: self.path.clone(), source })
    }

    fn cut_off(&self) -> Ending {
        let ending = Ending::so_far(&self.measured.totals);
        let after_s = ending.timing.over.as_secs_f64();
        ending.cut_short(Cause::EventsEnd { after_s }.into())
    }
}
