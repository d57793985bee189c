//! Whole runs of one worker in virtual time: every promise about time is checked to the millisecond.
//!
//! A scripted session takes as long as its script says, on tokio's paused clock, whose resolution is a millisecond.

use crate::collector::{Collector, Waits};
use crate::finished::{Finished, conclude};
use crate::gate::Gate;
use crate::plan::{Plan, Settings};
use crate::schedule::{Rate, Schedule};
use crate::session_factory::{DriverCounts, SessionFactory};
use crate::stop::Stop;
use crate::timer::virtual_time::VirtualTime;
use crate::worker::{Ended, IntervalSender, Numbers, Shared, WorkerIntervals, work};
use brunt_exchange::{Class, Clock, Moment, Outcome, Part, Session, ThinkTime, Ticket, Watch};
use brunt_record::{Catalogue, Histogram, Interval, Phase, Sample, TimerNoise};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What a session does in one exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Sends at once and is answered after this time.
    Answer(Duration),
    /// Fails after this time, without having sent anything.
    Refuse(Duration),
    /// Sends and is never answered.
    Hang,
}

type Script = Arc<dyn Fn(&Ticket) -> Step + Send + Sync>;

/// What a session saw of each of its exchanges: its ticket and when it began.
type ExchangeLog = Arc<Mutex<Vec<(Ticket, Moment)>>>;

/// How many exchanges of each phase began, by the remainder that their numbers leave.
type Begun = Arc<Mutex<[[u64; TALLIES]; Ticket::PHASES]>>;

/// How many tallies scripted sessions keep of their own.
pub(crate) const TALLIES: usize = 3;

pub(crate) struct Scripted {
    script: Script,
    log: ExchangeLog,
    begun: Begun,
    /// How often a session made itself ready.
    readied: Arc<AtomicU64>,
    connecting: Duration,
    reconnecting: Duration,
    connected: bool,
}

