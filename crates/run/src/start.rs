//! When a run begins, if its options set a time: at a given time, or when standard input names one (`--start-at -`).
//!
//! The line is read on a separate thread, since it may arrive at any time. A line that names no future moment, and the
//! end of standard input, end the run: the process that had to name the time is gone, and load must not be made if no
//! process waits for it.

use std::io::{self, BufRead as _};
use std::sync::{Arc, OnceLock};
use std::thread;

use brunt_engine::{Ready, RunClock, Start, StartSignal, Stop};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::clock;
use crate::console::Console;
use crate::options::start_at::{StartAt, StartAtError};
use crate::options::value_error::ValueError;

/// The longest line that is read.
const LINE_MAX: u64 = 256;

/// When a run with these options begins.
pub(crate) fn start(at: Option<StartAt>, now: Timestamp) -> Result<Start, StartAtError> {
    let Some(at) = at else { return Ok(Start::WhenReady) };
    let moment = at.moment(&now.to_zoned(TimeZone::system()))?;
    Ok(moment.map_or_else(|| Start::OnSignal(StartSignal::new()), Start::At))
}

/// Why the line on standard input is not the time to begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("failed to read standard input (--start-at -): {0}")]
    Read(#[source] io::Error),
    #[error("standard input ended before it said when to begin (--start-at -); nothing was sent")]
    Ended,
    #[error("standard input names no time (--start-at -); nothing was sent")]
    NoTime,
    #[error("standard input names no time to begin at (--start-at -): {0}; nothing was sent")]
    Value(#[from] ValueError),
    #[error("standard input names no time to begin at (--start-at -): {0}; nothing was sent")]
    StartAt(#[from] StartAtError),
}

/// Why a run received no time to begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoStartTime(Arc<OnceLock<LineError>>);

impl NoStartTime {
    /// Reads when the run begins, if that is given on standard input. `stop` ends the run.
    pub(crate) fn listen(start: &Start, stop: &Stop, clock: RunClock) -> io::Result<Self> {
        let untold = Self::default();
        if let Start::OnSignal(signal) = start {
            let (why, signal, stop) = (Arc::clone(&untold.0), signal.clone(), stop.clone());
            let read = move || match read(io::stdin().lock(), clock) {
                Ok(at) => signal.send(at),
                Err(error) => {
                    why.get_or_init(|| error);
                    stop.request();
                }
            };
            thread::Builder::new().name("start".to_owned()).spawn(read)?;
        }
        Ok(untold)
    }

    /// Why the run did not begin, if it did not.
    pub(crate) fn why(&self) -> Option<&LineError> {
        self.0.get()
    }
}

/// The moment in the first line.
fn read(input: impl io::BufRead, clock: RunClock) -> Result<std::time::SystemTime, LineError> {
    let mut line = String::new();
    let read = input.take(LINE_MAX).read_line(&mut line);
    read.map_err(LineError::Read)?;
    if !line.ends_with('\n') {
        return Err(LineError::Ended);
    }
    let at = line.trim().parse::<StartAt>()?;
    let moment = at.moment(&clock::now(clock).to_zoned(TimeZone::system()))?;
    moment.ok_or(LineError::NoTime)
}

/// Prints that the run waits for its start time.
pub(crate) fn report(ready: &Ready, console: &Console) {
    console.note(&format!(
        "{} of {} sessions are ready; write the time to begin to standard input, as --start-at takes it",
        ready.ready, ready.sessions
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn refused(line: &str) -> String {
        read(line.as_bytes(), RunClock::default()).unwrap_err().to_string()
    }

    #[test]
    fn start_line_is_parsed_to_a_fraction_of_a_second() {
        let at = read(&b"2200-01-01T00:00:00.25Z\nmore"[..], RunClock::default()).unwrap();
        let whole = read(&b" 2200-01-01T00:00:00Z \n"[..], RunClock::default()).unwrap();
        assert_eq!(at.duration_since(whole).unwrap(), Duration::from_millis(250));
        assert!(whole > SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn start_line_without_a_future_time_is_refused() {
        for (line, culprit) in [
            ("", "ended before it said"),
            ("2200-01-01T00:00:00Z", "ended before it said"),
            ("2020-01-01T00:00:00Z\n", "is in the past"),
            ("soon\n", "12:00:05"),
            ("-\n", "names no time"),
        ] {
            assert!(refused(line).contains(culprit), "{line:?}: {}", refused(line));
        }
        assert!(refused(&"9".repeat(1_000)).contains("ended before"));
    }
}
