//! Signals: the first asks a run to end in good order, the second at once.
//!
//! A thread of its own waits for SIGINT and SIGTERM and passes them on to the run, so that nothing happens within a
//! signal handler. Before the first run begins, and after the last, a signal ends the program as it always does.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use brunt_engine::{Stop, Urgency};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals as Incoming;

use crate::console;

/// How often a wait looks for a signal.
const TICK: Duration = Duration::from_millis(50);

/// A signal that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, ^C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        }
    }
}

/// Turns signals into requests to stop.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    stop: Stop,
    first: Arc<AtomicI32>,
    listening: Cell<bool>,
}

impl Signals {
    /// Begins to listen, if nobody does yet. From now on the process has two threads.
    pub(crate) fn listen(&self) -> io::Result<()> {
        if self.listening.replace(true) {
            return Ok(());
        }
        let mut incoming = Incoming::new([SIGINT, SIGTERM])?;
        let (stop, first) = (self.stop.clone(), Arc::clone(&self.first));
        let listen = move || {
            for signal in incoming.forever() {
                let _ = first.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
                match stop.request() {
                    Urgency::Abort => console::say("\nStopping at once."),
                    _ => console::say(
                        "\nWaiting for exchanges in flight; press ^C again to stop now.",
                    ),
                }
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
        Ok(())
    }

    /// What a run has to look at.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Waits for a signal, or for so long.
    pub(crate) fn wait(&self, limit: Option<Duration>) -> Option<Signal> {
        let mut waited = Duration::ZERO;
        while self.stop.urgency() == Urgency::Run && limit.is_none_or(|limit| waited < limit) {
            console::pause(TICK);
            waited += TICK;
        }
        self.received()
    }

    /// The first signal that came.
    pub(crate) fn received(&self) -> Option<Signal> {
        match self.first.load(Ordering::Relaxed) {
            SIGINT => Some(Signal::Interrupt),
            SIGTERM => Some(Signal::Terminate),
            _ => None,
        }
    }
}
