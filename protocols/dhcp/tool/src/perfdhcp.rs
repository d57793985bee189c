//! [`Perfdhcp`]: what perfdhcp supplies to its runs.

use std::cell::RefCell;
use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::{Limits, Reason, UNSENT_MAX};
use brunt_dhcp_driver::{Stage, naming, v4, v6};
use brunt_engine::{Ended, EngineRun, Stop};
use brunt_exchange::{Class, Named, Outcome as ExchangeOutcome};
use brunt_net::Network;
use brunt_record::{Catalogue, EarlyEnd, Measured, Mode, Phase};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::{Output, Progress};
use brunt_run::summary::{Ending, Stream, SummaryError};
use brunt_run::{
    EndedBy, EngineError, ExitPolicy, Finished, Job, Observer, Protocol, ProtocolError, Verbosity,
    carry_out, ceiling, exit, objectives, search_words,
};

use crate::error::PerfdhcpError;
use crate::interim::Interim;
use crate::open::{OpenDriver, Opened};
use crate::options::args::{DhcpArgs, Scenario, Style};
use crate::options::decoded::decoded;
use crate::report::{Exchanges, ReportSettings, banner};
use crate::resolved::{Resolved, v4_plan, v6_plan};
use crate::route::Route;
use crate::{attendance, shown, silence};

/// What perfdhcp supplies to its runs: one, or the many of a search.
pub(crate) struct Perfdhcp<'a> {
    resolved: Resolved<'a>,
    verbosity: Verbosity,
    console: Console,
    shown: ReportSettings,
    operations: Vec<&'static str>,
    catalogue: Catalogue,
    /// The driver of the last run, or of the next.
    driver: RefCell<Option<Box<dyn OpenDriver>>>,
}

