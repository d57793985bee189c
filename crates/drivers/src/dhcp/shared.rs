//! What the workers of a run have in common ([`Shared`]): the dialogues' plans, limits, and counters to be read.
//!
//! Sockets and the leases of a run that is under way belong to one worker each; only at the end do the leases come
//! together here. It must not know a session, nor how messages get to the network.

use super::captures::Captures;
use super::dialogue::Dialogue;
use super::expectation::Expectation;
use super::limits::Limits;
use super::population::Population;
use super::presence::Presence;
use super::setup::Setup;
use super::silence::Silence;
use super::tally::Tally;
use super::task::Task;
use super::unique::Addresses;
use brunt_exchange::{Clock, Moment, Slots};
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the workers of a run have in common.
pub(super) struct Shared<D: Dialogue> {
    pub(super) plans: Vec<Arc<D::Plan>>,
    pub(super) population: Population,
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) destination: SocketAddr,
    pub(super) task: Task<D::Lease>,
    pub(super) seed: u64,
    pub(super) slots: Slots,
    /// How many clients are this node's, where they take turns.
    own_clients: Option<u64>,
    pub(super) preload: u64,
    pub(super) leases_max: usize,
    pub(super) limits: Arc<Limits>,
    pub(super) addresses: Option<Addresses>,
    pub(super) expectations: Vec<Expectation>,
    pub(super) captures: Captures,
    pub(super) tallies: Vec<Arc<Tally>>,
    pub(super) socket_drops: Vec<AtomicU64>,
    workers: u64,
    /// When the first exchange began.
    origin: OnceLock<Moment>,
    returned: Mutex<Vec<D::Lease>>,
    silence: Mutex<Silence>,
    /// When the clients of a fleet had leases.
    pub(super) presence: Presence,
}

impl<D: Dialogue> Shared<D> {
    /// What so many workers have in common, which their sockets are not.
    pub(super) fn new<C>(setup: Setup<D, C>, workers: usize) -> Self {
        let in_turn = setup.population.base().is_some();
        let own_clients = in_turn.then(|| setup.slots.of(setup.population.size()).max(1));
        Self {
            plans: setup.plans,
            population: setup.population,
            clock: setup.clock,
            destination: setup.destination,
            task: setup.task,
            seed: setup.seed,
            slots: setup.slots,
            own_clients,
            preload: setup.preload,
            leases_max: setup.leases_max,
            limits: setup.limits,
            addresses: setup.unique.then(Addresses::default),
            expectations: setup.expectations,
            captures: Captures::new(setup.capture),
            tallies: (0..workers).map(|_| Arc::default()).collect(),
            socket_drops: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            workers: workers as u64,
            origin: OnceLock::new(),
            returned: Mutex::default(),
            silence: Mutex::default(),
            presence: Presence::default(),
        }
    }

    /// When the first exchange began; it begins now, if none has.
    pub(super) fn origin(&self, now: Moment) -> Moment {
        *self.origin.get_or_init(|| now)
    }

    /// How many leases a worker keeps for its sessions. Clients that live keep theirs themselves.
    pub(super) fn leases_max_of_worker(&self) -> usize {
        if matches!(self.task, Task::Live(_)) { 0 } else { self.leases_max }
    }

    /// The client that comes next, as the number of clients that came before it on this node says. No other node has
    /// the same one.
    pub(super) fn client(&self, before: u64) -> u64 {
        let place = self.own_clients.map_or(before, |own| before % own);
        self.population.client(self.slots.number(place))
    }

    /// How many messages a worker sends before the run.
    pub(super) fn preload_of(&self, worker: usize) -> u64 {
        let (each, more) = (self.preload / self.workers.max(1), self.preload % self.workers.max(1));
        each + u64::from((worker as u64) < more)
    }

    /// The number of the `n`th message that a worker sends before the run: counted downwards from
    /// the last that a transaction id can be made of, where no exchange of the run comes soon. And
    /// its client.
    pub(super) fn preload(&self, worker: usize, n: u64) -> (u64, u64) {
        let of_node = worker as u64 + n * self.workers;
        let rank = self.slots.number(of_node);
        (u64::from(u32::MAX).saturating_sub(rank), self.client(of_node))
    }

    /// Takes in what a worker knows at its end of replies that did not come.
    pub(super) fn fell_silent(&self, known: Silence) {
        let mut silence = self.silence.lock().unwrap_or_else(PoisonError::into_inner);
        *silence = silence.and(known);
    }

    /// What all workers know of it, once they are at their end.
    pub(super) fn silence(&self) -> Silence {
        *self.silence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the clients of a worker hold at the end.
    pub(super) fn give_back(&self, leases: Vec<D::Lease>) {
        self.returned().extend(leases);
    }

    /// Takes away what the clients of all workers held.
    pub(super) fn take_leases(&self) -> Vec<D::Lease> {
        std::mem::take(&mut *self.returned())
    }

    fn returned(&self) -> MutexGuard<'_, Vec<D::Lease>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
