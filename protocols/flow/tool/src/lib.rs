//! Runs a flow: every flow from a plan, a LoadGen job or a command line is carried out here.
//!
//! [`plan`], [`http`] and [`loadgen`] make flows, [`import`] makes plans from other tools' files. [`brunt_flow_load`]
//! connects the engine to the virtual users of a flow. The caller prints the results.

mod around;
mod fit;
mod http;
pub mod import;
pub mod loadgen;
mod naming;
mod once;
pub mod options;
mod own_load;
pub mod plan;
mod report;
mod semantics;
mod tools;
mod trace;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{EngineRun, Plan, Settings, Stop};
use brunt_exchange::{Named, Outcome};
use brunt_flow_driver::{self as flow, CompiledFlow, DataEnd, Flow, Tallies};
use brunt_flow_load::{FlowSessions, connections, group};
use brunt_http_driver::Network;
use brunt_record::{Catalogue, EarlyEnd, Record, Slo, run_tallies};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::{Output, Progress};
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signal;
use brunt_run::{
    self as run, EndedBy, EngineError, ExitPolicy, Finished, Job, LastScrape, ObjectivesError,
    Prepared, Protocol, ProtocolError, WriteFailures, carry_out, ceiling, check_files, exit,
    is_endless, objectives, of_iterations,
};

pub use tools::{TOOLS, run_args};

use around::{ShowAround, Surrounding};
use naming::Naming;
use trace::{ShowEvery, TraceFile, Tracer};

/// A requested run of a flow.
pub struct FlowJob {
    /// The command line as the record shows it: without secrets.
    pub command: Vec<String>,
    /// What to type for a search of its highest rate, if one can repeat it.
    pub search: Vec<String>,
    /// What virtual users do.
    pub flow: Flow,
    /// The network settings.
    pub network: Arc<Network>,
    /// When exchanges begin, how many there are, and for how long.
    pub settings: Settings,
    /// The objectives.
    pub objectives: Vec<Slo>,
    /// Where results are written.
    pub output: Output,
    /// The target, for the record.
    pub target: String,
    /// The file of failed exchanges.
    trace: Option<TraceFile>,
    /// The function that receives every exchange.
    every: Option<ShowEvery>,
    /// The same for what is done before the load and after it.
    every_around: Option<ShowAround>,
}

/// A run of a flow that is over.
pub struct Done {
    /// The record.
    pub record: Record,
    /// The exit code of the program, unless something could not be written.
    exit: Exit,
    /// The path of the record.
    pub written: Option<PathBuf>,
    /// The signal that ended it.
    signal: Option<Signal>,
    /// What could not be written.
    pub losses: WriteFailures,
    /// The position of each count among the tallies.
    pub tallies: Tallies,
    /// The tallies of the whole run, by number.
    pub counts: Vec<u64>,
    /// The time from the origin of the run until no exchange was in flight.
    pub lasted: Duration,
    /// Waits for the last scrape of its figures when everything has been printed.
    #[expect(dead_code, reason = "it acts when it is dropped")]
    last_scrape: LastScrape,
}

impl Done {
    /// Reports what could not be written, and returns the exit code of the program.
    pub fn end(&self) -> Exit {
        self.losses.report(self.exit)
    }

    /// The record and the exit code of the program; reports what could not be written.
    pub fn outcome(self) -> run::Outcome {
        let exit = self.end();
        run::Outcome { record: self.record, exit }
    }
}

