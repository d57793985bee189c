//! Reads an event file line by line: [`EventReader`].
//!
//! A file that is still being written, or whose writer was killed, may end in the middle of a line; the reader takes
//! the end of the line before as the end of the file. Every other difference from what a run writes is an error that
//! names the line. No statement in a file makes the reader allocate more than the length of its lines.

use super::IntervalLine;
use super::line::{EVENTS_SCHEMA, Kind, LineError, ReadyLine, VerdictLine};
use crate::record::outcome;
use crate::{CodeRecord, Ending, Head, Interval, Record, Verdict};
use brunt_exchange::{Meaning, Named, Outcome};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest line that is read. The last line contains a whole record.
pub const LINE_MAX: u64 = 256 << 20;
/// The most names of outcomes that are remembered.
const NAMES_MAX: usize = 1 << 16;

/// The content of a line after the first.
#[derive(Debug)]
pub enum Event {
    /// The run waits for the signal to begin.
    Ready {
        /// How many sessions were requested from this machine.
        sessions: u64,
        /// How many of them are ready.
        ready: u64,
        /// Why attempts to make the others ready failed.
        unready: Vec<CodeRecord>,
    },
    /// What was measured in one step of one phase.
    Interval(Box<Interval>),
    /// The verdict on the run so far.
    Verdict {
        /// When, since the origin of the run.
        at: Duration,
        /// The verdict.
        verdict: Verdict,
    },
    /// The run is over: always the last.
    End {
        /// What is known only then.
        ending: Ending,
        /// The record that the run made.
        record: Box<Record>,
    },
}

/// Why an event file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The file cannot be read.
    #[error("read the events {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line is not as a run writes it.
    #[error(
        "read the events {}, line {line}: {source}; the lines before it can be kept (head -n {}) and make a \
         partial record",
        path.display(),
        line - 1
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, counted from 1.
        line: u64,
        /// What is wrong with it.
        source: LineError,
    },
    /// The first line is not one of an event file.
    #[error("read the events {}, line 1: {source}; name a file that --events has written", path.display())]
    Head {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: LineError,
    },
    /// The file ends before its first line does.
    #[error(
        "read the events {}: the file ends within its first line, so nothing of the run is known",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the lines of one run: [`head`](Self::head), then [`next_event`](Self::next_event) until it returns `None`.
pub struct EventReader<R> {
    path: PathBuf,
    input: R,
    line: Vec<u8>,
    parser: Parser,
}

impl<R: BufRead> EventReader<R> {
    /// Reads from any input; errors name it as `path`.
    pub fn new(path: &Path, input: R) -> Self {
        Self { path: path.to_owned(), input, line: Vec::new(), parser: Parser::default() }
    }

    /// The first line.
    pub fn head(&mut self) -> Result<Head, EventError> {
        let head = if self.fetch()? { self.parser.head(&self.line).map(Some) } else { Ok(None) };
        let path = || self.path.clone();
        match head {
            Ok(Some(head)) => Ok(head),
            Ok(None) => Err(EventError::Empty { path: path() }),
            Err(error) if self.is_cut(&error) => Err(EventError::Empty { path: path() }),
            Err(source) => Err(EventError::Head { path: path(), source }),
        }
    }

    /// The content of the next line; `None` where the file ends, also in the middle of a line.
    pub fn next_event(&mut self) -> Result<Option<Event>, EventError> {
        while self.fetch()? {
            match self.parser.event(&self.line) {
                Ok(None) => {}
                Ok(event) => return Ok(event),
                Err(error) if self.is_cut(&error) => return Ok(None),
                Err(source) => {
                    let (path, line) = (self.path.clone(), self.parser.read + 1);
                    return Err(EventError::Line { path, line, source });
                }
            }
        }
        Ok(None)
    }

    /// What the lines so far contain about an outcome.
    pub fn name(&self, operation: usize, outcome: Outcome) -> Named {
        let known = self.parser.names.get(&(operation, outcome));
        known.cloned().unwrap_or_else(|| outcome::class(outcome).0.into())
    }

    /// Reads the next line. Returns whether there is one.
    fn fetch(&mut self) -> Result<bool, EventError> {
        self.line.clear();
        let read = (&mut self.input).take(LINE_MAX + 1).read_until(b'\n', &mut self.line);
        match read {
            Ok(length) => Ok(length > 0),
            Err(source) => Err(EventError::File { path: self.path.clone(), source }),
        }
    }

