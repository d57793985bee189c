//! The events of several runs in one file: [`GatheredLog`] writes it, and [`gathered`] reads it as a collection.
//!
//! The collection has lines of its own. Between them, each run has the same lines as in an event file of that run only,
//! so a reader of single runs can read any of these. A line marks the beginning of a cell, and another one gives all
//! that is known of it. So after a kill, the file contains every cell up to that point and a partial one.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::line::{Kind, LineError};
use super::reader::LINE_MAX;
use super::replay::{Replay, ReplayError};
use crate::{COLLECTION_SCHEMA, Cell, Collection, Environment, Growing, Tool};

/// The version of the format.
pub const GATHERED_SCHEMA: &str = "brunt-collection-events/1";
/// The types of the lines of a collection itself.
const KINDS: [&str; 4] = ["collection", "cell", "cell_end", "collection_end"];
/// A line written by brunt states its type within this many bytes.
const KIND_WITHIN: usize = 64;

/// A line of the collection itself.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Numbered {
    /// The number of the line among those of the collection itself, counted from 0, without gaps.
    seq: u64,
    /// The content of the line.
    #[serde(flatten)]
    line: GatheredLine,
}

/// The content of a line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum GatheredLine {
    /// The first line: what is known before the first run.
    Collection(Box<Begun>),
    /// The lines that follow are of the run of this cell.
    Cell {
        /// The labels that distinguish this cell from the others.
        labels: BTreeMap<String, String>,
    },
    /// All that is known of the cell, except its record: that is in the last line of its run.
    CellEnd {
        /// The labels, as in the collection.
        labels: BTreeMap<String, String>,
        /// What was measured beside the record.
        figures: BTreeMap<String, f64>,
        /// What a reader should know about it.
        notes: Vec<String>,
    },
    /// The last line.
    CollectionEnd {
        /// How many cells there are.
        cells: u64,
    },
}

/// What is known before the first run: fields of a collection.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Begun {
    /// `brunt-collection-events/1`.
    schema: String,
    subject: String,
    tool: Tool,
    started: String,
    command: Vec<String>,
    environment: Environment,
    facts: BTreeMap<String, String>,
    figures: BTreeMap<String, f64>,
}

/// Where the lines of several runs go, one run after the other.
#[derive(Clone)]
pub struct SharedLog(Arc<Mutex<Box<dyn Write + Send>>>);

impl SharedLog {
    /// Lines that go to any writer.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Arc::new(Mutex::new(out)))
    }
}

impl Write for SharedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    // A line is either complete or absent. Only the owner of the file can ensure this.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

impl fmt::Debug for SharedLog {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SharedLog")
    }
}

impl PartialEq for SharedLog {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// An event file of several runs, being written. Call [`begin`](Self::begin) first, then, for each run,
/// [`cell`](Self::cell), write the lines of the run and call [`cell_end`](Self::cell_end), and finally
/// [`end`](Self::end).
#[derive(Debug)]
pub struct GatheredLog {
    out: SharedLog,
    seq: u64,
    cells: u64,
}

impl GatheredLog {
    /// Begins an event file in place of an existing one. Nothing is written before
    /// [`begin`](Self::begin).
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::new(SharedLog::new(Box::new(Growing::create(path)?))))
    }

    /// Begins an event file on any writer.
    pub fn new(out: SharedLog) -> Self {
        Self { out, seq: 0, cells: 0 }
    }

    /// The log to which runs write their lines.
    pub fn shared(&self) -> SharedLog {
        self.out.clone()
    }

    /// Writes what is known of a collection before its first cell.
    pub fn begin(&mut self, collection: &Collection) -> io::Result<()> {
        let Collection { subject, tool, started, command, environment, facts, figures, .. } =
            collection.clone();
        let schema = GATHERED_SCHEMA.to_owned();
        let begun = Begun { schema, subject, tool, started, command, environment, facts, figures };
        self.write(GatheredLine::Collection(Box::new(begun)))
    }

    /// Writes that a cell with these labels begins.
    pub fn cell(&mut self, labels: BTreeMap<String, String>) -> io::Result<()> {
        self.write(GatheredLine::Cell { labels })
    }

    /// Writes that all of a cell is known.
    pub fn cell_end(&mut self, cell: &Cell) -> io::Result<()> {
        self.cells += 1;
        let Cell { labels, figures, notes, .. } = Cell { record: None, ..cell.clone() };
        self.write(GatheredLine::CellEnd { labels, figures, notes })
    }

    /// Writes that there are no more cells.
    pub fn end(mut self) -> io::Result<()> {
        let cells = self.cells;
        self.write(GatheredLine::CollectionEnd { cells })
    }

    /// A reader that closes its end causes no error.
    fn write(&mut self, line: GatheredLine) -> io::Result<()> {
        let mut text = serde_json::to_vec(&Numbered { seq: self.seq, line })?;
        text.push(b'\n');
        self.seq += 1;
        match self.out.write_all(&text).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }
}