/// Prepares a flow to be carried out.
pub fn prepare(mut requested: FlowJob, world: &World) -> Result<Prepared<Users>, Refusal> {
    let failed_to = |error: &dyn std::fmt::Display| Refusal::usage(format!("failed to {error}"));
    if requested.flow.dhcp.is_some() {
        // There is one socket to the server, which one worker reads.
        requested.settings.workers = Some(1);
    }
    let flow = &requested.flow;
    let around = flow.prepare.iter().chain(&flow.clean_up).map(|around| &around.flow);
    for flow in [flow].into_iter().chain(around) {
        for note in fit::examine(flow, world.now()).map_err(|error| failed_to(&error))? {
            if requested.output.progress == Progress::Figures {
                world.console.note(&note);
            }
        }
    }
    let writes = writes(flow);
    let FlowJob {
        command, search, mut flow, network, settings, objectives, output, target, ..
    } = requested;
    let (trace, every) = (requested.trace, requested.every);
    let around = (flow.prepare.take(), flow.clean_up.take());
    let surrounding = Surrounding::new(around, &network, requested.every_around.as_ref());
    let surrounding = surrounding.map_err(|error| failed_to(&error))?;
    refuse_canary(&flow, &surrounding, &output).map_err(Refusal::usage)?;
    let files: Vec<_> = output
        .run
        .paths()
        .into_iter()
        .chain([("--trace", trace.as_ref().map(AsRef::as_ref))])
        .collect();
    check_files(&files).map_err(Refusal::failed)?;
    let tracer = Tracer::attach(trace, every, (network.settings(), world.clock), &mut flow);
    let tracer = tracer.map_err(Refusal::usage)?;
    let way = network.way().clone();
    let compiled = CompiledFlow::new(flow, network).map_err(|error| failed_to(&error))?;
    let (naming, data_end) = (Naming::new(compiled.flow()), RefCell::default());
    let users = Users { naming, compiled: Arc::new(compiled), tracer, data_end, surrounding };
    let load = Plan::new(settings, group(&users.compiled));
    let load = load.map_err(|error| failed_to(&error))?;
    let job = users.job(command, load, (output, &objectives), target, (world, way));
    let job = Job { search, ..job.map_err(Refusal::usage)? };
    Ok(Prepared::new(job, users, writes.as_deref()))
}

/// Carries a flow out, from the first connection to the record.
pub fn run(requested: FlowJob, world: &World) -> Result<Done, Refusal> {
    let shown = requested.output.progress != Progress::Quiet;
    let prepared = prepare(requested, world)?;
    if shown {
        prepared.note_writes(&world.console);
    }
    let Prepared { job, protocol: mut users, .. } = prepared;
    let finished = carry_out(&job, &users, &mut [], world).map_err(Refusal::failed)?;
    let tallies = users.compiled.tallies().clone();
    let mut counts = vec![0; tallies.len()];
    for total in finished.engine.totals.values() {
        counts.iter_mut().zip(&total.tallies).for_each(|(sum, count)| *sum += count);
    }
    let exit = exit(&finished.record, finished.early(), ExitPolicy::Ours);
    let Finished { record, engine, written, mut losses, signal, last_scrape, .. } = finished;
    losses.keep(users.tracer.take().map_or(Ok(()), |tracer| tracer.write(&world.console)));
    let lasted = engine.over;
    Ok(Done { record, exit, written, signal, losses, tallies, counts, lasted, last_scrape })
}

/// The virtual users of a flow.
pub struct Users {
    compiled: Arc<CompiledFlow>,
    naming: Naming,
    /// Keeps whole exchanges, if that is requested.
    tracer: Option<Tracer>,
    /// Where the users of the last run reported that no rows were left.
    data_end: RefCell<Arc<DataEnd>>,
    /// What is done before the load and after it.
    surrounding: Surrounding,
}

/// Why a flow has no canary.
#[derive(Debug, thiserror::Error)]
enum CanaryRefusal {
    #[error("use --canary: scenarios have loads of their own, and a canary sets one pace")]
    OwnLoads,
    #[error(
        "use --canary: [{0}] has each = \"user\", and a canary has other users than the run; use each = \"node\""
    )]
    EachUser(&'static str),
}

/// Refuses a canary of fewer users than something is prepared for.
fn refuse_canary(
    flow: &Flow,
    surrounding: &Surrounding,
    output: &Output,
) -> Result<(), CanaryRefusal> {
    if flow.own.is_some() && output.run.canary.is_some() {
        return Err(CanaryRefusal::OwnLoads);
    }
    match surrounding.of_each_user().filter(|_| output.run.canary.is_some()) {
        None => Ok(()),
        Some(key) => Err(CanaryRefusal::EachUser(key)),
    }
}

