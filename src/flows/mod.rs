//! Runs a flow: whatever was asked for, in a plan, a LoadGen job or on a command line, is carried out here.
//!
//! [`fleet`] marries flow and engine, [`screen`] shows progress and keeps intervals, [`ending`] makes the record and
//! the exit code. What is printed of the results is the business of whoever asked. Nothing here knows in which words it
//! was asked.

mod ending;
mod fleet;
mod naming;
pub(crate) mod screen;

use std::sync::Arc;
use std::time::Duration;

use brunt_drivers::flow::{self, CompiledFlow, Flow, Iterations, Tallies};
use brunt_drivers::http::Network;
use brunt_engine::timer::MachineTime;
use brunt_engine::{Finished, Plan, Settings, limits};
use brunt_record::{Catalogue, Record};

use crate::ceiling;
use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::output::{Output, Progress};
use crate::console;
use crate::measured;
use crate::signals::Signals;

/// A run that was asked for.
pub(crate) struct Job {
    /// The command line as the record shows it: without secrets.
    pub(crate) command: Vec<String>,
    /// What virtual users do.
    pub(crate) flow: Flow,
    /// The way to servers.
    pub(crate) network: Arc<Network>,
    /// When, how many, how long.
    pub(crate) settings: Settings,
    /// What the figures are held against, as text.
    pub(crate) objectives: Vec<String>,
    /// Where results go.
    pub(crate) output: Output,
    /// What is loaded, for the record.
    pub(crate) target: String,
    /// What is shown while it runs.
    pub(crate) progress: Progress,
}

/// A run that is over.
pub(crate) struct Done {
    /// The record.
    pub(crate) record: Record,
    /// How the program should end.
    pub(crate) exit: Exit,
    /// Where each count lies among the tallies.
    pub(crate) tallies: Tallies,
    /// The tallies of the whole run, by number.
    pub(crate) counts: Vec<u64>,
    /// How long it was until nothing was in flight any more, from its origin.
    pub(crate) lasted: Duration,
}

/// Carries a job out, from the first connection to the record.
pub(crate) fn run(job: Job, signals: &Signals) -> Result<Done, Refusal> {
    let usage = |why: String| Refusal { text: format!("{why}\n"), exit: Exit::Usage };
    let Job { command, flow, network, mut settings, objectives, output, target, progress } = job;
    if flow.dhcp.is_some() {
        // There is one socket to the server, which one worker reads.
        settings.workers = Some(1);
    }
    let seed = settings.seed;
    let compiled =
        CompiledFlow::new(flow, network).map_err(|error| usage(format!("failed to {error}")))?;
    let compiled = Arc::new(compiled);
    let group = fleet::group(&compiled);
    let load = Plan::new(settings, group).map_err(|error| usage(format!("failed to {error}")))?;
    let operations: Vec<&str> = compiled.flow().operations.iter().map(String::as_str).collect();
    let catalogue = Catalogue::new(operations.iter().copied(), flow::PARTS)
        .with_tallies(compiled.tallies().names().into_iter().chain(fleet::connections()));
    let objectives = measured::objectives(&objectives, &operations).map_err(usage)?;
    signals.listen().map_err(|error| failed(&format!("failed to listen for signals: {error}")))?;
    limits::raise_open_files();
    measured::check([("--record", &output.record), ("--hgrm", &output.hgrm)])
        .map_err(|why| failed(&why))?;
    let stop = signals.stop();
    let started = console::now();
    let mut screen = screen::Screen::new(&catalogue, &output, &stop, progress, load.lasting())
        .map_err(|why| failed(&why))?;
    let fleet = fleet::FlowFleet::new(&compiled, load.workers());
    let finished: Finished =
        brunt_engine::run(&load, &catalogue, &MachineTime::new(), &fleet, &stop, &mut screen)
            .map_err(|error| failed(&format!("failed to {error}")))?;
    let measured = screen.finish().map_err(|why| failed(&why))?;
    let ending = ending::Ending {
        command,
        output: &output,
        target,
        load: &load,
        catalogue: &catalogue,
        naming: naming::Naming::of(compiled.flow()),
        seed,
        started,
        finished: &finished,
        signal: signals.received(),
        objectives: &objectives,
        bounded: !matches!(compiled.flow().iterations, Iterations::Endless),
        ceiling: ceiling::of(&operations, load.workers()),
        one_for_one: compiled.flow().scenarios.iter().all(|scenario| scenario.steps.len() == 1),
    };
    let (record, exit) = ending.conclude(&measured).map_err(|why| failed(&why))?;
    let mut counts = vec![0; compiled.tallies().len()];
    for total in finished.totals.values() {
        counts.iter_mut().zip(&total.tallies).for_each(|(sum, count)| *sum += count);
    }
    let tallies = compiled.tallies().clone();
    Ok(Done { record, exit, tallies, counts, lasted: finished.over })
}

fn failed(why: &str) -> Refusal {
    Refusal { text: format!("{why}\n"), exit: Exit::Failed }
}
