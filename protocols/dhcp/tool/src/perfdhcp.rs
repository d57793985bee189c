//! [`Perfdhcp`]: what perfdhcp supplies to its runs.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use brunt_dhcp_driver::captures::CaptureOptions;
use brunt_dhcp_driver::expectation::Expectation;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::{Limits, Reason, UNSENT_MAX};
use brunt_dhcp_driver::{
    self as dhcp, Dialogue, Opener, Population, Setup, Stage, Task, listfile, naming,
};
use brunt_engine::timer::{MachineTime, Time as _};
use brunt_engine::{Ended, EngineRun, Plan, Stop};
use brunt_exchange::{Class, Outcome as ExchangeOutcome};
use brunt_net::queue::QueueWatch;
use brunt_record::{Catalogue, Measured, Mode, Phase};
use brunt_run::options::exit::Exit;
use brunt_run::options::monitor::MonitorSource;
use brunt_run::options::output::{Output, Progress};
use brunt_run::signals::Signals;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{
    EndedBy, Finished, Job, Manner, Observer, Protocol, Verbosity, carry_out, ceiling, console,
    exit, objectives,
};

use crate::interim::Interim;
use crate::open::{OpenDriver, Opened};
use crate::options::args::{self, DhcpArgs, Scenario, Style};
use crate::options::decoded::decoded;
use crate::problem::{Problem, failed};
use crate::report::{Asked, Exchanges, banner};
use crate::route::Route;
use crate::{attendance, coverage, load, shown, silence, v4, v6, wrapped};

/// Leases that a worker remembers for renewals and releases, as a multiple of those due in a second.
const LEASES_PER_RATE: f64 = 5.0;
/// It remembers at least this number.
const LEASES_MIN: usize = 1_024;
/// And never more than this number, which is as many as a large network has.
const LEASES_MAX: usize = 4 << 20;

/// What perfdhcp supplies to its runs: one, or the many of a search.
pub(crate) struct Perfdhcp<'a> {
    pub args: &'a DhcpArgs,
    pub verbosity: Verbosity,
    pub seed: u64,
    pub started: jiff::Timestamp,
    pub population: Population,
    pub route: Route,
    pub load: Plan,
    pub shown: Asked,
    operations: Vec<&'static str>,
    catalogue: Catalogue,
    /// The driver of the last run, or of the next.
    driver: RefCell<Option<Box<dyn OpenDriver>>>,
}

impl<'a> Perfdhcp<'a> {
    /// Finds the route, and reads everything that the command line names.
    pub(crate) fn prepare(args: &'a DhcpArgs, verbosity: Verbosity) -> Result<Self, Problem> {
        if args.output.run.canary.is_some() && args.scenario != Scenario::Basic {
            return Err(Problem::usage(
                "--canary cannot be used with an avalanche or a fleet, which do not start slowly",
            ));
        }
        let seed = args.load.seed.unwrap_or_else(console::seed);
        let route = Route::of(args)?;
        let operations = shown::operations(args);
        let mut perfdhcp = Self {
            args,
            verbosity,
            seed,
            started: console::now(),
            population: population(args, seed)?,
            load: load::plan(args, seed, route.locals.len()).map_err(Problem::usage)?,
            route,
            shown: shown::asked(args),
            catalogue: Catalogue::new(operations.iter().copied(), parts(args)),
            operations,
            driver: RefCell::default(),
        };
        let (v6, queue) = (args.family == Family::V6, perfdhcp.server_queue().is_some());
        let tallies = attendance::tallies(v6, perfdhcp.fleet().is_some(), queue);
        perfdhcp.catalogue = perfdhcp.catalogue.with_tallies(tallies);
        Ok(perfdhcp)
    }