#[expect(clippy::disallowed_methods, reason = "in virtual time, tokio's timers are exact")]
pub(crate) async fn pass(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

impl Session for Scripted {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        let before = watch.now();
        self.readied.fetch_add(1, Ordering::Relaxed);
        pass(if self.connected { self.reconnecting } else { self.connecting }).await;
        if !self.connected {
            self.connected = true;
            watch.part(Part(0), watch.now() - before);
        }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        self.log.lock().unwrap().push((*ticket, watch.now()));
        let remainder = ticket.number as usize % TALLIES;
        self.begun.lock().unwrap()[usize::from(ticket.phase)][remainder] += 1;
        match (self.script)(ticket) {
            Step::Answer(after) => {
                watch.sent();
                watch.items(2);
                pass(after).await;
                Outcome::Ok(0)
            }
            Step::Refuse(after) => {
                pass(after).await;
                watch.explain(format_args!("number {} was refused", ticket.number));
                Outcome::Failed(Class::Closed, 0)
            }
            Step::Hang => {
                watch.sent();
                std::future::pending().await
            }
        }
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

/// Sessions that all follow one script.
pub(crate) struct ScriptedSessions {
    script: Script,
    log: ExchangeLog,
    begun: Begun,
    readied: Arc<AtomicU64>,
    connecting: Duration,
    reconnecting: Duration,
    /// Whether tallies are reported. Each phase then has a row in each interval.
    pub(crate) tallied: bool,
}

impl ScriptedSessions {
    pub(crate) fn new(script: impl Fn(&Ticket) -> Step + Send + Sync + 'static) -> Self {
        Self {
            script: Arc::new(script),
            log: ExchangeLog::default(),
            begun: Begun::default(),
            readied: Arc::default(),
            connecting: ms(5),
            reconnecting: ms(0),
            tallied: false,
        }
    }

    pub(crate) fn answering_after(time: Duration) -> Self {
        Self::new(move |_| Step::Answer(time))
    }

    /// The numbers of the exchanges that began, in order.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> =
            self.log.lock().unwrap().iter().map(|(ticket, _)| ticket.number).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl SessionFactory for ScriptedSessions {
    type Session = Scripted;

    fn sessions(&self, _worker: usize, numbers: Range<u32>) -> Vec<Scripted> {
        let session = |_| Scripted {
            script: Arc::clone(&self.script),
            log: Arc::clone(&self.log),
            begun: Arc::clone(&self.begun),
            readied: Arc::clone(&self.readied),
            connecting: self.connecting,
            reconnecting: self.reconnecting,
            connected: false,
        };
        numbers.map(session).collect()
    }

    fn counts(&self, _: usize, into: &mut DriverCounts) {
        if self.tallied {
            into.tallies_by_phase = self.begun.lock().unwrap().map(Vec::from);
        }
    }
}

/// The longest that a run takes. One that never ends takes this long as well, and fails its test.
const LONGEST: Duration = Duration::from_secs(600);

/// A run in virtual time, with all its intervals.
pub(crate) struct Simulated {
    pub(crate) finished: Finished,
    pub(crate) intervals: Vec<Interval>,
}

impl Simulated {
    pub(crate) fn total(&self, phase: Phase) -> &Interval {
        &self.finished.totals[&phase]
    }

    pub(crate) fn steady(&self) -> &Interval {
        self.total(Phase::Steady)
    }
}

/// Runs a plan with one worker; `meddle` runs at the same time and may stop it.
pub(crate) fn simulate_with<F: SessionFactory, M: Future<Output = ()> + 'static>(
    settings: Settings,
    scripted: &F,
    stop: &Stop,
    meddle: M,
) -> Simulated {
    let catalogue = Catalogue::new(["exchange"], ["connect"]);
    simulate_named(settings, scripted, stop, meddle, &catalogue)
}

/// The same with tallies of the engine's own.
pub(crate) fn simulate_named<F: SessionFactory, M: Future<Output = ()> + 'static>(
    settings: Settings,
    scripted: &F,
    stop: &Stop,
    meddle: M,
    catalogue: &Catalogue,
) -> Simulated {
    let plan = Plan::new(Settings { workers: Some(1), ..settings }, 1).unwrap();
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (measured, rows) = sync_channel::<WorkerIntervals>(100_000);
    let (way_back, spent) = sync_channel(4);
    let end = runtime.block_on(LocalSet::new().run_until(async {
        let time = VirtualTime::new();
        let gate = Gate::new(1, plan.settings().start.clone());
        let numbers = Arc::new(Numbers::new(plan.settings().sessions));
        let shared = Shared { plan: &plan, catalogue, stop, gate: &gate, numbers: &numbers };
        tokio::task::spawn_local(meddle);
        let sender = IntervalSender { measured, spent, in_step: None };
        let end = tokio::time::timeout(LONGEST, work(&shared, 0, &time, scripted, sender)).await;
        end.expect("a run that has not ended by now never will").unwrap()
    }));
    let mut intervals = Vec::new();
    let mut sink = |interval: &Interval| intervals.push(interval.clone());
    let (collector, waits): (_, Waits<'_>) = (Collector::new(vec![way_back]), (&|| None, &|| None));
    let totals = collector.collect(&rows, &Default::default, waits, stop, &mut sink);
    let finished = conclude(&plan, totals, &[end], Moment::ZERO, TimerNoise::default()).unwrap();
    Simulated { finished, intervals }
}

pub(crate) fn simulate(settings: Settings, scripted: &ScriptedSessions) -> Simulated {
    simulate_with(settings, scripted, &Stop::new(), async {})
}

/// An open load of `per_second` exchanges a second for `seconds` seconds.
pub(crate) fn open(per_second: u64, seconds: u64, sessions: u32) -> Settings {
    let rate = Rate::per_second(per_second).unwrap();
    let lasting = Some(Duration::from_secs(seconds));
    Settings::open(Schedule::constant(rate, lasting).unwrap(), sessions)
}

/// How many values of a histogram are at least `least`.
pub(crate) fn at_least(histogram: &Histogram, least: Duration) -> u64 {
    // Buckets are named by their upper bounds, a thousandth too high at most.
    histogram
        .buckets()
        .filter(|(value, _)| u128::from(*value) >= least.as_nanos())
        .map(|(_, n)| n)
        .sum()
}

/// The reason this project exists.
///
/// A hundred exchanges a second are due for two seconds; the target answers in 1 ms, but exchange 50 takes a second.
/// During that second, a hundred more become due and wait: exchange 50 + j is due 10·j ms after the stall began and is
/// answered 1,000 + j ms after it, since those that wait are served 1 ms each. It has thus waited 1,000 − 9·j ms, which
/// is 100 ms for the last of the hundred and 91 ms for the next. "Slow" means at least 100 ms.
#[test]
fn stall_is_one_slow_service_and_101_slow_responses() {
    let stalling =
        |ticket: &Ticket| Step::Answer(if ticket.number == 50 { ms(1_000) } else { ms(1) });
    let run = simulate(open(100, 2, 1), &ScriptedSessions::new(stalling));
    let steady = run.steady();
    let (response, service) = (&steady.operations[0].response.due(), &steady.operations[0].service);
    assert_eq!((response.count(), service.count()), (200, 200));
    assert_eq!(at_least(service, ms(100)), 1);
    assert_eq!(at_least(response, ms(100)), 101);
    // The hundred that waited were sent late, because of the stall and not because of the generator.
    assert_eq!(at_least(&steady.lag, ms(99)), 100);
    assert_eq!(steady.lateness.max(), Some(Duration::ZERO));
    assert_eq!(steady.dropped, 0);
    assert_eq!(response.max(), Some(ms(1_000)));
}

#[test]
fn backlog_overflow_is_dropped_and_counted() {
    // The first exchange takes 500 ms. Of the 49 that become due meanwhile, and the 50th that falls
    // due as it ends, 10 wait and the others are dropped.
    let stalling = |ticket: &Ticket| Step::Answer(if ticket.number == 0 { ms(501) } else { ms(0) });
    let settings = Settings { backlog: Some(10), ..open(100, 1, 1) };
    let run = simulate(settings, &ScriptedSessions::new(stalling));
    let counts = run.finished.counts;
    assert_eq!((counts.planned, counts.dropped, counts.ok), (100, 40, 60));
    assert_eq!(run.steady().backlog_peak, 10);
    assert_eq!(run.finished.ended, Ended::Time);
}

#[test]
fn backlog_is_served_until_the_drain_ends() {
    // A hundred become due in one second at a session that needs 100 ms each: 10 are served in time,
    // 20 more in the two seconds of the drain, and the one in flight then is cut off.
    let settings = Settings { drain: Some(ms(2_050)), ..open(100, 1, 1) };
    let run = simulate(settings, &ScriptedSessions::answering_after(ms(100)));
    let counts = run.finished.counts;
    assert_eq!((counts.planned, counts.ok, counts.cut_off, counts.dropped), (100, 30, 1, 69));
    // Measured until the last answer: the session can do thirty in three seconds.
    assert_eq!(run.finished.lasted, ms(3_000));
}

#[test]
fn preparation_is_not_part_of_the_run() {
    let scripted =
        ScriptedSessions { connecting: ms(3_000), ..ScriptedSessions::answering_after(ms(1)) };
    let run = simulate(open(100, 1, 300), &scripted);
    assert_eq!(run.finished.lasted, ms(1_000));
    // 300 sessions, of which 256 may connect at once.
    assert_eq!(run.finished.prepared_in, ms(6_001));
    let prepare = run.total(Phase::Prepare);
    assert_eq!((prepare.parts[0].count(), prepare.parts[0].mean()), (300, Some(ms(3_000))));
    assert_eq!(prepare.planned, 0);
    assert_eq!(run.steady().operations[0].response.due().max(), Some(ms(1)));
}

#[test]
fn timeout_ends_the_exchange_but_not_the_session() {
    let hanging = |ticket: &Ticket| match ticket.number {
        3 => Step::Hang,
        _ => Step::Answer(ms(1)),
    };
    let settings = Settings { operation_timeout: ms(200), ..open(10, 2, 1) };
    let run = simulate(settings, &ScriptedSessions::new(hanging));
    let exchange = &run.steady().operations[0];
    assert_eq!((exchange.counts.ok, exchange.counts.timed_out), (19, 1));
    // Noticed within a twentieth of its length.
    let slowest = exchange.service_timed_out.max().unwrap();
    assert!(slowest >= ms(200) && slowest <= ms(211), "{slowest:?}");
}

#[test]
fn unsent_exchange_has_no_service_time() {
    let refusing = |ticket: &Ticket| match ticket.number % 2 {
        0 => Step::Refuse(ms(7)),
        _ => Step::Answer(ms(1)),
    };
    let run = simulate(open(100, 1, 4), &ScriptedSessions::new(refusing));
    let exchange = &run.steady().operations[0];
    assert_eq!((exchange.counts.ok, exchange.counts.failed), (50, 50));
    assert_eq!((exchange.service.count(), exchange.response.due().count()), (50, 100));
    assert_eq!(exchange.counts.items, 100);
    let texts: Vec<&Sample> = run.intervals.iter().flat_map(|step| &step.samples).collect();
    assert_eq!(texts.len(), 10, "the first few texts are kept");
    assert_eq!(texts[0].text, "number 0 was refused");
}

#[test]
fn explained_failures_do_not_accumulate() {
    let settings = Settings { explain_every: true, ..open(100, 20, 1) };
    let run = simulate(settings, &ScriptedSessions::new(|_| Step::Refuse(ms(1))));
    let sample_counts = run.intervals.iter().map(|step| step.samples.len());
    assert_eq!(sample_counts.sum::<usize>(), 2_000, "each step tells its own");
    assert_eq!(run.steady().counts().failed, 2_000);
    assert_eq!(run.steady().samples.len(), 0, "and the sum over them none");
}

#[test]
fn warm_up_is_not_counted() {
    let slow_start =
        |ticket: &Ticket| Step::Answer(if ticket.number < 20 { ms(40) } else { ms(1) });
    let mut settings = Settings { warm_up: ms(1_000), ..open(20, 60, 4) };
    settings.stop.count = Some(30);
    let run = simulate(settings.clone(), &ScriptedSessions::new(slow_start));
    assert_eq!(run.total(Phase::WarmUp).counts().ok, 20);
    assert_eq!(run.steady().counts().ok, 30);
    assert_eq!(run.steady().operations[0].response.due().max(), Some(ms(1)));
    assert_eq!(run.finished.ended, Ended::Count);
    settings.stop.count_includes_warm_up = true;
    let old = simulate(settings, &ScriptedSessions::new(slow_start));
    assert_eq!(old.steady().counts().ok, 10, "the old tools count all");
}

#[test]
fn answer_in_the_next_phase_belongs_to_its_own() {
    let settings = Settings { warm_up: ms(1_000), ..open(10, 1, 4) };
    let run = simulate(settings, &ScriptedSessions::answering_after(ms(150)));
    assert_eq!(run.total(Phase::WarmUp).counts().ok, 10);
    assert_eq!(run.steady().counts().ok, 10);
    let seen: Vec<_> = run.intervals.iter().map(|i| (i.index, i.phase, i.counts().ok)).collect();
    let expected = [
        (0, Phase::Prepare, 0),
        (1, Phase::WarmUp, 9),
        (2, Phase::WarmUp, 1),
        (2, Phase::Steady, 10),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn last_row_lasts_until_the_last_answer() {
    let run = simulate(open(10, 3, 4), &ScriptedSessions::answering_after(ms(150)));
    let rows: Vec<_> =
        run.intervals.iter().skip(1).map(|i| (i.from, i.to, i.planned, i.counts().ok)).collect();
    let expected =
        [(ms(0), ms(1_000), 10, 9), (ms(1_000), ms(2_000), 10, 10), (ms(2_000), ms(3_050), 10, 11)];
    assert_eq!(rows, expected);
    assert_eq!(run.intervals[1].in_flight, 1);
}

#[test]
fn first_limit_reached_ends_the_run() {
    let limited = |count, time: u64| {
        let mut settings = open(100, 60, 2);
        settings.stop.count = count;
        settings.stop.time = Some(ms(time));
        simulate(settings, &ScriptedSessions::answering_after(ms(1))).finished
    };
    let by_count = limited(Some(150), 5_000);
    assert_eq!((by_count.counts.ok, by_count.ended), (150, Ended::Count));
    assert_eq!(by_count.lasted, ms(1_491));
    let by_time = limited(Some(1_000), 5_000);
    assert_eq!((by_time.counts.ok, by_time.ended), (500, Ended::Time));
    assert_eq!(by_time.lasted, ms(5_000));
}

#[test]
fn closed_loop_starts_where_the_last_exchange_ended() {
    let mut settings = Settings::closed(ThinkTime::None, 3);
    settings.stop.time = Some(ms(1_000));
    let run = simulate(settings, &ScriptedSessions::answering_after(ms(10)));
    assert_eq!(run.finished.counts.ok, 300);
    assert_eq!(run.steady().lag.max(), Some(Duration::ZERO));
    assert_eq!(run.steady().operations[0].response.due().mean(), Some(ms(10)));
    assert_eq!(run.finished.lasted, ms(1_000));
}

#[test]
fn think_time_is_neither_response_time_nor_lag() {
    let mut settings = Settings::closed(ThinkTime::Constant(ms(90)), 2);
    settings.stop.count = Some(25);
    let scripted = ScriptedSessions::answering_after(ms(10));
    let run = simulate(settings, &scripted);
    assert_eq!(run.finished.counts.ok, 25);
    assert_eq!(run.steady().operations[0].response.due().max(), Some(ms(10)));
    assert_eq!(run.steady().lag.max(), Some(Duration::ZERO));
    // Two users, one exchange each in 100 ms: number 24 starts at 1,200 ms.
    assert_eq!(run.finished.lasted, ms(1_210));
    assert_eq!(scripted.numbers(), (0..25).collect::<Vec<_>>());
}

#[test]
fn reconnecting_is_charged_to_the_wait() {
    // Reconnecting takes 30 ms and the exchange 10 ms, but one is due every 20 ms: exchange n is
    // due at 20·n and sent at 40·n, when the session is free again.
    let scripted =
        ScriptedSessions { reconnecting: ms(30), ..ScriptedSessions::answering_after(ms(10)) };
    let mut settings = open(50, 60, 1);
    settings.stop.count = Some(10);
    let run = simulate(settings, &scripted);
    assert_eq!(run.steady().lag.max(), Some(ms(9 * 20)));
    assert_eq!(run.steady().lateness.max(), Some(Duration::ZERO));
}

#[test]
fn first_stop_waits_for_exchanges_in_flight() {
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(1_200)).await;
        handle.request();
    };
    let run =
        simulate_with(open(10, 60, 10), &ScriptedSessions::answering_after(ms(400)), &stop, meddle);
    let counts = run.finished.counts;
    assert_eq!(run.finished.ended, Ended::Stopped);
    // The stop is noticed at most 50 ms late: what was due until then is planned, the rest of the minute is not.
    assert!((12..=13).contains(&counts.planned), "{counts:?}");
    assert_eq!((counts.ok, counts.cut_off), (counts.planned, 0));
}

#[test]
fn first_stop_limits_the_wait_for_long_exchanges() {
    // The only exchange has no limit, the run has nothing more to do, and has waited for a minute.
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(60_000)).await;
        handle.request();
    };
    let mut settings = Settings::closed(ThinkTime::None, 1);
    settings.stop.count = Some(1);
    (settings.drain, settings.drain_stopped) = (Some(ms(86_400_000)), Some(ms(2_000)));
    let run = simulate_with(settings, &ScriptedSessions::new(|_| Step::Hang), &stop, meddle);
    assert_eq!((run.finished.ended, run.finished.counts.cut_off), (Ended::Stopped, 1));
    let lasted = run.finished.lasted;
    assert!((ms(62_000)..=ms(62_200)).contains(&lasted), "{lasted:?}");
}

