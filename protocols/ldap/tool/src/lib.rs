//! The LDAP rate tools: from a parsed command line to the report of a run.
//!
//! [`setup`] makes the driver's plan from the command line and [`load`] the engine's, [`brunt_ldap_load`] connects the
//! engine to the driver's sessions, and [`table`] shows intervals as they arrive. This module depends neither on the
//! letters of flags nor on the wire format of messages.

mod callers;
mod entries;
mod filled_row;
mod load;
mod makeldif;
mod monitor;
pub mod options;
mod ports;
mod preflight;
mod problem;
mod purge;
mod report;
mod setup;
mod table;
mod task;
#[cfg(test)]
mod test_surroundings;
mod tools;
mod transport;
mod unboundid;
mod writer;

use std::cell::Cell;
use std::sync::Arc;

use brunt_engine::{EngineRun, EngineTime, Stop};
use brunt_exchange::{Named, Outcome as ExchangeOutcome};
use brunt_ldap_driver::{self as ldap, naming};
use brunt_ldap_load::LdapSessions;
use brunt_ldap_wire::code;
use brunt_net::Network;
use brunt_record::{Basis, Catalogue, EarlyEnd, run_tallies};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::monitor::{Opener, SourceError};
use brunt_run::options::exit::Exit;
use brunt_run::options::output::{Output, OutputArgs, Progress};
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::summary::{Ending, Stream, SummaryError};
use brunt_run::{
    Caller, EndedBy, EngineError, ExecutionError, ExitPolicy, Finished, Job, JobError, Load,
    Observer, Outcome, Prepared, Protocol, ProtocolError, Repeatable, Unsuitable, Verbosity,
    address_policy, carry_out, ceiling, console, exit, files, is_endless, judged, objectives,
    prepare, search_words,
};

use crate::options::dialect::Dialect;
use crate::options::rate::RateArgs;
use crate::options::rate::operation::Operation;
use crate::options::tool::Tool;

pub use tools::TOOLS;

use problem::Problem;
use writer::{TableFileError, TableWriter};

impl Load for RateArgs {
    fn name(&self) -> &'static str {
        self.tool.name()
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

    fn refuses(&self, caller: Caller, words: &[String]) -> Result<(), Unsuitable> {
        callers::refuses(self, caller, words)
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        if verbosity == Verbosity::Normal {
            self.notes.iter().for_each(|note| world.console.note(note));
        }
        let prepared = ready(self, (world, network), setup::tried_binds(self))?;
        if verbosity == Verbosity::Normal {
            prepared.note_writes(&world.console);
            for number in &prepared.protocol.unused {
                let text = self.arguments.get(number - 1).map_or("", String::as_str);
                world.console.note(&format!("no template uses argument {number} (-g {text})"));
            }
        }
        let Prepared { job, protocol: rate_tool, .. } = prepared;
        // Not before the plan: a Kerberos configuration must be set while the process has one thread.
        prepare(world).map_err(Refusal::failed)?;
        address_policy::clear(&job.load, network, world).map_err(Refusal::failed)?;
        ports::check(self, &rate_tool.plan, &world.console);
        let table = [("--outputFile", self.table.file.as_deref())];
        files::check(&[&job.output.run.paths()[..], &table].concat()).map_err(Refusal::failed)?;
        preflight::connect(&rate_tool.plan, world)?;
        let finished = rate_tool.carry_out(&job, world, verbosity).map_err(Refusal::failed)?;
        let exit = match (finished.early(), rate_tool.plan.first_binds_refused()) {
            (None, Some(_)) => Exit::Ldap(code::INVALID_CREDENTIALS),
            (early, _) => {
                let usual = exit(&finished.record, early, ExitPolicy::Ours);
                match early.map_or_else(|| judged(&finished.record), |_| Some(usual)) {
                    Some(decided) => decided,
                    None => rate_tool.first_failure().map_or(usual, Exit::Ldap),
                }
            }
        };
        let exit = finished.losses.report(exit);
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, world: &World, network: &Network) -> Result<Job, Refusal> {
        ready(self, (world, network), None).map(|prepared| prepared.job)
    }

