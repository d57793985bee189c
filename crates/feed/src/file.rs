//! Files that a command line or a plan names, read completely, up to a limit.
//!
//! If a device, a pipe or the wrong file is named, the limit produces an error before memory is exhausted. Tables of
//! data have a separate limit (`table.rs`).

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::files::{Files, Kind};

/// The maximum size in bytes of files that people write: scripts, plans, templates, lists of rates.
pub const WRITTEN_MAX: u64 = 64 << 20;

/// The maximum size in bytes of data files: lines of values, payloads.
pub const DATA_MAX: u64 = 1 << 30;

impl Files {
    /// Opens a file that a command line or a plan names.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.opened_as(path.as_ref(), Kind::Data)
    }

    /// The same for a file that contains a secret.
    pub fn open_secret(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.opened_as(path.as_ref(), Kind::Secret)
    }

    fn opened_as(&self, path: &Path, kind: Kind) -> io::Result<File> {
        self.check(path)?;
        let file = File::open(path)?;
        self.remember(path, kind);
        Ok(file)
    }

    /// Reads a file of at most this many bytes.
    pub fn read(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        whole(self.open(path)?, most)
    }

    /// The same for a file that contains a secret.
    pub fn read_secret(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let path = path.as_ref();
        match self.open_secret(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.stands_in() => {
                self.remember(path, Kind::Secret);
                Ok(b"x\n".to_vec())
            }
            opened => whole(opened?, most).map(unmarked),
        }
    }

    /// Reads the lines or other text of a file of at most this many bytes, without a byte order mark.
    pub fn read_lines(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        self.read(path, most).map(unmarked)
    }

    /// Reads a text of at most [`WRITTEN_MAX`] bytes, without a byte order mark.
    pub fn read_text(&self, path: impl AsRef<Path>) -> io::Result<String> {
        let bytes = self.read_lines(path, WRITTEN_MAX)?;
        String::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
    }
}

fn whole(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!(
            "it has more than {} MiB, the most that is read of it; give a smaller file",
            most >> 20
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// A text without the byte order mark that some editors write at the beginning of UTF-8.
pub fn unmarked(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_file_is_refused() {
        let files = Files::default();
        let error = files.read("/dev/zero", 2 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("it has more than 2 MiB"), "{error}");
        assert_eq!(files.read("/dev/null", 0).unwrap(), b"");
        assert_eq!(files.read_text("/dev/null").unwrap(), "");
        assert!(files.read("/no/such/file", 9).is_err());
    }

    #[test]
    fn byte_order_mark_is_removed_from_text() {
        let files = Files::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "\u{feff}a\u{feff}\n").unwrap();
        let rest = "a\u{feff}\n".as_bytes();
        assert_eq!(files.read_text(file.path()).unwrap().as_bytes(), rest);
        assert_eq!(files.read_lines(file.path(), 99).unwrap(), rest);
        assert_eq!(files.read_secret(file.path(), 99).unwrap(), rest);
        assert_eq!(files.read(file.path(), 99).unwrap().len(), rest.len() + 3, "bytes are bytes");
    }
}
