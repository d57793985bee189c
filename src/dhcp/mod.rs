//! perfdhcp: from a command line that was read to a run that was reported.
//!
//! [`route`] finds the sockets, [`v4`] and [`v6`] make the driver's plan of the command line and [`load`] the
//! engine's, [`fleet`] marries the two, [`coverage`] says what the texts cover, [`screen`] shows intervals as they
//! come, and [`ending`] makes the texts, the record and the exit code. Nothing here knows a switch by its letter, nor
//! how a message looks on the wire.

mod asked;
mod coverage;
mod ending;
mod fleet;
mod letters;
mod load;
pub(crate) mod naming;
mod problem;
mod release;
mod route;
mod screen;
mod silence;
mod v4;
mod v6;
mod wrapped;

use std::net::IpAddr;
use std::sync::Arc;

use brunt_drivers::dhcp::keepsakes::Wishes;
use brunt_drivers::dhcp::limits::{DropLimit, Limits};
use brunt_drivers::dhcp::{Dhcp, Dialogue, Opener, Population, Setup, Stage, Task, listfile};
use brunt_drivers::net::carrier::Carrier;
use brunt_drivers::net::queue::QueueWatch;
use brunt_engine::timer::{MachineTime, Time as _};
use brunt_engine::{Finished, Plan, Stop, Urgency, limits};
use brunt_record::{Catalogue, Slo};
use brunt_report::dhcp::{Asked, banner};

use crate::cli::Refusal;
use crate::cli::dhcp::args::{self, DhcpArgs, Family, Scenario};
use crate::cli::dhcp::decoded::decoded;
use crate::measured::{self, Measured};
use crate::rates::{Outcome, Voice};
use crate::signals::Signals;
use crate::{ceiling, console};

use ending::Ending;
use fleet::DhcpFleet;
use letters::Letters;
use problem::{Problem, failed};
use route::{Open, Route};
use screen::Screen;

/// Leases that a worker remembers for renewals and releases, as a multiple of those due in a second.
const LEASES_PER_RATE: f64 = 5.0;
/// It remembers at least so many.
const LEASES_MIN: usize = 1_024;
/// And never more than so many, which is as many as a large network has.
const LEASES_MAX: usize = 4 << 20;

/// Carries a command line out, from the first packet to the last line.
pub(crate) fn run(args: &DhcpArgs, signals: &Signals, voice: Voice) -> Result<Outcome, Refusal> {
    if voice == Voice::Aloud {
        args.notes.iter().for_each(|note| console::note(note));
    }
    let job = Job::prepare(args, signals, voice).map_err(Problem::refusal)?;
    let (seed, started) = (job.seed, job.started.as_second());
    let v4 = |address| v4::plan(args, &job.population, address, seed);
    let v6 = |address| v6::plan(args, &job.population, address, seed, started);
    match args.family {
        Family::V4 if args.route.client => {
            job.carry_out::<brunt_drivers::dhcp::v4::Client, _>(v4, Route::link)
        }
        Family::V4 => job.carry_out::<brunt_drivers::dhcp::v4::Client, _>(v4, Route::sockets),
        Family::V6 => job.carry_out::<brunt_drivers::dhcp::v6::Client, _>(v6, Route::sockets),
    }
    .map_err(Problem::refusal)
}

/// A run that is ready but for what a family does in its own way.
struct Job<'a> {
    args: &'a DhcpArgs,
    signals: &'a Signals,
    voice: Voice,
    seed: u64,
    started: jiff::Timestamp,
    population: Population,
    route: Route,
    load: Plan,
    asked: Asked,
    operations: Vec<&'static str>,
    objectives: Vec<Slo>,
}

impl<'a> Job<'a> {
    fn prepare(args: &'a DhcpArgs, signals: &'a Signals, voice: Voice) -> Result<Self, Problem> {
        let seed = args.load.seed.unwrap_or_else(console::seed);
        let route = Route::of(args)?;
        let operations = asked::operations(args);
        let output = &args.output;
        measured::check([("--record", &output.record), ("--hgrm", &output.hgrm)])?;
        Ok(Self {
            args,
            signals,
            voice,
            seed,
            started: console::now(),
            population: population(args, seed)?,
            load: load::plan(args, seed, route.locals.len()).map_err(Problem::usage)?,
            route,
            asked: asked::asked(args),
            objectives: measured::objectives(&output.objectives, &operations)
                .map_err(Problem::usage)?,
            operations,
        })
    }

