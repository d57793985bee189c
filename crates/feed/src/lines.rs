//! The lines of a data file, loaded once and addressed by number.
//!
//! There is one buffer and one table of offsets, which are 32 bits wide if the file allows it: a file of ten million
//! names takes its own size and 40 MB, and a line is found without a search.

use crate::file;
use crate::files::Files;
use std::io;
use std::path::Path;

/// The lines of one file, without their terminators (LF or CR LF).
#[derive(Debug)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    starts: Starts,
}

#[derive(Debug)]
enum Starts {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Lines {
    /// Reads the file at `path`.
    pub(crate) fn read(files: &Files, path: &Path) -> io::Result<Self> {
        Ok(Self::from_bytes(files.read_lines(path, file::DATA_MAX)?))
    }

    /// The lines in `bytes`. A terminator at the very end does not begin another line; an empty line elsewhere is a
    /// value like any other.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        let wide = u32::try_from(bytes.len()).is_err();
        let starts = if wide {
            Starts::Wide(starts(&bytes).map(|start| start as u64).collect())
        } else {
            Starts::Narrow(starts(&bytes).map(|start| start as u32).collect())
        };
        Self { bytes, starts }
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> u64 {
        match &self.starts {
            Starts::Narrow(starts) => starts.len() as u64,
            Starts::Wide(starts) => starts.len() as u64,
        }
    }

    /// Line `index`, counted from 0; empty beyond the last.
    pub(crate) fn line(&self, index: u64) -> &[u8] {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let Some(start) = self.start(index) else { return &[] };
        let end = self.start(index + 1).unwrap_or(self.bytes.len());
        let line = &self.bytes[start..end];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn start(&self, index: usize) -> Option<usize> {
        match &self.starts {
            Starts::Narrow(starts) => starts.get(index).map(|&start| start as usize),
            Starts::Wide(starts) => starts.get(index).map(|&start| start as usize),
        }
    }
}

fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let after_terminators =
        bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(after_terminators).filter(|&start| start < bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let lines = Lines::from_bytes(text.as_bytes().to_vec());
        (0..lines.len())
            .map(|index| String::from_utf8_lossy(lines.line(index)).into_owned())
            .collect()
    }

    #[test]
    fn line_terminators_are_removed() {
        assert_eq!(all("a\nb\r\nc"), ["a", "b", "c"]);
        assert_eq!(all("a\n"), ["a"]);
        assert_eq!(all("a\n\nb\n"), ["a", "", "b"]);
        assert_eq!(all("\n"), [""]);
        assert!(all("").is_empty());
    }

    #[test]
    fn wide_offsets_address_the_same_lines() {
        let bytes = b"one\r\ntwo\nthree".to_vec();
        let wide = Lines {
            starts: Starts::Wide(starts(&bytes).map(|start| start as u64).collect()),
            bytes,
        };
        assert_eq!(wide.len(), 3);
        assert_eq!(wide.line(0), b"one");
        assert_eq!(wide.line(2), b"three");
        assert_eq!(wide.line(3), b"");
    }
}