impl<'a> Perfdhcp<'a> {
    /// Finds the route, and reads everything that the command line names.
    pub(crate) fn prepare(
        args: &'a DhcpArgs,
        (world, network): (&'a World, &Network),
        verbosity: Verbosity,
    ) -> Result<Self, PerfdhcpError> {
        if args.output.run.canary.is_some() && args.scenario != Scenario::Basic {
            return Err(PerfdhcpError::Canary);
        }
        let resolved = Resolved::new(args, network, world)?;
        let operations = shown::operations(args);
        let (v6, queue) = (args.family == Family::V6, resolved.server_queue().is_some());
        let tallies = attendance::tallies(v6, resolved.fleet().is_some(), queue);
        let catalogue = Catalogue::new(operations.iter().copied(), parts(args));
        Ok(Self {
            resolved,
            verbosity,
            console: world.console.clone(),
            shown: shown::requested(args),
            operations,
            catalogue: catalogue.with_tallies(tallies),
            driver: RefCell::default(),
        })
    }

    /// Whether messages can be made of the settings of the command line.
    pub(crate) fn compiles(&self) -> Result<(), PerfdhcpError> {
        self.resolved.compiles()
    }

    /// Opens the sockets of the next run, which has this number of workers.
    pub(crate) fn open(&self, workers: usize) -> Result<(), PerfdhcpError> {
        // The ports are those of the run before.
        self.driver.take();
        let resolved = &self.resolved;
        let driver: Box<dyn OpenDriver> = match resolved.args.family {
            Family::V4 if resolved.args.route.client => {
                Box::new(Opened::<v4::Client, _>::new(resolved, workers, v4_plan, Route::link)?)
            }
            Family::V4 => {
                Box::new(Opened::<v4::Client, _>::new(resolved, workers, v4_plan, Route::sockets)?)
            }
            Family::V6 => {
                Box::new(Opened::<v6::Client, _>::new(resolved, workers, v6_plan, Route::sockets)?)
            }
        };
        self.driver.replace(Some(driver));
        Ok(())
    }

    /// Carries the job out, and prints what perfdhcp prints.
    pub(crate) fn carry_out(
        &self,
        job: &Job,
        world: &World,
    ) -> Result<(Finished, Exit), PerfdhcpError> {
        if self.verbosity == Verbosity::Quiet {
            let finished = carry_out(job, self, &mut [], world)?;
            let exit = self.exit_of(&finished);
            return Ok((finished, exit));
        }
        let opening = self.opening();
        let note = coverage(&job.load.phases());
        let mut interim = Interim::new(
            self.resolved.args,
            &self.shown,
            &job.catalogue,
            (opening, note),
            (&self.console, world.clock),
        );
        if let Some(note) = self.resolved.route.own_server() {
            world.console.note(&note);
        }
        let mut observers: [&mut dyn Observer; 1] = [&mut interim];
        let mut finished = carry_out(job, self, &mut observers, world)?;
        self.print(job, &mut finished)?;
        let exit = self.exit_of(&finished);
        Ok((finished, exit))
    }

    /// Prints what perfdhcp prints when a run is over.
    fn print(&self, job: &Job, finished: &mut Finished) -> Result<(), SummaryError> {
        let mut figures = Exchanges::of_run(&self.shown, &job.catalogue, &finished.measured.totals);
        figures.last_at_least(finished.engine.timing.window());
        let driver = self.driver.borrow();
        let Some(driver) = driver.as_deref() else { return Ok(()) };
        // Scripts read these figures as those of the requested run.
        if !finished.is_canary {
            finished.losses.print(&driver.texts(&self.resolved, &finished.engine, &figures));
        }
        let ending = Ending::new(&job.output.run, Stream::Error, &self.console);
        ending.report(&finished.record, &mut finished.losses)?;
        if let Some(fleet) = self.resolved.fleet() {
            let clients = self.resolved.args.clients.count.get().into();
            let (cut, lasted) = (fleet.power_cut, finished.engine.lasted);
            for line in attendance::lines(&driver.attendance(), clients, cut, lasted) {
                self.console.note(&line);
            }
        }
        let advice =
            silence::advice(&figures, driver.silence(), self.resolved.args, &self.resolved.route);
        if let Some(advice) = advice {
            self.console.note(&advice);
        }
        let written = finished.written.as_deref();
        ending.close(&finished.record, written, &mut finished.losses)
    }

    fn exit_of(&self, finished: &Finished) -> Exit {
        let whole = &finished.record.conservation.counts;
        // Exchanges that the second -n prevented from starting their second half did all that was requested.
        let kept_back = self.limit(Limits::kept_back).unwrap_or_default();
        let cut_off = whole.cut_off.saturating_sub(kept_back);
        let manner = ExitPolicy::Perfdhcp {
            aborted: finished.engine.ended == Ended::Aborted,
            incomplete: whole.errors() + cut_off + unsent(&finished.engine) > 0,
        };
        exit(&finished.record, finished.early(), manner)
    }

    /// Which limit ended the last run.
    fn limit<T>(&self, of: impl Fn(&Limits) -> T) -> Option<T> {
        self.driver.borrow().as_deref().map(|driver| of(driver.limits()))
    }

    /// The run of the command line.
    pub(crate) fn job(&self, world: &World) -> Result<Job, PerfdhcpError> {
        let args = self.resolved.args;
        let scheme = if args.family == Family::V6 { "dhcp6" } else { "dhcp4" };
        let target = format!("{scheme}://{}", self.resolved.route.server);
        let run = &args.output.run;
        let mut job = Job {
            objectives: objectives(&run.objectives, run, &self.operations)?,
            output: Output {
                run: run.clone(),
                percentiles: args.output.percentiles.clone(),
                progress: Progress::Table,
                ..Output::default()
            },
            ceiling: ceiling::estimate(
                &self.operations[..1],
                self.resolved.load.workers(),
                &world.environment,
            ),
            search: search_words(args),
            endless: args.limits.period.is_none() && args.limits.numbers[0].is_none(),
            ..Job::new(
                args.output.typed.clone(),
                self.catalogue.clone(),
                target,
                self.resolved.load.clone(),
                self.resolved.route.network.clone(),
            )
        };
        job = match *self.operations {
            ["dora" | "sarr"] => job.called("lease", "leases"),
            ["do" | "sa"] => job.called("offer", "offers"),
            _ => job,
        };
        if job.requested.mode == Mode::Closed {
            job.requested.constant = args.scenario == Scenario::Basic;
        }
        Ok(job)
    }

    /// The banner, which the tool in the guide did not have, and the decoded command line.
    fn opening(&self) -> String {
        let report = &self.resolved.args.report;
        let mut text = String::new();
        if report.separator.is_none() && report.style == Style::Kea {
            let words = self.resolved.args.output.typed.get(1..).unwrap_or_default();
            text.push_str(&banner(
                words,
                shown::scenario(self.resolved.args),
                self.resolved.load.workers(),
            ));
        }
        if report.diagnostics.arguments {
            let duid = self.driver.borrow().as_deref().map(|driver| driver.duid(&self.resolved));
            text.push_str(&decoded(self.resolved.args, &duid.unwrap_or_default()));
        }
        if report.diagnostics.randomness {
            text.push_str(&self.randomness());
        }
        text
    }

    /// The source of random choices (`-x r`), which the original tool promised to print and never did.
    fn randomness(&self) -> String {
        let node = &self.resolved.load.settings().node;
        let round = node.slots.round();
        let own: Vec<String> =
            node.slots.numbers(0, 1).take_while(|n| *n < round).map(|n| n.to_string()).collect();
        let base = self.resolved.population.base().map_or_else(
            || "drawn from a list".to_owned(),
            |mac| mac.map(|octet| format!("{octet:02x}")).join(":"),
        );
        format!(
            "seed={}\nclients={}, the first with MAC {base}\nnode {rank} of {world}: starts every exchange whose \
             number modulo {round} is {own}\n",
            self.resolved.seed,
            self.resolved.population.size(),
            rank = node.rank,
            world = node.world,
            round = node.slots.round(),
            own = own.join(" or "),
        )
    }
}

/// Exchanges that became due under load and were never sent. Exchanges that still waited when the run was ended from
/// outside do not count.
fn unsent(finished: &brunt_engine::Finished) -> u64 {
    if matches!(finished.ended, Ended::Stopped | Ended::Aborted) {
        return 0;
    }
    finished.totals.get(&Phase::Steady).map_or(0, |steady| steady.dropped)
}

impl Protocol for Perfdhcp<'_> {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> Named {
        if let ExchangeOutcome::Failed(Class::Check, code) = outcome
            && let Some(at) = (code as usize).checked_sub(1)
            && let Some(expected) = self.resolved.args.exchange.expected.get(at)
        {
            return format!("answer without {}", expected.text).into();
        }
        naming::name(self.resolved.args.family, outcome).into()
    }

    /// Each run has sockets of its own. Those of the first were opened before it, with as many workers.
    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        let workers = run.plan.workers();
        let is_ready = |driver: &dyn OpenDriver| driver.is_ready(workers);
        if !self.driver.borrow().as_deref().is_some_and(is_ready) {
            self.open(workers)?;
        }
        let driver = self.driver.borrow();
        let driver = driver.as_deref().ok_or(PerfdhcpError::NoSockets)?;
        let wrapped = self.resolved.args.report.wrapped.as_deref();
        call_wrapped(wrapped, "start", &self.console);
        let finished = driver.drive(&self.resolved, run);
        call_wrapped(wrapped, "stop", &self.console);
        Ok(finished.map_err(EngineError)?)
    }

    /// Only the run that took leases knows them.
    fn cleans_up_each_run(&self) -> bool {
        true
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), ProtocolError> {
        let shows = self.verbosity == Verbosity::Normal;
        match self.driver.borrow().as_deref() {
            Some(driver) if self.resolved.args.exchange.release_on_exit => {
                Ok(driver.release(&self.resolved, (shows, &self.console), stop)?)
            }
            _ => Ok(()),
        }
    }

    fn present(&self, measured: &Measured) -> Option<String> {
        let figures = Exchanges::of_run(&self.shown, &self.catalogue, &measured.totals);
        let late = figures.stages.iter().map(|stage| stage.late).sum();
        silence::present(
            figures.drops(),
            late,
            figures.bad_checksum,
            silence::strange(&figures),
            self.resolved.args.limits.drop_time,
        )
    }

    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let seconds = finished.lasted.as_secs_f64();
        let why = match self.limit(Limits::reason)?? {
            Reason::Requests => return None,
            Reason::Drops(stage) | Reason::DropsShare(stage) => {
                let title = stage.title(self.resolved.args.family == Family::V6);
                format!("by the drops of {title} (-D)")
            }
            Reason::Unsent(errno) => format!(
                "because this machine could not send for {} s: {}",
                UNSENT_MAX.as_secs(),
                io::Error::from_raw_os_error(errno)
            ),
        };
        let what = format!("ended after {seconds:.1} s {why}");
        Some(EndedBy::CutShort(EarlyEnd::of_protocol(what, None)))
    }
}

