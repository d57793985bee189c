//! [`ServerFigures`]: what can be observed of the target beside its answers: processor time, and its own counts.
//!
//! `--server-cpu` names the source of the figures. Sources differ in what they know: a process has processor time, a
//! control socket or a directory's monitor has counts, and neither is a substitute for the other. A source that fails
//! meanwhile is reported at the end, and does not end the search.

mod counts;
mod process;
mod prometheus;

use brunt_run::Repeatable;
use brunt_run::monitor::{self, SourceError};
use brunt_run::options::server_cpu::ServerCpu;

use counts::Counts;
use process::ServerTime;
use prometheus::Prometheus;

/// What was observed of the target during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// How many cores it used.
    pub(super) cores: Option<f64>,
    /// How many operations or messages it counted a second.
    pub(super) counted: Option<f64>,
}

/// A source of figures about the target.
pub(super) trait ServerFigures {
    /// Takes a reading, at the start of the part of a step that counts and after each second of it.
    fn poll(&mut self);

    /// What was observed since the first reading of the step; the next step starts again from nothing.
    fn seen(&mut self) -> Seen;

    /// The labels of the source in a record, by name.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// What could not be observed, and what else would show it.
    fn missing(&self) -> Option<String>;
}

/// A source that cannot be read. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
#[error("read --server-cpu {server_cpu}: {source}")]
pub(super) struct ServerError {
    server_cpu: ServerCpu,
    source: SourceError,
}

/// Opens the requested source.
pub(super) fn open(
    source: &ServerCpu,
    load: &dyn Repeatable,
    files: &brunt_feed::Files,
) -> Result<Box<dyn ServerFigures>, ServerError> {
    let failed = |error| ServerError { server_cpu: source.clone(), source: error };
    Ok(match source {
        ServerCpu::Local => Box::new(ServerTime::of_listener()),
        ServerCpu::Pid(pid) => Box::new(ServerTime::of_process(*pid)),
        ServerCpu::Monitor => Box::new(
            Counts::open(counts::DIRECTORY, load.monitor().map_err(failed)?).map_err(failed)?,
        ),
        ServerCpu::Kea(socket) => {
            Box::new(Counts::open(counts::KEA, monitor::kea(socket, files)).map_err(failed)?)
        }
        ServerCpu::Prometheus(query) => {
            Box::new(Prometheus::open(query, files).map_err(|error| failed(error.into()))?)
        }
    })
}
