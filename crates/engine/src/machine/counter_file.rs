//! [`CounterFile`]: a file in which the kernel shows counters.
//!
//! It stays open, so that a reading is one system call and allocates nothing: some are read a hundred times a second,
//! and the others each second of every run. What the text means is for others to know.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Enough for every file but `/proc/stat`, which has a line for each core.
const LENGTH: usize = 512;
/// The most of a file that is read. Four thousand cores have half of it.
const LENGTH_MAX: usize = 1 << 20;

/// An open file, with the memory for its text.
#[derive(Debug)]
pub(super) struct CounterFile {
    file: File,
    text: Vec<u8>,
}

impl CounterFile {
    /// Opens it, if the kernel has it.
    pub(super) fn open(path: impl AsRef<Path>) -> Option<Self> {
        Some(Self { file: File::open(path).ok()?, text: vec![0; LENGTH] })
    }

    /// The current text, or its first part if it is very long; `None` if it cannot be read.
    pub(super) fn read(&mut self) -> Option<&str> {
        loop {
            // The kernel makes the whole text for a reading from the beginning, and passes on what there is room for.
            let length = self.file.read_at(&mut self.text, 0).ok()?;
            if length < self.text.len() || length >= LENGTH_MAX {
                return std::str::from_utf8(&self.text[..length]).ok();
            }
            self.text.resize(self.text.len() * 2, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn read_returns_the_whole_current_text() {
        let mut written = tempfile::NamedTempFile::new().unwrap();
        let mut read = CounterFile::open(written.path()).unwrap();
        assert_eq!(read.read(), Some(""));
        let mut expected = String::new();
        for line in ["throttled_usec 1\n", &"cpu 1 2 3\n".repeat(LENGTH), "last\n"] {
            written.write_all(line.as_bytes()).unwrap();
            expected.push_str(line);
            assert_eq!(read.read(), Some(expected.as_str()));
        }
        written.as_file().set_len(5).unwrap();
        assert_eq!(read.read(), Some("throt"));
    }

    #[test]
    fn read_cuts_an_endless_text() {
        let mut endless = CounterFile::open("/dev/zero").unwrap();
        assert_eq!(endless.read().map(str::len), Some(LENGTH_MAX));
    }

    #[test]
    fn missing_file_and_invalid_utf8_give_none() {
        assert!(CounterFile::open("/nonexistent").is_none());
        let mut bytes = tempfile::NamedTempFile::new().unwrap();
        bytes.write_all(&[0xff]).unwrap();
        assert_eq!(CounterFile::open(bytes.path()).unwrap().read(), None);
    }
}
