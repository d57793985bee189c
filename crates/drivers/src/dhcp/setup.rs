//! [`Dhcp`]: a run's worth of DHCP, from what was asked to the sessions of each worker.
//!
//! [`Setup`] is what a caller fills in. What the workers of a run have in common (the dialogues'
//! plan, limits, counters to be read) is shared; sockets and leases belong to one worker each. It
//! must not know what is in a packet, nor when anything is due.

use super::dialogue::Dialogue;
use super::hub::Hub;
use super::keepsakes::{Keepsakes, Wishes};
use super::life::Lives;
use super::limits::Limits;
use super::mix::Mix;
use super::population::Population;
use super::session::Session;
use super::tally::Tally;
use super::unique::Addresses;
use crate::net::carrier::Carrier;
use brunt_exchange::{Clock, Moment};
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Registers a socket that was opened before the run with the runtime of its worker.
pub type Opener<C> = Box<dyn FnOnce() -> io::Result<C> + Send>;

/// What the exchanges of a run do.
#[derive(Debug)]
pub enum Task<L> {
    /// Acquire, renew and release at rates.
    Mix(Mix),
    /// Give these leases back, one an exchange.
    Release(Vec<L>),
    /// Live: each session is a client that says itself when its next exchange is due.
    Live(Lives),
}

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
    /// This node's number, and how many there are.
    pub node: (u32, u32),
    /// How many messages of the first stage are sent before the run, over all workers.
    pub preload: u64,
    /// How many leases each worker keeps at most; 0 keeps none.
    pub leases_max: usize,
    /// What ends the run from within.
    pub limits: Arc<Limits>,
    /// Whether addresses that two clients have are counted.
    pub unique: bool,
    /// What is kept to be looked at afterwards.
    pub wishes: Wishes,
}

/// What belongs to no exchange of a worker's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
}

/// The sessions of a run.
pub struct Dhcp<D: Dialogue, C> {
    shared: Arc<Shared<D>>,
    sockets: Vec<Mutex<Option<Opener<C>>>>,
}

/// What the workers of a run have in common.
pub(super) struct Shared<D: Dialogue> {
    pub(super) plans: Vec<Arc<D::Plan>>,
    pub(super) population: Population,
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) destination: SocketAddr,
    pub(super) task: Task<D::Lease>,
    pub(super) seed: u64,
    pub(super) node: (u32, u32),
    pub(super) preload: u64,
    pub(super) leases_max: usize,
    pub(super) limits: Arc<Limits>,
    pub(super) addresses: Option<Addresses>,
    pub(super) keepsakes: Keepsakes,
    pub(super) tallies: Vec<Arc<Tally>>,
    pub(super) socket_drops: Vec<AtomicU64>,
    workers: u64,
    /// When the first exchange began.
    origin: OnceLock<Moment>,
    returned: Mutex<Vec<D::Lease>>,
}

impl<D: Dialogue, C: Carrier + 'static> Dhcp<D, C> {
    /// A run by `workers` workers, each with a socket of its own.
    ///
    /// # Panics
    ///
    /// If there are fewer sockets or plans than workers: whoever plans a run knows how many it opened.
    pub fn new(setup: Setup<D, C>, workers: usize) -> Self {
        assert!(workers <= setup.sockets.len(), "each worker needs a socket of its own");
        assert!(workers <= setup.plans.len(), "each worker needs a plan of its own");
        let shared = Shared {
            plans: setup.plans,
            population: setup.population,
            clock: setup.clock,
            destination: setup.destination,
            task: setup.task,
            seed: setup.seed,
            node: setup.node,
            preload: setup.preload,
            leases_max: setup.leases_max,
            limits: setup.limits,
            addresses: setup.unique.then(Addresses::default),
            keepsakes: Keepsakes::new(setup.wishes),
            tallies: (0..workers).map(|_| Arc::default()).collect(),
            socket_drops: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            workers: workers as u64,
            origin: OnceLock::new(),
            returned: Mutex::default(),
        };
        let sockets = setup.sockets.into_iter().map(|socket| Mutex::new(Some(socket))).collect();
        Self { shared: Arc::new(shared), sockets }
    }

    /// Makes the sessions with these numbers. To be called once for each worker, within a runtime
    /// where tasks may be spawned that cannot be sent.
    pub fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Session<D, C>> {
        let slots = numbers.len();
        let socket = lock(&self.sockets[worker]).take();
        let hub = Hub::start(Arc::clone(&self.shared), socket, worker, slots);
        (0..)
            .zip(numbers)
            .map(|(slot, number)| Session::new(Rc::clone(&hub), slot, number))
            .collect()
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> &Arc<Shared<D>> {
        &self.shared
    }

    /// What a worker has counted so far: its tallies, in the order of
    /// [`tally::names`](super::tally::names), and what belongs to no exchange.
    pub fn noticed(&self, worker: usize, tallies: &mut Vec<u64>) -> Unmatched {
        self.shared.tallies[worker].write(tallies);
        Unmatched {
            orphans: self.shared.tallies[worker].orphans(),
            socket_drops: self.shared.socket_drops[worker].load(Ordering::Relaxed),
        }
    }

    /// What the dialogues of the first worker share.
    pub fn plan(&self) -> &D::Plan {
        &self.shared.plans[0]
    }

    /// What the workers count, one each, to be read at any time.
    pub fn tallies(&self) -> &[Arc<Tally>] {
        &self.shared.tallies
    }

    /// The limits of the run.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What was kept to be looked at.
    pub fn keepsakes(&self) -> &Keepsakes {
        &self.shared.keepsakes
    }

    /// Takes away the leases that the clients of the run hold, once it is over.
    pub fn take_leases(&self) -> Vec<D::Lease> {
        std::mem::take(&mut *lock(&self.shared.returned))
    }
}

impl<D: Dialogue> Shared<D> {
    /// When the first exchange began; it begins now, if none has.
    pub(super) fn origin(&self, now: Moment) -> Moment {
        *self.origin.get_or_init(|| now)
    }

    /// How many leases a worker keeps for its sessions. Clients that live keep theirs themselves.
    pub(super) fn leases_max_of_worker(&self) -> usize {
        if matches!(self.task, Task::Live(_)) { 0 } else { self.leases_max }
    }

    /// How many messages a worker sends before the run.
    pub(super) fn preload_of(&self, worker: usize) -> u64 {
        let (each, more) = (self.preload / self.workers.max(1), self.preload % self.workers.max(1));
        each + u64::from((worker as u64) < more)
    }

    /// The number of the `n`th message that a worker sends before the run: counted downwards from
    /// the last that a transaction id can be made of, where no exchange of the run comes soon. And
    /// its rank among those of all workers and nodes, from which its client follows.
    pub(super) fn preload_number(&self, worker: usize, n: u64) -> (u64, u64) {
        let of_node = worker as u64 + n * self.workers;
        let rank = u64::from(self.node.0) + of_node * u64::from(self.node.1);
        (u64::from(u32::MAX).saturating_sub(rank), rank)
    }

    /// Takes in what the clients of a worker hold at the end.
    pub(super) fn give_back(&self, leases: Vec<D::Lease>) {
        lock(&self.returned).extend(leases);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
