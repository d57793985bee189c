//! [`Pipe`]: a named pipe to a program that reads it while it is written.
//!
//! Opening a named pipe blocks until a reader opens it, and writing blocks while the reader does not read: both without
//! limit, unless the pipe is opened as here. After a wait of [`PATIENCE`] the caller gets an error, and after the
//! reader has closed its end, an error at once.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

/// How long a reader may take to open its end, or to read the data.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often opening is tried while the pipe has no reader.
const TICK: Duration = Duration::from_millis(20);

/// The writing end of a named pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    file: File,
    patience: Duration,
}

impl Pipe {
    /// Whether there is a named pipe at this path.
    pub(crate) fn is_at(path: &Path) -> bool {
        path.metadata().is_ok_and(|found| found.file_type().is_fifo())
    }

    /// Opens the pipe as soon as it has a reader.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::opened(path, PATIENCE)
    }

    fn opened(path: &Path, patience: Duration) -> io::Result<Self> {
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
        let mut waited = Duration::ZERO;
        loop {
            match File::options().write(true).custom_flags(flags).open(path) {
                Err(error) if nobody_reads(&error) => {}
                opened => return opened.map(|file| Self { file, patience }),
            }
            if waited >= patience {
                let seconds = patience.as_secs();
                let why = format!("no process has read from this pipe within {seconds} s");
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            wait(TICK);
            waited += TICK;
        }
    }

    /// Waits until the pipe accepts data.
    fn ready(&self) -> io::Result<()> {
        let limit = Timespec::try_from(self.patience).map_err(io::Error::other)?;
        let mut waiting = [PollFd::new(&self.file, PollFlags::OUT)];
        match poll(&mut waiting, Some(&limit)) {
            Ok(0) => {
                let seconds = self.patience.as_secs();
                let why = format!("the reader of this pipe has taken nothing for {seconds} s");
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.ready()?,
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn nobody_reads(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the kernel tells nobody when the other end of a named pipe is opened"
)]
fn wait(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};
    use std::io::Read as _;

    /// Makes a named pipe.
    pub(crate) fn fifo(path: &Path) {
        mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    }

    #[test]
    fn pipe_delivers_everything_to_a_late_reader() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        fifo(&path);
        assert!(Pipe::is_at(&path) && !Pipe::is_at(directory.path()));
        let late = path.clone();
        let reader = std::thread::spawn(move || {
            wait(Duration::from_millis(100));
            let mut text = Vec::new();
            File::open(late).unwrap().read_to_end(&mut text).unwrap();
            text.len()
        });
        // More than the buffer of a pipe.
        Pipe::open(&path).unwrap().write_all(&vec![b'x'; 300_000]).unwrap();
        assert_eq!(reader.join().unwrap(), 300_000);
    }

    #[test]
    fn pipe_without_a_reader_times_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        fifo(&path);
        let brief = Duration::from_millis(50);
        let alone = Pipe::opened(&path, brief).unwrap_err();
        assert_eq!(alone.kind(), io::ErrorKind::TimedOut, "{alone}");
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap();
        let reader = File::options().read(true).custom_flags(flags).open(&path).unwrap();
        let mut pipe = Pipe::opened(&path, brief).unwrap();
        let stands_still = pipe.write_all(&vec![b'x'; 300_000]).unwrap_err();
        assert_eq!(stands_still.kind(), io::ErrorKind::TimedOut, "{stands_still}");
        drop(reader);
        let left = pipe.write_all(b"x").unwrap_err();
        assert_eq!(left.kind(), io::ErrorKind::BrokenPipe, "{left}");
    }
}
