//! [`carry_out`]: the one function that carries out every run.
//!
//! It contains everything that runs have in common: files that are checked before anything is sent, signals, the stream
//! of intervals with its observers, the record and where it is written. A [`Protocol`] supplies the protocol-specific
//! parts. Only failures during the run are printed here, so a job without observers is carried out quietly, and its
//! record is returned.

use std::io;
use std::path::PathBuf;

use brunt_engine::{EngineRun, limits};
use brunt_record::{Cause, Ending, Head, Measured, MonitorRecord, Names, Record, SloError};

use super::abort::AbortOn;
use super::address_policy::{self, KeptOut};
use super::canary::{self, CanaryError};
use super::conclude::{EndedBy, ended_by, ending, head};
use super::files::{self, FileError, Logs};
use super::finished::Finished;
use super::job::Job;
use super::monitor::{Monitor, MonitorError, allocation_failures};
use super::observer::{Observer, ObserverError, Stream};
use super::protocol::{Protocol, ProtocolError};
use super::repeated::Repeated;
use super::signals::{self, Signal};
use super::start::NoStartTime;
use super::step_error::StepError;
use super::views::{ViewError, Views};
use super::world::World;
use super::write_failures::WriteFailures;
use crate::console::Console;
use crate::options::output::{Output, Progress};
use crate::options::start_at::{StartAt, StartAtError};

