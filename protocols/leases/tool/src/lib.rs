//! `brunt leases` and the three original programs: how fast stores of leases are, and what affects their speed.
//!
//! A command line becomes a [`comparison_settings::ComparisonSettings`], which a [`comparison::Comparison`] carries
//! out, phase by phase, each a run of the engine on a [`store::Store`]. The report makes the printed text from the
//! collection only, so that `brunt report` prints the same from a file. [`mod@ubench`] is the front end of the programs
//! of 2012.

mod callers;
mod comparison;
mod comparison_settings;
mod events;
mod gathering;
mod held;
mod mixing;
pub mod options;
mod phase;
pub mod report;
mod rows;
mod screen;
mod secrets;
mod store;
mod store_directory;
mod tally;
mod tools;
mod ubench;
mod weights;
mod words;

use std::fmt::Display;
use std::path::Path;

use brunt_net::Network;
use brunt_record::Collection;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::{
    Caller, Load, Repeatable, ResultError, Unsuitable, WriteFailures, console, files, objectives,
    prepare, summary,
};

use crate::options::leases::{LeasesArgs, of_each_run};

use comparison::{Comparison, Unusable};
use comparison_settings::{ComparisonSettings, LeaseTasks};
use events::Events;
use gathering::collection;
use screen::Screen;
use secrets::Secrets;
use store_directory::StoreDirectory;
use tally::Tally;

pub use tools::TOOLS;

use mixing::Mixing;

impl Load for LeasesArgs {
    fn name(&self) -> &'static str {
        "leases"
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    /// A comparison of stores is several runs.
    fn results(&self) -> Option<&RunOptions> {
        None
    }

    fn pacing(&self) -> Vec<Pacing> {
        callers::pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        callers::refuses(self, caller)
    }

    fn run(&self, world: &World, network: &Network) -> Result<Exit, Refusal> {
        run(self, world, network)
    }

    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let prepared = Mixing::prepare(self, (world, network))?;
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }
}

/// Carries out the command line, from the first file to the last line.
fn run(args: &LeasesArgs, world: &World, network: &Network) -> Result<Exit, Refusal> {
    let requested = ComparisonSettings::new(args, &world.files).map_err(usage)?;
    let operations = operations(&requested.work);
    let run = &args.output.run;
    let objectives = objectives(&run.objectives, run, &operations).map_err(usage)?;
    let secrets = Secrets::find(&requested.stores, &args.place, world).map_err(usage)?;
    let RunOptions { record, html, events, .. } = run;
    let named = events.as_deref().filter(|path| *path != Path::new("-"));
    let files = [("--record", record.as_deref()), ("--html", html.as_deref()), ("--events", named)];
    files::check(&files).map_err(failed)?;
    prepare(world).map_err(failed)?;
    let grounds = StoreDirectory::new(&requested.stores, &comparison_settings::directory(args))
        .map_err(failed)?;
    let mut collection = collection(args.output.typed.clone(), world);
    grounds.measure(&mut collection, &world.console).map_err(failed)?;
    let mut comparison = Comparison {
        requested: &requested,
        secrets: &secrets,
        grounds,
        may_destroy: args.place.yes_destroy,
        keep: args.place.keep,
        flush: args.place.innodb_flush,
        seed: args.output.seed.unwrap_or_else(console::seed),
        objectives: &objectives,
        output: of_each_run(&args.output),
        world,
        network,
        stop: world.signals.stop(),
        screen: Screen::new(Comparison::phases(&requested), &world.console),
        collection,
        events: Events::none(&world.console),
        tally: Tally::default(),
    };
    comparison.prove().map_err(|refused| match refused {
        Unusable::Occupied(text) => Refusal { text: format!("{text}\n"), exit: Exit::Unsafe },
        Unusable::Failed(text) => failed(text),
    })?;
    comparison.events = Events::create(events.as_deref(), &world.console).map_err(failed)?;
    comparison.carry_out();
    let Comparison { mut grounds, collection, events, tally, .. } = comparison;
    if let Some(kept) = args.place.keep.then(|| grounds.keep()).flatten() {
        world.console.note(&format!("the files are in {}", kept.display()));
    }
    if let Err(why) = grounds.clear() {
        world.console.note(&why.to_string());
    }
    let mut losses = events.end();
    let exit = tally.exit(world.signals.received());
    if collection.cells.is_empty() && world.signals.received().is_some() {
        let nothing = "interrupted before anything was measured";
        world.console.note(&format!("it was {nothing}"));
        world.console.conclude(Some(nothing));
    } else {
        report(&collection, run, exit, (&mut losses, &world.console));
    }
    Ok(losses.report(exit))
}

/// Prints and writes the results, and keeps what could not be written.
fn report(
    collection: &Collection,
    output: &RunOptions,
    exit: Exit,
    (losses, console): (&mut WriteFailures, &Console),
) {
    let record = output.record.as_deref();
    let html = output.html.as_deref();
    let record = losses.written(record, |path| collection.write(path).map_err(ResultError::Record));
    let html = losses.written(html, |path| {
        console::write(path, &crate::report::html(collection))
            .map(drop)
            .map_err(|refusal| refusal.text)
    });
    let page = crate::report::page(collection);
    losses.print(&summary::of_all(&page, collection, console));
    for (name, path) in [("record", record), ("page", html)] {
        if let Some(path) = path {
            console.message(&format!("{name}: {}", path.display()));
        }
    }
    summary::conclude_all(&page, collection, exit, console);
}

/// The operations that objectives may refer to.
fn operations(work: &LeaseTasks) -> Vec<&'static str> {
    match work {
        LeaseTasks::Phases(phases) => phases.iter().map(|phase| words::name_of(*phase)).collect(),
        LeaseTasks::Mix(_) => weights::WORDS.to_vec(),
    }
}

fn usage(why: impl Display) -> Refusal {
    Refusal::usage(format!("error: {why}"))
}

fn failed(why: impl Display) -> Refusal {
    Refusal::failed(why)
}
