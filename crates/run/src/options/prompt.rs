//! [`password`]: a line from the terminal that is not shown while it is typed.
//!
//! The echo is off before the prompt is printed, so that nothing is shown of an answer that comes at once. A signal
//! that would end or stop the program takes effect after the terminal has been restored: ^C at a prompt must not leave
//! a shell that shows nothing.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd as _, OwnedFd};

use brunt_net::secret::Secret;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, retry_on_intr, write};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// How many bytes a password may have. A terminal passes on 4,095 bytes of a line.
const LENGTH_MAX: usize = 4_096;
/// The signals that end or stop the program.
const ENDING: [Signal; 5] =
    [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGTSTP];

/// Prompts on the controlling terminal, and reads a line from it. A program that was stopped meanwhile prompts again.
///
/// # Errors
///
/// There is no terminal, it cannot be read, or the input ended before a line did.
pub fn password(prompt: &str) -> io::Result<Secret> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let tty = open("/dev/tty", flags, Mode::empty())?;
    loop {
        let signals = Deferred::new()?;
        let hidden = Hidden::new(&tty)?;
        print(&tty, prompt)?;
        let line = hidden.line(&signals)?;
        if line.is_none() {
            print(&tty, "\n")?;
        }
        // In this order: a signal takes effect on a terminal that has been restored.
        drop(hidden);
        drop(signals);
        if let Some(line) = line {
            return Ok(line);
        }
    }
}

fn print(tty: &OwnedFd, text: &str) -> io::Result<()> {
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        bytes = &bytes[retry_on_intr(|| write(tty, bytes))?..];
    }
    Ok(())
}

/// Signals that wait until this value is dropped.
struct Deferred {
    before: SigSet,
    waiting: SignalFd,
}

impl Deferred {
    fn new() -> io::Result<Self> {
        let ending: SigSet = ENDING.into_iter().collect();
        let waiting = SignalFd::with_flags(&ending, SfdFlags::SFD_CLOEXEC)?;
        let before = ending.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { before, waiting })
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        let _ = self.before.thread_set_mask();
    }
}

/// A terminal that shows nothing of what is typed, except the end of the line, until this value is dropped.
struct Hidden<'a> {
    tty: &'a OwnedFd,
    before: Termios,
}

impl<'a> Hidden<'a> {
    fn new(tty: &'a OwnedFd) -> io::Result<Self> {
        let before = tcgetattr(tty)?;
        let mut modes = before.clone();
        modes.local_modes -= LocalModes::ECHO;
        modes.local_modes |= LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        tcsetattr(tty, OptionalActions::Now, &modes)?;
        Ok(Self { tty, before })
    }

    /// The line that is typed; nothing if a signal came before its end.
    fn line(&self, signals: &Deferred) -> io::Result<Option<Secret>> {
        // It never grows, which would leave copies of what was typed in memory.
        let mut line = Vec::with_capacity(LENGTH_MAX);
        while line.last() != Some(&b'\n') {
            if line.len() == LENGTH_MAX {
                return Err(io::Error::new(ErrorKind::InvalidData, "it is too long"));
            }
            if self.is_interrupted(signals)? {
                return Ok(None);
            }
            let length = retry_on_intr(|| read(self.tty, spare_capacity(&mut line)))?;
            match length {
                0 if line.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
                0 => return Ok(Some(Secret::new(line))),
                _ => {}
            }
        }
        line.pop();
        Ok(Some(Secret::new(line)))
    }

    /// Waits for input or a signal; returns whether it was a signal.
    fn is_interrupted(&self, signals: &Deferred) -> io::Result<bool> {
        let mut waited = [
            PollFd::from_borrowed_fd(signals.waiting.as_fd(), PollFlags::IN),
            PollFd::new(self.tty, PollFlags::IN),
        ];
        retry_on_intr(|| poll(&mut waited, None))?;
        Ok(!waited[0].revents().is_empty())
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.tty, OptionalActions::Now, &self.before);
    }
}