/// Why a job has no result.
#[derive(Debug, thiserror::Error)]
pub enum ExecutionError {
    /// The time to start.
    #[error(transparent)]
    StartAt(#[from] StartAtError),
    /// A file of the run.
    #[error(transparent)]
    File(#[from] FileError),
    /// An address that the run may not reach.
    #[error(transparent)]
    KeptOut(#[from] KeptOut),
    /// The canary.
    #[error(transparent)]
    Canary(#[from] CanaryError),
    /// Signals.
    #[error(transparent)]
    Signals(#[from] SignalsError),
    /// A source of `--monitor`.
    #[error(transparent)]
    Monitor(#[from] MonitorError),
    /// A view of the run.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An observer, before the run.
    #[error(transparent)]
    Observer(ObserverError),
    /// The thread that reads the time to start.
    #[error("failed to start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The plan of a step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The run itself, in its protocol.
    #[error(transparent)]
    Protocol(ProtocolError),
    /// The objectives in the record.
    #[error("failed to {0}")]
    Record(#[source] SloError),
}

/// Carries a job out, from the first connection to the record.
pub fn carry_out(
    job: &Job,
    protocol: &dyn Protocol,
    observers: &mut [&mut dyn Observer],
    world: &World,
) -> Result<Finished, ExecutionError> {
    if let Some(count) = job.output.run.canary {
        return after_canary(job, count, protocol, observers, world);
    }
    let job = &job.timed(world.now())?;
    let quiet = observers.iter().all(|observer| observer.is_quiet())
        && job.output.progress == Progress::Quiet;
    let output = &job.output;
    check(job, quiet, world)?;
    prepare(world)?;
    // An internal reason to end this run must not affect the process or its other runs.
    let stop = world.signals.stop().child();
    let names = |operation, outcome| protocol.outcome(operation, outcome);
    let head = address_policy::with_network(head(job, world.now()), &job.network);
    let monitor = Monitor::start(&output.run.monitors, &world.files, &|| protocol.monitor())?;
    let mut logs = Logs::open(output, &head, &names, world)?;
    let mut views = Views::open(job, (&head, &names), &stop, quiet, world)?;
    let at_once = |measured: &Measured, logs: Logs<'_>| {
        if let Some(signal) = world.signals.received() {
            write_at_once(signal, measured, logs, (&head, &names), (output, &world.console));
            signals::end(signal, &world.console);
        }
    };
    let mut abort = AbortOn::new(job, quiet, &world.console);
    let mut all = views.with(observers);
    all.push(&mut abort);
    let mut stream =
        Stream::new(&stop, &mut logs, &mut all, &world.console).quiet(quiet).at_once(&at_once);
    stream.begin().map_err(ExecutionError::Observer)?;
    let start = &job.load.settings().start;
    let no_start =
        NoStartTime::listen(start, &stop, world.clock).map_err(ExecutionError::Thread)?;
    let (load, catalogue) = (&job.load, &job.catalogue);
    let time = world.run_time();
    let run = EngineRun { plan: load, catalogue, stop: &stop, sink: &mut stream, time };
    let engine = protocol.drive(run);
    let (measured, mut losses) = stream.finish();
    let monitors = monitor.finish(job.load.settings().node.rank);
    let engine = engine.map_err(ExecutionError::Protocol)?;
    losses.keep(protocol.clean_up(&stop));
    let signal = world.signals.received();
    let aborted = abort.cause(engine.lasted.as_secs_f64());
    let ended_by = [
        aborted.clone().map(EndedBy::from),
        protocol.ended_by(&engine),
        ended_by(signal, &engine, job.endless),
        address_policy::kept_from(&job.network),
        no_start.why().map(|why| EndedBy::from(Cause::NoStart { what: why.to_string() })),
    ];
    let ended_by = ended_by.into_iter().flatten().next();
    losses.keep(no_start.why().map_or(Ok(()), Err));
    let ending =
        Ending { present: present(protocol, &measured, &monitors), ..ending(&engine, ended_by) };
    let conclusion = measured.conclusion(head.clone(), &names, ending.clone());
    let record = conclusion.record().map_err(ExecutionError::Record)?;
    let record = protocol.record(record).map_err(ExecutionError::Protocol)?;
    let record = Record { monitors, started: begun(&engine).unwrap_or(record.started), ..record };
    let written = files::write(&record, &measured, output, &mut losses).map(PathBuf::from);
    logs.end(&ending, &record, &mut losses);
    let last_scrape = views.close(&record, &stop, &mut losses);
    let is_canary = false;
    Ok(Finished {
        record,
        measured,
        engine,
        signal,
        aborted: aborted.and_then(|cause| cause.words()),
        is_canary,
        written,
        losses,
        last_scrape,
    })
}

/// Checks what can be checked before anything is sent, and prints when the run begins and which addresses it uses.
fn check(job: &Job, quiet: bool, world: &World) -> Result<(), ExecutionError> {
    let run = &job.output.run;
    if let Some(at) = run.start_at.filter(|at| !quiet && *at != StartAt::StandardInput) {
        world.console.note(&format!("the run begins at {at}"));
    }
    files::check(&run.paths())?;
    address_policy::clear(&job.load, &job.network, world)?;
    if !quiet {
        for used in address_policy::several_addresses(&job.network) {
            world.console.note(&used);
        }
    }
    Ok(())
}

/// What shows that the target was there although exchanges had no answer in time.
fn present(
    protocol: &dyn Protocol,
    measured: &Measured,
    monitors: &[MonitorRecord],
) -> Option<String> {
    let counts = measured.totals.counts();
    protocol.present(measured).or_else(|| allocation_failures(monitors, &counts))
}

/// Carries out the first exchanges of a job at a slow pace, and then the rest, if these succeeded.
fn after_canary(
    job: &Job,
    count: u64,
    protocol: &dyn Protocol,
    observers: &mut [&mut dyn Observer],
    world: &World,
) -> Result<Finished, ExecutionError> {
    files::check(&job.output.run.paths())?;
    // The targets must permit the whole load.
    address_policy::clear(&job.load, &job.network, world)?;
    let (first, rest) = canary::divided(&job.load, count)?;
    let tried = carry_out(&job.at(first), &Repeated(protocol), &mut [], world)?;
    if let Some(finished) = canary::judged(tried, &job.objectives, &job.output)? {
        return Ok(finished);
    }
    if job.output.progress != Progress::Quiet {
        world.console.note(&format!(
            "the canary's {count} {} succeeded, and the run begins",
            job.requested.noun.after(count)
        ));
    }
    let first = rest.settings().first;
    let mut job = Job { load: rest, ..job.clone() };
    (job.requested.first_exchange, job.output.run.canary) = (first, None);
    carry_out(&job, protocol, observers, world)
}

/// The time of the origin from which a run counts its times. The time in the head of its event file is that of the
/// preparation: connecting takes time, and waiting for a common start of several machines takes longer.
fn begun(engine: &brunt_engine::Finished) -> Option<String> {
    jiff::Timestamp::try_from(engine.began?).ok().map(|at| at.to_string())
}

/// Writes the record and the logs of a run that must end at once while one of its threads does not. A failed write is
/// not reported, since reporting may take longer than the time that is left.
fn write_at_once(
    signal: Signal,
    measured: &Measured,
    logs: Logs<'_>,
    (head, names): (&Head, Names<'_>),
    (output, console): (&Output, &Console),
) {
    let cause = Cause::SignalAtOnce { signal: signal.name().to_owned() };
    let ending = Ending::so_far(&measured.totals).cut_short(cause.into());
    let Ok(record) = measured.conclusion(head.clone(), names, ending.clone()).record() else {
        return;
    };
    let mut losses = WriteFailures::new(console);
    files::write(&record, measured, output, &mut losses);
    logs.end(&ending, &record, &mut losses);
}

/// The process cannot listen for signals.
#[derive(Debug, thiserror::Error)]
#[error("failed to listen for signals: {0}")]
pub struct SignalsError(#[source] io::Error);

/// Makes signals end the run in good order, and raises the process's limit of open files to the maximum. A tool that
/// connects before its run calls this first.
pub fn prepare(world: &World) -> Result<(), SignalsError> {
    world.signals.listen().map_err(SignalsError)?;
    limits::raise_open_files();
    Ok(())
}