/// Why no collection could be made of an event file of several runs.
#[derive(Debug, thiserror::Error)]
pub enum GatheredError {
    /// The file cannot be read.
    #[error("read the events {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line of the collection itself is not as brunt writes it.
    #[error("read the events {}, line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, counted from 1.
        line: u64,
        /// What is wrong with it.
        source: LineError,
    },
    /// The lines of a run are not as a run writes them.
    #[error(transparent)]
    Run(#[from] ReplayError),
    /// The number of cells is not the number that the last line states.
    #[error(
        "read the events {}: it holds {found} runs and ends with a line that says {message}; lines were changed",
        path.display()
    )]
    Cells {
        /// The file.
        path: PathBuf,
        /// How many runs there are.
        found: u64,
        /// How many runs the last line states.
        message: u64,
    },
}

/// Whether a file that begins with this line is one of several runs.
pub(crate) fn begins_gathered(first: &[u8]) -> bool {
    // In the form that brunt writes, so it is recognised even if the rest of the line is missing.
    first.starts_with(br#"{"seq":0,"type":"collection""#)
        || serde_json::from_slice::<Kind>(first).is_ok_and(|kind| kind.word == KINDS[0])
}

/// The collection of an event file of several runs. If the file is complete, it is the collection that brunt made.
/// Otherwise it contains all the cells up to the end of the file, of which the last may be partial.
pub fn gathered(path: &Path, input: impl BufRead) -> Result<Collection, GatheredError> {
    let mut reader = Reader { path: path.to_owned(), lines: Lines::new(input), seq: 0 };
    let mut collection = match reader.next_line()? {
        Some(GatheredLine::Collection(begun)) if begun.schema == GATHERED_SCHEMA => begun.empty(),
        Some(GatheredLine::Collection(begun)) => {
            return Err(reader.wrong(LineError::Version { found: begun.schema }));
        }
        _ => return Err(reader.wrong(order("what follows", "a collection with number 0"))),
    };
    let mut open: Option<Cell> = None;
    while let Some(line) = reader.next_line()? {
        match (line, open.take()) {
            // A run that could not be carried out has no end, and is not a cell of the collection.
            (GatheredLine::Cell { labels }, _) => {
                let number = collection.cells.len() + 1;
                let record = reader.record(number)?;
                open = Some(Cell { labels, record, ..Cell::default() });
            }
            (GatheredLine::CellEnd { labels, figures, notes }, Some(cell)) => {
                collection.cells.push(Cell { labels, figures, notes, ..cell });
            }
            (GatheredLine::CollectionEnd { cells }, _) => {
                let found = collection.cells.len() as u64;
                if found == cells {
                    return Ok(collection);
                }
                return Err(GatheredError::Cells { path: reader.path, found, message: cells });
            }
            _ => return Err(reader.wrong(order("a line of its own", "a cell"))),
        }
    }
    let ends = "the events end here: brunt was killed";
    if let Some(mut cell) = open.filter(|cell| cell.record.is_some()) {
        cell.figures.insert("invalid".to_owned(), 1.0);
        cell.notes.push(ends.to_owned());
        collection.cells.push(cell);
    }
    let runs = match collection.cells.len() {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    collection.facts.insert("not complete".to_owned(), format!("{ends} after {runs}"));
    Ok(collection)
}

fn order(found: &str, expected: &'static str) -> LineError {
    LineError::Order { found: found.to_owned(), expected }
}

impl Begun {
    fn empty(self) -> Collection {
        let Self { subject, tool, started, command, environment, facts, figures, .. } = self;
        let (schema, cells) = (COLLECTION_SCHEMA.to_owned(), Vec::new());
        Collection { schema, subject, tool, started, command, environment, facts, figures, cells }
    }
}

/// Reads lines of the collection, and runs between them.
struct Reader<R> {
    path: PathBuf,
    lines: Lines<R>,
    seq: u64,
}

impl<R: BufRead> Reader<R> {
    fn wrong(&self, source: LineError) -> GatheredError {
        GatheredError::Line { path: self.path.clone(), line: self.lines.read, source }
    }

    fn unread(&self, source: io::Error) -> GatheredError {
        GatheredError::File { path: self.path.clone(), source }
    }

    /// The next line, which must be one of the collection itself. A file may end in the middle of a line.
    fn next_line(&mut self) -> Result<Option<GatheredLine>, GatheredError> {
        if let Err(error) = self.lines.fill() {
            return Err(self.unread(error));
        }
        if !self.lines.line.ends_with(b"\n") {
            return Ok(None);
        }
        let read: Result<Numbered, _> = serde_json::from_slice(&self.lines.line);
        let Numbered { seq, line } = read.map_err(|error| self.wrong(LineError::Json(error)))?;
        if seq != self.seq {
            let expected = self.seq;
            return Err(self.wrong(LineError::Number { found: seq, expected }));
        }
        self.seq += 1;
        self.lines.at = self.lines.line.len();
        Ok(Some(line))
    }

    /// The record of the run whose lines come next, if there are any.
    fn record(&mut self, number: usize) -> Result<Option<Box<crate::Record>>, GatheredError> {
        let path = PathBuf::from(format!("{} (run {number})", self.path.display()));
        if let Err(error) = self.lines.fill() {
            return Err(self.unread(error));
        }
        // An incomplete head gives no information.
        if !self.lines.line.ends_with(b"\n") || self.lines.is_own() {
            return Ok(None);
        }
        let replay = Replay::read(&path, &mut self.lines)?;
        Ok(Some(Box::new(replay.record()?)))
    }
}

/// A file by its lines. As a reader, it ends before the next line of the collection itself.
struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// How much of the line was read.
    at: usize,
    /// How many lines there were.
    read: u64,
}

impl<R: BufRead> Lines<R> {
    const fn new(input: R) -> Self {
        Self { input, line: Vec::new(), at: 0, read: 0 }
    }

    /// Reads the next line if the one before was consumed. An empty line means the end of the file.
    fn fill(&mut self) -> io::Result<()> {
        if self.at < self.line.len() {
            return Ok(());
        }
        self.line.clear();
        self.at = 0;
        let length = (&mut self.input).take(LINE_MAX + 1).read_until(b'\n', &mut self.line)?;
        self.read += u64::from(length > 0);
        Ok(())
    }

    /// Whether the line is one of the collection itself.
    fn is_own(&self) -> bool {
        let begin = &self.line[..self.line.len().min(KIND_WITHIN)];
        let begin = std::str::from_utf8(begin).unwrap_or_else(|error| {
            std::str::from_utf8(&begin[..error.valid_up_to()]).unwrap_or_default()
        });
        let word = begin.strip_prefix("{\"seq\":").and_then(|rest| {
            let digits = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
            digits.strip_prefix(",\"type\":\"")?.split('"').next()
        });
        match word {
            Some(word) => KINDS.contains(&word),
            // Another program has rewritten the line.
            None => serde_json::from_slice::<Kind>(&self.line)
                .is_ok_and(|kind| KINDS.contains(&kind.word.as_str())),
        }
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut there = self.fill_buf()?;
        let length = there.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        let ends = self.at == 0 && self.is_own();
        Ok(if ends { &[] } else { &self.line[self.at..] })
    }

    fn consume(&mut self, length: usize) {
        self.at += length;
    }
}

/// The JSON schema of a line of the collection itself, as it is published.
pub fn schema() -> String {
    crate::schema_of::<Numbered>(GATHERED_SCHEMA)
}

#[cfg(test)]
mod tests;
