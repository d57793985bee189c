//! [`Tail`]: the events of a run, read from its file as they are written.
//!
//! Another process writes the file, which may end in the middle of a line at any time: an incomplete line is left for
//! the next read. So a server that was paused or restarted continues where the file is.

use std::fs::File;
use std::io::{self, BufRead, Read as _};
use std::path::Path;

use brunt_record::Head;
use brunt_record::events::{Event, EventError, EventReader, LINE_MAX};

/// How many bytes are read at a time.
const PIECE: usize = 256 << 10;
/// The last line contains the whole record, and begins with this after its number.
const LAST: &[u8] = br#""type":"end""#;
/// How many bytes at the beginning of a line are searched for this text.
const LAST_WITHIN: usize = 64;

/// Follows an event file.
pub(crate) struct Tail {
    /// The reader, which knows the outcome names that occurred so far.
    pub(crate) events: EventReader<WholeLines>,
    head: Option<Head>,
}

impl Tail {
    /// Starts at the beginning of a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let lines = WholeLines {
            file: File::open(path)?,
            bytes: Vec::new(),
            whole: 0,
            read: 0,
            over: false,
        };
        Ok(Self { events: EventReader::new(path, lines), head: None })
    }

    /// The description of the run from before it began, once it is written.
    pub(crate) fn head(&mut self) -> Result<Option<&Head>, EventError> {
        if self.head.is_none() {
            match self.events.head() {
                Ok(head) => self.head = Some(head),
                Err(EventError::Empty { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(self.head.as_ref())
    }

    /// The event of the next complete line, if there is one. The last line, with the record, is not read.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, EventError> {
        if self.head()?.is_none() { Ok(None) } else { self.events.next_event() }
    }
}

/// The complete lines of a file.
pub(crate) struct WholeLines {
    file: File,
    bytes: Vec<u8>,
    /// How many of the bytes are complete lines, and how many of them were consumed.
    whole: usize,
    read: usize,
    /// Whether the last line was reached.
    over: bool,
}

impl io::Read for WholeLines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let taken = there.len().min(into.len());
        into[..taken].copy_from_slice(&there[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for WholeLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.whole && !self.over {
            self.bytes.drain(..self.whole);
            (self.read, self.whole) = (0, 0);
            let before = self.bytes.len();
            if before as u64 > LINE_MAX {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a line has no end"));
            }
            (&self.file).take(PIECE as u64).read_to_end(&mut self.bytes)?;
            if self.bytes.len() == before {
                return Ok(&[]);
            }
            self.find_whole(before);
        }
        Ok(&self.bytes[self.read..self.whole])
    }

    fn consume(&mut self, count: usize) {
        self.read = self.whole.min(self.read + count);
    }
}

impl WholeLines {
    /// Determines how many bytes are complete lines, given how many bytes are known to contain no line end.
    fn find_whole(&mut self, before: usize) {
        let Some(end) = self.bytes[before..].iter().rposition(|byte| *byte == b'\n') else {
            self.over = is_last(&self.bytes);
            return;
        };
        self.whole = before + end + 1;
        let begins = self.bytes[..self.whole - 1].iter().rposition(|byte| *byte == b'\n');
        let last = begins.map_or(0, |at| at + 1);
        if is_last(&self.bytes[last..self.whole]) {
            (self.whole, self.over) = (last, true);
        } else if is_last(&self.bytes[self.whole..]) {
            self.over = true;
        }
        if self.over {
            self.bytes.truncate(self.whole);
        }
    }
}

fn is_last(line: &[u8]) -> bool {
    line[..line.len().min(LAST_WITHIN)].windows(LAST.len()).any(|part| part == LAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn tail_returns_whole_lines_but_never_the_last() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events");
        let mut out = File::create(&path).unwrap();
        let file = File::open(&path).unwrap();
        let mut lines = WholeLines { file, bytes: Vec::new(), whole: 0, read: 0, over: false };
        let mut next = |out: &mut File, text: &str| {
            out.write_all(text.as_bytes()).unwrap();
            let mut read = String::new();
            lines.read_to_string(&mut read).unwrap();
            read
        };
        assert_eq!(next(&mut out, "one"), "");
        assert_eq!(next(&mut out, "\ntw"), "one\n");
        assert_eq!(next(&mut out, ""), "");
        assert_eq!(next(&mut out, "o\nthree\nfo"), "two\nthree\n");
        let long = "x".repeat(3 * PIECE);
        assert_eq!(next(&mut out, &long), "");
        assert_eq!(next(&mut out, "\n"), format!("fo{long}\n"));
        assert_eq!(next(&mut out, "five\n{\"seq\":7,\"type\":\"end\",\"rec"), "five\n");
        assert_eq!(next(&mut out, "ord\":{}}\n"), "");
    }
}
