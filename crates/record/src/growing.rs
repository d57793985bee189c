//! [`Growing`]: a file that grows while a run is in progress, or a pipe to a reader that follows it.
//!
//! The data of each [`write_all`](Write::write_all) is passed to the operating system in one piece. If it cannot be
//! written, a regular file is cut back to its previous length, so that a full disk leaves whole lines. Only its owner
//! may read it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::file::create_private;
use crate::pipe::Pipe;

/// Takes lines one after another.
#[derive(Debug)]
pub struct Growing(To);

#[derive(Debug)]
enum To {
    /// A regular file, and how much of it is whole.
    File(File, u64),
    Pipe(Pipe),
    /// A terminal or another device.
    Device(File),
}

impl Growing {
    /// Begins a file in place of an existing one. A named pipe must have a reader.
    pub fn create(path: &Path) -> io::Result<Self> {
        if Pipe::is_at(path) {
            return Pipe::open(path).map(|pipe| Self(To::Pipe(pipe)));
        }
        let file = create_private(path)?;
        let regular = file.metadata()?.is_file();
        Ok(Self(if regular { To::File(file, 0) } else { To::Device(file) }))
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            To::File(file, whole) => {
                let written = file.write(bytes)?;
                *whole += written as u64;
                Ok(written)
            }
            To::Pipe(pipe) => pipe.write(bytes),
            To::Device(file) => file.write(bytes),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            To::File(file, whole) => {
                if let Err(error) = file.write_all(bytes) {
                    // Of the two failures, the first is the one to report.
                    let _ = file.set_len(*whole);
                    return Err(error);
                }
                *whole += bytes.len() as u64;
                Ok(())
            }
            To::Pipe(pipe) => pipe.write_all(bytes),
            To::Device(file) => file.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn growing_file_is_truncated_and_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.hlog");
        let mut file = Growing::create(&path).unwrap();
        file.write_all(b"one\n").unwrap();
        file.write_all(b"two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        drop(Growing::create(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn growing_file_reports_a_full_device() {
        let mut full = Growing::create(Path::new("/dev/full")).unwrap();
        let error = full.write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
