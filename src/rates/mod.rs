//! The LDAP rate tools: from a command line that was read to a run that was reported.
//!
//! Each step is a file: [`setup`] makes the driver's plan of the command line, [`load`] the engine's, [`fleet`] marries
//! the two, [`screen`] shows intervals as they come, and [`ending`] makes the record, the summary and the exit code.
//! Nothing here knows a flag by its letter, nor how a message looks on the wire.

mod controls;
mod ending;
mod entries;
mod fleet;
mod load;
mod naming;
mod paper;
mod ports;
mod problem;
mod purge;
mod rehearsal;
mod screen;
mod setup;
mod task;
mod transport;

use std::sync::Arc;

use brunt_drivers::ldap;
use brunt_engine::timer::MachineTime;
use brunt_engine::{Finished, Plan, Stop, limits};
use brunt_record::Catalogue;

use crate::ceiling;
use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::rate::RateArgs;
use crate::console;
use crate::measured;
use crate::signals::Signals;

use ending::Ending;
use fleet::LdapFleet;
use paper::Paper;
use problem::Problem;
use screen::Screen;

/// What was measured, for a caller that shows it in its own way.
pub(crate) struct Outcome {
    /// The record.
    pub(crate) record: brunt_record::Record,
    /// How the program should end.
    pub(crate) exit: Exit,
}

/// Whether a run shows what it measures as it goes, or only returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Prints the table and the summary.
    Aloud,
    /// Prints nothing.
    Quiet,
}

/// Carries a command line out, from the first connection to the last line.
pub(crate) fn run(args: &RateArgs, signals: &Signals, voice: Voice) -> Result<Outcome, Refusal> {
    if voice == Voice::Aloud {
        args.notes.iter().for_each(|note| console::note(note));
    }
    let seed = args.seed.unwrap_or_else(console::seed);
    let usage = |reason: String| Problem::usage(reason).refusal(args.tool);
    let plan = setup::compile(args, seed).map_err(|problem| problem.refusal(args.tool))?;
    let plan = Arc::new(plan);
    let load = load::plan(args, seed, plan.exchanges_max()).map_err(usage)?;
    let catalogue = Catalogue::new(plan.operations().iter().copied(), ldap::PARTS);
    let objectives =
        measured::objectives(&args.output.objectives, plan.operations()).map_err(usage)?;
    // Not before the plan: a Kerberos configuration is set while the process has one thread.
    signals.listen().map_err(|error| failed(&format!("failed to listen for signals: {error}")))?;
    limits::raise_open_files();
    ports::check(args, &plan);
    let output = &args.output;
    measured::check([("--record", &output.record), ("--hgrm", &output.hgrm)])
        .map_err(|why| failed(&why))?;
    rehearsal::connect(&plan, signals)?;
    let mut paper = match voice {
        Voice::Aloud => Paper::open(&args.output).map_err(|why| failed(&why))?,
        Voice::Quiet => Paper::none(),
    };
    let stop = signals.stop();
    let mut screen =
        Screen::new(args, &catalogue, &mut paper, &stop).map_err(|why| failed(&why))?;
    let started = console::now();
    screen.begin(args.load.warm_up);
    let finished =
        measure(&load, &catalogue, &plan, &stop, &mut screen).map_err(|why| failed(&why))?;
    let measured = screen.finish().map_err(|why| failed(&why))?;
    purge::after(args, &plan, &stop);
    let ending = Ending {
        args,
        plan: &plan,
        load: &load,
        catalogue: &catalogue,
        seed,
        started,
        finished: &finished,
        signal: signals.received(),
        objectives: &objectives,
        ceiling: ceiling::of(plan.operations(), load.workers()),
        voice,
    };
    ending.conclude(&measured).map_err(|why| failed(&why))
}

fn measure(
    load: &Plan,
    catalogue: &Catalogue,
    plan: &Arc<ldap::Plan>,
    stop: &Stop,
    screen: &mut Screen<'_>,
) -> Result<Finished, String> {
    let fleet = LdapFleet::new(plan);
    let time = MachineTime::new();
    brunt_engine::run(load, catalogue, &time, &fleet, stop, screen)
        .map_err(|error| format!("failed to {error}"))
}

fn failed(why: &str) -> Refusal {
    Refusal { text: format!("{why}\n"), exit: Exit::Failed }
}
