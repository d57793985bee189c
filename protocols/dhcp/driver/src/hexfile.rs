//! Packet templates: files of hexadecimal digits, one packet each.
//!
//! White space is allowed anywhere, so that a packet copied from a capture can be laid out freely.

use brunt_feed::{Files, file};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not a packet template.
#[derive(Debug, Error)]
pub enum HexFileError {
    /// It cannot be read.
    #[error("read the packet template {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error that the system returned.
        source: std::io::Error,
    },
    /// It contains a character that is not a hexadecimal digit.
    #[error(
        "read the packet template {}: line {line}, column {column}: {found:?} is no hexadecimal digit; \
         only digits and white space may stand there",
        path.display()
    )]
    Digit {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The character found.
        found: char,
    },
    /// A byte has only one digit.
    #[error(
        "read the packet template {}: {digits} digits make no whole number of bytes; the last one, in line {line}, \
         column {column}, stands alone",
        path.display()
    )]
    Odd {
        /// The file.
        path: PathBuf,
        /// The number of digits.
        digits: usize,
        /// The line of the last digit.
        line: usize,
        /// The column of the last digit.
        column: usize,
    },
    /// It contains no digit.
    #[error("read the packet template {}: there is no digit in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the packet in a file.
pub fn read(path: &Path, files: &Files) -> Result<Vec<u8>, HexFileError> {
    let bytes = files
        .read_lines(path, file::WRITTEN_MAX)
        .map_err(|source| HexFileError::Read { path: path.to_owned(), source })?;
    packet(path, &String::from_utf8_lossy(&bytes))
}

fn packet(path: &Path, text: &str) -> Result<Vec<u8>, HexFileError> {
    let mut packet = Vec::with_capacity(text.len() / 2);
    let mut half = None;
    let mut digits = 0;
    let (mut line, mut column) = (1, 0);
    let mut last = (1, 1);
    for found in text.chars() {
        column += 1;
        // C, and therefore old files, count the vertical tab as white space, but `char`'s ASCII rule does not.
        if found.is_ascii_whitespace() || found == '\x0b' {
            if found == '\n' {
                (line, column) = (line + 1, 0);
            }
            continue;
        }
        let Some(digit) = found.to_digit(16) else {
            return Err(HexFileError::Digit { path: path.to_owned(), line, column, found });
        };
        digits += 1;
        last = (line, column);
        match half.take() {
            None => half = Some(digit as u8),
            Some(high) => packet.push(high << 4 | digit as u8),
        }
    }
    if half.is_some() {
        let (line, column) = last;
        return Err(HexFileError::Odd { path: path.to_owned(), digits, line, column });
    }
    if packet.is_empty() {
        return Err(HexFileError::Empty { path: path.to_owned() });
    }
    Ok(packet)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Result<Vec<u8>, String> {
        packet(Path::new("discover.hex"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn hex_digits_may_be_separated_by_any_space() {
        assert_eq!(message("0106 0A\n0b\r\n\tf f\x0b\x0c"), Ok(vec![0x01, 0x06, 0x0a, 0x0b, 0xff]));
    }

    #[test]
    fn hex_errors_name_line_and_column() {
        let digit = message("0106\n 0g").unwrap_err();
        assert!(digit.contains("discover.hex: line 2, column 3: 'g' is no"), "{digit}");
        let odd = message("0106\n0\n").unwrap_err();
        assert!(odd.contains("5 digits") && odd.contains("line 2, column 1"), "{odd}");
        assert!(message(" \n").unwrap_err().contains("no digit"), "nothing is no packet");
        assert!(message("01:06").unwrap_err().contains("column 3: ':'"));
    }

    #[test]
    fn missing_template_file_is_named() {
        let missing =
            read(Path::new("/nowhere/packet.hex"), &Files::default()).unwrap_err().to_string();
        assert!(missing.starts_with("read the packet template /nowhere/packet.hex: "), "{missing}");
    }
}
