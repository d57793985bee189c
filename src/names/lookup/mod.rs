//! `brunt names lookup`: load on a name service, as this machine is configured or at one layer of it.
//!
//! [`asked`] turns the command line into a run, for which [`known`] finds users and groups; [`sources`] says afterwards
//! who is configured to answer and who does. Whoever answers serves others as well, so it is asked at a moderate rate
//! unless somebody says otherwise, and nothing is ever changed.

mod asked;
mod crew;
mod ending;
mod getent;
mod known;
mod sources;

use std::sync::Arc;

use brunt_drivers::names::{AccessPaths, PARTS, nss};
use brunt_engine::{Plan, run_blocking};
use brunt_exchange::Monotonic;
use brunt_record::Catalogue;
use brunt_report::{Style, summary};

use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::names_lookup::LookupArgs;
use crate::console;
use crate::flows::screen::Screen;
use crate::measured;
use crate::signals::Signals;
use asked::Asked;
use crew::Askers;
use ending::Ending;

/// Carries out what was asked for.
pub(crate) fn run(args: &LookupArgs, signals: &Signals) -> Result<Exit, Refusal> {
    let usage = |why: String| Refusal { text: format!("failed to {why}\n"), exit: Exit::Usage };
    let failed = |why: String| Refusal { text: format!("{why}\n"), exit: Exit::Failed };
    let asked = Asked::of(args).map_err(usage)?;
    if let Some(sources) = &args.source {
        nss::restrict(sources).map_err(|error| usage(error.to_string()))?;
    }
    if !args.output.quiet {
        asked.notes.iter().for_each(|note| console::note(note));
    }
    let questions = Arc::clone(&asked.questions);
    let operations = questions.operations();
    let catalogue = Catalogue::new(operations.iter().copied(), PARTS.to_vec());
    let objectives = measured::objectives(&args.output.objectives, &operations).map_err(failed)?;
    let seed = asked.settings.seed;
    let plan = Plan::new(asked.settings.clone(), 1).map_err(|error| usage(error.to_string()))?;
    signals.listen().map_err(|error| failed(format!("failed to listen for signals: {error}")))?;
    let output = args.output.files();
    measured::check([("--record", &output.record), ("--hgrm", &output.hgrm)]).map_err(failed)?;
    let stop = signals.stop();
    let started = console::now();
    let progress = args.output.progress();
    let mut screen =
        Screen::new(&catalogue, &output, &stop, progress, plan.lasting()).map_err(failed)?;
    let crew = Arc::new(Askers { questions, paths: asked.paths.clone(), seed });
    let finished = run_blocking(&plan, &catalogue, Monotonic::new(), &crew, &stop, &mut screen)
        .map_err(|error| failed(format!("failed to {error}")))?;
    let measured = screen.finish().map_err(failed)?;
    let ending = Ending {
        output: &output,
        target: asked.target.clone(),
        plan: &plan,
        catalogue: &catalogue,
        paths: &asked.paths,
        seed,
        started,
        finished: &finished,
        signal: signals.received(),
        objectives: &objectives,
        in_process: matches!(asked.paths, AccessPaths::Nss),
    };
    let (record, exit) = ending.conclude(&measured).map_err(failed)?;
    let style = Style { colour: console::colours(), verdict_always: false };
    let text = summary(&record, style).map_err(|error| failed(format!("failed to {error}")))?;
    console::print(&text)?;
    if signals.received().is_none()
        && let Some(text) = sources::found(args, &asked.probes)
    {
        console::print(&text)?;
    }
    if let Some(path) = output.record.as_ref().filter(|_| !args.output.quiet) {
        console::say(&format!("record: {}", path.display()));
    }
    Ok(exit)
}
