//! perfdhcp: from a parsed command line to the report of a run.
//!
//! [`route`] finds the sockets, [`v4`] and [`v6`] make the driver's plan from the command line and [`load`] the
//! engine's, [`run`](mod@run) supplies them to the engine, [`coverage`] says what the texts cover, [`interim`] shows
//! intervals as they arrive, and [`texts`] makes what is printed at the end. This module depends neither on the letters
//! of switches nor on the wire format of messages.

mod attendance;
mod callers;
mod coverage;
mod diagnostics;
mod interim;
mod load;
pub mod options;
mod problem;
mod release;
mod repeated;
pub mod report;
mod route;
mod run;
mod shown;
mod silence;
mod templates;
mod texts;
mod tools;
mod touched;
mod v4;
mod v6;
mod wrapped;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use brunt_dhcp_driver::captures::CaptureOptions;
use brunt_dhcp_driver::expectation::Expectation;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::{DropLimit, Limits};
use brunt_dhcp_driver::{
    self as dhcp, Dhcp, Dialogue, Opener, Population, Setup, Stage, Task, listfile,
};
use brunt_dhcp_load::{DhcpSessions, Over};
use brunt_engine::timer::{MachineTime, Time as _};
use brunt_engine::{Plan, Stop, Urgency};
use brunt_net::carrier::Carrier;
use brunt_net::queue::QueueWatch;
use brunt_record::{Catalogue, Mode, Slo};
use brunt_run::load::Suits;
use brunt_run::options::exit::Exit;
use brunt_run::options::monitor::MonitorSource;
use brunt_run::options::output::{Output, Progress};
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::signals::Signals;
use brunt_run::{
    Caller, Finished, Job, Load, Observer, Outcome, Repeatable, Verbosity, canary, ceiling,
    console, fence, objectives, prepare, summary,
};

use crate::options::args::{self, DhcpArgs, Scenario};
use crate::options::decoded::decoded;
use crate::report::{Asked, banner};

pub use tools::TOOLS;

use diagnostics::Diagnostics;
use problem::{Problem, failed};
use repeated::Leasing;
use route::{Open, Route};
use run::Run;

/// The observers of a quiet run.
type Observers<'o, 'b> = &'o mut [&'b mut dyn Observer];

/// Leases that a worker remembers for renewals and releases, as a multiple of those due in a second.
const LEASES_PER_RATE: f64 = 5.0;
/// It remembers at least this number.
const LEASES_MIN: usize = 1_024;
/// And never more than this number, which is as many as a large network has.
const LEASES_MAX: usize = 4 << 20;

impl Load for DhcpArgs {
    fn name(&self) -> &'static str {
        options::NAME
    }

    fn typed(&self) -> Vec<String> {
        self.words.clone()
    }

    fn results(&self) -> Option<&RunOptions> {
        Some(&self.output.run)
    }

    fn results_mut(&mut self) -> Option<&mut RunOptions> {
        Some(&mut self.output.run)
    }

    fn seed(&mut self) -> &mut Option<u64> {
        &mut self.load.seed
    }

    fn pacing(&self) -> Option<&'static str> {
        callers::pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), String> {
        callers::refuses(self, caller)
    }

    fn measure(&self, signals: &Signals, verbosity: Verbosity) -> Result<Outcome, Refusal> {
        if verbosity == Verbosity::Normal {
            self.notes.iter().for_each(|note| console::note(note));
        }
        let seed = self.load.seed.unwrap_or_else(console::seed);
        let perfdhcp =
            Perfdhcp::prepare(self, signals, verbosity, seed).map_err(Problem::refusal)?;
        if verbosity == Verbosity::Normal
            && let Some(changes) = touched::changed(self)
        {
            let target = perfdhcp.job(false).asked.target.unwrap_or_default();
            console::note(&format!("this run {changes}: {target}"));
        }
        let perfdhcp = match self.output.run.canary {
            None => perfdhcp,
            Some(count) => match perfdhcp.after_canary(count).map_err(Problem::refusal)? {
                Ok(perfdhcp) => perfdhcp,
                Err((finished, exit)) => {
                    let text = finished.aborted.as_deref().unwrap_or("ended during its canary");
                    console::say(&format!("error: {text}"));
                    summary::conclude(&finished.record).map_err(Refusal::failed)?;
                    return Ok(Outcome {
                        exit: finished.losses.tell(exit),
                        record: finished.record,
                    });
                }
            },
        };
        let (finished, exit) = perfdhcp.carry_out(&mut []).map_err(Problem::refusal)?;
        let exit = finished.losses.tell(exit);
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, signals: &Signals) -> Result<Job, Refusal> {
        let seed = self.load.seed.unwrap_or_else(console::seed);
        let perfdhcp =
            Perfdhcp::prepare(self, signals, Verbosity::Quiet, seed).map_err(Problem::refusal)?;
        let local =
            perfdhcp.route.locals.first().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), SocketAddr::ip);
        let started = perfdhcp.started.as_second();
        let compiled = match (self.family, local) {
            (Family::V4, local) => v4::plan(self, &perfdhcp.population, local, seed).map(drop),
            (Family::V6, local) => {
                v6::plan(self, &perfdhcp.population, local, seed, started).map(drop)
            }
        };
        compiled.map_err(Problem::refusal)?;
        Ok(perfdhcp.job(false))
    }

    fn prepare<'a>(
        &'a self,
        signals: &'a Signals,
        suits: Suits<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let leasing = Leasing::prepare(self, signals)?;
        suits(leasing.subject())?;
        Ok(Box::new(leasing))
    }

    fn guard(&self) -> Option<&'static str> {
        Some("timeouts<0.1%")
    }
}

