//! A run of blocking sessions in virtual time: the threads are those of a real run, one of them runs at a time, and the
//! one that runs takes turns with the collector.

use crate::collector::{Collector, Sink};
use crate::finished::{Finished, RunError, conclude};
use crate::gate::Gate;
use crate::in_step::in_step;
use crate::machine::SimulatedMachine;
use crate::plan::Plan;
use crate::run::ends_of;
use crate::simulated::LONGEST;
use crate::stop::Stop;
use crate::timer::Time as _;
use crate::virtual_time::{VirtualThreads, VirtualTime};
use crate::waiting::Waits;
use crate::worker::blocking::{
    BlockingSessions, BlockingSlot, Registration as _, Wait as _, Watchdog,
};
use crate::worker::{IntervalSender, Numbers, WorkerIntervals};
use brunt_exchange::Clock as _;
use brunt_record::Catalogue;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Carries `plan` out as [`run_blocking`](crate::run_blocking()) does.
pub(crate) fn run(
    plan: &Plan,
    catalogue: &Catalogue,
    time: &VirtualTime,
    sessions: Arc<dyn BlockingSessions<VirtualThreads>>,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<Finished, RunError> {
    let numbers = Arc::new(Numbers::new(plan.settings().sessions));
    let plan = &plan.each_alone();
    let workers = plan.workers();
    let machine: Arc<dyn SimulatedMachine> = Arc::new(time.clone());
    let threads = VirtualThreads::new(time.clone(), stop.clone());
    let gate = Gate::new(workers, plan.settings().start.clone()).by(time.today()).on_one_thread();
    let gate = Arc::new(gate);
    let waits = Waits::new(time.clone(), gate.origin(), plan, stop);
    let (left, clock) = (Arc::default(), time.clone());
    let (began, today) = (time.now(), time.today().now());
    machine.ends_by(Some(began + LONGEST));
    let observe = || machine.observe(gate.origin().get().copied());
    // There is one message at a time, and one answer to it.
    let (measured, collected) = sync_channel::<WorkerIntervals>(1);
    let (in_step, pace) = in_step(&machine, move || clock.now());
    let (ways_back, spent): (Vec<_>, Vec<_>) = (0..workers).map(|_| sync_channel(8)).unzip();
    let slot = |(number, spent)| {
        let (measured, in_step) = (measured.clone(), Some(in_step.clone()));
        let sender = IntervalSender { measured, spent, in_step };
        let shared = (threads.clone(), &gate, stop);
        Arc::new(BlockingSlot::new(plan, number, catalogue, sender, shared, (&numbers, &left)))
    };
    let slots: Vec<_> = spent.into_iter().enumerate().map(slot).collect();
    let watchdog = Watchdog { slots: slots.clone(), sessions };
    let totals = thread::scope(|scope| {
        let registration = threads.register();
        scope.spawn(move || {
            registration.begin();
            watchdog.watch();
        });
        Collector::new(ways_back).in_step(pace).collect(
            &collected,
            &observe,
            (&|| waits.now(), &|| gate.ready()),
            stop,
            sink,
        )
    });
    let endless = threads.end();
    machine.ends_by(None);
    let ends = ends_of(&slots)?;
    assert!(endless.is_none(), "{}", endless.unwrap_or_default());
    let finished = conclude(plan, totals, &ends, began, machine.noise())?;
    Ok(Finished { began: Some(today + finished.prepared_in), ..finished })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Settings;
    use crate::schedule::{Rate, Schedule};
    use crate::worker::Ended;
    use crate::{BlockingSessionFactory, EngineRun, ThinkTime};
    use brunt_exchange::{BlockingSession, Moment, Outcome, Ticket, Watch};
    use brunt_record::{Interval, Operation, Phase};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Sessions whose calls take as long as this says of the number of an exchange.
    struct Calls<F> {
        time: VirtualTime,
        takes: F,
    }

    struct Call<F>(Arc<Calls<F>>);

    /// What makes them.
    struct Factory<F>(Arc<Calls<F>>);

    impl<F: Fn(u64) -> Duration + Send + Sync + 'static> BlockingSessionFactory for Factory<F> {
        type Session = Call<F>;

        fn session(&self, _: u32) -> Call<F> {
            Call(Arc::clone(&self.0))
        }
    }

    impl<F: Fn(u64) -> Duration + Send + Sync + 'static> BlockingSession for Call<F> {
        fn is_ready(&self) -> bool {
            true
        }

        fn ready(&mut self, _: &mut Watch<'_>) {}

        fn exchange(&mut self, ticket: &Ticket, _: &mut Watch<'_>) -> Outcome {
            let takes = (self.0.takes)(ticket.number);
            if !takes.is_zero() {
                self.0.time.block(takes);
            }
            Outcome::Ok(0)
        }

        fn close(&mut self) {}
    }

    /// A run in this time, and its intervals as they were passed on.
    fn simulate<F: Fn(u64) -> Duration + Send + Sync + 'static>(
        settings: Settings,
        time: &VirtualTime,
        takes: F,
    ) -> (Finished, Vec<String>) {
        let plan = Plan::new(settings, 1).unwrap();
        let catalogue = Catalogue::new(["call"], [""; 0]);
        let factory = Arc::new(Factory(Arc::new(Calls { time: time.clone(), takes })));
        let (stop, mut rows) = (Stop::new(), Vec::new());
        let mut sink = |interval: &Interval| rows.push(format!("{interval:?}"));
        let run = EngineRun {
            plan: &plan,
            catalogue: &catalogue,
            stop: &stop,
            sink: &mut sink,
            time: time.clone().into(),
        };
        let finished = run.blocking(&factory).unwrap();
        (finished, rows)
    }

    fn steady(finished: &Finished) -> &Operation {
        &finished.totals[&Phase::Steady].operations[0]
    }

    fn closed(sessions: u32, seconds: u64) -> Settings {
        let mut settings = Settings::closed(ThinkTime::None, sessions);
        settings.stop.time = Some(Duration::from_secs(seconds));
        settings
    }

    #[test]
    fn calls_take_exactly_their_time() {
        // Each of three sessions makes a call of 10 ms after the other, for 5 s; the last ends as the run does.
        let (finished, _) = simulate(closed(3, 5), &VirtualTime::new(1), |_| ms(10));
        let calls = steady(&finished);
        assert_eq!((calls.counts.ok, finished.counts.planned), (1_500, 1_500));
        assert_eq!((calls.service.min(), calls.service.max()), (Some(ms(10)), Some(ms(10))));
    }

    #[test]
    fn time_of_calls_applies_to_sessions_that_know_none() {
        let time = VirtualTime::new(1);
        time.calls_take(ms(4));
        let mut settings = Settings::open(
            Schedule::constant(Rate::from_per_second(100.0).unwrap(), None).unwrap(),
            1,
        );
        settings.stop.count = Some(1_000);
        let (finished, rows) = simulate(settings, &time, |_| Duration::ZERO);
        let calls = steady(&finished);
        assert_eq!((calls.counts.ok, calls.response.ok.max()), (1_000, Some(ms(4))));
        assert!(rows.len() >= 10, "{rows:?}");
        // Ten seconds of the run have passed, and nothing else.
        let now = time.now() - Moment::ZERO;
        assert!((ms(9_990)..ms(10_100)).contains(&now), "{now:?}");
    }

    #[test]
    fn hung_call_times_out_and_its_session_is_replaced() {
        let mut settings = closed(2, 20);
        settings.operation_timeout = ms(2_000);
        let hangs = |number| if number == 3 { Duration::from_secs(3_600) } else { ms(10) };
        let (finished, _) = simulate(settings, &VirtualTime::new(1), hangs);
        let counts = steady(&finished).counts;
        // One session makes 2,000 calls; the other is away for two seconds, and for as long as the watchdog takes.
        assert_eq!((counts.timed_out, counts.ok + counts.timed_out), (1, finished.counts.planned));
        assert!((3_780..=3_800).contains(&counts.ok), "{}", counts.ok);
        assert_eq!(finished.ended, Ended::Time);
    }

    #[test]
    fn run_follows_from_its_seeds() {
        let rows = |seed| {
            let takes = |number: u64| ms(1 + number * 7 % 5);
            simulate(closed(4, 3), &VirtualTime::new(seed), takes).1
        };
        assert_eq!(rows(5), rows(5));
    }

    #[test]
    fn run_that_never_ends_panics() {
        let endless = || {
            let time = VirtualTime::new(1);
            simulate(Settings::closed(ThinkTime::None, 1), &time, |_| Duration::from_secs(60))
        };
        let panic = catch_unwind(AssertUnwindSafe(endless)).unwrap_err();
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.starts_with("the run never ends, and waits for "), "{text}");
    }
}