    /// The parameters of the connection are tested by connecting once.
    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let prepared = ready(self, (world, network), None)?;
        check(prepared.subject())?;
        prepare(world).map_err(Refusal::failed)?;
        preflight::connect(&prepared.protocol.plan, world)?;
        Ok(Box::new(prepared))
    }
}

/// The run ends if its first `tries` binds are all refused for their passwords.
fn ready<'a>(
    args: &'a RateArgs,
    (world, network): (&World, &Network),
    tries: Option<u64>,
) -> Result<Prepared<RateTool<'a>>, Refusal> {
    let seed = args.output.seed.unwrap_or_else(console::seed);
    let refused = |problem: Problem| problem.refusal(args.tool, args.dialect);
    let usage = |error: JobError| refused(Problem::usage(error.to_string()));
    let (setup, unused) = setup::build(args, network, (seed, world)).map_err(refused)?;
    let monitored = setup.clone();
    let plan = ldap::Plan::compile(setup).map_err(|error| refused(error.into()))?;
    let plan = match setup::locked_tolerated(args) {
        Some(tolerated) => plan.withholding_after(tolerated),
        None => plan,
    };
    let plan = match tries {
        Some(tries) => plan.trying_first(tries),
        None => plan,
    };
    let reported = Cell::default();
    let rate_tool = RateTool {
        args,
        plan: Arc::new(plan),
        monitored,
        reported,
        unused,
        time: world.run_time(),
        console: world.console.clone(),
    };
    let job = rate_tool.job((world, network), seed).map_err(usage)?;
    Ok(Prepared::new(job, rate_tool, writes(&args.operation)))
}

/// What an operation changes in the directory.
fn writes(operation: &Operation) -> Option<&'static str> {
    match operation {
        Operation::Bind { .. } | Operation::Search(_) | Operation::Compare { .. } => None,
        Operation::Modify { .. } | Operation::SearchAndModify { .. } => Some("modifies entries"),
        Operation::Delete { .. } => Some("deletes entries"),
        Operation::Rename(_) => Some("renames entries"),
        Operation::Add(_) => Some("adds and deletes entries"),
    }
}

/// What an exchange of a run of these operations is called, if all are of one kind.
fn noun(operations: &[&str]) -> Option<(&'static str, &'static str)> {
    match operations {
        ["bind"] => Some(("bind", "binds")),
        ["search"] => Some(("search", "searches")),
        ["modify"] => Some(("modification", "modifications")),
        ["compare"] => Some(("comparison", "comparisons")),
        ["delete"] => Some(("deletion", "deletions")),
        ["modify-dn"] => Some(("renaming", "renamings")),
        _ => None,
    }
}

/// Why a run has no result, or it cannot be printed.
#[derive(Debug, thiserror::Error)]
enum RateToolError {
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error(transparent)]
    Table(#[from] TableFileError),
}

/// What one of these tools supplies to its run.
struct RateTool<'a> {
    args: &'a RateArgs,
    plan: Arc<ldap::Plan>,
    /// The settings of the connection that reads the server's own figures.
    monitored: ldap::Setup,
    /// The arguments that no template uses, counted from 1.
    unused: Vec<usize>,
    /// The driver's counts at the end of the previous run.
    reported: Cell<ldap::tally::Counts>,
    /// The time of what is done after a run.
    time: EngineTime,
    console: Console,
}