/// A run that is ready except for what depends on the family.
struct Perfdhcp<'a> {
    args: &'a DhcpArgs,
    signals: &'a Signals,
    verbosity: Verbosity,
    seed: u64,
    started: jiff::Timestamp,
    population: Population,
    route: Route,
    load: Plan,
    shown: Asked,
    operations: Vec<&'static str>,
    objectives: Vec<Slo>,
    /// The options for its results, if it is one step of several.
    repeated: Option<RunOptions>,
    /// The stop of the current run, for limits of the driver.
    ends: Arc<OnceLock<Stop>>,
}

impl<'a> Perfdhcp<'a> {
    fn prepare(
        args: &'a DhcpArgs,
        signals: &'a Signals,
        verbosity: Verbosity,
        seed: u64,
    ) -> Result<Self, Problem> {
        let route = Route::of(args)?;
        let operations = shown::operations(args);
        let output = &args.output;
        Ok(Self {
            args,
            signals,
            verbosity,
            seed,
            started: console::now(),
            population: population(args, seed)?,
            load: load::plan(args, seed, route.locals.len()).map_err(Problem::usage)?,
            route,
            shown: shown::asked(args),
            objectives: objectives(&output.run.objectives, &output.run, &operations)
                .map_err(Problem::usage)?,
            operations,
            repeated: None,
            ends: Arc::default(),
        })
    }

    /// Makes the first exchanges at a slow pace. Returns the rest of the run; or, if they failed, the end of the run.
    fn after_canary(self, count: u64) -> Result<Result<Self, (Finished, Exit)>, Problem> {
        if self.args.scenario != Scenario::Basic {
            return Err(Problem::usage(
                "--canary cannot be used with an avalanche or a fleet, which do not start slowly"
                    .to_owned(),
            ));
        }
        fence::clear(&self.load)?;
        let (first, rest) = canary::divided(&self.load, count)?;
        let (args, signals) = (self.args, self.signals);
        let mut tried = Self::prepare(args, signals, Verbosity::Quiet, self.seed)?;
        (tried.load, tried.repeated) = (first, Some(RunOptions::default()));
        let (finished, exit) = tried.carry_out(&mut [])?;
        let output = Output { run: args.output.run.clone(), ..Output::default() };
        Ok(match canary::judged(finished, &self.objectives, &output)? {
            None => Ok(Self { load: rest, ..self }),
            Some(finished) => {
                let exit = if finished.aborted.is_some() { Exit::Aborted } else { exit };
                Err((finished, exit))
            }
        })
    }

    /// Carries the run out. A quiet run is shown only to these observers.
    fn carry_out(&self, observers: Observers<'_, '_>) -> Result<(Finished, Exit), Problem> {
        let (args, seed, started) = (self.args, self.seed, self.started.as_second());
        let v4 = |address| v4::plan(args, &self.population, address, seed);
        let v6 = |address| v6::plan(args, &self.population, address, seed, started);
        match args.family {
            Family::V4 if args.route.client => {
                self.over::<dhcp::v4::Client, _>(v4, Route::link, observers)
            }
            Family::V4 => self.over::<dhcp::v4::Client, _>(v4, Route::sockets, observers),
            Family::V6 => self.over::<dhcp::v6::Client, _>(v6, Route::sockets, observers),
        }
    }