impl Users {
    fn job(
        &self,
        command: Vec<String>,
        load: Plan,
        (output, given): (Output, &[Slo]),
        target: String,
        (world, network): (&World, brunt_net::Network),
    ) -> Result<Job, ObjectivesError> {
        let flow = self.compiled.flow();
        let operations: Vec<&str> = flow.operations.iter().map(String::as_str).collect();
        let tallies = self.compiled.tallies().names().into_iter().chain(connections());
        let servers = flow.ldap.as_ref().map(|ldap| ldap.servers()).unwrap_or_default();
        let tallies = tallies.chain(run_tallies(&servers));
        let catalogue = Catalogue::new(operations.iter().copied(), flow::PARTS)
            .with_spans(flow.spans.iter().cloned())
            .with_parts_of(flow.nesting())
            .with_tallies(tallies);
        let measured: Vec<&str> = catalogue.measured().collect();
        let objectives = objectives(given, &output.run, &measured)?;
        let job = Job {
            objectives,
            output,
            ceiling: ceiling::estimate(&operations, load.workers(), &world.environment),
            endless: is_endless(&load) && flow.is_endless(),
            several: !one_for_one(flow),
            semantics: semantics::semantics(flow),
            ..Job::new(command, catalogue, target, load, network)
        };
        let job = if only_http(flow) { job.called("request", "requests") } else { job };
        let requested = if job.several { of_iterations(job.requested) } else { job.requested };
        Ok(Job { requested, ..job })
    }
}

/// Whether every exchange is a request over HTTP.
fn only_http(flow: &Flow) -> bool {
    let mut steps = flow.scenarios.iter().flat_map(|scenario| &scenario.steps);
    steps.all(|step| match step {
        flow::Step::Exchange(exchange) => matches!(exchange.payload, flow::Payload::Http(_)),
        flow::Step::Pause(_) | flow::Step::Control(_) => true,
    })
}

/// Whether each iteration is one exchange.
fn one_for_one(flow: &Flow) -> bool {
    flow.scenarios.iter().all(flow::Scenario::is_one_exchange)
}

/// What a flow changes at its targets, as text.
fn writes(flow: &Flow) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let around = flow.prepare.iter().chain(&flow.clean_up).flat_map(|it| &it.flow.scenarios);
    for step in flow.scenarios.iter().chain(around).flat_map(|scenario| &scenario.steps) {
        let flow::Step::Exchange(exchange) = step else { continue };
        let word = match &exchange.payload {
            flow::Payload::Http(http) => match &http.page {
                Some(flow::PageStep::Submit(_)) => "submits forms".to_owned(),
                None if !is_safe(&http.method) => format!("sends {} requests", http.method),
                _ => continue,
            },
            flow::Payload::Ldap(ldap) if ldap.changes() => "changes entries".to_owned(),
            _ => continue,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// Whether a method only reads (RFC 9110 section 9.2.1).
fn is_safe(method: &str) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].contains(&method)
}

impl Protocol for Users {
    fn outcome(&self, operation: usize, outcome: Outcome) -> Named {
        self.naming.named(operation, outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        self.surrounding.prepare(&run)?;
        let sessions = FlowSessions::new(&self.compiled, run.plan.workers(), run.plan.settings());
        let sessions = self.surrounding.handed(sessions);
        let stop = run.stop.clone();
        sessions.data_end().end_with(move || {
            stop.request();
        });
        self.data_end.replace(Arc::clone(sessions.data_end()));
        Ok(sessions.run(run).map_err(EngineError)?)
    }

    fn record(&self, mut made: Record) -> Result<Record, ProtocolError> {
        made.verdict.notes.extend(brunt_report::passed_over(&made));
        made.verdict.notes.extend(self.surrounding.notes());
        Ok(own_load::recorded(self.compiled.flow(), self.compiled.tallies(), made))
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), ProtocolError> {
        Ok(self.surrounding.clean_up(stop)?)
    }

    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let data_end = self.data_end.borrow();
        let (variable, after) = (data_end.variable()?, finished.timing.to.as_secs_f64());
        let what = format!(
            "its data ran out after {after:.1} s: each row of '{variable}' is used once, and all rows are used"
        );
        let remedy = "add rows or choose another order";
        Some(EndedBy::CutShort(EarlyEnd::of_protocol(what, Some(remedy))))
    }
}