#[test]
fn second_stop_cuts_exchanges_off() {
    for phase in [Phase::Prepare, Phase::WarmUp, Phase::Steady, Phase::Drain] {
        let stop = Stop::new();
        let handle = stop.clone();
        let at = match phase {
            Phase::Prepare => 50,
            Phase::WarmUp => 500,
            Phase::Drain => 3_500,
            _ => 1_500,
        };
        let meddle = async move {
            pass(ms(at)).await;
            handle.request();
            handle.request();
        };
        let scripted =
            ScriptedSessions { connecting: ms(100), ..ScriptedSessions::new(|_| Step::Hang) };
        let settings = Settings { warm_up: ms(1_000), ..open(10, 2, 5) };
        let run = simulate_with(settings, &scripted, &stop, meddle);
        let counts = run.finished.counts;
        assert_eq!(run.finished.ended, Ended::Aborted, "{phase}");
        let in_flight = if phase == Phase::Prepare { 0 } else { 5 };
        assert_eq!(counts.cut_off, in_flight, "{phase}: {counts:?}");
        assert!(run.finished.lasted <= ms(at), "{phase}: {:?}", run.finished.lasted);
    }
}

#[test]
fn sessions_do_not_reconnect_for_exchanges_beyond_the_count() {
    for (sessions, count, warm_up) in [(4, 61, 0), (4, 2, 0), (4, 61, 200), (4, 2, 200)] {
        let mut settings = Settings::closed(ThinkTime::None, sessions);
        settings.stop.count = Some(count);
        settings.warm_up = ms(warm_up);
        let mut scripted = ScriptedSessions::new(|ticket| Step::Answer(ms(3 + ticket.number % 5)));
        scripted.reconnecting = ms(10);
        let readied = Arc::clone(&scripted.readied);
        let run = simulate(settings, &scripted);
        assert_eq!(run.steady().operations[0].counts.ok, count);
        let warm = run.finished.totals.get(&Phase::WarmUp);
        let warm = warm.map_or(0, |warm| warm.operations[0].counts.ok);
        assert_eq!(warm > 0, warm_up > 0);
        // Every session connects before the run begins, and again before each further exchange.
        let first = u64::from(sessions);
        let readied = readied.load(Ordering::Relaxed);
        assert_eq!(readied, (warm + count).max(first), "{sessions} {count} {warm_up}");
    }
}
