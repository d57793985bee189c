//! Writes a run while it is in progress: [`EventLog`].
//!
//! Every line is passed to the operating system before the next interval is taken, so everything that a killed run has
//! written is in the file. Lines are not synced to disk one by one: that would take time from the run, and the data
//! would be lost only if the machine failed.

use super::line::{EndLine, HeadLine, Line, Numbered, ReadyLine, VerdictLine};
use super::{EVENTS_SCHEMA, IntervalLine};
use crate::record::outcome;
use crate::{Codes, Ending, Growing, Head, Interval, Measured, Names, Record};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// A provisional verdict follows after this many steps.
pub const VERDICT_EVERY: u64 = 10;

/// An event file being written: the head when it is created, then [`interval`](Self::interval) for each interval as it
/// is measured, then [`end`](Self::end).
///
/// A reader of a pipe that closes its end does not disturb the run: the lines that follow are left out.
pub struct EventLog<'a> {
    /// None once the reader has gone.
    out: Option<Box<dyn Write + Send + 'a>>,
    names: Names<'a>,
    head: Head,
    measured: Measured,
    seq: u64,
    /// The first step after which a verdict is due.
    verdict_at: u64,
}

impl<'a> EventLog<'a> {
    /// Begins an event file with this head, in place of an existing file. `names` gives the
    /// outcomes their names, as for the record.
    pub fn create(path: &Path, head: Head, names: Names<'a>) -> io::Result<Self> {
        Self::new(Box::new(Growing::create(path)?), head, names)
    }

    /// Begins with this head, on any writer.
    pub fn new(out: Box<dyn Write + Send + 'a>, head: Head, names: Names<'a>) -> io::Result<Self> {
        let measured = Measured::default();
        let mut log =
            Self { out: Some(out), names, head, measured, seq: 0, verdict_at: VERDICT_EVERY };
        let head = HeadLine { schema: EVENTS_SCHEMA, head: Cow::Owned(log.head.clone()) };
        log.write(Line::Head(Box::new(head)))?;
        Ok(log)
    }

    /// What was known before the run.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Writes that the run waits for the signal to begin: how many sessions there are, how many of them are ready, and
    /// why the others are not.
    pub fn ready(&mut self, sessions: u64, ready: u64, unready: &Codes) -> io::Result<()> {
        let unready = outcome::codes(0, unready, self.names);
        self.write(Line::Ready(ReadyLine { sessions, ready, unready }))
    }

    /// Adds an interval, and at regular steps the verdict on the run so far.
    pub fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        if self.out.is_none() {
            return Ok(());
        }
        self.write(Line::Interval(Box::new(IntervalLine::new(interval, self.names))))?;
        self.measured.absorb(interval);
        if interval.index < self.verdict_at {
            return Ok(());
        }
        self.verdict_at = interval.index + VERDICT_EVERY;
        let verdict = self.measured.provisional(&self.head, self.names);
        self.write(Line::Verdict(VerdictLine { at: interval.to, verdict }))
    }

    /// Ends the file with what is known only now, and the record.
    pub fn end(mut self, ending: &Ending, record: &Record) -> io::Result<()> {
        let end = EndLine { ending: Cow::Borrowed(ending), record: Cow::Borrowed(record) };
        self.write(Line::End(Box::new(end)))
    }

    fn write(&mut self, line: Line<'_>) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let mut text = serde_json::to_vec(&Numbered { seq: self.seq, line })?;
        text.push(b'\n');
        self.seq += 1;
        match out.write_all(&text).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(())
            }
            done => done,
        }
    }
}
