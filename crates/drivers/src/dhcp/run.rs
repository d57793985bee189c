//! [`Dhcp`]: a run's worth of DHCP, from what was asked to the sessions of each worker.
//!
//! It gives every worker a hub on a socket of its own, and everybody else what the run has noticed and kept. It must
//! not know what is in a packet, nor when anything is due.

use super::captures::Captures;
use super::dialogue::Dialogue;
use super::hub::Hub;
use super::limits::Limits;
use super::presence::Attendance;
use super::session::Session;
use super::setup::{Opener, Setup};
use super::shared::Shared;
use super::silence::Silence;
use super::tally::Tally;
use crate::net::carrier::Carrier;
use brunt_exchange::Ticket;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// The sessions of a run.
pub struct Dhcp<D: Dialogue, C> {
    shared: Arc<Shared<D>>,
    sockets: Vec<Mutex<Option<Opener<C>>>>,
}

/// What belongs to no exchange of a worker's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
}

impl<D: Dialogue, C: Carrier + 'static> Dhcp<D, C> {
    /// A run by `workers` workers, each with a socket of its own.
    ///
    /// # Panics
    ///
    /// If there are fewer sockets or plans than workers: whoever plans a run knows how many it opened.
    pub fn new(mut setup: Setup<D, C>, workers: usize) -> Self {
        assert!(workers <= setup.sockets.len(), "each worker needs a socket of its own");
        assert!(workers <= setup.plans.len(), "each worker needs a plan of its own");
        let sockets = std::mem::take(&mut setup.sockets).into_iter();
        let sockets = sockets.map(|socket| Mutex::new(Some(socket))).collect();
        Self { shared: Arc::new(Shared::new(setup, workers)), sockets }
    }

    /// Makes the sessions with these numbers. To be called once for each worker, within a runtime
    /// where tasks may be spawned that cannot be sent.
    pub fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Session<D, C>> {
        let hub = self.hub(worker, numbers.len());
        (0..)
            .zip(numbers)
            .map(|(slot, number)| Session::new(Rc::clone(&hub), slot, number))
            .collect()
    }

    /// The hub of a worker, with so many slots. To be called once for each worker.
    pub(super) fn hub(&self, worker: usize, slots: usize) -> Rc<Hub<D, C>> {
        let socket = self.sockets[worker].lock().unwrap_or_else(PoisonError::into_inner).take();
        Hub::start(Arc::clone(&self.shared), socket, worker, slots)
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> &Arc<Shared<D>> {
        &self.shared
    }

    /// What a worker has counted so far, in the order of [`tally::names`](super::tally::names): what belongs to no
    /// exchange, and what happened to exchanges, by the phase in which they fell due.
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

    /// What the workers count, one each, to be read at any time.
    pub fn tallies(&self) -> &[Arc<Tally>] {
        &self.shared.tallies
    }

    /// The limits of the run.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What was kept to be looked at.
    pub fn captures(&self) -> &Captures {
        &self.shared.captures
    }

    /// Since when nothing came back, once the run is over.
    pub fn silence(&self) -> Silence {
        self.shared.silence()
    }

    /// When the clients of a fleet had leases.
    pub fn attendance(&self) -> Attendance {
        self.shared.presence.attendance()
    }

    /// Takes away the leases that the clients of the run hold, once it is over.
    pub fn take_leases(&self) -> Vec<D::Lease> {
        self.shared.take_leases()
    }
}