/// The parts of exchanges that are timed: their stages, and lives if there are any.
fn parts(args: &DhcpArgs) -> Vec<&'static str> {
    let v6 = args.family == Family::V6;
    let lives = matches!(args.scenario, Scenario::Fleet(_));
    let stages = if lives { Stage::ALL.len() } else { shown::stages_max(args) };
    let titles = Stage::ALL.iter().take(stages).map(|stage| stage.title(v6));
    titles.chain(lives.then_some("lease life")).collect()
}

/// Starts the command of `-w` with this word and, like the original, does not wait for it: what it starts may run for
/// the whole run. A command that cannot be run is reported, and the run continues without it.
fn call_wrapped(command: Option<&str>, word: &str, console: &Console) {
    let Some(command) = command else { return };
    let mut wrapped = Command::new(command);
    // Its output must not be mixed with the results.
    wrapped.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
    if let Err(error) = wrapped.spawn() {
        console.note(&format!(
            "the command of -w, '{command} {word}', could not be run: {error}; the run continues without it"
        ));
    }
}

/// What the figures on standard output cover, for a run with these phases and their beginnings; none if that is what
/// the summary covers. The original texts have no place for it, so it is printed on standard error before the run.
fn coverage(phases: &[(Phase, Duration)]) -> Option<String> {
    let begins = |phase: Phase| phases.iter().find(|(known, _)| *known == phase).map(|(_, at)| *at);
    let (warm_up, ramp) = (begins(Phase::WarmUp), begins(Phase::Ramp));
    if warm_up.is_none() && ramp.is_none() {
        return None;
    }
    let steady = begins(Phase::Steady);
    let covered = match (ramp, steady) {
        (Some(_), Some(_)) => "the ramp and the steady phase",
        (Some(_), None) => "the ramp",
        (None, _) => "the steady phase",
    };
    let from = ramp.into_iter().chain(steady).min().unwrap_or_default().as_secs_f64();
    let without = if warm_up.is_some() { ", without the warm-up" } else { "" };
    let summary = steady.map_or_else(
        || "there is no steady phase for the summary".to_owned(),
        |at| format!("the summary covers the steady phase, from {:.1} s", at.as_secs_f64()),
    );
    Some(format!(
        "the report and the interim lines cover {covered}, from {from:.1} s of the run{without}; {summary}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_names_phases_omitted_from_the_texts() {
        use Phase::{Ramp, Steady, WarmUp};
        let seconds = Duration::from_secs;
        assert_eq!(coverage(&[(Steady, seconds(0))]), None);
        for (phases, reported) in [
            (
                vec![(WarmUp, seconds(0)), (Steady, seconds(5))],
                "the report and the interim lines cover the steady phase, from 5.0 s of the run, without the \
                 warm-up; the summary covers the steady phase, from 5.0 s",
            ),
            (
                vec![(Ramp, seconds(0)), (Steady, seconds(2))],
                "the report and the interim lines cover the ramp and the steady phase, from 0.0 s of the run; the \
                 summary covers the steady phase, from 2.0 s",
            ),
            (
                vec![(WarmUp, seconds(0)), (Ramp, seconds(1))],
                "the report and the interim lines cover the ramp, from 1.0 s of the run, without the warm-up; there \
                 is no steady phase for the summary",
            ),
        ] {
            assert_eq!(coverage(&phases).as_deref(), Some(reported));
        }
    }
}
