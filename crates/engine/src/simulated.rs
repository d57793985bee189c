//! A run on a [`SimulatedMachine`]: all workers on one thread, which takes turns with the collector.
//!
//! On a real machine the collector runs beside the workers, and where they meet depends on both. Here each waits for
//! the other, so the order of everything follows from the run's seeds and from the order in which the runtime has its
//! tasks run, and two runs with the same seeds are the same.

use crate::collector::{Collector, Sink};
use crate::finished::{Finished, RunError, conclude};
use crate::gate::Gate;
use crate::in_step::in_step;
use crate::machine::SimulatedMachine;
use crate::plan::Plan;
use crate::stop::Stop;
use crate::timer::Time;
use crate::waiting::Waits;
use crate::worker::{IntervalSender, Numbers, Sessions, Shared, WorkerEnd, WorkerIntervals, work};
use brunt_exchange::Clock as _;
use brunt_record::Catalogue;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::task::Poll;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, LocalOptions};

/// No run of a test takes longer.
pub(crate) const LONGEST: Duration = Duration::from_secs(86_400);

/// Carries `plan` out as [`run`](crate::run()) does.
pub(crate) fn run<T: Time>(
    plan: &Plan,
    catalogue: &Catalogue,
    (time, machine): (&T, Arc<dyn SimulatedMachine>),
    sessions: &dyn Sessions<T::Clock>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let workers = plan.workers();
    let gate = Gate::new(workers, plan.settings().start.clone()).by(time.today()).on_one_thread();
    let numbers = Arc::new(Numbers::new(plan.settings().sessions));
    let shared = Shared { plan, catalogue, stop, gate: &gate, numbers: &numbers };
    let clock = time.clock();
    let (began, today) = (clock.now(), time.today().now());
    machine.ends_by(Some(began + LONGEST));
    let waits = Waits::new(time.clock(), gate.origin(), plan, stop);
    let observe = || machine.observe(gate.origin().get().copied());
    // There is one message at a time, and one answer to it.
    let (measured, collected) = sync_channel::<WorkerIntervals>(1);
    let (in_step, pace) = in_step(&machine, move || clock.now());
    let (ways_back, spent): (Vec<_>, Vec<_>) = (0..workers).map(|_| sync_channel(8)).unzip();
    let (totals, ends) = thread::scope(|scope| {
        let sender = move |spent| {
            let (measured, in_step) = (measured.clone(), Some(in_step.clone()));
            IntervalSender { measured, spent, in_step }
        };
        let shared = &shared;
        let act = move || {
            let senders = spent.into_iter().map(sender).collect();
            all_workers(shared, time, sessions, senders)
        };
        let spawned = thread::Builder::new().name("simulation".to_owned()).spawn_scoped(scope, act);
        let totals = Collector::new(ways_back).in_step(pace).collect(
            &collected,
            &observe,
            (&|| waits.now(), &|| gate.ready()),
            stop,
            sink,
        );
        (totals, spawned.map(thread::ScopedJoinHandle::join))
    });
    machine.ends_by(None);
    let ends = ends.and_then(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    let ends = ends.map_err(|source| RunError::Worker { worker: 0, source })?;
    let finished = conclude(plan, totals, &ends, began, machine.noise())?;
    Ok(Finished { began: Some(today + finished.prepared_in), ..finished })
}

/// The thread of all workers.
fn all_workers<T: Time>(
    shared: &Shared<'_>,
    time: &T,
    sessions: &dyn Sessions<T::Clock>,
    senders: Vec<IntervalSender>,
) -> io::Result<Vec<WorkerEnd>> {
    let mut builder = Builder::new_current_thread();
    time.prepare(builder.enable_all());
    let runtime = builder.build_local(LocalOptions::default())?;
    runtime.block_on(async {
        let workers = senders.into_iter().enumerate();
        together(workers.map(|(worker, sender)| work(shared, worker, time, sessions, sender))).await
    })
}

/// Has all workers run at the same time, and returns how they ended.
async fn together<F>(workers: impl Iterator<Item = F>) -> io::Result<Vec<WorkerEnd>>
where
    F: Future<Output = io::Result<WorkerEnd>>,
{
    let mut running: Vec<Pin<Box<F>>> = workers.map(Box::pin).collect();
    let mut ends: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (worker, end) in running.iter_mut().zip(&mut ends).filter(|(_, end)| end.is_none()) {
            if let Poll::Ready(output) = worker.as_mut().poll(cx) {
                *end = Some(output);
            }
        }
        if ends.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    ends.into_iter().flatten().collect()
}
