//! [`OpenDriver`]: the driver of one run with its sockets, whatever its family and carrier.

use brunt_run::Console;
use std::cell::Cell;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use brunt_dhcp_driver::limits::{DropLimit, Limits};
use brunt_dhcp_driver::{Dhcp, FleetChanges, Silence};
use brunt_dhcp_load::{DhcpSessions, Over};
use brunt_engine::timer::Time as _;
use brunt_engine::{EngineRun, EngineTime, Finished, RunError, Stop, Urgency};
use brunt_net::carrier::Carrier;

use crate::diagnostics::Diagnostics;
use crate::error::PerfdhcpError;
use crate::options::args::{self, DhcpArgs};
use crate::release;
use crate::report::Exchanges;
use crate::resolved::Resolved;
use crate::route::Open;
use crate::texts::Texts;

/// The driver of one run, with its sockets.
pub(crate) trait OpenDriver {
    /// Whether it can carry out a run with this number of workers: none was carried out, and it has a socket for each.
    fn is_ready(&self, workers: usize) -> bool;

    /// Carries the run out.
    fn drive(&self, resolved: &Resolved<'_>, run: EngineRun<'_>) -> Result<Finished, RunError>;

    /// Releases what the run took, and says so on the console if it shows what it does.
    fn release(
        &self,
        resolved: &Resolved<'_>,
        notes: (bool, &Console),
        stop: &Stop,
    ) -> Result<(), PerfdhcpError>;

    /// The limits that end the run from within.
    fn limits(&self) -> &Limits;

    /// When the clients of a fleet had leases.
    fn attendance(&self) -> FleetChanges;

    /// Since when no answer has arrived, once the run is over.
    fn silence(&self) -> Silence;

    /// The DUID of the first client.
    fn duid(&self, resolved: &Resolved<'_>) -> Vec<u8>;

    /// What perfdhcp prints when the run is over.
    fn texts(&self, resolved: &Resolved<'_>, finished: &Finished, figures: &Exchanges) -> String;
}

/// Makes the driver's plan for a source address.
pub(crate) type Compile<P> = fn(&Resolved<'_>, IpAddr) -> Result<P, PerfdhcpError>;

/// The driver of a family over a carrier.
pub(crate) struct Opened<D: Diagnostics, C> {
    dhcp: Dhcp<D, C>,
    time: EngineTime,
    workers: usize,
    compile: Compile<D::Plan>,
    open: Open<C>,
    /// The stop of the run, for the limits.
    ends: Arc<OnceLock<Stop>>,
    is_used: Cell<bool>,
}

impl<D: Diagnostics + Over<C>, C: Carrier + 'static> Opened<D, C> {
    /// Opens sockets for this number of workers.
    pub(crate) fn new(
        resolved: &Resolved<'_>,
        workers: usize,
        compile: Compile<D::Plan>,
        open: Open<C>,
    ) -> Result<Self, PerfdhcpError> {
        let sockets = open(&resolved.route, resolved.args, workers)?;
        let locals = resolved.route.locals.iter().take(sockets.len());
        let plans: Result<Vec<_>, PerfdhcpError> =
            locals.map(|local| compile(resolved, local.ip()).map(Arc::new)).collect();
        let (time, ends) = (resolved.world.run_time(), Arc::default());
        let limits = Arc::new(limits(resolved.args, &ends));
        let setup = resolved.setup::<D, C>(plans?, sockets, &time, limits);
        let dhcp = Dhcp::new(setup, workers);
        Ok(Self { dhcp, time, workers, compile, open, ends, is_used: Cell::new(false) })
    }
}

/// The limits that end a run from within, by its stop.
fn limits(args: &DhcpArgs, ends: &Arc<OnceLock<Stop>>) -> Limits {
    let options = &args.limits;
    let limit = |limit: args::DropLimit| DropLimit {
        count: limit.count,
        percent: limit.share.map(|share| share * 100.0),
    };
    let ends = Arc::clone(ends);
    let halt = Arc::new(move |_| {
        // A request after that of a signal would cut off exchanges in flight.
        if let Some(stop) = ends.get().filter(|stop| stop.urgency() == Urgency::Run) {
            stop.request();
        }
    });
    Limits::new(options.numbers[1], options.drops.map(limit), Some(halt))
}

impl<D: Diagnostics + Over<C>, C: Carrier + 'static> OpenDriver for Opened<D, C> {
    fn is_ready(&self, workers: usize) -> bool {
        !self.is_used.get() && self.workers == workers
    }

    fn drive(&self, resolved: &Resolved<'_>, run: EngineRun<'_>) -> Result<Finished, RunError> {
        self.is_used.set(true);
        let _ = self.ends.set(run.stop.clone());
        let (fleet, queue) = (resolved.fleet().is_some(), resolved.server_queue());
        let sessions = DhcpSessions::new(&self.dhcp, self.time.clock(), fleet, queue);
        // The sockets count from the same origin.
        D::run(&sessions, EngineRun { time: self.time.clone(), ..run })
    }

    fn release(
        &self,
        resolved: &Resolved<'_>,
        (shows, console): (bool, &Console),
        stop: &Stop,
    ) -> Result<(), PerfdhcpError> {
        let compile = |local| (self.compile)(resolved, local);
        release::all(resolved, &self.dhcp, (&compile, self.open), (shows, console), stop)
    }

    fn limits(&self) -> &Limits {
        self.dhcp.limits()
    }

    fn attendance(&self) -> FleetChanges {
        self.dhcp.attendance()
    }

    fn silence(&self) -> Silence {
        self.dhcp.silence()
    }

    fn duid(&self, resolved: &Resolved<'_>) -> Vec<u8> {
        D::duid(self.dhcp.plan(), &resolved.population, resolved.started.as_second())
    }

    fn texts(&self, resolved: &Resolved<'_>, finished: &Finished, figures: &Exchanges) -> String {
        Texts { resolved, dhcp: &self.dhcp, finished, figures }.all()
    }
}
