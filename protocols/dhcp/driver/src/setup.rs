//! A [`Setup`]: the settings of a run, before the number of its workers is known.
//!
//! Every field must be filled in, because for most of them no default would suit every run. It must not depend on how
//! it is used.

use super::captures::CaptureOptions;
use super::dialogue::Dialogue;
use super::expectation::Expectation;
use super::limits::Limits;
use super::population::Population;
use super::task::Task;
use brunt_exchange::{Clock, Slots};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// Registers a socket that was opened before the run with the runtime of its worker.
pub type Opener<C> = Box<dyn FnOnce() -> io::Result<C> + Send>;

/// The settings of a run.
pub struct Setup<D: Dialogue, C> {
    /// What all dialogues of a worker share. Worker w has plan w, because its messages may contain the address at which
    /// it receives answers.
    pub plans: Vec<Arc<D::Plan>>,
    /// Which clients there are.
    pub population: Population,
    /// The clock of the run, which the engine reads as well.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// The sockets. Worker w has socket w, so there can be at most as many workers as sockets.
    pub sockets: Vec<Opener<C>>,
    /// The destination of all messages whose dialogue does not specify another.
    pub destination: SocketAddr,
    /// What the exchanges do.
    pub task: Task<D::Lease>,
    /// The seed of every random choice.
    pub seed: u64,
    /// Which exchanges and which clients belong to this node.
    pub slots: Slots,
    /// How many messages of the first stage are sent before the run, in total over all workers.
    pub preload: u64,
    /// The maximum number of leases that each worker keeps; 0 keeps none.
    pub leases_max: usize,
    /// The limits that end the run from within.
    pub limits: Arc<Limits>,
    /// Whether to count addresses that are given to two clients.
    pub unique: bool,
    /// What answers must contain; if empty, no answer is checked.
    pub expectations: Vec<Expectation>,
    /// What is kept for inspection afterwards.
    pub capture: CaptureOptions,
}
