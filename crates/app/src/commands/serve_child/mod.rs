//! The hidden command with which `brunt serve` reads plans and records, and generates load, in separate processes.
//!
//! A child receives its task in one document on its standard input. It confines itself before it reads anything that a
//! user wrote, and answers in one document on its standard output; a run answers by the files that it leaves.

mod call;
mod compare;
mod confinement;
mod coordinate;
mod export;
mod figured;
mod import;
mod index;
mod once;
mod run;
mod searched;

use std::io;
use std::path::Path;

use brunt_envelope::{Answer, Envelope, RunSpec, Search, Task};
use brunt_flow_plan::edit;
use brunt_flow_tool::options::run::RunArgs;
use brunt_flow_tool::plan::{Granted, Secrets, check_granted};
use brunt_history::{DATA, PageParts};
use brunt_net::Network;
use brunt_net::address_policy::{MadeBy, Policy};
use brunt_net::allowed::Allowed;
use brunt_record::is_full;
use brunt_report::page::Page;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use serde::Serialize;

use super::{failed, find_max};
use crate::cli::args::Verb;
use crate::cli::find_max::FindMaxArgs;
use crate::cli::{Command, plan, read};

use confinement::{Access, Confinement};

/// Carries out the task of the envelope on standard input.
pub(crate) fn serve_child(world: &World) -> Result<Exit, Refusal> {
    let envelope = Envelope::read(io::stdin().lock()).map_err(failed)?;
    match envelope.task {
        Task::Run(task) => run::run(&task, world),
        Task::Once(task) => answer(&once::once(&task, world), &world.console),
        Task::Check(requested) => answer(&check(&requested, world)?, &world.console),
        Task::Index => {
            confined(&Access::own_directory())?;
            answer(&outcome(index::index()), &world.console)
        }
        Task::Figures => {
            confined(&Access::own_directory())?;
            answer(&outcome(figured::figures()), &world.console)
        }
        Task::Compare(runs) => {
            let read = figured::paths(runs.iter().map(|run| &run.record));
            confined(&Access { read, ..Access::default() })?;
            answer(&outcome(compare::compare(&runs)), &world.console)
        }
        Task::Export(format) => {
            confined(&Access::own_directory())?;
            answer(&outcome(export::export(format)), &world.console)
        }
        Task::Step(number) => {
            confined(&Access::own_directory())?;
            answer(&outcome(searched::step_page(number)), &world.console)
        }
        Task::Trend { name, records } => {
            let read = figured::paths(records.iter());
            confined(&Access { read, ..Access::default() })?;
            answer(&outcome(compare::trend(&name, &records)), &world.console)
        }
        Task::Deliver(requested) => {
            // Networks are for load; a delivery checks its own addresses.
            confined(&Access::of_network())?;
            answer(&outcome(call::deliver(&requested, &world.files)), &world.console)
        }
        Task::Fetch(requested) => {
            confined(&Access::of_network())?;
            answer(&outcome(call::fetch(&requested, &world.files)), &world.console)
        }
        Task::Edit(requested) => {
            confined(&Access::default())?;
            answer(&outcome(edit(&requested)), &world.console)
        }
        Task::Import(requested) => {
            confined(&Access::own_directory())?;
            answer(&outcome(import::import(&requested, &world.files)), &world.console)
        }
    }
}

