//! Blocking sessions: what one thread does in virtual time, and what the watchdog does in real time.

use super::slot::BlockingSlot;
use super::{BlockingSessions, Wait, Watchdog, thread};
use crate::blocking_session_factory::BlockingSessionFactory;
use crate::collector::Collector;
use crate::finished::{Finished, RunError, conclude};
use crate::gate::Gate;
use crate::plan::{Plan, Settings};
use crate::run::run_blocking;
use crate::schedule::{Rate, Schedule};
use crate::start::Start;
use crate::stop::Stop;
use crate::timer::MachineTime;
use crate::worker::{Ended, IntervalSender, Numbers, WorkerIntervals};
use brunt_exchange::{
    BlockingSession, Class, Clock, Moment, Outcome, Part, ThinkTime, Ticket, Watch,
};
use brunt_record::{Catalogue, Histogram, Interval, Operation, Phase};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A clock that advances when a thread waits or works.
#[derive(Clone, Default)]
struct Virtual(Arc<AtomicU64>);

impl Virtual {
    fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl Clock for Virtual {
    fn now(&self) -> Moment {
        Moment::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl Wait for Virtual {
    type Registration = ();

    fn register(&self) {}

    fn wait_until(&self, at: Moment) {
        self.0.fetch_max(at.as_nanos(), Ordering::Relaxed);
    }
}

type Action = dyn Fn(&Ticket, &mut Watch<'_>) -> Outcome + Send + Sync;

/// Sessions that all behave in the same way.
struct Script {
    act: Box<Action>,
    made: AtomicUsize,
    readied: Arc<AtomicUsize>,
    /// Whether a session that failed must be made ready again.
    fragile: bool,
}

impl Script {
    fn new(act: impl Fn(&Ticket, &mut Watch<'_>) -> Outcome + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            act: Box::new(act),
            made: AtomicUsize::new(0),
            readied: Arc::default(),
            fragile: true,
        })
    }
}

struct ScriptedSession {
    script: Arc<Script>,
    ready: bool,
}

struct ScriptedSessions(Arc<Script>);

/// The watchdog of a run in virtual time, once that has begun.
type ScriptedWatchdog = OnceLock<Watchdog<Virtual>>;

impl BlockingSessionFactory for ScriptedSessions {
    type Session = ScriptedSession;

    fn session(&self, _: u32) -> ScriptedSession {
        self.0.made.fetch_add(1, Ordering::Relaxed);
        ScriptedSession { script: Arc::clone(&self.0), ready: false }
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        (ticket.number % 2) as u16
    }
}

impl BlockingSession for ScriptedSession {
    fn is_ready(&self) -> bool {
        self.ready
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        self.script.readied.fetch_add(1, Ordering::Relaxed);
        watch.part(Part(0), ms(1));
        self.ready = true;
    }

    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let outcome = (self.script.act)(ticket, watch);
        self.ready = !(self.script.fragile && matches!(outcome, Outcome::Failed(..)));
        outcome
    }

    fn close(&mut self) {}
}

fn catalogue() -> Catalogue {
    Catalogue::new(["even", "odd"], ["open"])
}

/// One slot's run in virtual time, in which nobody watches.
fn simulate(settings: Settings, clock: &Virtual, script: &Arc<Script>) -> Finished {
    simulate_watched(settings, clock, script, &OnceLock::new())
}

/// The same with a watchdog that looks when the script has it look.
fn simulate_watched(
    settings: Settings,
    clock: &Virtual,
    script: &Arc<Script>,
    watchdog: &ScriptedWatchdog,
) -> Finished {
    let plan = Plan::new(settings, 1).unwrap();
    let gate = Arc::new(Gate::new(1, Start::WhenReady));
    let (measured, collected) = sync_channel::<WorkerIntervals>(100_000);
    let (way_back, spent) = sync_channel(8);
    let sender = IntervalSender { measured, spent, in_step: None };
    let (numbers, left) = (Arc::new(Numbers::new(1)), Arc::default());
    let shared = (clock.clone(), &gate, &Stop::new());
    let slot = BlockingSlot::new(&plan, 0, &catalogue(), sender, shared, (&numbers, &left));
    let (slot, factory) = (Arc::new(slot), Arc::new(ScriptedSessions(Arc::clone(script))));
    let sessions: Arc<dyn BlockingSessions<Virtual>> = Arc::<ScriptedSessions>::clone(&factory);
    let own = Watchdog { slots: vec![Arc::clone(&slot)], sessions };
    assert!(watchdog.set(own).is_ok());
    thread::live(&*slot, &*factory, 0);
    let totals = Collector::new(vec![way_back]).collect(
        &collected,
        &Default::default,
        (&|| None, &|| None),
        &Stop::new(),
        &mut |_: &Interval| {},
    );
    let Ok(Some(end)) = slot.end() else { panic!("the slot is still open") };
    conclude(&plan, totals, &[end], Moment::ZERO, brunt_record::TimerNoise::default()).unwrap()
}

/// How many took longer.
fn beyond(histogram: &Histogram, limit: Duration) -> u64 {
    let over = histogram.buckets().filter(|(nanos, _)| u128::from(*nanos) > limit.as_nanos());
    over.map(|(_, count)| count).sum()
}

fn open(per_second: u64, lasting: Duration) -> Settings {
    let rate = Rate::per_second(per_second).unwrap();
    let mut settings = Settings::open(Schedule::constant(rate, None).unwrap(), 1);
    settings.stop.time = Some(lasting);
    settings
}

fn closed(count: u64) -> Settings {
    let mut settings = Settings::closed(ThinkTime::None, 1);
    settings.stop.count = Some(count);
    settings
}

#[test]
fn stall_is_charged_to_every_waiting_exchange() {
    let clock = Virtual::default();
    let time = clock.clone();
    let script = Script::new(move |ticket, _| {
        time.pass(if ticket.number == 50 { ms(1_000) } else { Duration::from_micros(10) });
        Outcome::Ok(0)
    });
    let finished = simulate(open(100, ms(2_000)), &clock, &script);
    let steady = &finished.totals[&Phase::Steady];
    let (service, response) = (&steady.operations[0].service, &steady.operations[0].response.due());
    assert_eq!((service.count(), finished.ended), (200, Ended::Time));
    assert_eq!(beyond(service, ms(5)), 1);
    // Due every 10 ms during the stall of a second: the exchange that stalled, and a hundred after it, of which the
    // last was due as it ended.
    let slow = beyond(response, Duration::from_micros(500));
    assert!((100..=101).contains(&slow), "{slow}");
    assert_eq!(steady.lateness.max(), Some(Duration::ZERO));
}

#[test]
fn closed_loop_is_due_when_the_previous_exchange_ended() {
    let clock = Virtual::default();
    let time = clock.clone();
    let script = Script::new(move |_, _| {
        time.pass(ms(3));
        Outcome::Ok(0)
    });
    let finished = simulate(closed(1_000), &clock, &script);
    let steady = &finished.totals[&Phase::Steady];
    assert_eq!((steady.counts().ok, finished.ended), (1_000, Ended::Count));
    assert_eq!(finished.lasted, ms(3_000));
    assert_eq!(steady.operations[0].response.due().mean(), steady.operations[0].service.mean());
    assert_eq!(script.readied.load(Ordering::Relaxed), 1);
}

#[test]
fn failed_session_reconnects_outside_any_latency() {
    let clock = Virtual::default();
    let time = clock.clone();
    let script = Script::new(move |ticket, watch| {
        time.pass(ms(1));
        if ticket.number % 10 == 9 {
            watch.never_sent();
            return Outcome::Failed(Class::Connect, 111);
        }
        Outcome::Ok(0)
    });
    let finished = simulate(closed(100), &clock, &script);
    let steady = &finished.totals[&Phase::Steady];
    assert_eq!((steady.counts().ok, steady.counts().failed), (90, 10));
    assert_eq!(steady.operations[0].service.count(), 90);
    // Once at the beginning, and after each failure but the last, which no exchange followed.
    assert_eq!(script.readied.load(Ordering::Relaxed), 10);
}

#[test]
fn backlog_overflow_is_dropped_and_counted() {
    let clock = Virtual::default();
    let time = clock.clone();
    let script = Script::new(move |_, _| {
        time.pass(ms(100));
        Outcome::Ok(0)
    });
    let mut settings = open(100, ms(1_000));
    settings.backlog = Some(5);
    let finished = simulate(settings, &clock, &script);
    let steady = &finished.totals[&Phase::Steady];
    assert_eq!(steady.planned, 100);
    assert_eq!(steady.counts().ok + steady.dropped, 100);
    assert!(steady.dropped >= 80, "{}", steady.dropped);
}

/// More than a call takes.
const LONGER: Duration = Duration::from_micros(1_500);

/// Exchange n is due at 10·n ms and takes one. The fiftieth call takes a second, in which the watchdog looks every
/// 50 ms or, if the whole process stands still, never.
fn with_a_long_call(process_stands_still: bool) -> Operation {
    let clock = Virtual::default();
    let (time, watchdog) = (clock.clone(), Arc::<ScriptedWatchdog>::default());
    let watched = Arc::clone(&watchdog);
    let script = Script::new(move |ticket, _| {
        let watchdog = watched.get().unwrap();
        let look = || watchdog.poll(&watchdog.slots[0]);
        assert!(look(), "the slot is open");
        match ticket.number {
            50 if process_stands_still => time.pass(ms(1_000)),
            50 => (0..20).for_each(|_| {
                time.pass(ms(50));
                look();
            }),
            _ => time.pass(ms(1)),
        }
        Outcome::Ok(0)
    });
    let mut finished = simulate_watched(open(100, ms(3_000)), &clock, &script, &watchdog);
    let mut steady = finished.totals.remove(&Phase::Steady).unwrap();
    let operation = steady.operations.swap_remove(0);
    assert_eq!((operation.counts.planned, operation.counts.ok), (300, 300));
    // Exchange 50 + j is answered j ms after the second, and 1,000 - 9·j ms after it was due.
    assert_eq!(operation.response.due().max(), Some(ms(1_000)));
    assert_eq!(beyond(&operation.response.due(), LONGER), 1 + 110);
    operation
}

/// The watchdog wanted to look 50 ms after the call began. From then on the time is the generator's: of the call, and
/// of what became due meanwhile and waited behind it.
#[test]
fn stalled_process_is_charged_with_a_call_that_it_did_not_see_end() {
    let operation = with_a_long_call(true);
    assert_eq!(operation.response.cleared().max(), Some(ms(50)));
    // The call, and the four that were due in its first 50 ms.
    assert_eq!(beyond(operation.response.cleared(), LONGER), 5);
    // For 1,000 - 10·j ms, or 950, of its time the process stood still: a tenth or more, up to j = 98.
    assert_eq!(operation.tainted.ok, 99);
}

#[test]
fn long_call_that_the_watchdog_saw_is_the_target_s() {
    let operation = with_a_long_call(false);
    assert_eq!(operation.response.cleared().max(), Some(ms(1_000)));
    assert_eq!(beyond(operation.response.cleared(), LONGER), 1 + 110);
    assert_eq!(operation.tainted.ok, 0);
}

/// A run in real time, with its watchdog.
fn real(settings: Settings, script: &Arc<Script>, stop: &Stop) -> Result<Finished, RunError> {
    let plan = Plan::new(settings, 1).unwrap();
    let factory = Arc::new(ScriptedSessions(Arc::clone(script)));
    run_blocking(&plan, &catalogue(), &MachineTime::new(), &factory, stop, &mut |_: &Interval| {})
}

#[expect(clippy::disallowed_methods, reason = "a library that keeps its thread for some time")]
fn block(time: Duration) {
    std::thread::sleep(time);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "how long a run takes by a clock that is not its own"
)]
fn hung_call_is_counted_and_its_slot_continues() {
    let script = Script::new(|ticket, _| {
        if ticket.number == 3 {
            block(Duration::from_secs(600));
        }
        block(ms(10));
        Outcome::Ok(0)
    });
    let mut settings = Settings::closed(ThinkTime::None, 2);
    // The other seat does some 200 of them until the call is given up, so there is work left for the new session.
    settings.stop.count = Some(600);
    settings.operation_timeout = ms(2_000);
    let began = Instant::now();
    let finished = real(settings, &script, &Stop::new()).unwrap();
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let steady = &finished.totals[&Phase::Steady];
    let counts = steady.counts();
    assert_eq!((counts.ok, counts.timed_out), (599, 1));
    // Number 3 is odd, which the factory knows and the hung session could not report.
    assert_eq!(steady.operations[1].counts.timed_out, 1);
    assert_eq!(script.made.load(Ordering::Relaxed), 3);
}

#[test]
fn hung_call_is_cut_off_on_abort() {
    let (hangs, hung) = sync_channel(1);
    let script = Script::new(move |_, _| {
        hangs.send(()).unwrap();
        block(Duration::from_secs(600));
        Outcome::Ok(0)
    });
    let stop = Stop::new();
    let stopping = stop.clone();
    let stopper = std::thread::spawn(move || {
        hung.recv().unwrap();
        stopping.abort();
    });
    let finished = real(closed(10), &script, &stop).unwrap();
    stopper.join().unwrap();
    assert_eq!((finished.counts.cut_off, finished.ended), (1, Ended::Aborted));
}

#[test]
fn threads_share_the_numbers_of_a_closed_loop() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seeing = Arc::clone(&seen);
    let script = Script::new(move |ticket, _| {
        seeing.lock().unwrap().push(ticket.number);
        Outcome::Ok(0)
    });
    let mut settings = Settings::closed(ThinkTime::None, 4);
    settings.stop.count = Some(5_000);
    real(settings, &script, &Stop::new()).unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, (0..5_000).collect::<Vec<_>>());
}

#[test]
fn panic_of_a_session_ends_the_run() {
    let script = Script::new(|ticket, _| {
        assert!(ticket.number != 7, "number seven");
        Outcome::Ok(0)
    });
    let run = || real(closed(100), &script, &Stop::new());
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    assert!(text.unwrap().contains("number seven"));
}
