//! Reading a lease file back into an index: [`recover`].
//!
//! A machine that stopped may leave the last record torn, or without what the system had not written yet; so a last
//! record that cannot be read is cut off, and its length is reported. Anything before it that cannot be read was not
//! written by this program, and is an error with its line number: a file is never repaired by guessing.

use super::index::Index;
use super::record::{Format, Parsed};
use crate::BackendError;
use crate::leases::{Family, Schema};
use brunt_exchange::Class;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

/// The longest record, in octets: three identities of 255 octets, written three digits each, and the rest.
const RECORD_MAX: u64 = 4_096;

/// The result of reading a lease file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The leases that are held.
    pub leases: u64,
    /// The records read.
    pub records: u64,
    /// The octets of the last record that could not be read and were cut off.
    pub torn: u64,
}

/// An index of the content of a file, and the length of the part that was read.
pub(super) struct Read {
    pub(super) index: Index,
    pub(super) recovered: Recovered,
    /// The octets of the header and of complete records.
    pub(super) length: u64,
}

/// Reads the records of `file` from its beginning.
pub(super) fn recover(
    (format, family): (Format, Family),
    schema: Schema,
    path: &Path,
    file: &File,
) -> Result<Read, BackendError> {
    let mut lines = Lines { path, format, input: BufReader::with_capacity(1 << 16, file), line: 0 };
    let mut read =
        Read { index: Index::new(schema, family), recovered: Recovered::default(), length: 0 };
    let mut text = Vec::new();
    let header = format.header(family);
    if !header.is_empty() {
        lines.line(&mut text)?;
        if text != header.as_bytes() {
            let torn = lines.at_end()? && header.as_bytes().starts_with(&text);
            read.recovered.torn = text.len() as u64;
            let what = format!("no lease file of {}: another first line", name(family));
            return if torn { Ok(read) } else { Err(lines.malformed(&what)) };
        }
        read.length = text.len() as u64;
    }
    loop {
        text.clear();
        lines.record(&mut text)?;
        if text.is_empty() {
            return Ok(read);
        }
        match format.read(family, &text) {
            Ok(lease) => {
                read.recovered.records += 1;
                read.length += text.len() as u64;
                enter(&mut read.index, &lease).ok_or_else(|| lines.malformed("too many leases"))?;
                read.recovered.leases = read.index.count();
            }
            Err(_) if lines.at_end()? => {
                read.recovered.torn = text.len() as u64;
                return Ok(read);
            }
            Err(error) => return Err(lines.malformed(&error.to_string())),
        }
    }
}

/// Applies a record to the index. `None` if there is no room.
fn enter(index: &mut Index, lease: &Parsed) -> Option<()> {
    if let Some(before) = index.at(lease.address) {
        let taken = index.take(before);
        index.forget(&taken);
    }
    if lease.valid_lifetime > 0 {
        index.add(&lease.columns())?;
    }
    Some(())
}

fn name(family: Family) -> &'static str {
    match family {
        Family::V4 => "IPv4",
        Family::V6 | Family::Prefix => "IPv6",
    }
}

struct Lines<'f> {
    path: &'f Path,
    format: Format,
    input: BufReader<&'f File>,
    line: u64,
}

impl Lines<'_> {
    /// Appends the next record, or the part of it that is present.
    fn record(&mut self, text: &mut Vec<u8>) -> Result<(), BackendError> {
        let Some(last) = self.format.last_line() else { return self.line(text) };
        loop {
            let before = text.len();
            self.line(text)?;
            let line = &text[before..];
            if line == last || !line.ends_with(b"\n") || text.len() as u64 > RECORD_MAX {
                return Ok(());
            }
        }
    }

    /// Appends the next line with its end, or the part of it that is present.
    fn line(&mut self, text: &mut Vec<u8>) -> Result<(), BackendError> {
        self.line += 1;
        let mut input = (&mut self.input).take(RECORD_MAX);
        let read = input.read_until(b'\n', text);
        read.map(drop).map_err(|error| self.unreadable(&error))
    }

    fn at_end(&mut self) -> Result<bool, BackendError> {
        match self.input.fill_buf() {
            Ok(rest) => Ok(rest.is_empty()),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    fn unreadable(&self, error: &std::io::Error) -> BackendError {
        let text = format!("read {}: {error}", self.path.display());
        let code = error.raw_os_error().unwrap_or(0).cast_unsigned();
        BackendError::new(Class::Connect, code, text)
    }

    fn malformed(&self, what: &str) -> BackendError {
        let text = format!("read {}, line {}: {what}", self.path.display(), self.line);
        BackendError::new(Class::Protocol, 0, text)
    }
}
