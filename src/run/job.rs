//! [`Job`]: a run that is ready, and [`carry_out`], the one way in which a run is carried out.
//!
//! Whatever every run has is here once: files that are checked before anything is sent, signals, the stream of
//! intervals with its observers, the record and where it is written. A [`Protocol`] supplies what is its own. Nothing
//! is printed here but what fails while the run goes on, so a job without observers is carried out quietly, and its
//! record returned.

use std::path::PathBuf;

use brunt_engine::{Plan, Sink, Stop, limits};
use brunt_exchange::Outcome;
use brunt_record::{Catalogue, Ending, Head, Measured, Names, PortBudget, Record, Slo};

use super::abort::AbortOn;
use super::canary;
use super::conclude::{EndedBy, ended_by, ending, head};
use super::exit::Early;
use super::export::LastScrape;
use super::fence;
use super::files::{self, Logs};
use super::losses::Losses;
use super::monitor::{Monitor, Opener};
use super::observer::{Observer, Stream};
use super::repeatable::Repeated;
use super::signals::{self, Signal, Signals};
use super::start::{self, Untold};
use super::views::Views;
use crate::cli;
use crate::cli::output::Output;
use crate::cli::start_at::StartAt;
use crate::console;

/// A run that is ready to be carried out.
#[derive(Clone)]
pub(crate) struct Job {
    /// The command line for the record, secrets starred.
    pub(crate) command: Vec<String>,
    /// When exchanges fall due, how many sessions there are, and when it ends.
    pub(crate) load: Plan,
    /// The names of operations, parts and tallies.
    pub(crate) catalogue: Catalogue,
    /// What was asked for, in the words of the record.
    pub(crate) asked: brunt_record::Plan,
    /// What the figures are held against.
    pub(crate) objectives: Vec<Slo>,
    /// Where results go.
    pub(crate) output: Output,
    /// Local ports there are and the run needs.
    pub(crate) ports: Option<PortBudget>,
    /// Exchanges a second this machine manages against a target that costs nothing.
    pub(crate) ceiling: Option<f64>,
    /// Whether nothing but a signal ends it.
    pub(crate) endless: bool,
    /// Whether the target runs in this process.
    pub(crate) in_process: bool,
    /// Whether an arrival is the beginning of several exchanges.
    pub(crate) several: bool,
}

impl Finished {
    /// What ended it early.
    pub(crate) fn early(&self) -> Option<Early> {
        self.signal.map(Early::Signal).or(self.aborted.as_ref().map(|_| Early::Aborted))
    }
}

impl Job {
    /// The same run, which begins when its options say.
    fn timed(&self) -> Result<Self, String> {
        let start = start::start(self.output.run.start_at)?;
        Ok(Self { load: self.load.starting(start), ..self.clone() })
    }
}

/// Whether neither a time nor a count ends such a load.
pub(crate) fn is_endless(load: &Plan) -> bool {
    load.lasting().is_none() && load.settings().stop.count.is_none()
}

/// What a protocol supplies to a run.
pub(crate) trait Protocol {
    /// What it calls an outcome of the operation of this number.
    fn outcome(&self, operation: usize, outcome: Outcome) -> String;

    /// Makes sessions and carries the load out with them. The error says what failed.
    fn drive(
        &self,
        job: &Job,
        stop: &Stop,
        sink: &mut dyn Sink,
    ) -> Result<brunt_engine::Finished, String>;

    /// Opens what only this protocol can ask of its target: `--monitor` by the protocol's own name. The error says why
    /// it cannot.
    fn monitor(&self) -> Result<Opener, String> {
        Err("only the LDAP rate tools can; give kea:SOCKET or pid:PID".to_owned())
    }

    /// The record of the run, where its protocol knows better than what was measured here.
    fn record(&self, made: Record) -> Result<Record, String> {
        Ok(made)
    }

    /// Gives back to the target what the run took from it, before the record is made.
    fn clean_up(&self, stop: &Stop) -> Result<(), String> {
        let _ = stop;
        Ok(())
    }

    /// A limit of the protocol's own that ended the run.
    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let _ = finished;
        None
    }
}

/// A run that is over.
pub(crate) struct Finished {
    /// The record.
    pub(crate) record: Record,
    /// What was measured.
    pub(crate) measured: Measured,
    /// What the engine says of the run.
    pub(crate) engine: brunt_engine::Finished,
    /// The signal that ended it.
    pub(crate) signal: Option<Signal>,
    /// The condition of `--abort-on` that ended it, in words.
    pub(crate) aborted: Option<String>,
    /// Where the record was written.
    pub(crate) written: Option<PathBuf>,
    /// What could not be written, or given back to the target.
    pub(crate) losses: Losses,
    /// Figures that can still be scraped. They are waited for when this is dropped, so it is kept until all is printed.
    pub(crate) last_scrape: LastScrape,
}

