//! [`run`]: carries out a plan with a fleet, from the first connection to the final balance.
//!
//! One thread a worker; the calling thread collects what they measure and hands it to the sink, so
//! that printing never holds up a worker. It must not judge what was measured, except that every
//! exchange is accounted for.

use crate::collector::{Collector, Sink};
use crate::cores;
use crate::crew::Crew;
use crate::fleet::Fleet;
use crate::gate::Gate;
use crate::plan::Plan;
use crate::stop::Stop;
use crate::timer::Time;
use crate::worker::alone::{Desk, Fault, Watchman};
use crate::worker::{Ended, Numbers, Outlet, Portion, Shared, WorkerEnd, work};
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Catalogue, Counts, Imbalance, Interval, Phase};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, LocalOptions};

/// Steps a worker may be ahead of the collector before it fills one for longer.
const AHEAD_MAX: usize = 8;

/// A run that came to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What was measured, by phase: every interval of the phase end to end.
    pub totals: BTreeMap<Phase, Interval>,
    /// What became of every exchange of the run, whatever its phase. It balances.
    pub counts: Counts,
    /// When each phase began and ended, from the origin of the run. The last ends with the last
    /// answer, or with the schedule if that is later.
    pub spans: Vec<Span>,
    /// What ended the run.
    pub ended: Ended,
    /// How long the run lasted, from the origin.
    pub lasted: Duration,
    /// How long it was until nothing was in flight any more, waits in vain included.
    pub over: Duration,
    /// How long preparing took, before the origin.
    pub prepared_in: Duration,
}

/// The time of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The phase.
    pub phase: Phase,
    /// When it began, from the origin of the run.
    pub from: Duration,
    /// When it ended.
    pub to: Duration,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A thread could not be started, or had no timer.
    #[error("start worker {worker}: {source}")]
    Worker {
        /// The number of the worker.
        worker: usize,
        /// What the operating system said.
        source: io::Error,
    },
    /// Exchanges were lost or counted twice: a fault of brunt, not of the target.
    #[error(transparent)]
    Imbalance(#[from] Imbalance),
}

/// Carries out `plan` and shows each interval to `sink` as it comes.
///
/// # Panics
///
/// If a session panics, with its panic, once the other workers have ended.
pub fn run<T: Time, F: Fleet>(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &T,
    fleet: &F,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let workers = plan.workers();
    let gate = Gate::new(workers);
    let numbers = Arc::new(Numbers::new(plan.settings().sessions));
    let shared = Shared { plan, catalogue, stop, gate: &gate, numbers: &numbers };
    let cores = cores::allowed();
    let began = brunt_exchange::Clock::now(&time.clock());
    let (portions, collected) = sync_channel::<Portion>(workers * AHEAD_MAX);
    let (ways_back, spent): (Vec<_>, Vec<_>) =
        (0..workers).map(|_| sync_channel(AHEAD_MAX)).unzip();
    let (totals, ends) = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(workers);
        for (worker, spent) in spent.into_iter().enumerate() {
            let outlet = Outlet { portions: portions.clone(), spent };
            let core = plan.settings().pin.then(|| cores[worker % cores.len()]);
            let (shared, gate) = (&shared, &gate);
            let act = move || drive(shared, worker, core, time, fleet, outlet);
            let spawned =
                thread::Builder::new().name(format!("worker-{worker}")).spawn_scoped(scope, act);
            if spawned.is_err() {
                stop.abort();
                gate.give_up();
            }
            threads.push(spawned);
        }
        drop(portions);
        let totals = Collector::new(ways_back).collect(&collected, sink);
        let ends: Vec<_> = threads
            .into_iter()
            .map(|spawned| spawned.map(thread::ScopedJoinHandle::join))
            .collect();
        (totals, ends)
    });
    let mut finished = Vec::with_capacity(workers);
    for (worker, end) in ends.into_iter().enumerate() {
        let end =
            end.and_then(|joined| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        finished.push(end.map_err(|source| RunError::Worker { worker, source })?);
    }
    conclude(plan, totals, &finished, began)
}

