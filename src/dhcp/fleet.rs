//! [`DhcpFleet`]: the sessions of a run, for the engine.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use brunt_drivers::dhcp::{Dhcp, Dialogue, Session, tally};
use brunt_drivers::net::carrier::Carrier;
use brunt_drivers::net::queue::QueueWatch;
use brunt_engine::{Fleet, Noticed};
use brunt_report::dhcp::SERVER_QUEUE;

/// Makes the sessions of one run on whichever worker asks.
pub(super) struct DhcpFleet<'a, D: Dialogue, C> {
    dhcp: &'a Dhcp<D, C>,
    /// The server's own queue, where it is on this host.
    queue: Option<Mutex<Queue>>,
}

/// A queue, and how much it had lost when last it could be seen.
struct Queue {
    watch: QueueWatch,
    lost: u64,
}

impl<'a, D: Dialogue, C: Carrier + 'static> DhcpFleet<'a, D, C> {
    pub(super) fn new(dhcp: &'a Dhcp<D, C>, queue: Option<QueueWatch>) -> Self {
        Self { dhcp, queue: queue.map(|watch| Mutex::new(Queue { watch, lost: 0 })) }
    }
}

/// The names of everything that is counted beside exchanges. The server's queue is the last, where it can be seen.
pub(super) fn tallies(v6: bool, queue: bool) -> Vec<String> {
    let mut names = tally::names(v6);
    names.extend(queue.then(|| SERVER_QUEUE.to_owned()));
    names
}

impl<D: Dialogue, C: Carrier + 'static> Fleet for DhcpFleet<'_, D, C> {
    type Session = Session<D, C>;

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Self::Session> {
        self.dhcp.sessions(worker, numbers)
    }

    /// The server has one queue, of which the first worker reports.
    fn noticed(&self, worker: usize, noticed: &mut Noticed) {
        let seen = self.dhcp.noticed(worker, &mut noticed.tallies);
        noticed.orphans = seen.orphans;
        noticed.socket_drops = seen.socket_drops;
        if worker > 0 {
            return;
        }
        let Some(queue) = &self.queue else { return };
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lost) = queue.watch.drops() {
            queue.lost = lost;
        }
        noticed.tallies.push(queue.lost);
    }
}