/// A change to a plan that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read what to change: {0}")]
struct ChangeError(#[from] serde_json::Error);

fn edit(change: &str) -> Result<edit::EditReply, ChangeError> {
    Ok(edit::reply_to(&serde_json::from_str(change)?))
}

fn check(requested: &RunSpec, world: &World) -> Result<Answer<brunt_envelope::Checked>, Refusal> {
    let data = requested.data.iter().map(|name| Path::new(DATA).join(name)).collect();
    let confinement = confined(&Access { read: data, ..Access::default() })?;
    let granted = Granted {
        submitted: requested,
        confined: confinement.holds(),
        files: world.files.clone(),
        secrets: Secrets::default(),
    };
    let args = match &requested.search {
        None => arguments(requested),
        Some(search) => search_arguments(requested, search, &granted)
            .and_then(|args| find_max::run_of(&args, world)),
    };
    let args = match args {
        Ok(args) => args,
        Err(refusal) => return Ok(Answer::Failed(first_words(&refusal.text))),
    };
    Ok(Answer::Done(check_granted(&args, &granted, world)))
}

/// Confines a child that makes no load: it is handed no network, and can access little of the machine.
fn confined(access: &Access) -> Result<Confinement, Refusal> {
    confinement::limit().map_err(failed)?;
    Confinement::enter(access).map_err(failed)
}

/// A network of the granted addresses: none, if none are granted.
fn network(requested: &RunSpec, world: &World) -> Result<Network, Refusal> {
    let allowed: Result<Vec<Allowed>, _> =
        requested.grant.allow.iter().map(|text| text.parse()).collect();
    Ok(Network::within(only(allowed.map_err(failed)?), &world.files))
}

/// Only what an administrator granted: a file of targets belongs to users of the command line.
fn only(allowed: Vec<Allowed>) -> Policy {
    Policy { allowed: Some(allowed), made_by: MadeBy::Site, ..Policy::default() }
}

/// The condition that ends every submitted run: no person may be watching while its target fails.
const WATCHDOG: &str = "errors>50% for 10s";

/// The options of a run as a user would type them, so that the command in its record repeats the run.
fn arguments(requested: &RunSpec) -> Result<RunArgs, Refusal> {
    let mut words: Vec<String> = ["run", "plan.toml"].map(str::to_owned).to_vec();
    words.extend(requested.duration.iter().map(|text| format!("--duration={text}")));
    words.extend(requested.set.iter().map(|text| format!("--set={text}")));
    words.extend(requested.objectives.iter().map(|text| format!("--slo={text}")));
    words.extend(requested.grant.allow.iter().map(|text| format!("--allow={text}")));
    words.push(format!("--abort-on={WATCHDOG}"));
    words.extend(["--record=record.json", "--events=events.ndjson"].map(str::to_owned));
    plan(&words)
}

/// The options of a search as a user would type them, for the same reason.
fn search_arguments(
    requested: &RunSpec,
    search: &Search,
    granted: &Granted<'_>,
) -> Result<FindMaxArgs, Refusal> {
    let mut words: Vec<String> = ["brunt", "find-max"].map(str::to_owned).to_vec();
    words.extend(search.objectives.iter().map(|text| format!("--slo={text}")));
    for (option, given) in
        [("--from", &search.from), ("--to", &search.to), ("--second", &search.second)]
    {
        words.extend(given.iter().map(|text| format!("{option}={text}")));
    }
    for (option, wanted) in [("--quick", search.quick), ("--yes-writes", search.writes)] {
        words.extend(wanted.then(|| option.to_owned()));
    }
    words.extend(requested.grant.allow.iter().map(|text| format!("--allow={text}")));
    words.extend(["--record=record.json", "--", "run", "plan.toml"].map(str::to_owned));
    words.extend(requested.set.iter().map(|text| format!("--set={text}")));
    match read(&words, granted)? {
        Command::Verb(Verb::FindMax(args)) => Ok(*args),
        _ => Err(super::unread(&words)),
    }
}

/// The message of an error, without the hints that a terminal shows after it.
fn first_words(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn outcome<T>(done: Result<T, impl Into<TaskError>>) -> Answer<T> {
    match done.map_err(Into::into) {
        Ok(done) => Answer::Done(done),
        Err(TaskError { text, is_full: true }) => Answer::Full(text),
        Err(TaskError { text, is_full: false }) => Answer::Failed(text),
    }
}

/// Why a child has no result.
#[derive(Debug)]
struct TaskError {
    text: String,
    /// Whether the disk has no room for it.
    is_full: bool,
}

impl TaskError {
    /// A file could not be written. The text reads before the message of the system.
    fn writing(what: &str, error: &io::Error) -> Self {
        Self { text: format!("{what}: {error}"), is_full: is_full(error) }
    }
}

/// The answer of a child is a text; every task has errors of its own.
impl<E: std::error::Error> From<E> for TaskError {
    fn from(error: E) -> Self {
        Self { text: error.to_string(), is_full: false }
    }
}

/// The parts of a page that a history stores and the site shows.
fn parts(page: &Page) -> PageParts {
    PageParts { title: page.title.clone(), about: page.about.clone(), sections: page.sections() }
}

fn answer(answer: &impl Serialize, console: &Console) -> Result<Exit, Refusal> {
    console.print(&serde_json::to_string(answer).map_err(failed)?)
}
