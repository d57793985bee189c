//! [`run`]: carries out a plan with a factory, from the first connection to the final balance.
//!
//! Each worker has a thread; the calling thread collects their measurements and passes them to the sink, so that
//! printing never delays a worker. It must not judge the measurements, except that every exchange must be accounted
//! for.

use crate::blocking_session_factory::BlockingSessionFactory;
use crate::collector::{Collector, Sink};
use crate::cores;
use crate::finished::{Finished, RunError, conclude};
use crate::gate::Gate;
use crate::machine::{MachineWatch, timer_noise};
use crate::plan::Plan;
use crate::session_factory::SessionFactory;
use crate::simulated;
use crate::stop::Stop;
use crate::timer::{MachineTime, Time};
use crate::waiting::Waits;
use crate::worker::blocking::{BlockingSessions, BlockingSlot, SlotError, Wait, Watchdog};
use crate::worker::{IntervalSender, Numbers, Sessions, Shared, WorkerEnd, WorkerIntervals, work};
use brunt_exchange::{Clock, Monotonic};
use brunt_record::{Catalogue, TimerNoise};
use std::io;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, LocalOptions};

/// How many steps a worker may be ahead of the collector; after that it continues the current step.
const AHEAD_MAX: usize = 8;
/// How long this machine's timer is measured before the first run of a process.
const NOISE_LASTING: Duration = Duration::from_millis(250);

/// Carries out `plan` and passes each interval to `sink` when it is complete.
///
/// # Panics
///
/// If a session panics, with its panic, once the other workers have ended.
pub fn run<T: Time, F: SessionFactory>(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &T,
    factory: &F,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    run_sessions(plan, catalogue, time, factory, stop, sink)
}

/// The same whatever the type of the sessions.
pub(crate) fn run_sessions<T: Time>(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &T,
    sessions: &dyn Sessions<T::Clock>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    if let Some(machine) = time.simulated() {
        return simulated::run(plan, catalogue, (time, machine), sessions, stop, sink);
    }
    let workers = plan.workers();
    let (noise, watch) = observed(time.machine());
    let gate = Gate::new(workers, plan.settings().start.clone()).by(time.today());
    let watch = watch.map(|clock| MachineWatch::start(clock, gate.origin()));
    let observe = || watch.as_ref().map(MachineWatch::take).unwrap_or_default();
    let waits = Waits::new(time.clock(), gate.origin(), plan, stop);
    let numbers = Arc::new(Numbers::new(plan.settings().sessions));
    let shared = Shared { plan, catalogue, stop, gate: &gate, numbers: &numbers };
    let cores = cores::allowed();
    let (began, today) = (brunt_exchange::Clock::now(&time.clock()), time.today().now());
    let (measured, collected) = sync_channel::<WorkerIntervals>(workers * AHEAD_MAX);
    let (ways_back, spent): (Vec<_>, Vec<_>) =
        (0..workers).map(|_| sync_channel(AHEAD_MAX)).unzip();
    let (totals, ends) = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(workers);
        for (worker, spent) in spent.into_iter().enumerate() {
            let sender = IntervalSender { measured: measured.clone(), spent, in_step: None };
            let core = plan.settings().pin.then(|| cores[worker % cores.len()]);
            let (shared, gate) = (&shared, &gate);
            let act = move || drive(shared, worker, core, time, sessions, sender);
            let spawned =
                thread::Builder::new().name(format!("worker-{worker}")).spawn_scoped(scope, act);
            if spawned.is_err() {
                stop.abort();
                gate.give_up();
            }
            threads.push(spawned);
        }
        drop(measured);
        let totals = Collector::new(ways_back).collect(
            &collected,
            &observe,
            (&|| waits.now(), &|| gate.ready()),
            stop,
            sink,
        );
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
    let finished = conclude(plan, totals, &finished, began, noise)?;
    Ok(Finished { began: Some(today + finished.prepared_in), ..finished })
}

/// Carries out `plan` with sessions that block their threads, as [`run`] does with others: each has a worker of its
/// own. Returns once every exchange is accounted for, even if some call never returned; the thread of that call is
/// abandoned.
///
/// # Panics
///
/// If a session panics, with its panic.
pub fn run_blocking<C: BlockingSessionFactory>(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &MachineTime,
    factory: &Arc<C>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let sessions: Arc<C> = Arc::clone(factory);
    run_blocking_sessions(plan, catalogue, time, sessions, stop, sink)
}

