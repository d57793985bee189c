//! Signals: the first stops a run gracefully, the second at once.
//!
//! A separate thread waits for SIGINT, SIGTERM and SIGHUP and passes them on to the run, so that nothing happens within
//! a signal handler. It never writes, since the reader of its output may be blocked; another thread prints its
//! messages. Once it must end at once, the program has [`LAST_MOMENT`] to write its record and its report, and is then
//! ended whatever its threads are doing. SIGHUP stays ignored if it was ignored (`nohup`). Before the first run begins,
//! and after the last, a signal ends the program in the default way.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use brunt_engine::Stop;
pub use brunt_engine::Urgency;
use rustix::process::{Pid, getppid, parent_process_death_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals as Incoming;

use crate::console::{self, Console};
use crate::options::exit::Exit;

/// How often a waiting loop checks for a signal.
const TICK: Duration = Duration::from_millis(50);

/// How long the program may take to end at once.
const LAST_MOMENT: Duration = Duration::from_millis(900);

/// A signal that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, ^C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone.
    HangUp,
}

impl Signal {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
        }
    }

    /// The exit code of the program.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Interrupt => Exit::Interrupted,
            Self::Terminate | Self::HangUp => Exit::Terminated,
        }
    }

    const fn new(number: i32) -> Option<Self> {
        match number {
            SIGINT => Some(Self::Interrupt),
            SIGTERM => Some(Self::Terminate),
            SIGHUP => Some(Self::HangUp),
            _ => None,
        }
    }
}

/// The parent whose death ends this process by a signal. If threads of the parent end one after another, the kernel
/// sends that signal for each of them; this counts as one request to stop and not several.
fn tied_to() -> Option<Pid> {
    parent_process_death_signal().ok().flatten().and_then(|_| getppid())
}

/// Turns signals into requests to stop.
#[derive(Debug)]
pub struct Signals {
    console: Console,
    stop: Stop,
    first: Arc<AtomicI32>,
    listening: AtomicBool,
}

impl Signals {
    /// Signals that are reported to this console. Nothing listens yet.
    pub fn new(console: Console) -> Self {
        Self {
            console,
            stop: Stop::default(),
            first: Arc::default(),
            listening: AtomicBool::default(),
        }
    }

    /// Begins to listen, unless a thread listens already. From now on the process has several threads.
    pub fn listen(&self) -> io::Result<()> {
        if self.listening.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let mut incoming = incoming()?;
        let parent = tied_to();
        let (stop, first) = (self.stop.clone(), Arc::clone(&self.first));
        let (words, reported) = mpsc::channel();
        let console = self.console.clone();
        thread("signal-words", move || reported.iter().for_each(|words| console.message(words)))?;
        let console = self.console.clone();
        let listen = move || {
            for signal in incoming.forever() {
                let known = first.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
                if known.is_err() && parent.is_some() && getppid() != parent {
                    continue;
                }
                let _ = words.send(match stop.request() {
                    Urgency::Abort => {
                        let first = Signal::new(first.load(Ordering::Relaxed));
                        end_soon(first.unwrap_or(Signal::Interrupt), &console);
                        "\nStopping at once."
                    }
                    _ => "\nWaiting for the answers in flight; press ^C again to stop now.",
                });
            }
        };
        thread("signals", listen)
    }

    /// The stop that a run must check.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Waits for a signal, up to this time.
    pub fn wait(&self, limit: Option<Duration>) -> Option<Signal> {
        let mut waited = Duration::ZERO;
        while self.stop.urgency() == Urgency::Run && limit.is_none_or(|limit| waited < limit) {
            console::pause(TICK);
            waited += TICK;
        }
        self.received()
    }

    /// The first signal that arrived.
    pub fn received(&self) -> Option<Signal> {
        Signal::new(self.first.load(Ordering::Relaxed))
    }
}

/// Signals that end a server, which has no exchanges in flight of its own.
#[derive(Debug)]
pub struct Awaited {
    incoming: Incoming,
    console: Console,
}

impl Awaited {
    /// Begins to listen.
    pub fn begin(console: &Console) -> io::Result<Self> {
        Ok(Self { incoming: incoming()?, console: console.clone() })
    }

    /// Waits for the first. A second one ends the program at once.
    pub fn wait(self) -> Option<Signal> {
        let Self { mut incoming, console } = self;
        let first = incoming.forever().next().and_then(Signal::new);
        let again = move || {
            if let Some(signal) = incoming.forever().next().and_then(Signal::new) {
                end(signal, &console);
            }
        };
        // Without that thread the server still ends, but not at once.
        drop(thread("second-signal", again));
        first
    }
}

fn incoming() -> io::Result<Incoming> {
    let incoming = Incoming::new([SIGINT, SIGTERM])?;
    if !ignores_hang_ups(&std::fs::read_to_string("/proc/self/status").unwrap_or_default()) {
        incoming.add_signal(SIGHUP)?;
    }
    Ok(incoming)
}

fn thread(name: &str, act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(act).map(drop)
}

/// Ends the process for this signal after the last moment, or right away if no thread can wait for it.
fn end_soon(signal: Signal, console: &Console) {
    let waits = console.clone();
    let wait = move || {
        console::pause(LAST_MOMENT);
        end(signal, &waits);
    };
    if thread("last-moment", wait).is_err() {
        end(signal, console);
    }
}

/// Ends the process for this signal at once. No destructor runs that might wait for another thread.
pub fn end(signal: Signal, console: &Console) -> ! {
    console::end_views();
    console.conclude(Some(&format!("INTERRUPTED: {} ended the program at once", signal.name())));
    signal_hook::low_level::exit(signal.exit().code().into())
}

/// Whether SIGHUP is ignored, according to the kernel's status of this process.
fn ignores_hang_ups(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nohup_is_recognized_in_the_signal_mask() {
        let of =
            |mask: &str| ignores_hang_ups(&format!("SigBlk:\t0\nSigIgn:\t{mask}\nSigCgt:\t1\n"));
        assert_eq!((of("0000000000001001"), of("0000000000001000")), (true, false));
        assert!(!ignores_hang_ups(""));
    }
}
