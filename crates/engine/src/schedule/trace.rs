//! Arrivals replayed from a file: one offset a line, in seconds from the beginning.
//!
//! The file is read before the run, so errors in it are reported before anything is sent. This file must not know where
//! the offsets were recorded.

use super::Shape;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most arrivals of a trace: more would take more memory than a generator should.
const OFFSETS_MAX: usize = 100_000_000;

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("read the trace {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line is not an offset.
    #[error(
        "read the trace {}: line {line} is '{text}'; write the seconds from the beginning, such as 1.25",
        path.display()
    )]
    Offset {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Its text, shortened if it is long.
        text: String,
    },
    /// An offset is earlier than the one before.
    #[error(
        "read the trace {}: line {line} is earlier than the one before; sort the file with 'sort -n'",
        path.display()
    )]
    Unsorted {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The file has too many lines.
    #[error("read the trace {}: it has more than {OFFSETS_MAX} lines; split it", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The file contains no offset.
    #[error("read the trace {}: it contains no offset", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Reads offsets in seconds, one a line, in ascending order, from a file that the caller has opened under this name.
/// Empty lines and text after a `#` are ignored.
pub fn read_offsets(path: &Path, file: io::Result<impl Read>) -> Result<Shape, TraceError> {
    let unreadable = |source| TraceError::Read { path: path.to_owned(), source };
    let mut offsets: Vec<u64> = Vec::new();
    for (at, line) in BufReader::new(file.map_err(unreadable)?).lines().enumerate() {
        let (line, number) = (line.map_err(unreadable)?, at + 1);
        // Some editors begin a text with a byte order mark.
        let line = line.trim_start_matches('\u{feff}');
        let text = line.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let Some(offset) = nanos(text) else {
            let text = text.chars().take(40).collect();
            return Err(TraceError::Offset { path: path.to_owned(), line: number, text });
        };
        if offsets.last().is_some_and(|last| offset < *last) {
            return Err(TraceError::Unsorted { path: path.to_owned(), line: number });
        }
        if offsets.len() == OFFSETS_MAX {
            return Err(TraceError::TooLong { path: path.to_owned() });
        }
        offsets.push(offset);
    }
    if offsets.is_empty() {
        return Err(TraceError::Empty { path: path.to_owned() });
    }
    Ok(Shape::Trace(Arc::from(offsets)))
}

/// Decimal seconds as nanoseconds, without conversion to floats; digits beyond the ninth are cut.
fn nanos(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let seconds = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let rest = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let rest = rest.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    seconds.checked_mul(1_000_000_000)?.checked_add(rest)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn read(text: &str) -> Result<Shape, TraceError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_offsets(file.path(), File::open(file.path()))
    }

    #[test]
    fn trace_offsets_are_exact() {
        let shape =
            read("# recorded\n0\n0.1 # first\n\n.25\n3.000000001\n86400.9999999999\n").unwrap();
        let expected = [0, 100_000_000, 250_000_000, 3_000_000_001, 86_400_999_999_999];
        assert_eq!(shape, Shape::Trace(Arc::from(expected)));
    }

    #[test]
    fn trace_error_names_the_line() {
        let message = |text| read(text).unwrap_err().to_string();
        assert!(message("1\n2\nsoon\n").contains("line 3 is 'soon'"));
        assert!(message("1\n-2\n").contains("line 2 is '-2'"));
        assert!(message("1\n.\n").contains("line 2"));
        assert!(message("2\n1\n").contains("line 2 is earlier"));
        assert!(message("# nothing\n").contains("no offset"));
        assert!(
            read_offsets(Path::new("/nonexistent/trace"), File::open("/nonexistent/trace"))
                .unwrap_err()
                .to_string()
                .contains("/nonexistent")
        );
    }
}
