//! A search with a plan that a user submitted to a website: within the limits that were granted, without output, and
//! with its progress in a file.
//!
//! It is `find-max -- run PLAN` with four differences. The caller hands in the network with its address policy. The
//! highest rate granted for the target is a ceiling, for a single session as well, and the longest run granted is the
//! longest search. The plan is read together with the files that were submitted beside it. Nothing is printed: progress
//! is written to a file, and the result to the record.

use brunt_capacity::{Reading, find};
use brunt_flow_tool::options::run::RunArgs;
use brunt_flow_tool::plan::{Granted, Searchable, prepare_granted};
use brunt_net::Network;
use brunt_net::allowed::Allowed;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Repeatable as _, console, files};

use super::inner::Inner;
use super::progress::ProgressFile;
use super::trial::Loader;
use super::{ended, goals, origin, settings};
use crate::cli;
use crate::cli::find_max::FindMaxArgs;
use crate::commands::failed;

/// How long the work after the last step may take, in seconds.
const CLOSING_S: u32 = 60;

/// How a search ended, and its result as text.
pub(crate) struct Searched {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

/// The run of the plan that a search repeats.
pub(crate) fn run_of(args: &FindMaxArgs, world: &World) -> Result<RunArgs, Refusal> {
    // An option that does not apply to a search is refused by its name.
    Inner::read(&args.command, None, world)?;
    match args.command.first().map(String::as_str) {
        Some("run") => cli::plan(&args.command),
        _ => Err(Refusal::usage("error: a search here is of a plan")),
    }
}

/// Searches, and writes the record.
pub(crate) fn find_granted(
    args: &FindMaxArgs,
    granted: &Granted<'_>,
    world: &World,
    network: &Network,
) -> Result<Searched, Refusal> {
    let mut run = run_of(args, world)?;
    run.output.seed = run.output.seed.or_else(|| Some(args.seed.unwrap_or_else(console::seed)));
    files::check(&[("--record", args.record.as_deref())]).map_err(Refusal::failed)?;
    world.signals.listen().map_err(|error| failed(format!("listen for signals: {error}")))?;
    let Searchable { load, ceiling } = prepare_granted(&run, granted, (world, network))?;
    let subject = load.subject();
    let goals = goals(args, subject, None)?;
    let mut settings = settings(args, subject);
    settings.to = [settings.to, ceiling].into_iter().flatten().min_by(f64::total_cmp);
    super::bounded(!args.allow.iter().all(Allowed::is_loopback), settings.to.is_some())?;
    if let Some(most) = granted.submitted.grant.seconds_max {
        settings.budget_s = settings.budget_s.min(most as f64 - f64::from(CLOSING_S));
    }
    let mut loader = Loader::new(&load, world, network, Box::new(ProgressFile::new()));
    loader.alone_under = ceiling;
    loader.relative_to = goals.relative_to();
    loader.second = args.second.unwrap_or(loader.second);
    loader.screen.opens(subject, &goals, &settings);
    let started = world.now();
    let found = find(&goals, &settings, &mut loader);
    loader.screen.closes();
    let given_back = load.give_back(&world.signals.stop());
    let exit = ended(&found, world, &loader);
    let mut origin = origin(args, subject, started, &loader);
    let most = ceiling.map(|most| format!("{most} iterations a second"));
    origin.facts.extend(most.map(|most| ("highest rate of the target".to_owned(), most)));
    let collection = found.collection(origin);
    if let Some(path) = &args.record {
        collection.write(path).map_err(failed)?;
    }
    given_back.map_err(Refusal::failed)?;
    let sentence = Reading::from_collection(&collection).map(|reading| reading.sentence());
    let message = loader.failed.take().or(sentence).unwrap_or_default();
    Ok(Searched { exit, message })
}