    fn carry_out<D: Letters, C: Carrier + 'static>(
        &self,
        plan: impl Fn(IpAddr) -> Result<D::Plan, Problem>,
        open: Open<C>,
    ) -> Result<Outcome, Problem> {
        let sockets = open(&self.route, self.args, self.load.workers())?;
        let plans: Result<Vec<_>, Problem> = self
            .route
            .locals
            .iter()
            .take(sockets.len())
            .map(|local| plan(local.ip()).map(Arc::new))
            .collect();
        let plans = plans?;
        limits::raise_open_files();
        self.signals.listen().map_err(|error| format!("failed to listen for signals: {error}"))?;
        let time = MachineTime::new();
        let stop = self.signals.stop();
        let limits = Arc::new(self.limits(&stop));
        let queue = QueueWatch::find(self.route.server);
        let v6 = self.args.family == Family::V6;
        let catalogue = Catalogue::new(self.operations.iter().copied(), parts(self.args))
            .with_tallies(fleet::tallies(v6, queue.is_some()));
        let dhcp =
            Dhcp::new(self.setup::<D, C>(plans, sockets, &time, limits), self.load.workers());
        let quiet = self.voice == Voice::Quiet;
        let mut screen = Screen::new(self.args, &self.asked, &catalogue, &stop, quiet)?;
        self.announce::<D>(dhcp.plan())?;
        wrapped::call(self.args.output.wrapped.as_deref(), "start")?;
        let fleet = DhcpFleet::new(&dhcp, time.clock(), queue);
        let finished = brunt_engine::run(&self.load, &catalogue, &time, &fleet, &stop, &mut screen);
        wrapped::stop(self.args.output.wrapped.as_deref());
        let finished = finished.map_err(|error| format!("failed to {error}"))?;
        let measured = screen.finish()?;
        if self.args.exchange.release_on_exit {
            release::all(self, &dhcp, &plan, open, &stop)?;
        }
        Ok(self.conclude(&dhcp, &catalogue, &finished, &measured)?)
    }

    fn setup<D: Dialogue, C>(
        &self,
        plans: Vec<Arc<D::Plan>>,
        sockets: Vec<Opener<C>>,
        time: &MachineTime,
        limits: Arc<Limits>,
    ) -> Setup<D, C> {
        let (args, diagnostics) = (self.args, self.args.output.diagnostics);
        let node = self.load.settings().node;
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
            node: (node.rank, node.world),
            preload: args.load.preload.into(),
            leases_max: leases_max(args),
            limits,
            unique: args.clients.unique,
            wishes: Wishes {
                messages: diagnostics.templates,
                server: diagnostics.server_id,
                stamps: diagnostics.timers,
            },
        }
    }

    /// What ends the run from within.
    fn limits(&self, stop: &Stop) -> Limits {
        let asked = &self.args.limits;
        let limit = |limit: args::DropLimit| DropLimit {
            count: limit.count,
            percent: limit.share.map(|share| share * 100.0),
        };
        let stop = stop.clone();
        let halt = Arc::new(move |_| {
            // A request on top of a signal's would cut off what is in flight.
            if stop.urgency() == Urgency::Run {
                stop.request();
            }
        });
        Limits::new(asked.numbers[1], asked.drops.map(limit), Some(halt))
    }

    /// The banner, which the guide's tool had none of, and the decoded command line.
    fn announce<D: Letters>(&self, plan: &D::Plan) -> Result<(), String> {
        if self.voice == Voice::Quiet {
            return Ok(());
        }
        let output = &self.args.output;
        let mut text = String::new();
        if output.separator.is_none() && output.style == args::Style::Kea {
            let words = self.args.words.get(1..).unwrap_or_default();
            text.push_str(&banner(words, asked::scenario(self.args), self.load.workers()));
        }
        if output.diagnostics.arguments {
            let duid = D::duid(plan, &self.population, self.started.as_second());
            text.push_str(&decoded(self.args, &duid));
        }
        if output.diagnostics.randomness {
            text.push_str(&self.randomness());
        }
        console::print(&text).map(drop).map_err(|refusal| refusal.text)?;
        if let Some(line) = coverage::line(&self.load.phases()) {
            console::note(&line);
        }
        Ok(())
    }

    /// What random choices follow from (`-x r`), which the old tool promised and never said.
    fn randomness(&self) -> String {
        let node = self.load.settings().node;
        let base = self.population.base().map_or_else(
            || "drawn from a list".to_owned(),
            |mac| mac.map(|octet| format!("{octet:02x}")).join(":"),
        );
        format!(
            "seed={}\nclients={}, the first with MAC {base}\nnode {rank} of {world}: starts every exchange whose \
             number modulo {world} is {rank}\n",
            self.seed,
            self.population.size(),
            rank = node.rank,
            world = node.world
        )
    }

    fn conclude<D: Letters, C: Carrier + 'static>(
        &self,
        dhcp: &Dhcp<D, C>,
        catalogue: &Catalogue,
        finished: &Finished,
        measured: &Measured,
    ) -> Result<Outcome, String> {
        let ending = Ending {
            job: self,
            dhcp,
            catalogue,
            finished,
            signal: self.signals.received(),
            ceiling: ceiling::of(&self.operations[..1], self.load.workers()),
        };
        ending.conclude(measured)
    }
}

/// What is timed within exchanges: their stages, and lives where there are any.
fn parts(args: &DhcpArgs) -> Vec<&'static str> {
    let v6 = args.family == Family::V6;
    let lives = matches!(args.scenario, Scenario::Fleet(_));
    let stages = if lives { Stage::ALL.len() } else { asked::stages_max(args) };
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

/// How many clients there are on all nodes together. Each node takes those whose numbers leave its own as the
/// remainder, so no two machines ever are the same client; a fleet brings all of its clients on each.
fn range(args: &DhcpArgs) -> u64 {
    let (count, nodes) = (u64::from(args.clients.count.get()), u64::from(args.load.node.of));
    match args.scenario {
        Scenario::Fleet(_) | Scenario::Avalanche => count * nodes,
        Scenario::Basic => count.next_multiple_of(nodes),
    }
}

fn leases_max(args: &DhcpArgs) -> usize {
    let rate = args.exchange.renew_rate + args.exchange.release_rate;
    if args.exchange.release_on_exit || args.output.diagnostics.leases {
        return LEASES_MAX;
    }
    if rate == 0.0 {
        return 0;
    }
    ((rate * LEASES_PER_RATE) as usize).clamp(LEASES_MIN, LEASES_MAX)
}

/// Whether messages without an answer are sent again.
fn retransmits(args: &DhcpArgs) -> bool {
    args.exchange.retransmit || args.scenario != Scenario::Basic
}
