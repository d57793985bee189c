//! [`Dhcp`]: the DHCP part of a run, from its settings to the sessions of each worker.
//!
//! It gives each worker a hub with its own socket, and gives the caller what the run has counted and kept. It must not
//! depend on the contents of packets or on due times.

use super::captures::Captures;
use super::dialogue::Dialogue;
use super::hub::Hub;
use super::limits::Limits;
use super::presence::FleetChanges;
use super::session::Session;
use super::setup::{Opener, Setup};
use super::shared::Shared;
use super::silence::Silence;
use super::tally::Tally;
use brunt_exchange::Ticket;
use brunt_net::carrier::Carrier;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// The sessions of a run.
pub struct Dhcp<D: Dialogue, C> {
    shared: Arc<Shared<D>>,
    sockets: Vec<Mutex<Option<Opener<C>>>>,
}

/// Counts of a worker that belong to no exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// Datagrams that the kernel dropped because this program did not read them in time.
    pub socket_drops: u64,
}

impl<D: Dialogue, C: Carrier + 'static> Dhcp<D, C> {
    /// Creates a run with `workers` workers, each with its own socket.
    ///
    /// # Panics
    ///
    /// If there are fewer sockets or plans than workers. The caller has opened the sockets, so it knows their number.
    pub fn new(mut setup: Setup<D, C>, workers: usize) -> Self {
        assert!(workers <= setup.sockets.len(), "each worker needs a socket of its own");
        assert!(workers <= setup.plans.len(), "each worker needs a plan of its own");
        let sockets = std::mem::take(&mut setup.sockets).into_iter();
        let sockets = sockets.map(|socket| Mutex::new(Some(socket))).collect();
        Self { shared: Arc::new(Shared::new(setup, workers)), sockets }
    }

    /// Creates the sessions with these numbers. Call it once for each worker, within a runtime in which tasks that are
    /// not `Send` can be spawned.
    pub fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Session<D, C>> {
        let hub = self.hub(worker, numbers.len());
        (0..)
            .zip(numbers)
            .map(|(slot, number)| Session::new(Rc::clone(&hub), slot, number))
            .collect()
    }

    /// The hub of a worker, with this number of slots. Call it once for each worker.
    pub(super) fn hub(&self, worker: usize, slots: usize) -> Rc<Hub<D, C>> {
        let socket = self.sockets[worker].lock().unwrap_or_else(PoisonError::into_inner).take();
        Hub::start(Arc::clone(&self.shared), socket, worker, slots)
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> &Arc<Shared<D>> {
        &self.shared
    }

    /// What a worker has counted so far, in the order of [`tally::names`](super::tally::names): counts that belong to
    /// no exchange, and counts of exchanges, by the phase in which these were due.
    pub fn noticed(
        &self,
        worker: usize,
        tallies: &mut Vec<u64>,
        by_phase: &mut [Vec<u64>; Ticket::PHASES],
    ) -> Unmatched {
        self.shared.tallies[worker].write(tallies, by_phase);
        Unmatched {
            orphans: self.shared.tallies[worker].orphans(),
            socket_drops: self.shared.socket_drops[worker].load(Ordering::Relaxed),
        }
    }

    /// What the dialogues of the first worker share.
    pub fn plan(&self) -> &D::Plan {
        &self.shared.plans[0]
    }

    /// The counters of the workers, one each, which can be read at any time.
    pub fn tallies(&self) -> &[Arc<Tally>] {
        &self.shared.tallies
    }

    /// The limits of the run.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What was kept for inspection.
    pub fn captures(&self) -> &Captures {
        &self.shared.captures
    }

    /// Since when no reply has arrived, once the run is over.
    pub fn silence(&self) -> Silence {
        self.shared.silence()
    }

    /// When the clients of a fleet had leases.
    pub fn attendance(&self) -> FleetChanges {
        self.shared.presence.attendance()
    }

    /// Removes and returns the leases that the clients of the run hold, once it is over.
    pub fn take_leases(&self) -> Vec<D::Lease> {
        self.shared.take_leases()
    }
}