    /// Whether messages can be made of what the command line asks for.
    pub(crate) fn compiles(&self) -> Result<(), Problem> {
        let local = self.route.locals.first();
        let local = local.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), SocketAddr::ip);
        match self.args.family {
            Family::V4 => v4_plan(self, local).map(drop),
            Family::V6 => v6_plan(self, local).map(drop),
        }
    }

    /// Opens the sockets of the next run, which has this number of workers.
    pub(crate) fn open(&self, workers: usize) -> Result<(), Problem> {
        // The ports are those of the run before.
        self.driver.take();
        let driver: Box<dyn OpenDriver> = match self.args.family {
            Family::V4 if self.args.route.client => {
                Box::new(Opened::<dhcp::v4::Client, _>::new(self, workers, v4_plan, Route::link)?)
            }
            Family::V4 => Box::new(Opened::<dhcp::v4::Client, _>::new(
                self,
                workers,
                v4_plan,
                Route::sockets,
            )?),
            Family::V6 => Box::new(Opened::<dhcp::v6::Client, _>::new(
                self,
                workers,
                v6_plan,
                Route::sockets,
            )?),
        };
        self.driver.replace(Some(driver));
        Ok(())
    }

    /// Carries the job out, and prints what perfdhcp prints.
    pub(crate) fn carry_out(
        &self,
        job: &Job,
        signals: &Signals,
    ) -> Result<(Finished, Exit), String> {
        if self.verbosity == Verbosity::Quiet {
            let finished = carry_out(job, self, &mut [], signals)?;
            let exit = self.exit_of(&finished);
            return Ok((finished, exit));
        }
        let opening = self.opening();
        let note = coverage::line(&job.load.phases());
        let mut interim = Interim::new(self.args, &self.shown, &job.catalogue, opening, note);
        if let Some(note) = self.route.own_server() {
            console::note(&note);
        }
        let mut observers: [&mut dyn Observer; 1] = [&mut interim];
        let mut finished = carry_out(job, self, &mut observers, signals)?;
        self.print(job, &mut finished)?;
        let exit = self.exit_of(&finished);
        Ok((finished, exit))
    }

    /// Prints what perfdhcp prints when a run is over.
    fn print(&self, job: &Job, finished: &mut Finished) -> Result<(), String> {
        let mut figures = Exchanges::of_run(&self.shown, &job.catalogue, &finished.measured.totals);
        figures.last_at_least(finished.engine.timing.window());
        let driver = self.driver.borrow();
        let Some(driver) = driver.as_deref() else { return Ok(()) };
        // Scripts read these figures as those of the run that was asked for.
        if !finished.is_canary {
            finished.losses.print(&driver.texts(self, &finished.engine, &figures));
        }
        let ending = Ending::of(&job.output.run, Stream::Error);
        ending.tell(&finished.record, &mut finished.losses)?;
        if let Some(fleet) = self.fleet() {
            let clients = self.args.clients.count.get().into();
            let (cut, lasted) = (fleet.power_cut, finished.engine.lasted);
            for line in attendance::lines(&driver.attendance(), clients, cut, lasted) {
                console::note(&line);
            }
        }
        let advice = silence::advice(&figures, driver.silence(), self.args, &self.route);
        if let Some(advice) = advice {
            console::note(&advice);
        }
        let written = finished.written.as_deref();
        ending.close(&finished.record, written, &mut finished.losses)
    }

    fn exit_of(&self, finished: &Finished) -> Exit {
        let whole = &finished.record.conservation.counts;
        // Exchanges that the second -n prevented from starting their second half did all that was requested.
        let kept_back = self.limit(Limits::kept_back).unwrap_or_default();
        let cut_off = whole.cut_off.saturating_sub(kept_back);
        let manner = Manner::Perfdhcp {
            aborted: finished.engine.ended == Ended::Aborted,
            incomplete: whole.errors() + cut_off + unsent(&finished.engine) > 0,
        };
        exit(&finished.record, finished.early(), manner)
    }

    /// What the limits of the last run say.
    fn limit<T>(&self, of: impl Fn(&Limits) -> T) -> Option<T> {
        self.driver.borrow().as_deref().map(|driver| of(driver.limits()))
    }

    /// The run that the command line asks for.
    pub(crate) fn job(&self) -> Result<Job, Problem> {
        let args = self.args;
        let scheme = if args.family == Family::V6 { "dhcp6" } else { "dhcp4" };
        let target = format!("{scheme}://{}", self.route.server);
        let run = &args.output.run;
        let mut job = Job {
            objectives: objectives(&run.objectives, run, &self.operations)
                .map_err(Problem::usage)?,
            output: Output {
                run: run.clone(),
                percentiles: args.output.percentiles.clone(),
                progress: Progress::Table,
                ..Output::default()
            },
            ceiling: ceiling::of(&self.operations[..1], self.load.workers()),
            endless: args.limits.period.is_none() && args.limits.numbers[0].is_none(),
            ..Job::new(args.words.clone(), self.catalogue.clone(), target, self.load.clone())
        };
        job = match *self.operations {
            ["dora" | "sarr"] => job.called("lease", "leases"),
            ["do" | "sa"] => job.called("offer", "offers"),
            _ => job,
        };
        if job.asked.mode == Mode::Closed {
            job.asked.constant = args.scenario == Scenario::Basic;
        }
        Ok(job)
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

    pub(crate) fn setup<D: Dialogue, C>(
        &self,
        plans: Vec<Arc<D::Plan>>,
        sockets: Vec<Opener<C>>,
        time: &MachineTime,
        limits: Arc<Limits>,
    ) -> Setup<D, C> {
        let (args, diagnostics) = (self.args, self.args.output.diagnostics);
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

    /// The banner, which the tool in the guide did not have, and the decoded command line.
    fn opening(&self) -> String {
        let output = &self.args.output;
        let mut text = String::new();
        if output.separator.is_none() && output.style == Style::Kea {
            let words = self.args.words.get(1..).unwrap_or_default();
            text.push_str(&banner(words, shown::scenario(self.args), self.load.workers()));
        }
        if output.diagnostics.arguments {
            let duid = self.driver.borrow().as_deref().map(|driver| driver.duid(self));
            text.push_str(&decoded(self.args, &duid.unwrap_or_default()));
        }
        if output.diagnostics.randomness {
            text.push_str(&self.randomness());
        }
        text
    }

    /// The source of random choices (`-x r`), which the original tool promised to print and never did.
    fn randomness(&self) -> String {
        let node = &self.load.settings().node;
        let round = node.slots.round();
        let own: Vec<String> =
            node.slots.numbers(0, 1).take_while(|n| *n < round).map(|n| n.to_string()).collect();
        let base = self.population.base().map_or_else(
            || "drawn from a list".to_owned(),
            |mac| mac.map(|octet| format!("{octet:02x}")).join(":"),
        );
        format!(
            "seed={}\nclients={}, the first with MAC {base}\nnode {rank} of {world}: starts every exchange whose \
             number modulo {round} is {own}\n",
            self.seed,
            self.population.size(),
            rank = node.rank,
            world = node.world,
            round = node.slots.round(),
            own = own.join(" or "),
        )
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

impl Protocol for Perfdhcp<'_> {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> String {
        if let ExchangeOutcome::Failed(Class::Check, code) = outcome
            && let Some(at) = (code as usize).checked_sub(1)
            && let Some(expected) = self.args.exchange.expected.get(at)
        {
            return format!("answer without {}", expected.text);
        }
        naming::name(self.args.family, outcome)
    }

    /// Each run has sockets of its own. Those of the first were opened before it, with as many workers.
    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, String> {
        let workers = run.plan.workers();
        let is_ready = |driver: &dyn OpenDriver| driver.is_ready(workers);
        if !self.driver.borrow().as_deref().is_some_and(is_ready) {
            self.open(workers)?;
        }
        let driver = self.driver.borrow();
        let driver = driver.as_deref().ok_or("failed to open sockets")?;
        let wrapped = self.args.output.wrapped.as_deref();
        wrapped::call(wrapped, "start");
        let finished = driver.drive(self, run);
        wrapped::call(wrapped, "stop");
        finished
    }

    /// Only the run that took leases knows them.
    fn cleans_up_each_run(&self) -> bool {
        true
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), String> {
        match self.driver.borrow().as_deref() {
            Some(driver) if self.args.exchange.release_on_exit => driver.release(self, stop),
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
            self.args.limits.drop_time,
        )
    }

    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let seconds = finished.lasted.as_secs_f64();
        let why = match self.limit(Limits::reason)?? {
            Reason::Requests => return None,
            Reason::Drops(stage) | Reason::DropsShare(stage) => {
                let title = stage.title(self.args.family == Family::V6);
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

/// The driver's plan for a source address.
fn v4_plan(perfdhcp: &Perfdhcp<'_>, local: IpAddr) -> Result<dhcp::v4::Plan, Problem> {
    v4::plan(perfdhcp.args, &perfdhcp.population, local, perfdhcp.seed)
}

/// The same for DHCPv6.
fn v6_plan(perfdhcp: &Perfdhcp<'_>, local: IpAddr) -> Result<dhcp::v6::Plan, Problem> {
    let started = perfdhcp.started.as_second();
    v6::plan(perfdhcp.args, &perfdhcp.population, local, perfdhcp.seed, started)
}

/// The parts of exchanges that are timed: their stages, and lives if there are any.
fn parts(args: &DhcpArgs) -> Vec<&'static str> {
    let v6 = args.family == Family::V6;
    let lives = matches!(args.scenario, Scenario::Fleet(_));
    let stages = if lives { Stage::ALL.len() } else { shown::stages_max(args) };
    let titles = Stage::ALL.iter().take(stages).map(|stage| stage.title(v6));
    titles.chain(lives.then_some("lease life")).collect()
}

fn population(args: &DhcpArgs, seed: u64) -> Result<Population, String> {
    let clients = &args.clients;
    Ok(match &clients.macs {
        Some(path) => Population::list(listfile::macs(path).map_err(failed)?, seed),
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
    if args.exchange.release_on_exit || args.output.diagnostics.leases {
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
