//! [`Streams`]: standard output and standard error of a command.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Console;

/// The stream that a text is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Output,
    Error,
}

/// Where the two streams of a command go.
#[derive(Debug)]
pub(super) enum Streams {
    /// To those of the process.
    OfProcess,
    /// Nowhere: they are kept.
    Kept { output: Mutex<Vec<u8>>, errors: Mutex<Vec<u8>> },
}

impl Streams {
    pub(super) fn kept() -> Self {
        Self::Kept { output: Mutex::default(), errors: Mutex::default() }
    }

    pub(super) const fn is_of_process(&self) -> bool {
        matches!(self, Self::OfProcess)
    }

    /// Writes these texts, with nothing of other threads in between.
    pub(super) fn write(&self, stream: Stream, texts: &[&[u8]]) -> io::Result<()> {
        let write = |out: &mut dyn Write| {
            texts.iter().try_for_each(|text| out.write_all(text)).and_then(|()| out.flush())
        };
        match (self.lock(stream), stream) {
            (Some(mut kept), _) => write(&mut *kept),
            (None, Stream::Output) => write(&mut io::stdout().lock()),
            (None, Stream::Error) => write(&mut io::stderr().lock()),
        }
    }

    /// What was written, if it is kept.
    pub(super) fn text(&self, stream: Stream) -> String {
        let kept = self.lock(stream);
        kept.map(|kept| String::from_utf8_lossy(&kept).into_owned()).unwrap_or_default()
    }

    pub(super) fn is_terminal(&self, stream: Stream) -> bool {
        self.is_of_process()
            && match stream {
                Stream::Output => io::stdout().is_terminal(),
                Stream::Error => io::stderr().is_terminal(),
            }
    }

    /// The number of columns of a terminal; none for anything else.
    pub(super) fn width(&self, stream: Stream) -> Option<usize> {
        if !self.is_of_process() {
            return None;
        }
        match stream {
            Stream::Output => width(&io::stdout()),
            Stream::Error => width(&io::stderr()),
        }
    }

    fn lock(&self, stream: Stream) -> Option<MutexGuard<'_, Vec<u8>>> {
        let Self::Kept { output, errors } = self else { return None };
        let kept = if stream == Stream::Output { output } else { errors };
        Some(kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok().filter(|_| stream.is_terminal());
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Standard output of a console as a writer.
#[derive(Clone, Debug)]
pub struct Output(pub(super) Console);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.streams.write(Stream::Output, &[bytes]).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn console_keeps_its_own_output() {
        let (one, other) =
            (Console::kept(Environment::default()), Console::kept(Environment::default()));
        one.print("a result\n").unwrap();
        one.note("a note");
        other.writer().write_all(b"bytes").unwrap();
        other.hold();
        other.message("held");
        assert_eq!(
            (one.output(), one.errors()),
            ("a result\n".to_owned(), "note: a note\n".to_owned())
        );
        assert_eq!((other.output(), other.errors()), ("bytes".to_owned(), String::new()));
        assert!(other.is_held() && !one.is_held());
        other.conclude(Some("FAILED: something"));
        other.message("dropped");
        assert_eq!(other.errors(), "FAILED: something\n");
    }
}
