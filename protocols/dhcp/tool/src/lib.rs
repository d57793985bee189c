//! perfdhcp: from a parsed command line to the report of a run.
//!
//! [`route`] finds the sockets, [`v4`] and [`v6`] make the driver's plan from the command line and [`load`] the
//! engine's; [`resolved`] has all that a command line names, [`perfdhcp`] supplies it to every run, and [`open`] has
//! the sockets of one run. [`interim`] shows intervals as they arrive, and
//! [`texts`] makes what is printed at the end. This module depends neither on the letters of switches nor on the wire
//! format of messages.

mod attendance;
mod diagnostics;
mod error;
mod interim;
mod load;
mod open;
pub mod options;
mod perfdhcp;
mod release;
pub mod report;
mod resolved;
mod route;
mod shown;
mod silence;
mod templates;
mod texts;
mod tools;
mod touched;
mod v4;
mod v6;

use brunt_net::Network;
use brunt_run::World;
use brunt_run::load::{ONE_RUN, SubjectCheck, never};
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Caller, Job, Load, Outcome, Prepared, Repeatable, Unsuitable, Verbosity, prepare};

use crate::options::args::{DhcpArgs, DropLimit, Scenario};
use crate::options::switches::EXCHANGES;

pub use tools::TOOLS;

use error::PerfdhcpError;
use perfdhcp::Perfdhcp;

impl Load for DhcpArgs {
    fn name(&self) -> &'static str {
        options::NAME
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    fn pacing(&self) -> Vec<Pacing> {
        pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        refuses(self, caller)
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let shows = verbosity == Verbosity::Normal;
        if shows {
            self.notes.iter().for_each(|note| world.console.note(note));
        }
        let perfdhcp =
            Perfdhcp::prepare(self, (world, network), verbosity).map_err(PerfdhcpError::refusal)?;
        let job = perfdhcp.job(world).map_err(PerfdhcpError::refusal)?;
        if shows && let Some(changes) = touched::changed(self) {
            let target = job.requested.target.as_deref().unwrap_or_default();
            world.console.note(&format!("this run {changes}: {target}"));
        }
        // A missing permission is reported before anything is printed.
        perfdhcp.open(job.load.workers()).map_err(PerfdhcpError::refusal)?;
        prepare(world).map_err(|error| PerfdhcpError::from(error).refusal())?;
        let (finished, exit) = perfdhcp.carry_out(&job, world).map_err(PerfdhcpError::refusal)?;
        let exit = finished.losses.report(exit);
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, world: &World, network: &Network) -> Result<Job, Refusal> {
        let perfdhcp = Perfdhcp::prepare(self, (world, network), Verbosity::Quiet)
            .map_err(PerfdhcpError::refusal)?;
        perfdhcp.compiles().map_err(PerfdhcpError::refusal)?;
        perfdhcp.job(world).map_err(PerfdhcpError::refusal)
    }

    /// A step has as many places for exchanges in flight as its rate needs, unless their number was given.
    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let perfdhcp = Perfdhcp::prepare(self, (world, network), Verbosity::Quiet)
            .map_err(PerfdhcpError::refusal)?;
        let job = perfdhcp.job(world).map_err(PerfdhcpError::refusal)?;
        let prepared = Prepared::new(job, perfdhcp, None).with_fixed_workers();
        let prepared = if self.load.window.is_some() {
            prepared
        } else {
            let window = load::Window::from_args(self);
            prepared.with_sessions(move |rate| window.at(rate, 1))
        };
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }

    fn guard(&self) -> Option<&'static str> {
        Some("timeouts<0.1%")
    }
}

/// The switches that set when exchanges begin, how many there are or how long they go on.
pub(crate) fn pacing(args: &DhcpArgs) -> Vec<Pacing> {
    let limits = &args.limits;
    let dropped = |limit: &DropLimit| limit.count.is_some() || limit.share.is_some();
    let own = vec![
        Pacing::essential("--scenario", args.scenario != Scenario::Basic),
        Pacing::new(&["n"], limits.numbers.iter().any(Option::is_some)),
        Pacing::new(&["p"], limits.period.is_some()),
        Pacing::new(&["D"], limits.drops.iter().any(dropped)),
        Pacing::new(&["f"], args.exchange.renew_rate > 0.0),
        Pacing::new(&["F"], args.exchange.release_rate > 0.0),
    ];
    [args.load.options.pacing(&EXCHANGES), own].concat()
}

/// Why a caller cannot have this carried out.
pub(crate) fn refuses(args: &DhcpArgs, caller: Caller) -> Result<(), Unsuitable> {
    let why = match caller {
        Caller::Search => ONE_RUN,
        Caller::OwnAgents | Caller::AgentsOfOthers => "runs a program",
    };
    never("-w", args.report.wrapped.is_some(), why)
}
