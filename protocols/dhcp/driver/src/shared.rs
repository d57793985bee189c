//! What the workers of a run share ([`Shared`]): the dialogues' plans, limits, and counters to be read.
//!
//! Sockets, and leases while the run is in progress, belong to one worker each; the leases are only collected here at
//! the end. It must not depend on sessions, or on how messages reach the network.

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

/// What the workers of a run share.
pub(super) struct Shared<D: Dialogue> {
    pub(super) plans: Vec<Arc<D::Plan>>,
    pub(super) population: Population,
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) destination: SocketAddr,
    pub(super) task: Task<D::Lease>,
    pub(super) seed: u64,
    pub(super) slots: Slots,
    /// How many clients belong to this node, if they take turns.
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
    /// What this number of workers share. Their sockets are not shared.
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

    /// When the first exchange began. If none has begun, it begins now.
    pub(super) fn origin(&self, now: Moment) -> Moment {
        *self.origin.get_or_init(|| now)
    }

    /// How many leases a worker keeps for its sessions. Clients with lifecycles keep their own leases.
    pub(super) fn leases_max_of_worker(&self) -> usize {
        if matches!(self.task, Task::Live(_)) { 0 } else { self.leases_max }
    }

    /// The next client, determined by the number of clients that came before it on this node. No other node uses the
    /// same client.
    pub(super) fn client(&self, before: u64) -> u64 {
        let place = self.own_clients.map_or(before, |own| before % own);
        self.population.client(self.slots.number(place))
    }

    /// How many messages a worker sends before the run.
    pub(super) fn preload_of(&self, worker: usize) -> u64 {
        let (each, more) = (self.preload / self.workers.max(1), self.preload % self.workers.max(1));
        each + u64::from((worker as u64) < more)
    }

    /// The number and the client of the `n`th message that a worker sends before the run. Numbers are counted down from
    /// the largest that fits in a transaction id, which exchanges of the run do not reach soon.
    pub(super) fn preload(&self, worker: usize, n: u64) -> (u64, u64) {
        let of_node = worker as u64 + n * self.workers;
        let rank = self.slots.number(of_node);
        (u64::from(u32::MAX).saturating_sub(rank), self.client(of_node))
    }

    /// Adds what a worker knows, at its end, about the time without replies.
    pub(super) fn fell_silent(&self, known: Silence) {
        let mut silence = self.silence.lock().unwrap_or_else(PoisonError::into_inner);
        *silence = silence.and(known);
    }

    /// The combined knowledge of all workers, once they have ended.
    pub(super) fn silence(&self) -> Silence {
        *self.silence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the leases that the clients of a worker hold at the end.
    pub(super) fn give_back(&self, leases: Vec<D::Lease>) {
        self.returned().extend(leases);
    }

    /// Removes and returns the leases that the clients of all workers held.
    pub(super) fn take_leases(&self) -> Vec<D::Lease> {
        std::mem::take(&mut *self.returned())
    }

    fn returned(&self) -> MutexGuard<'_, Vec<D::Lease>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