impl RateTool<'_> {
    fn job(&self, (world, network): (&World, &Network), seed: u64) -> Result<Job, JobError> {
        let (args, operations) = (self.args, self.plan.operations());
        let load = load::plan(args, seed, self.plan.exchanges_max(), &world.files)?;
        let output = &args.output;
        let command = output.typed.clone();
        let tallies = ldap::tally::NAMES.map(str::to_owned).into_iter();
        let tallies = tallies.chain(run_tallies(&self.plan.servers()));
        let catalogue =
            Catalogue::new(operations.iter().copied(), ldap::PARTS).with_tallies(tallies);
        let latency_basis = if args.load.compat { Basis::Service } else { Basis::Response };
        let job = Job {
            objectives: objectives(&output.run.objectives, &output.run, operations)?,
            output: Output {
                run: output.run.clone(),
                percentiles: output.percentiles.clone(),
                progress: Progress::Table,
                ..Output::default()
            },
            ports: ports::budget(args, &self.plan),
            ceiling: ceiling::estimate(operations, load.workers(), &world.environment),
            search: search_words(args),
            endless: is_endless(&load),
            ..Job::new(command, catalogue, setup::target(args, &self.plan), load, network.clone())
        };
        let job = match noun(operations) {
            Some((one, many)) => job.called(one, many),
            None => job,
        };
        Ok(Job { requested: brunt_record::Plan { latency_basis, ..job.requested }, ..job })
    }

    fn carry_out(
        &self,
        job: &Job,
        world: &World,
        verbosity: Verbosity,
    ) -> Result<Finished, RateToolError> {
        if verbosity == Verbosity::Quiet {
            return Ok(carry_out(job, self, &mut [], world)?);
        }
        let writer = TableWriter::open(&self.args.table, world)?;
        let mut table = table::of(self.args, &job.catalogue, writer);
        let mut observers: [&mut dyn Observer; 1] = [&mut *table];
        let mut finished = carry_out(job, self, &mut observers, world)?;
        if let Some(text) = unboundid::report::completed(self.args, &finished) {
            finished.losses.print(&text);
        }
        let notes = self.notes();
        let ending = Ending::new(&job.output.run, Stream::Error, &world.console);
        ending.report(&finished.record, &mut finished.losses)?;
        for note in &notes {
            world.console.note(note);
        }
        let written = finished.written.as_deref();
        ending.close(&finished.record, written, &mut finished.losses)?;
        Ok(finished)
    }

    /// Messages of servers beside their results. The counts are of the whole run.
    fn notes(&self) -> Vec<String> {
        let counts = self.plan.tally().counts();
        let (warnings, errors) = (counts.policy_warnings, counts.policy_errors);
        let policy = (warnings + errors > 0).then(|| {
            format!(
                "bind responses contained {warnings} password policy warnings and {errors} errors"
            )
        });
        let references = (counts.references > 0)
            .then(|| format!("{} references were not followed", counts.references));
        let renamed = (counts.left_renamed > 0).then(|| {
            format!(
                "{} entries keep their new names: they could not be renamed back when the run ended",
                counts.left_renamed
            )
        });
        let dialect = (self.args.dialect == Dialect::Unboundid).then(|| {
            let name = self.args.tool.name();
            format!("this command line was read as one of UnboundID's {name} (--dialect unboundid)")
        });
        let failed = self.first_failure().map(|result| {
            format!(
                "the exit code of this dialect is the result of the first operation that failed: {result} ({})",
                code::name(result)
            )
        });
        policy.into_iter().chain(references).chain(renamed).chain(dialect).chain(failed).collect()
    }

    /// The result of the first operation that failed, in the dialect whose exit code it is.
    fn first_failure(&self) -> Option<u32> {
        let outcome = self.plan.first_failure()?;
        let is_in_dialect = self.args.dialect == Dialect::Unboundid;
        unboundid::exit_code(outcome).filter(|_| is_in_dialect)
    }
}

impl Protocol for RateTool<'_> {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> Named {
        let is_bind = self.args.tool == Tool::Authrate;
        Named { name: naming::name(outcome), meaning: naming::meaning(outcome, is_bind) }
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        let stop = run.stop.clone();
        self.plan.end_if_refused(move || {
            stop.request();
        });
        let sessions = LdapSessions::new(&self.plan, self.reported.get());
        let finished = sessions.run(run);
        self.reported.set(self.plan.tally().counts());
        Ok(finished.map_err(EngineError)?)
    }

    fn monitor(&self) -> Result<Opener, SourceError> {
        Ok(monitor::source(self.monitored.clone())?)
    }

    fn ended_by(&self, _: &brunt_engine::Finished) -> Option<EndedBy> {
        let count = self.plan.first_binds_refused()?;
        let what = format!("its first {count} binds were all refused with invalidCredentials (49)");
        let remedy = "correct the DN or the password, or give -I 100 to measure such binds";
        Some(EndedBy::CutShort(EarlyEnd::of_protocol(what, Some(remedy))))
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), ProtocolError> {
        purge::after(self.args, &self.plan, (stop, &self.time), &self.console);
        Ok(())
    }
}