/// Carries out `plan` with sessions that keep their threads waiting, as [`run`] does with others: each has a worker of
/// its own. Returns once every exchange is accounted for, even if some call never came back; its thread stays behind
/// until it does.
///
/// # Panics
///
/// If a session panics, with its panic.
pub fn run_blocking<C: Crew>(
    plan: &Plan,
    catalogue: &Catalogue,
    clock: Monotonic,
    crew: &Arc<C>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let sessions = plan.settings().sessions;
    let plan = &plan.each_alone();
    let seats = plan.workers();
    let gate = Arc::new(Gate::new(seats));
    let numbers = Arc::new(Numbers::new(sessions));
    let left = Arc::default();
    let began = clock.now();
    let (portions, collected) = sync_channel::<Portion>(seats * AHEAD_MAX);
    let (ways_back, spent): (Vec<_>, Vec<_>) = (0..seats).map(|_| sync_channel(AHEAD_MAX)).unzip();
    let desk = |(number, spent)| {
        let outlet = Outlet { portions: portions.clone(), spent };
        let shared = (clock, &gate, stop);
        Arc::new(Desk::new(plan, number, catalogue, outlet, shared, (&numbers, &left)))
    };
    let desks: Vec<_> = spent.into_iter().enumerate().map(desk).collect();
    let watchman = Watchman { desks: desks.clone(), crew: Arc::clone(crew) };
    let totals = thread::scope(|scope| {
        scope.spawn(move || watchman.watch());
        Collector::new(ways_back).collect(&collected, sink)
    });
    let mut finished = Vec::with_capacity(seats);
    for (worker, desk) in desks.iter().enumerate() {
        match desk.end() {
            Ok(end) => finished.extend(end),
            Err(Fault::Panic(panic)) => std::panic::resume_unwind(panic),
            Err(Fault::Thread(source)) => return Err(RunError::Worker { worker, source }),
        }
    }
    conclude(plan, totals, &finished, began)
}

/// One worker's thread.
fn drive<T: Time, F: Fleet>(
    shared: &Shared<'_>,
    worker: usize,
    core: Option<usize>,
    time: &T,
    fleet: &F,
    outlet: Outlet,
) -> io::Result<WorkerEnd> {
    let warden = Warden { gate: shared.gate, stop: shared.stop, passed: false };
    if let Some(core) = core {
        cores::pin(core);
    }
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    let end = runtime.block_on(work(shared, worker, time, fleet, outlet));
    warden.dismiss(end.is_ok());
    end
}

/// Sees to it that a worker that fails neither keeps the others waiting nor running.
struct Warden<'a> {
    gate: &'a Gate,
    stop: &'a Stop,
    passed: bool,
}

impl Warden<'_> {
    fn dismiss(mut self, well: bool) {
        self.passed = well;
    }
}

impl Drop for Warden<'_> {
    fn drop(&mut self) {
        if !self.passed {
            self.stop.abort();
            self.gate.give_up();
        }
    }
}

pub(crate) fn conclude(
    plan: &Plan,
    totals: BTreeMap<Phase, Interval>,
    workers: &[WorkerEnd],
    began: Moment,
) -> Result<Finished, RunError> {
    let origin = workers.iter().map(|worker| worker.origin).max().unwrap_or_default();
    let last = workers.iter().map(|worker| worker.last).max().unwrap_or_default();
    let ended = workers.iter().map(|worker| worker.ended).max().unwrap_or(Ended::Aborted);
    let mut counts = Counts::default();
    for total in totals.values() {
        counts.merge(&total.counts());
    }
    counts.conserved()?;
    let over = workers.iter().map(|worker| worker.over).max().unwrap_or_default();
    let lasted = last - origin;
    Ok(Finished {
        spans: spans(&plan.phases(), lasted),
        totals,
        counts,
        ended,
        lasted,
        over: over - origin,
        prepared_in: origin - began,
    })
}

/// The phases that the run lived to see.
fn spans(phases: &[(Phase, Duration)], lasted: Duration) -> Vec<Span> {
    let nexts = phases.iter().skip(1).map(|(_, from)| *from).chain([lasted]);
    let spans = phases.iter().zip(nexts);
    let spans = spans.map(|(&(phase, from), to)| Span { phase, from, to: to.min(lasted) });
    spans.filter(|span| span.from < lasted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_cut_short_has_no_phases_it_did_not_see() {
        let seconds = Duration::from_secs;
        let phases = [(Phase::WarmUp, seconds(0)), (Phase::Steady, seconds(5))];
        let whole = spans(&phases, seconds(12));
        assert_eq!(whole[1], Span { phase: Phase::Steady, from: seconds(5), to: seconds(12) });
        let cut = spans(&phases, seconds(3));
        assert_eq!(cut, [Span { phase: Phase::WarmUp, from: seconds(0), to: seconds(3) }]);
    }
}
