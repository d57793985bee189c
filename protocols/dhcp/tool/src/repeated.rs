//! [`Leasing`]: exchanges of DHCP that are carried out many times, each time at another rate.
//!
//! Each step has its own sockets, and as many places for exchanges in flight as its rate needs. Leases are released
//! after each step if that was requested: only the step that took them knows them.

use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signals;
use brunt_run::{Finished, Observer, Repeatable, Step, Subject, Verbosity, console};

use super::problem::Problem;
use super::{Perfdhcp, load};
use crate::options::args::DhcpArgs;

/// Exchanges of DHCP, ready to be carried out many times.
pub(crate) struct Leasing<'a> {
    args: &'a DhcpArgs,
    subject: Subject,
}

impl<'a> Leasing<'a> {
    /// Prepares a command line.
    pub(crate) fn prepare(args: &'a DhcpArgs, signals: &Signals) -> Result<Self, Refusal> {
        let seed = args.load.seed.unwrap_or_else(console::seed);
        let perfdhcp =
            Perfdhcp::prepare(args, signals, Verbosity::Quiet, seed).map_err(Problem::refusal)?;
        let window = args.load.window.map(u32::from);
        let subject = Subject { sessions: window, ..Subject::of(&perfdhcp.job(false)) };
        Ok(Self { args, subject })
    }

    fn step(
        &self,
        step: &Step,
        observers: &mut [&mut dyn Observer],
        signals: &Signals,
    ) -> Result<Finished, Problem> {
        let mut perfdhcp =
            Perfdhcp::prepare(self.args, signals, Verbosity::Quiet, self.subject.seed)?;
        // It has as many workers as sockets.
        let step = Step { all_cores: false, ..step.clone() };
        let share = perfdhcp.load.settings().node.slots.share();
        let window = |rate| match self.args.load.window.map(u32::from) {
            Some(window) => ((f64::from(window) * share).ceil() as u32).max(1),
            None => load::window_at(self.args, rate, 1),
        };
        perfdhcp.load = step.plan(&perfdhcp.load, |rate| Some(window(rate)))?;
        perfdhcp.repeated = Some(step.results);
        perfdhcp.carry_out(observers).map(|(finished, _)| finished)
    }
}

impl Repeatable for Leasing<'_> {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn carry_out(
        &self,
        step: &Step,
        observers: &mut [&mut dyn Observer],
        signals: &Signals,
    ) -> Result<Finished, String> {
        self.step(step, observers, signals).map_err(String::from)
    }
}
