//! [`Run`]: what perfdhcp supplies to its run, for both families.

use std::io;
use std::net::IpAddr;

use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::{Reason, UNSENT_MAX};
use brunt_dhcp_driver::{Dhcp, naming};
use brunt_dhcp_load::{DhcpSessions, Over};
use brunt_engine::timer::MachineTime;
use brunt_engine::{Ended, EngineRun, Stop};
use brunt_exchange::{Class, Outcome as ExchangeOutcome};
use brunt_net::carrier::Carrier;
use brunt_record::{Catalogue, Measured, Phase};
use brunt_run::options::exit::Exit;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{
    EndedBy, Finished, Job, Manner, Observer, Protocol, Verbosity, carry_out, console, exit,
};

use super::diagnostics::Diagnostics;
use super::interim::Interim;
use super::problem::{Problem, failed};
use super::route::Open;
use super::texts::Texts;
use super::{Observers, Perfdhcp, attendance, coverage, release, silence, wrapped};
use crate::report::Exchanges;

/// A run whose family is known.
pub(crate) struct Run<'a, D: Diagnostics, C, P> {
    pub perfdhcp: &'a Perfdhcp<'a>,
    pub dhcp: &'a Dhcp<D, C>,
    pub time: &'a MachineTime,
    pub sessions: DhcpSessions<'a, D, C>,
    /// Makes the driver's plan for a source address.
    pub plan: &'a P,
    /// Opens sockets.
    pub open: Open<C>,
    /// What the run counts, by name.
    pub catalogue: &'a Catalogue,
}

impl<D, C, P> Run<'_, D, C, P>
where
    D: Diagnostics + Over<C>,
    C: Carrier + 'static,
    P: Fn(IpAddr) -> Result<D::Plan, Problem>,
{
    /// Carries the job out, and prints what perfdhcp prints.
    pub(crate) fn carry_out(
        &self,
        job: &Job,
        observers: Observers<'_, '_>,
    ) -> Result<(Finished, Exit), String> {
        let perfdhcp = self.perfdhcp;
        if perfdhcp.verbosity == Verbosity::Quiet {
            let finished = carry_out(job, self, observers, perfdhcp.signals)?;
            let exit = self.exit_of(&finished);
            return Ok((finished, exit));
        }
        let mut interim = Interim::new(
            perfdhcp.args,
            &perfdhcp.shown,
            &job.catalogue,
            perfdhcp.opening::<D>(self.dhcp.plan()),
            coverage::line(&job.load.phases()),
        );
        if let Some(note) = perfdhcp.route.own_server() {
            console::note(&note);
        }
        let mut observers: [&mut dyn Observer; 1] = [&mut interim];
        let mut finished = carry_out(job, self, &mut observers, perfdhcp.signals)?;
        let mut figures =
            Exchanges::of_run(&perfdhcp.shown, &job.catalogue, &finished.measured.totals);
        figures.last_at_least(finished.engine.timing.window());
        let texts =
            Texts { perfdhcp, dhcp: self.dhcp, finished: &finished.engine, figures: &figures };
        finished.losses.print(&texts.all());
        let record = &finished.record;
        let ending = Ending::of(&job.output.run, Stream::Error);
        ending.tell(record, &mut finished.losses)?;
        if let Some(fleet) = perfdhcp.fleet() {
            let clients = perfdhcp.args.clients.count.get().into();
            let (cut, lasted) = (fleet.power_cut, finished.engine.lasted);
            let lines = attendance::lines(&self.dhcp.attendance(), clients, cut, lasted);
            for line in lines {
                console::note(&line);
            }
        }
        let silence = self.dhcp.silence();
        if let Some(advice) = silence::advice(&figures, silence, perfdhcp.args, &perfdhcp.route) {
            console::note(&advice);
        }
        let written = finished.written.as_deref();
        ending.close(record, written, &mut finished.losses)?;
        let exit = self.exit_of(&finished);
        Ok((finished, exit))
    }

    fn exit_of(&self, finished: &Finished) -> Exit {
        let whole = &finished.record.conservation.counts;
        // Exchanges that the second -n prevented from starting their second half did all that was requested.
        let cut_off = whole.cut_off.saturating_sub(self.dhcp.limits().kept_back());
        let manner = Manner::Perfdhcp {
            aborted: finished.engine.ended == Ended::Aborted,
            incomplete: whole.errors() + cut_off + unsent(&finished.engine) > 0,
        };
        exit(&finished.record, finished.early(), manner)
    }
}

/// Exchanges that fell due under load and were never sent. Exchanges that still waited when the run was ended from
/// outside do not count.
fn unsent(finished: &brunt_engine::Finished) -> u64 {
    if matches!(finished.ended, Ended::Stopped | Ended::Aborted) {
        return 0;
    }
    finished.totals.get(&Phase::Steady).map_or(0, |steady| steady.dropped)
}

impl<D, C, P> Protocol for Run<'_, D, C, P>
where
    D: Diagnostics + Over<C>,
    C: Carrier + 'static,
    P: Fn(IpAddr) -> Result<D::Plan, Problem>,
{
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> String {
        if let ExchangeOutcome::Failed(Class::Check, code) = outcome
            && let Some(at) = (code as usize).checked_sub(1)
            && let Some(expected) = self.perfdhcp.args.exchange.expected.get(at)
        {
            return format!("answer without {}", expected.text);
        }
        naming::name(self.perfdhcp.args.family, outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, String> {
        let _ = self.perfdhcp.ends.set(run.stop.clone());
        let wrapped = self.perfdhcp.args.output.wrapped.as_deref();
        wrapped::call(wrapped, "start");
        let finished = D::run(&self.sessions, run, self.time);
        wrapped::call(wrapped, "stop");
        finished.map_err(failed)
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), String> {
        if self.perfdhcp.args.exchange.release_on_exit {
            release::all(self.perfdhcp, self.dhcp, self.plan, self.open, stop)?;
        }
        Ok(())
    }

    fn present(&self, measured: &Measured) -> Option<String> {
        let figures = Exchanges::of_run(&self.perfdhcp.shown, self.catalogue, &measured.totals);
        let late = figures.stages.iter().map(|stage| stage.late).sum();
        silence::present(
            figures.drops(),
            late,
            figures.bad_checksum,
            silence::strange(&figures),
            self.perfdhcp.args.limits.drop_time,
        )
    }

    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let seconds = finished.lasted.as_secs_f64();
        let why = match self.dhcp.limits().reason()? {
            Reason::Requests => return None,
            Reason::Drops(stage) | Reason::DropsShare(stage) => {
                let title = stage.title(self.perfdhcp.args.family == Family::V6);
                format!("by the drops of {title} (-D)")
            }
            Reason::Unsent(errno) => format!(
                "because this machine could not send for {} s: {}",
                UNSENT_MAX.as_secs(),
                io::Error::from_raw_os_error(errno)
            ),
        };
        Some(EndedBy::CutShort(format!("ended after {seconds:.1} s {why}")))
    }
}
