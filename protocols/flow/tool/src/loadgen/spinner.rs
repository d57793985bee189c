//! [`Spinner`]: the line that shows that a job is running, as in LoadGen.
//!
//! It goes to standard error and only to a terminal, so that output to a file contains no trace of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::Console;
use brunt_run::console::{self, StatusLine};

/// How often the line changes.
const EVERY: Duration = Duration::from_millis(128);
const FACES: [char; 4] = ['|', '/', '-', '\\'];

/// A line that changes until this is dropped.
pub(super) struct Spinner {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts the line, if it can be shown.
    pub(super) fn start(console: &Console) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&ended);
        let line = StatusLine::new(console);
        let shows = line.shows();
        let spin = move || {
            let clock = Monotonic::new();
            let began = clock.now();
            for face in FACES.into_iter().cycle() {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let millis = (clock.now() - began).as_millis();
                line.show(&format!(" Processing {face} for {millis}ms"));
                console::pause(EVERY);
            }
            line.clear();
        };
        let name = "spinner".to_owned();
        let thread =
            shows.then(|| std::thread::Builder::new().name(name).spawn(spin).ok()).flatten();
        Self { ended, thread }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