/// The same whatever the type of the sessions.
fn run_blocking_sessions(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &MachineTime,
    sessions: Arc<dyn BlockingSessions<Monotonic>>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let numbers = Arc::new(Numbers::new(plan.settings().sessions));
    let plan = &plan.each_alone();
    let workers = plan.workers();
    let clock = time.clock();
    let (noise, _) = observed(Some(clock));
    let gate = Arc::new(Gate::new(workers, plan.settings().start.clone()).by(time.today()));
    let watch = MachineWatch::start(clock, gate.origin());
    let waits = Waits::new(clock, gate.origin(), plan, stop);
    let left = Arc::default();
    let (began, today) = (clock.now(), time.today().now());
    let (measured, collected) = sync_channel::<WorkerIntervals>(workers * AHEAD_MAX);
    let (ways_back, spent): (Vec<_>, Vec<_>) =
        (0..workers).map(|_| sync_channel(AHEAD_MAX)).unzip();
    let slot = |(number, spent)| {
        let sender = IntervalSender { measured: measured.clone(), spent, in_step: None };
        let shared = (clock, &gate, stop);
        Arc::new(BlockingSlot::new(plan, number, catalogue, sender, shared, (&numbers, &left)))
    };
    let slots: Vec<_> = spent.into_iter().enumerate().map(slot).collect();
    let watchdog = Watchdog { slots: slots.clone(), sessions };
    let totals = thread::scope(|scope| {
        scope.spawn(move || watchdog.watch());
        Collector::new(ways_back).collect(
            &collected,
            &|| watch.take(),
            (&|| waits.now(), &|| gate.ready()),
            stop,
            sink,
        )
    });
    let finished = conclude(plan, totals, &ends_of(&slots)?, began, noise)?;
    Ok(Finished { began: Some(today + finished.prepared_in), ..finished })
}

/// How the run of each slot went, once the watchdog has ended. A panic of a session goes on here.
pub(crate) fn ends_of<T: Wait>(slots: &[Arc<BlockingSlot<T>>]) -> Result<Vec<WorkerEnd>, RunError> {
    let mut ends = Vec::with_capacity(slots.len());
    for (worker, slot) in slots.iter().enumerate() {
        match slot.end() {
            Ok(end) => ends.extend(end),
            Err(SlotError::Panic(panic)) => std::panic::resume_unwind(panic),
            Err(SlotError::Thread(source)) => return Err(RunError::Worker { worker, source }),
        }
    }
    Ok(ends)
}

/// The precision of this machine's timers, measured once for the process, and the clock for the watchdog; neither if
/// time is simulated.
fn observed(clock: Option<Monotonic>) -> (TimerNoise, Option<Monotonic>) {
    static NOISE: OnceLock<TimerNoise> = OnceLock::new();
    let noise = clock.map(|_| *NOISE.get_or_init(|| timer_noise(NOISE_LASTING)));
    (noise.unwrap_or_default(), clock)
}

/// One worker's thread.
fn drive<T: Time>(
    shared: &Shared<'_>,
    worker: usize,
    core: Option<usize>,
    time: &T,
    sessions: &dyn Sessions<T::Clock>,
    sender: IntervalSender,
) -> io::Result<WorkerEnd> {
    let guard = AbortGuard { gate: shared.gate, stop: shared.stop, passed: false };
    if let Some(core) = core {
        cores::pin(core);
    }
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    let end = runtime.block_on(work(shared, worker, time, sessions, sender));
    // A library call on a thread aside may never return.
    runtime.shutdown_background();
    guard.dismiss(end.is_ok());
    end
}

/// Aborts the run if a worker fails, so that the others neither wait for it nor continue.
struct AbortGuard<'a> {
    gate: &'a Gate,
    stop: &'a Stop,
    passed: bool,
}

impl AbortGuard<'_> {
    fn dismiss(mut self, well: bool) {
        self.passed = well;
    }
}

impl Drop for AbortGuard<'_> {
    fn drop(&mut self) {
        if !self.passed {
            self.stop.abort();
            self.gate.give_up();
        }
    }
}
