//! perfdhcp: from a parsed command line to the report of a run.
//!
//! [`route`] finds the sockets, [`v4`] and [`v6`] make the driver's plan from the command line and [`load`] the
//! engine's; [`resolved`] has all that a command line names, [`perfdhcp`] supplies it to every run, and [`open`] has
//! the sockets of one run. [`coverage`] says what the texts cover, [`interim`] shows intervals as they arrive, and
//! [`texts`] makes what is printed at the end. This module depends neither on the letters of switches nor on the wire
//! format of messages.

mod attendance;
mod callers;
mod coverage;
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
mod wrapped;

use brunt_net::Network;
use brunt_run::World;
use brunt_run::load::Suits;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Caller, Job, Load, Outcome, Prepared, Repeatable, Unsuitable, Verbosity, prepare};

use crate::options::args::DhcpArgs;

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
        callers::pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        callers::refuses(self, caller)
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
            let target = job.asked.target.as_deref().unwrap_or_default();
            world.console.note(&format!("this run {changes}: {target}"));
        }
        // A missing permission is reported before anything is printed.
        perfdhcp.open(job.load.workers()).map_err(PerfdhcpError::refusal)?;
        prepare(world).map_err(|error| PerfdhcpError::from(error).refusal())?;
        let (finished, exit) = perfdhcp.carry_out(&job, world).map_err(PerfdhcpError::refusal)?;
        let exit = finished.losses.tell(exit);
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
        suits: Suits<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let perfdhcp = Perfdhcp::prepare(self, (world, network), Verbosity::Quiet)
            .map_err(PerfdhcpError::refusal)?;
        let job = perfdhcp.job(world).map_err(PerfdhcpError::refusal)?;
        let prepared = Prepared::new(job, perfdhcp, None).with_fixed_workers();
        let prepared = if self.load.window.is_some() {
            prepared
        } else {
            let window = load::Window::of(self);
            prepared.with_sessions(move |rate| window.at(rate, 1))
        };
        suits(prepared.subject())?;
        Ok(Box::new(prepared))
    }

    fn guard(&self) -> Option<&'static str> {
        Some("timeouts<0.1%")
    }
}
