//! [`Monitor`]: reads the target's own figures once a second during a run, for the record.
//!
//! Each source has a thread of its own, so that a target that is slow to report its figures delays neither an interval
//! nor another source. Kea's statistics and processes are read here; sources that need a protocol, such as a
//! directory's `cn=monitor`, are supplied by that protocol. A source that cannot be read at all is an error before
//! anything is sent; one that fails later is counted, and the run continues. This module must not depend on the meaning
//! of any figure.

mod kea;
mod process;

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_feed::Files;
use brunt_record::{MonitorRecord, Readings};

use crate::options::monitor::MonitorSource;

use kea::Kea;
pub use kea::allocation_failures;
use process::Process;

/// Time between two readings.
const EVERY: Duration = Duration::from_secs(1);
/// How long a source may take to answer, which bounds the delay at the end of a run.
pub const WITHIN: Duration = Duration::from_secs(2);

/// Why a source cannot be read: the error of whatever protocol it speaks. It reads after "failed to".
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// The result of a reading: numbers by name.
pub type Reading = Result<Vec<(String, f64)>, SourceError>;

/// A source of figures.
pub trait Source {
    /// Reads the figures, within [`WITHIN`].
    fn read(&mut self) -> Reading;
}

/// Opens a source on the thread that will read it.
pub type Opener = Box<dyn FnOnce() -> Result<Box<dyn Source>, SourceError> + Send>;

/// A source that cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[error("failed to read --monitor {monitor}: {source}")]
pub struct MonitorError {
    monitor: MonitorSource,
    source: SourceError,
}

/// The thread of a source ended before its first reading.
#[derive(Debug, thiserror::Error)]
#[error("its thread ended")]
struct ThreadEnded;

/// The sources of a run. When it is dropped, threads that were not waited for end by themselves.
#[derive(Default)]
pub struct Monitor {
    readers: Vec<Reader>,
}

struct Reader {
    source: MonitorSource,
    /// Nothing is ever sent: the thread ends when this is dropped.
    open: Sender<()>,
    thread: JoinHandle<Readings>,
}

impl Monitor {
    /// Reads each source once, and then continues on its thread. `own` opens the sources of the run's protocol.
    pub fn start(
        sources: &[MonitorSource],
        files: &Files,
        own: &dyn Fn() -> Result<Opener, SourceError>,
    ) -> Result<Self, MonitorError> {
        let clock = Monotonic::new();
        let mut monitor = Self::default();
        for source in sources {
            let opener = match source {
                MonitorSource::Ldap => own(),
                MonitorSource::Kea(socket) => Ok(kea(socket, files)),
                MonitorSource::Pid(pid) => Ok(opener(Process::new(*pid))),
            };
            let failed = |error| MonitorError { monitor: source.clone(), source: error };
            let opener = opener.map_err(failed)?;
            let (begun, first) = mpsc::channel();
            let (open, ended) = mpsc::channel();
            let read = move || {
                let mut readings = Readings::default();
                let mut source = match opener().and_then(|mut source| Ok((source.read()?, source)))
                {
                    Ok((values, source)) => {
                        readings.absorb(clock.now().since_origin(), values);
                        source
                    }
                    Err(why) => {
                        drop(begun.send(Err(why)));
                        return readings;
                    }
                };
                drop(begun.send(Ok(())));
                let mut going = true;
                while going {
                    going = matches!(ended.recv_timeout(EVERY), Err(RecvTimeoutError::Timeout));
                    // Once more when the run is over, so that the last figures cover the whole run.
                    match source.read() {
                        Ok(values) => readings.absorb(clock.now().since_origin(), values),
                        Err(why) => readings.failed(why.to_string()),
                    }
                }
                readings
            };
            let thread = std::thread::Builder::new().name("monitor".to_owned()).spawn(read);
            let thread = thread.map_err(|error| failed(error.into()))?;
            let begun = first.recv().unwrap_or_else(|_| Err(ThreadEnded.into()));
            begun.map_err(failed)?;
            monitor.readers.push(Reader { source: source.clone(), open, thread });
        }
        Ok(monitor)
    }

    /// Reads for the last time, and returns all readings.
    pub fn finish(self, node: u32) -> Vec<MonitorRecord> {
        let ended = self.readers.into_iter().map(|Reader { source, open, thread }| {
            drop(open);
            (source, thread)
        });
        // All threads are notified before any is waited for.
        let ended: Vec<_> = ended.collect();
        let records = ended.into_iter().map(|(source, thread)| {
            let readings = thread.join().unwrap_or_default();
            readings.record(source.to_string(), node)
        });
        records.collect()
    }
}

/// Opens a Kea server by its control socket.
pub fn kea(socket: &Path, files: &Files) -> Opener {
    opener(Kea::new(socket.to_owned(), files.clone()))
}

fn opener(source: impl Source + Send + 'static) -> Opener {
    Box::new(move || Ok(Box::new(source)))
}
