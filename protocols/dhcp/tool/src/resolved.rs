//! [`Resolved`]: a command line of perfdhcp with everything that it names looked up.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use brunt_dhcp_driver::captures::CaptureOptions;
use brunt_dhcp_driver::expectation::Expectation;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::Limits;
use brunt_dhcp_driver::{self as dhcp, Dialogue, Opener, Population, Setup, Task, listfile};
use brunt_engine::timer::Time as _;
use brunt_engine::{EngineTime, Plan};
use brunt_net::Network;
use brunt_net::queue::QueueWatch;
use brunt_run::options::monitor::MonitorSource;
use brunt_run::{Files, World, console};

use crate::error::PerfdhcpError;
use crate::options::args::{self, DhcpArgs, Scenario};
use crate::route::Route;
use crate::{load, v4, v6};

/// Leases that a worker remembers for renewals and releases, as a multiple of those due in a second.
const LEASES_PER_RATE: f64 = 5.0;
/// It remembers at least this number.
const LEASES_MIN: usize = 1_024;
/// And never more than this number, which is as many as a large network has.
const LEASES_MAX: usize = 4 << 20;

/// A command line with everything that it names looked up.
pub(crate) struct Resolved<'a> {
    pub args: &'a DhcpArgs,
    pub seed: u64,
    pub started: jiff::Timestamp,
    pub population: Population,
    pub route: Route,
    pub load: Plan,
    pub world: &'a World,
}

impl<'a> Resolved<'a> {
    /// Finds the route, and reads everything that the command line names.
    pub(crate) fn new(
        args: &'a DhcpArgs,
        network: &Network,
        world: &'a World,
    ) -> Result<Self, PerfdhcpError> {
        let seed = args.output.seed.unwrap_or_else(console::seed);
        let route = Route::new(args, network)?;
        Ok(Self {
            args,
            seed,
            started: world.now(),
            world,
            population: population(args, seed, &world.files)?,
            load: load::plan(args, seed, route.locals.len(), &world.files)?,
            route,
        })
    }

    /// Whether messages can be made of the settings of the command line.
    pub(crate) fn compiles(&self) -> Result<(), PerfdhcpError> {
        let local = self.route.locals.first();
        let local = local.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), SocketAddr::ip);
        match self.args.family {
            Family::V4 => v4_plan(self, local).map(drop),
            Family::V6 => v6_plan(self, local).map(drop),
        }
    }

    /// The server's receive queue: on this host, or in the network namespace of a process that is monitored.
    pub(crate) fn server_queue(&self) -> Option<QueueWatch> {
        let server = self.route.server;
        let beside = |source: &MonitorSource| match source {
            MonitorSource::Pid(pid) => QueueWatch::find_beside(*pid, server),
            MonitorSource::Ldap | MonitorSource::Kea(_) => None,
        };
        let monitors = &self.args.output.run.monitors;
        QueueWatch::find(server).or_else(|| monitors.iter().find_map(beside))
    }

    /// The settings of clients that have lives, if they have.
    pub(crate) fn fleet(&self) -> Option<&args::Fleet> {
        match &self.args.scenario {
            Scenario::Fleet(fleet) => Some(fleet),
            Scenario::Basic | Scenario::Avalanche => None,
        }
    }

    /// The driver's settings of a run.
    pub(crate) fn setup<D: Dialogue, C>(
        &self,
        plans: Vec<Arc<D::Plan>>,
        sockets: Vec<Opener<C>>,
        time: &EngineTime,
        limits: Arc<Limits>,
    ) -> Setup<D, C> {
        let (args, diagnostics) = (self.args, self.args.report.diagnostics);
        let node = &self.load.settings().node;
        Setup {
            plans,
            population: self.population.clone(),
            clock: Arc::new(time.clock()),
            sockets,
            destination: self.route.server,
            task: match &args.scenario {
                Scenario::Fleet(fleet) => Task::Live(load::lives(args, fleet)),
                Scenario::Basic | Scenario::Avalanche => Task::Mix(load::mix(args)),
            },
            seed: self.seed,
            slots: node.slots.clone(),
            preload: args.load.preload.into(),
            leases_max: leases_max(args, node.slots.share()),
            limits,
            unique: args.clients.unique,
            expectations: expectations(args),
            capture: CaptureOptions {
                messages: diagnostics.templates,
                server: diagnostics.server_id,
                stamps: diagnostics.timers,
            },
        }
    }
}

/// The driver's plan for a source address.
pub(crate) fn v4_plan(
    resolved: &Resolved<'_>,
    local: IpAddr,
) -> Result<dhcp::v4::Plan, PerfdhcpError> {
    v4::plan((resolved.args, &resolved.world.files), &resolved.population, local, resolved.seed)
}

/// The same for DHCPv6.
pub(crate) fn v6_plan(
    resolved: &Resolved<'_>,
    local: IpAddr,
) -> Result<dhcp::v6::Plan, PerfdhcpError> {
    let started = resolved.started.as_second();
    let options = (resolved.args, &resolved.world.files);
    v6::plan(options, &resolved.population, local, resolved.seed, started)
}

fn population(args: &DhcpArgs, seed: u64, files: &Files) -> Result<Population, PerfdhcpError> {
    let clients = &args.clients;
    Ok(match &clients.macs {
        Some(path) => Population::list(listfile::macs(path, files)?, seed),
        None => Population::cycle(clients.mac, range(args)),
    })
}

/// The number of clients on all nodes together. Each node takes its share of them, so two machines never use the same
/// client; if there are too few for that, there are more.
fn range(args: &DhcpArgs) -> u64 {
    let count = u64::from(args.clients.count.get());
    if matches!(args.scenario, Scenario::Basic) {
        count.max(load::slots(args).round())
    } else {
        count
    }
}

fn leases_max(args: &DhcpArgs, share: f64) -> usize {
    let rate = (args.exchange.renew_rate + args.exchange.release_rate) * share;
    if args.exchange.release_on_exit || args.report.diagnostics.leases {
        return LEASES_MAX;
    }
    if rate == 0.0 {
        return 0;
    }
    ((rate * LEASES_PER_RATE) as usize).clamp(LEASES_MIN, LEASES_MAX)
}

/// The options that answers must contain.
fn expectations(args: &DhcpArgs) -> Vec<Expectation> {
    args.exchange.expected.iter().map(|expected| expected.expectation.clone()).collect()
}
