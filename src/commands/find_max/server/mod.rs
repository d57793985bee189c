//! [`ServerFigures`]: what can be seen of the target beside its answers: processor time, and what it counted itself.
//!
//! Where it comes from is asked for by `--server-cpu`. Sources differ in what they know: a process has processor time,
//! a control socket or a directory's monitor has counts, and none is taken for the other. What fails meanwhile is said
//! at the end, and ends no search.

mod counts;
mod process;
mod prometheus;

use crate::cli::server_cpu::ServerCpu;
use crate::run::Repeatable;
use crate::run::monitor;

use counts::Counts;
use process::ServerTime;
use prometheus::Prometheus;

/// What was seen of the target during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// How many cores it was busy with.
    pub(super) cores: Option<f64>,
    /// How many operations or messages it counted a second.
    pub(super) counted: Option<f64>,
}

/// Somewhere the target is seen.
pub(super) trait ServerFigures {
    /// Looks, at the start of the part of a step that counts and after each second of it.
    fn look(&mut self);

    /// What was seen since the first look of the step; the next step begins anew.
    fn seen(&mut self) -> Seen;

    /// What a record says of it, by name.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// What could not be seen, and what else would show it.
    fn missing(&self) -> Option<String>;
}

/// Opens what was asked for. The error reads after "failed to".
pub(super) fn open(
    source: &ServerCpu,
    load: &dyn Repeatable,
) -> Result<Box<dyn ServerFigures>, String> {
    let failed = |why: String| format!("read --server-cpu {source}: {why}");
    Ok(match source {
        ServerCpu::Local => Box::new(ServerTime::of_listener()),
        ServerCpu::Pid(pid) => Box::new(ServerTime::of_process(*pid)),
        ServerCpu::Monitor => Box::new(
            Counts::open(counts::DIRECTORY, load.monitor().map_err(failed)?).map_err(failed)?,
        ),
        ServerCpu::Kea(socket) => {
            Box::new(Counts::open(counts::KEA, monitor::kea(socket)).map_err(failed)?)
        }
        ServerCpu::Prometheus(query) => Box::new(Prometheus::open(query).map_err(failed)?),
    })
}