/// Carries a job out, from the first connection to the record. The error says what failed.
pub(crate) fn carry_out(
    job: &Job,
    protocol: &dyn Protocol,
    observers: &mut [&mut dyn Observer],
    signals: &Signals,
) -> Result<Finished, String> {
    if let Some(count) = job.output.run.canary {
        return after_canary(job, count, protocol, observers, signals);
    }
    let job = &job.timed()?;
    let quiet = observers.iter().all(|observer| observer.is_quiet())
        && job.output.progress == cli::output::Progress::Quiet;
    if let Some(at) = job.output.run.start_at.filter(|at| !quiet && *at != StartAt::Told) {
        console::note(&format!("the run begins at {at}"));
    }
    let output = &job.output;
    files::check(&output.run.paths())?;
    fence::clear(&job.load)?;
    if !quiet {
        for used in fence::several_addresses() {
            console::note(&used);
        }
    }
    prepare(signals)?;
    // What ends this run from within leaves the process and its other runs alone.
    let stop = signals.stop().child();
    let names = |operation, outcome| protocol.outcome(operation, outcome);
    let head = fence::with_addresses(head(job));
    let monitor = Monitor::start(&output.run.monitors, protocol)?;
    let mut logs = Logs::open(output, &head, &names)?;
    let mut views = Views::open(job, &head, &names, &stop, quiet)?;
    let at_once = |measured: &Measured, logs: Logs<'_>| {
        if let Some(signal) = signals.received() {
            write_at_once(signal, measured, logs, (&head, &names), output);
            signals::end(signal);
        }
    };
    let mut abort = AbortOn::new(job, quiet);
    let mut all = views.with(observers);
    all.push(&mut abort);
    let mut stream = Stream::new(&stop, &mut logs, &mut all).quiet(quiet).at_once(&at_once);
    stream.begin()?;
    let untold = Untold::listen(&job.load.settings().start, &stop)?;
    let engine = protocol.drive(job, &stop, &mut stream);
    let (measured, mut losses) = stream.finish();
    let monitors = monitor.finish(job.load.settings().node.rank);
    let engine = engine?;
    losses.keep(protocol.clean_up(&stop));
    let signal = signals.received();
    let aborted = abort.why(engine.lasted.as_secs_f64());
    let ended_by = aborted
        .clone()
        .map(EndedBy::CutShort)
        .or_else(|| protocol.ended_by(&engine))
        .or_else(|| ended_by(signal, &engine, job.endless))
        .or_else(fence::kept_from)
        .or_else(|| untold.why().map(|why| EndedBy::CutShort(why.to_owned())));
    losses.keep(untold.why().map_or(Ok(()), |why| Err(why.to_owned())));
    let ending = ending(&engine, ended_by);
    let conclusion = measured.conclusion(head.clone(), &names, ending.clone());
    let record = conclusion.record().map_err(|error| format!("failed to {error}"))?;
    let record = protocol.record(record)?;
    let record =
        Record { monitors, started: begun(job, &engine).unwrap_or(record.started), ..record };
    let written = files::write(&record, &measured, output, &mut losses).map(PathBuf::from);
    logs.end(&ending, &record, &mut losses);
    let last_scrape = views.close(&record, &stop, &mut losses);
    Ok(Finished { record, measured, engine, signal, aborted, written, losses, last_scrape })
}

/// Carries out the first exchanges of a job at a slow pace, and then the rest, if these went well.
fn after_canary(
    job: &Job,
    count: u64,
    protocol: &dyn Protocol,
    observers: &mut [&mut dyn Observer],
    signals: &Signals,
) -> Result<Finished, String> {
    files::check(&job.output.run.paths())?;
    // The whole of the load is what its targets have to allow.
    fence::clear(&job.load)?;
    let (first, rest) = canary::divided(&job.load, count)?;
    let tried = carry_out(&job.at(first), &Repeated(protocol), &mut [], signals)?;
    if let Some(finished) = canary::judged(tried, &job.objectives, &job.output)? {
        return Ok(finished);
    }
    if job.output.progress != cli::output::Progress::Quiet {
        console::note(&format!("the canary's {count} exchanges succeeded, and the run begins"));
    }
    let mut job = Job { load: rest, ..job.clone() };
    job.output.run.canary = None;
    carry_out(&job, protocol, observers, signals)
}

/// When a run began that waited for its time: machines that share it were connected earlier, each at another time.
fn begun(job: &Job, engine: &brunt_engine::Finished) -> Option<String> {
    let waited = job.load.settings().start != brunt_engine::Start::WhenReady;
    let began = engine.began.filter(|_| waited)?;
    jiff::Timestamp::try_from(began).ok().map(|at| at.to_string())
}

/// Writes the record and the logs of a run that is to end at once while a thread of it does not. What cannot be written
/// is told to nobody, since telling may take longer than there is time for.
fn write_at_once(
    signal: Signal,
    measured: &Measured,
    logs: Logs<'_>,
    (head, names): (&Head, Names<'_>),
    output: &Output,
) {
    let why = format!("ended by {} at once, while a part of it did not answer", signal.name());
    let ending = Ending::so_far(&measured.totals, Some(why));
    let Ok(record) = measured.conclusion(head.clone(), names, ending.clone()).record() else {
        return;
    };
    let mut losses = Losses::default();
    files::write(&record, measured, output, &mut losses);
    logs.end(&ending, &record, &mut losses);
}

/// Lets signals end the run in good order, and the process open as many files as it may. A tool that connects before
/// its run calls this first.
pub(crate) fn prepare(signals: &Signals) -> Result<(), String> {
    signals.listen().map_err(|error| format!("failed to listen for signals: {error}"))?;
    limits::raise_open_files();
    Ok(())
}