    /// Whether the error is that the end of the line is missing.
    fn is_cut(&self, error: &LineError) -> bool {
        // The parser reports a number that ends after its decimal point as a syntax error, and not as the end of the
        // input.
        let ends = matches!(error, LineError::Json(error) if error.is_eof() || error.is_syntax());
        ends && !self.line.ends_with(b"\n")
    }
}

/// Parses the lines of one run, one after another.
///
/// It does not depend on the type of the input: with a generic input, every crate that reads events would compile the
/// whole of a record again.
#[derive(Default)]
struct Parser {
    /// How many lines were read.
    read: u64,
    /// How many operations and parts the head names.
    named: [usize; 2],
    over: bool,
    names: HashMap<(usize, Outcome), Named>,
}

impl Parser {
    /// The content of the first line.
    fn head(&mut self, line: &[u8]) -> Result<Head, LineError> {
        let head = read_head(line)?;
        self.read = 1;
        self.named = [head.catalogue.operations.len(), head.catalogue.parts.len()];
        Ok(head)
    }

    /// The content of a line; `None` if its type is from a later version, which can be ignored.
    fn event(&mut self, line: &[u8]) -> Result<Option<Event>, LineError> {
        let kind = read_kind(line)?;
        let order = |expected| LineError::Order { found: kind.word.clone(), expected };
        if self.over {
            return Err(order("the end of the file"));
        }
        if kind.seq != self.read {
            return Err(LineError::Number { found: kind.seq, expected: self.read });
        }
        let event = match kind.word.as_str() {
            "head" => return Err(order("the same run")),
            "ready" => {
                let ReadyLine { sessions, ready, unready } = serde_json::from_slice(line)?;
                Some(Event::Ready { sessions, ready, unready })
            }
            "interval" => Some(self.interval(line)?),
            "verdict" => {
                let VerdictLine { at, verdict } = serde_json::from_slice(line)?;
                Some(Event::Verdict { at, verdict })
            }
            "end" => {
                let ending = serde_json::from_slice(line)?;
                let Whole { record } = serde_json::from_slice(line)?;
                self.over = true;
                Some(Event::End { ending, record })
            }
            _ => None,
        };
        self.read += 1;
        Ok(event)
    }

    fn interval(&mut self, line: &[u8]) -> Result<Event, LineError> {
        let line: IntervalLine = serde_json::from_slice(line)?;
        let found = [line.operations.len(), line.parts.len()];
        for (what, (found, named)) in
            ["operations", "parts"].into_iter().zip(found.into_iter().zip(self.named))
        {
            if found != named {
                return Err(LineError::Unnamed { what, found, named });
            }
        }
        let interval = line.interval()?;
        self.learn(0, &line.unready);
        for (number, operation) in line.operations.iter().chain(&line.spans).enumerate() {
            self.learn(number, &operation.codes);
        }
        Ok(Event::Interval(Box::new(interval)))
    }

    fn learn(&mut self, operation: usize, codes: &[CodeRecord]) {
        for code in codes {
            let Some(outcome) = outcome::outcome(&code.class, code.code) else { continue };
            if self.names.len() < NAMES_MAX && !self.names.contains_key(&(operation, outcome)) {
                let meaning = code.meaning.as_deref().and_then(Meaning::from_word);
                let named = Named { name: code.name.clone(), meaning };
                self.names.insert((operation, outcome), named);
            }
        }
    }
}

/// The record of a last line, without the other fields.
#[derive(Deserialize)]
struct Whole {
    record: Box<Record>,
}

/// Whether a file that begins with this line is an event file.
pub(crate) fn begins_events(first: &[u8]) -> bool {
    // In the form that brunt writes, so it is recognised even if the rest of the line is missing.
    first.starts_with(br#"{"seq":0,"type":"head""#)
        || serde_json::from_slice::<Kind>(first).is_ok_and(|kind| kind.word == "head")
}

fn read_kind(line: &[u8]) -> Result<Kind, LineError> {
    if line.len() as u64 > LINE_MAX {
        return Err(LineError::Long(LINE_MAX));
    }
    Ok(serde_json::from_slice(line)?)
}

fn read_head(line: &[u8]) -> Result<Head, LineError> {
    let kind = read_kind(line)?;
    if kind.word != "head" || kind.seq != 0 {
        return Err(LineError::Order { found: kind.word, expected: "a head with number 0" });
    }
    match kind.schema {
        Some(schema) if schema == EVENTS_SCHEMA => Ok(serde_json::from_slice(line)?),
        found => Err(LineError::Version { found: found.unwrap_or_default() }),
    }
}
