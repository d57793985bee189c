//! [`DhcpSessions`]: the sessions of a run, for the engine.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use brunt_dhcp_driver::link::Link;
use brunt_dhcp_driver::{Dhcp, Dialogue, FleetChanges, Session, tally, v4, v6};
use brunt_engine::{DriverCounts, EngineClock, EngineRun, Finished, RunError, SessionFactory};
use brunt_exchange::{Clock as _, Moment};
use brunt_net::carrier::Carrier;
use brunt_net::checksum::ExplainedDrops;
use brunt_net::queue::QueueWatch;
use brunt_net::udp::Socket;

/// Makes the sessions of one run on the thread of the calling worker.
pub struct DhcpSessions<'a, D: Dialogue, C> {
    dhcp: &'a Dhcp<D, C>,
    clock: EngineClock,
    /// How many names of tallies belong to the driver.
    driver_tallies: usize,
    /// Whether a fleet's leases are counted.
    fleet: bool,
    /// The server's own queue, if it is on this host.
    queue: Option<Mutex<Queue>>,
    /// Which drops of the sockets are answers with a wrong checksum.
    damaged: Mutex<ExplainedDrops>,
}

/// A queue, and its losses at the last reading.
struct Queue {
    watch: QueueWatch,
    lost: u64,
    looked: Option<Moment>,
}

/// How often the kernel's table of sockets is read, which takes as long as some exchanges do. Datagrams lost at the
/// very end of a run are missed while their answers are still waited for, so that they are seen as well.
const LOOK_EVERY: Duration = Duration::from_millis(500);

impl<'a, D: Dialogue, C: Carrier + 'static> DhcpSessions<'a, D, C> {
    /// The sessions of a run: of a fleet, or of a server whose queue is observed.
    pub fn new(
        dhcp: &'a Dhcp<D, C>,
        clock: EngineClock,
        fleet: bool,
        queue: Option<QueueWatch>,
    ) -> Self {
        let queue = queue.map(|watch| Mutex::new(Queue { watch, lost: 0, looked: None }));
        let damaged = Mutex::new(ExplainedDrops::watch(dhcp.tallies().len()));
        Self { dhcp, clock, driver_tallies: tally::names(false).len(), fleet, queue, damaged }
    }
}

/// The counts of a fleet's leases: clients with a lease, clients that lost power, and clients back after the power cut.
const fn counts(attendance: &FleetChanges) -> [u64; 3] {
    [attendance.up.0, attendance.lost, attendance.back.0]
}

impl<D: Dialogue, C: Carrier + 'static> SessionFactory for DhcpSessions<'_, D, C> {
    type Session = Session<D, C>;

    /// A session is a place for an exchange in flight, and any will do. Clients of a fleet are never assigned anything.
    const ALIKE: bool = true;

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Self::Session> {
        self.dhcp.sessions(worker, numbers)
    }

    /// There is one fleet, and the server has one queue: the first worker reports both.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let DriverCounts { tallies, tallies_by_phase, .. } = into;
        let seen = self.dhcp.noticed(worker, tallies, tallies_by_phase);
        into.orphans = seen.orphans;
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        let explained = damaged.of(worker, seen.socket_drops);
        into.socket_drops = seen.socket_drops - explained;
        // After the driver's own tallies, of which there may be none yet.
        into.tallies.resize(self.driver_tallies, 0);
        into.tallies.push(explained);
        drop(damaged);
        if worker > 0 {
            return;
        }
        if self.fleet {
            into.tallies.extend(counts(&self.dhcp.attendance()));
        }
        let Some(queue) = &self.queue else { return };
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        if queue.looked.is_none_or(|looked| now - looked >= LOOK_EVERY) {
            queue.looked = Some(now);
            queue.lost = queue.watch.drops().unwrap_or(queue.lost);
        }
        into.tallies.push(queue.lost);
    }
}

/// A family over a carrier, for which runs are compiled here.
pub trait Over<C>: Dialogue {
    /// Carries out a run with these sessions.
    fn run(sessions: &DhcpSessions<'_, Self, C>, run: EngineRun<'_>) -> Result<Finished, RunError>;
}

macro_rules! compiled {
    ($($family:ty, $carrier:ty;)*) => {$(
        impl Over<$carrier> for $family {
            fn run(
                sessions: &DhcpSessions<'_, Self, $carrier>,
                run: EngineRun<'_>,
            ) -> Result<Finished, RunError> {
                run.with(sessions)
            }
        }
    )*};
}

compiled! {
    v4::Client, Socket;
    v4::Client, Link;
    v6::Client, Socket;
}