    fn over<D: Diagnostics + Over<C>, C: Carrier + 'static>(
        &self,
        plan: impl Fn(IpAddr) -> Result<D::Plan, Problem>,
        open: Open<C>,
        observers: Observers<'_, '_>,
    ) -> Result<(Finished, Exit), Problem> {
        let sockets = open(&self.route, self.args, self.load.workers())?;
        let locals = self.route.locals.iter().take(sockets.len());
        let plans: Result<Vec<_>, Problem> =
            locals.map(|local| plan(local.ip()).map(Arc::new)).collect();
        let plans = plans?;
        prepare(self.signals)?;
        let time = MachineTime::new();
        let limits = Arc::new(self.limits());
        let queue = self.server_queue();
        let job = self.job(queue.is_some());
        let job = match &self.repeated {
            Some(results) => job.step(job.load.clone(), results),
            None => job,
        };
        let dhcp = Dhcp::new(self.setup::<D, C>(plans, sockets, &time, limits), job.load.workers());
        let sessions = DhcpSessions::new(&dhcp, time.clock(), self.fleet().is_some(), queue);
        let catalogue = &job.catalogue;
        let run = Run {
            perfdhcp: self,
            dhcp: &dhcp,
            time: &time,
            sessions,
            plan: &plan,
            open,
            catalogue,
        };
        Ok(run.carry_out(&job, observers)?)
    }

    /// The server's receive queue: on this host, or in the network namespace of a process that is monitored.
    fn server_queue(&self) -> Option<QueueWatch> {
        let server = self.route.server;
        let beside = |source: &MonitorSource| match source {
            MonitorSource::Pid(pid) => QueueWatch::find_beside(*pid, server),
            MonitorSource::Ldap | MonitorSource::Kea(_) => None,
        };
        let monitors = &self.args.output.run.monitors;
        QueueWatch::find(server).or_else(|| monitors.iter().find_map(beside))
    }

    fn job(&self, queue: bool) -> Job {
        let args = self.args;
        let v6 = args.family == Family::V6;
        let names = self.operations.iter().copied();
        let scheme = if v6 { "dhcp6" } else { "dhcp4" };
        let tallies = attendance::tallies(v6, self.fleet().is_some(), queue);
        let catalogue = Catalogue::new(names, parts(args)).with_tallies(tallies);
        let target = format!("{scheme}://{}", self.route.server);
        let mut job = Job {
            objectives: self.objectives.clone(),
            output: Output {
                // The canary has its sockets to itself, so it is made before the job.
                run: RunOptions { canary: None, ..args.output.run.clone() },
                percentiles: Vec::new(),
                progress: Progress::Table,
                ..Output::default()
            },
            ceiling: ceiling::of(&self.operations[..1], self.load.workers()),
            endless: args.limits.period.is_none() && args.limits.numbers[0].is_none(),
            ..Job::new(args.words.clone(), catalogue, target, self.load.clone())
        };
        job = match *self.operations {
            ["dora" | "sarr"] => job.called("lease", "leases"),
            ["do" | "sa"] => job.called("offer", "offers"),
            _ => job,
        };
        if job.asked.mode == Mode::Closed {
            job.asked.constant = args.scenario == Scenario::Basic;
        }
        job
    }

    /// The settings of clients that have lives, if they have.
    fn fleet(&self) -> Option<&args::Fleet> {
        match &self.args.scenario {
            Scenario::Fleet(fleet) => Some(fleet),
            Scenario::Basic | Scenario::Avalanche => None,
        }
    }

    fn setup<D: Dialogue, C>(
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

    /// The limits that end the run from within.
    fn limits(&self) -> Limits {
        let asked = &self.args.limits;
        let limit = |limit: args::DropLimit| DropLimit {
            count: limit.count,
            percent: limit.share.map(|share| share * 100.0),
        };
        let ends = Arc::clone(&self.ends);
        let halt = Arc::new(move |_| {
            // A request after that of a signal would cut off exchanges in flight.
            if let Some(stop) = ends.get().filter(|stop| stop.urgency() == Urgency::Run) {
                stop.request();
            }
        });
        Limits::new(asked.numbers[1], asked.drops.map(limit), Some(halt))
    }

    /// The banner, which the tool in the guide did not have, and the decoded command line.
    fn opening<D: Diagnostics>(&self, plan: &D::Plan) -> String {
        let output = &self.args.output;
        let mut text = String::new();
        if output.separator.is_none() && output.style == args::Style::Kea {
            let words = self.args.words.get(1..).unwrap_or_default();
            text.push_str(&banner(words, shown::scenario(self.args), self.load.workers()));
        }
        if output.diagnostics.arguments {
            let duid = D::duid(plan, &self.population, self.started.as_second());
            text.push_str(&decoded(self.args, &duid));
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

/// Whether messages without an answer are retransmitted.
fn retransmits(args: &DhcpArgs) -> bool {
    args.exchange.retransmit || args.scenario != Scenario::Basic
}
