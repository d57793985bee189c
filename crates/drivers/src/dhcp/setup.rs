//! A [`Setup`]: what a caller asks of a run, before it is known how many workers share in it.
//!
//! Every field is to be filled in, as most have no usual value that would be honest. It must not know what becomes of
//! it.

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

/// What a caller asks for.
pub struct Setup<D: Dialogue, C> {
    /// What all dialogues of a worker share. Worker w has plan w: the address its answers come to may stand in its
    /// messages.
    pub plans: Vec<Arc<D::Plan>>,
    /// Which clients there are.
    pub population: Population,
    /// The clock of the run, which the engine reads as well.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// The sockets. Worker w has socket w, so there are as many workers as sockets at most.
    pub sockets: Vec<Opener<C>>,
    /// Where everything is sent unless a dialogue says otherwise.
    pub destination: SocketAddr,
    /// What the exchanges do.
    pub task: Task<D::Lease>,
    /// The seed of every random choice.
    pub seed: u64,
    /// Which exchanges, and which clients, are this node's.
    pub slots: Slots,
    /// How many messages of the first stage are sent before the run, over all workers.
    pub preload: u64,
    /// How many leases each worker keeps at most; 0 keeps none.
    pub leases_max: usize,
    /// What ends the run from within.
    pub limits: Arc<Limits>,
    /// Whether addresses that two clients have are counted.
    pub unique: bool,
    /// What answers have to hold; empty looks at none.
    pub expectations: Vec<Expectation>,
    /// What is kept to be looked at afterwards.
    pub capture: CaptureOptions,
}
