//! Rates in virtual time, against servers whose truth is arithmetic: what was answered while the load ran.

use crate::plan::Settings;
use crate::schedule::Schedule;
use crate::session_factory::SessionFactory;
use crate::simulation::{Simulated, ms, open, pass, simulate_with};
use crate::stop::Stop;
use brunt_exchange::{Class, Clock, Moment, Outcome, Session, ThinkTime, Ticket, Want, Watch};
use brunt_record::{Interval, Mode, Plan, RateDoubt, Rates};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a server does with a request.
#[derive(Clone, Copy, Debug)]
enum Reply {
    /// It succeeds after this time.
    After(Duration),
    /// It accepts the connection that the exchange opens after the first time; the request succeeds after the other.
    Opened(Duration, Duration),
    /// It is refused by an answer after this time.
    Busy(Duration),
    /// It succeeds after this time, with this many items.
    Items(Duration, u64),
    /// There is no connection.
    Refused,
    /// It is never answered.
    Silent,
}

type Script = Arc<dyn Fn(&Ticket, Moment) -> Reply + Send + Sync>;

/// A server, and how many requests an arrival makes of it.
#[derive(Clone)]
struct Server {
    script: Script,
    steps: u64,
    /// Its users end after so many requests.
    ends_after: Option<u64>,
}

struct Client {
    server: Server,
    done: u64,
}

impl Server {
    fn new(script: impl Fn(&Ticket, Moment) -> Reply + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), steps: 1, ends_after: None }
    }

    fn taking(time: Duration) -> Self {
        Self::new(move |_, _| Reply::After(time))
    }

    /// One worker with an endless queue.
    fn queue(per_second: u64) -> Self {
        let free = Mutex::new(Moment::ZERO);
        Self::new(move |_, now| {
            let mut free = free.lock().unwrap();
            *free = (*free).max(now) + Duration::from_nanos(1_000_000_000 / per_second);
            Reply::After(*free - now)
        })
    }

    /// Answers in a millisecond, except while it stands still.
    fn standing_still(from: u64, to: u64) -> Self {
        let [from, to] = [from, to].map(|millis| Moment::ZERO + ms(millis));
        Self::new(move |_, now| {
            let still = now >= from && now < to;
            Reply::After(if still { to - now + ms(1) } else { ms(1) })
        })
    }
}

impl Session for Client {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    fn wants(&mut self, free: Moment) -> Want {
        if self.server.ends_after == Some(self.done) {
            return Want::Nothing;
        }
        if self.done.is_multiple_of(self.server.steps) { Want::Next } else { Want::At(free) }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        self.done += 1;
        match (self.server.script)(ticket, watch.now()) {
            Reply::After(time) => {
                watch.sent();
                pass(time).await;
                if self.done.is_multiple_of(self.server.steps) {
                    // What it did for an arrival is measured as one.
                    watch.span(0, Outcome::Ok(0), time);
                }
                Outcome::Ok(0)
            }
            Reply::Opened(connecting, time) => {
                watch.opens();
                pass(connecting).await;
                watch.waited();
                watch.sent();
                pass(time).await;
                Outcome::Ok(0)
            }
            Reply::Busy(time) => {
                watch.sent();
                pass(time).await;
                Outcome::Failed(Class::Result, 503)
            }
            Reply::Items(time, items) => {
                watch.sent();
                pass(time).await;
                watch.items(items);
                Outcome::Ok(0)
            }
            Reply::Refused => Outcome::Failed(Class::Connect, 111),
            Reply::Silent => {
                watch.sent();
                std::future::pending().await
            }
        }
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for Server {
    type Session = Client;

    const ITERATES: bool = true;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Client> {
        numbers.map(|_| Client { server: self.clone(), done: 0 }).collect()
    }
}

fn run(settings: Settings, server: &Server) -> Simulated {
    simulate_with(settings, server, &Stop::new(), async {})
}

fn rates_of(run: &Simulated, mode: Mode) -> Rates {
    let plan = Plan { mode, ..Plan::open(0.0, 1, 1) };
    Rates::new(run.steady(), &run.finished.timing, &plan)
}

/// The rates of an open load.
fn open_rates(settings: Settings, server: &Server) -> Rates {
    rates_of(&run(settings, server), Mode::Open)
}

fn stages(text: &str, sessions: u32) -> Settings {
    Settings::open(Schedule::parse(text).unwrap(), sessions)
}

fn closed(users: u32, millis: u64) -> Settings {
    let mut settings = Settings::closed(ThinkTime::None, users);
    settings.stop.time = Some(ms(millis));
    settings
}

/// That a rate is what it must be, to the precision of slots: four thousandths.
#[track_caller]
fn assert_rate(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() <= 0.004 * expected, "{found} is not {expected}");
}

#[track_caller]
fn assert_all(rates: &Rates, offered: f64) {
    assert_rate(rates.offered, offered);
    assert_eq!(rates.share, Some(1.0), "{rates:?}");
    assert_eq!(rates.achieved, rates.offered);
    assert_eq!(rates.overload, None);
}

#[test]
fn achieved_is_limited_by_busy_sessions() {
    for backlog in [100, 100_000] {
        let settings = Settings { backlog: Some(backlog), ..open(8_000, 1, 10) };
        let rates = open_rates(settings, &Server::taking(ms(10)));
        // Ten sessions answer at 10, 20 .. 990 ms: 990 in the window.
        assert_eq!(rates.offered, Some(8_000.0));
        assert!((990.0..=1_004.0).contains(&rates.achieved.unwrap()), "{rates:?}");
        assert!((rates.share.unwrap() - 0.125).abs() < 0.001, "{rates:?}");
        assert_eq!(rates.achieved, rates.goodput);
        let overload = rates.overload.unwrap();
        assert_eq!(overload.waiting, rates.late.unwrap());
        assert_eq!(overload.kept_up_per_second, None, "it never kept up");
    }
}

#[test]
fn achieved_is_limited_by_the_queue_of_the_server() {
    for seconds in [12, 25] {
        let settings = Settings { drain: Some(ms(60_000)), ..open(60, seconds, 300) };
        let rates = open_rates(settings, &Server::queue(50));
        assert!((rates.achieved.unwrap() - 50.0).abs() < 0.5, "{rates:?}");
        assert!((rates.share.unwrap() - 0.833).abs() < 0.01, "{rates:?}");
        // 60/s came and 50/s went.
        let waiting = rates.overload.unwrap().waiting;
        assert!(waiting.abs_diff(10 * seconds) <= 1, "{waiting} after {seconds} s");
    }
    // The queue grows from the first exchange on, so no answer is normal.
    let rates = open_rates(open(1_000, 10, 20_000), &Server::queue(60));
    assert!((rates.achieved.unwrap() - 60.0).abs() < 1.0, "{rates:?}");
}

#[test]
fn small_shortfall_is_seen() {
    for (server, share) in [(985, 0.985), (950, 0.95)] {
        let rates = open_rates(open(1_000, 10, 2_000), &Server::queue(server));
        assert!((rates.share.unwrap() - share).abs() < 0.002, "{rates:?}");
        assert!(rates.overload.is_some());
    }
}

#[test]
fn ramp_reports_until_when_the_target_kept_up() {
    let settings =
        Settings { drain: Some(ms(60_000)), ..stages("ramp 10..110 over 10s as steady", 2_000) };
    let overload = open_rates(settings, &Server::queue(60)).overload.unwrap();
    // 60/s are due at 5 s; slots are 17 ms and cohorts 268 ms wide.
    let [rate, until] = [overload.kept_up_per_second, overload.kept_up_s].map(Option::unwrap);
    assert!((rate - 60.0).abs() < 6.0 && (until - 5.0).abs() < 0.6, "{overload:?}");
    // The rate exceeds 60/s for 5 s, by 25/s on average.
    assert!(overload.waiting.abs_diff(125) < 4, "{overload:?}");
}

/// The numbers of the stages that were more than this server could carry, and how many waited at their ends.
fn overloaded_stages(text: &str, sessions: u32, server: &Server) -> Vec<(u32, u64)> {
    let schedule = Schedule::parse(text).unwrap();
    let begins = schedule.steady_stages();
    let settings = Settings { drain: Some(ms(60_000)), ..Settings::open(schedule, sessions) };
    let stages_s = begins.iter().map(Duration::as_secs_f64).collect();
    let plan = Plan { stages_s, ..Plan::open(0.0, 1, 1) };
    let run = run(settings, server);
    let rates = Rates::new(run.steady(), &run.finished.timing, &plan);
    let stages = rates.overload.map(|it| it.stages).unwrap_or_default();
    stages.iter().map(|stage| (stage.number, stage.waiting)).collect()
}

#[test]
fn overloaded_stage_is_found_despite_a_recovering_next_one() {
    let steps = "40/s for 5s, 60/s for 5s, 20/s for 10s";
    let found = overloaded_stages(steps, 300, &Server::queue(50));
    let [(2, waiting)] = found[..] else { panic!("{found:?}") };
    assert!(waiting.abs_diff(50) <= 1, "60/s came and 50/s went for 5 s: {waiting} wait");
    // Ten sessions carry 1,000/s, and what waits beyond ten others is dropped.
    let settings = "500/s for 4s, 2000/s for 4s, 500/s for 4s, 3000/s for 4s";
    let found = overloaded_stages(settings, 10, &Server::taking(ms(10)));
    assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [2, 4]);
    // A ramp that ends above what the server carries.
    let ramp = "ramp 10..70 over 10s as steady, 10/s for 10s";
    let found = overloaded_stages(ramp, 300, &Server::queue(50));
    assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1]);
}

#[test]
fn sustained_stage_is_not_overloaded() {
    let steps = "40/s for 5s, 49/s for 5s, 20/s for 10s";
    assert_eq!(overloaded_stages(steps, 300, &Server::queue(50)), []);
    for millis in [1, 300, 1_000] {
        let ramps = "ramp 10..500 over 10s as steady, 500/s for 5s, ramp 500..10 over 10s";
        assert_eq!(overloaded_stages(ramps, 2_000, &Server::taking(ms(millis))), []);
    }
    // Standing still within a stage, at its end and over it.
    for from in (0..8_000).step_by(250) {
        let still = Server::standing_still(from, from + 2_000);
        let found = overloaded_stages("100/s for 5s, 100/s for 5s, 50/s for 5s", 1_000, &still);
        assert_eq!(found, [], "from {from} ms on");
    }
}

#[test]
fn queue_cut_off_is_an_overload_but_hung_exchanges_are_not() {
    let settings = || Settings { drain: Some(ms(1)), ..open(60, 20, 600) };
    let cut = open_rates(settings(), &Server::queue(50));
    assert!((cut.achieved.unwrap() - 50.0).abs() < 0.5, "{cut:?}");
    assert!(cut.overload.unwrap().waiting.abs_diff(200) <= 1);
    let third = |ticket: &Ticket, _| {
        if ticket.number.is_multiple_of(3) { Reply::Silent } else { Reply::After(ms(5)) }
    };
    let hung = open_rates(settings(), &Server::new(third));
    assert!((hung.achieved.unwrap() - 40.0).abs() < 0.5 && hung.overload.is_none(), "{hung:?}");
}

#[test]
fn random_order_is_no_shortfall() {
    // Half are answered at once and the others after 50 to 200 ms, in an order that each seed changes.
    let delay = |seed: u64, number: u64| {
        let mixed = (number ^ seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 57 {
            0..64 => 0,
            64..115 => 50,
            115..125 => 100,
            _ => 200,
        }
    };
    let shares = (0..100_u64).map(|seed| {
        let server =
            Server::new(move |ticket: &Ticket, _| Reply::After(ms(delay(seed, ticket.number))));
        open_rates(open(200, 2, 100), &server).share
    });
    let whole = shares.filter(|share| *share == Some(1.0)).count();
    assert!(whole >= 98, "{whole} of 100");
}

#[test]
fn latency_alone_is_no_overload() {
    assert_all(&open_rates(open(200, 3, 100), &Server::taking(ms(300))), 200.0);
    let mixed = |ticket: &Ticket, _| {
        Reply::After(ms(if ticket.number.is_multiple_of(2) { 10 } else { 2_000 }))
    };
    assert_all(&open_rates(open(100, 10, 500), &Server::new(mixed)), 100.0);
}

#[test]
fn connecting_is_part_of_each_exchange() {
    let server = Server::new(|_, _| Reply::Opened(ms(298), ms(2)));
    let whole = run(open(200, 3, 100), &server);
    assert_all(&rates_of(&whole, Mode::Open), 200.0);
    let steady = whole.steady();
    let (response, service) = (steady.operations[0].response.due(), &steady.operations[0].service);
    for taken in [&response, service] {
        let [least, most] = [taken.min(), taken.max()].map(Option::unwrap);
        assert!(least >= ms(299) && most <= ms(301), "{least:?} to {most:?}");
    }
    assert_eq!(steady.lag.max(), Some(Duration::ZERO));
    assert_eq!(steady.lateness.max(), Some(Duration::ZERO));
    // Ten users whose exchanges take 300 ms, in step.
    let rates = rates_of(&run(closed(10, 3_000), &server), Mode::Closed);
    assert_rate(rates.achieved, 100.0 / 3.0);
}

#[test]
fn fully_answered_load_is_achieved_entirely() {
    // The first of ten answers comes before the slot of f begins, and nothing is due at the end of the window.
    for micros in (3_000..6_000).step_by(10) {
        let time = Duration::from_micros(micros);
        let faster = move |ticket: &Ticket, _| {
            Reply::After(if ticket.number == 0 { time } else { time / 2 })
        };
        assert_all(&open_rates(open(5, 2, 10), &Server::new(faster)), 5.0);
        let one = move |ticket: &Ticket, _| {
            if ticket.number == 5 { Reply::Silent } else { Reply::After(time) }
        };
        let settings = Settings { operation_timeout: ms(500), ..open(5, 2, 10) };
        let rates = open_rates(settings, &Server::new(one));
        assert!((rates.share.unwrap() - 0.9).abs() < 0.001, "{rates:?}");
    }
}

#[test]
fn ramp_that_is_sustained_is_achieved() {
    for millis in [100, 500, 1_000] {
        let server = Server::taking(ms(millis));
        let plan = "ramp 10..500 over 10s as steady, ramp 500..10 over 10s";
        assert_all(&open_rates(stages(plan, 2_000), &server), 255.0);
        assert_all(&open_rates(stages("ramp 10..500 over 10s as steady", 2_000), &server), 255.0);
    }
}

#[test]
fn stalled_server_that_catches_up_loses_nothing() {
    for sessions in [10, 1_000] {
        let still =
            |from, to| open_rates(open(100, 10, sessions), &Server::standing_still(from, to));
        let last = still(8_000, 12_000);
        assert!((last.share.unwrap() - 0.8).abs() < 0.004, "{last:?}");
        assert_eq!(last.overload, None, "it did not answer slowly, but not at all");
        assert_all(&still(4_000, 6_000), 100.0);
        assert_all(&still(500, 2_500), 100.0);
    }
}

#[test]
fn warm_up_leftovers_are_not_part_of_the_rate() {
    let settings = || Settings { warm_up: ms(2_000), ..open(100, 10, 300) };
    assert_all(&open_rates(settings(), &Server::standing_still(1_000, 3_000)), 100.0);
    let slow = stages("10/s for 5s as warm-up, 500/s for 10s", 2_000);
    assert_all(&open_rates(slow, &Server::taking(ms(1_000))), 500.0);
    for sessions in [10, 1_000] {
        let busy = stages("100/s for 2s as warm-up, 25/s for 10s", sessions);
        assert_all(&open_rates(busy, &Server::queue(50)), 25.0);
    }
}

#[test]
fn answer_longer_than_the_run_decides_nothing() {
    let settings = |drain| Settings { drain: Some(ms(drain)), ..open(10, 10, 500) };
    let waited = open_rates(settings(30_000), &Server::taking(ms(12_000)));
    assert_eq!((waited.achieved, waited.goodput, waited.share), (None, None, None));
    assert_eq!(waited.doubt, Some(RateDoubt::LongerThanHalf));
    let cut = open_rates(settings(10_000), &Server::taking(ms(12_000)));
    assert_eq!((cut.achieved, cut.doubt), (None, Some(RateDoubt::TooShort)));
}

#[test]
fn unanswered_exchanges_are_not_achieved() {
    let timed = Settings { operation_timeout: ms(30_000), ..open(10, 10, 500) };
    let hung = open_rates(timed.clone(), &Server::new(|_, _| Reply::Silent));
    assert_eq!((hung.achieved, hung.goodput), (Some(0.0), Some(0.0)));
    assert_eq!(hung.doubt, Some(RateDoubt::NothingAnswered));
    let refused = open_rates(open(100, 10, 5), &Server::new(|_, _| Reply::Refused));
    assert_eq!((refused.achieved, refused.doubt), (Some(0.0), Some(RateDoubt::NothingAnswered)));
    // Most hang: the others show how long an answer takes.
    let most = |ticket: &Ticket, _| {
        if ticket.number % 5 < 3 { Reply::Silent } else { Reply::After(ms(10)) }
    };
    let rates = open_rates(timed, &Server::new(most));
    assert!((rates.share.unwrap() - 0.4).abs() < 0.01, "{rates:?}");
    // Refusals are answers, and no goodput.
    let half = |ticket: &Ticket, _| {
        if ticket.number.is_multiple_of(2) { Reply::Busy(ms(5)) } else { Reply::After(ms(5)) }
    };
    let rates = open_rates(open(100, 10, 5), &Server::new(half));
    assert_rate(rates.achieved, 100.0);
    assert_rate(rates.goodput, 50.0);
}

#[test]
fn late_server_is_not_taken_for_dead() {
    let late = |_: &Ticket, now: Moment| {
        if now < Moment::ZERO + ms(3_000) { Reply::Refused } else { Reply::After(ms(10)) }
    };
    let rates = open_rates(open(100, 10, 5), &Server::new(late));
    assert!((rates.share.unwrap() - 0.7).abs() < 0.01, "{rates:?}");
}

#[test]
fn closed_loop_cycles_count_by_their_share_in_the_window() {
    let rate =
        |settings, time| rates_of(&run(settings, &Server::taking(time)), Mode::Closed).achieved;
    assert_rate(rate(closed(10, 3_000), ms(300)), 100.0 / 3.0);
    assert_rate(rate(closed(100, 10_000), ms(4_000)), 25.0);
    let mut thinking = closed(100, 10_000);
    thinking.load = crate::plan::Load::Closed(ThinkTime::Constant(ms(4_000)));
    assert_rate(rate(thinking, ms(1_000)), 20.0);
    // A cycle that crosses the end of the warm-up counts with its share as well.
    let warmed = Settings { warm_up: ms(2_500), ..closed(100, 10_000) };
    assert_rate(rate(warmed, ms(4_000)), 25.0);
    // One that never ends counts nothing.
    let hanging = |ticket: &Ticket, _| {
        if ticket.number < 5 { Reply::Silent } else { Reply::After(ms(300)) }
    };
    let half = rates_of(&run(closed(10, 3_000), &Server::new(hanging)), Mode::Closed);
    assert_rate(half.achieved, 50.0 / 3.0);
}

#[test]
fn closed_loop_of_a_dying_target_is_divided_by_the_whole_time() {
    let dying = |_: &Ticket, now: Moment| {
        if now < Moment::ZERO + ms(3_000) { Reply::After(ms(10)) } else { Reply::Silent }
    };
    let rates = rates_of(&run(closed(10, 6_000), &Server::new(dying)), Mode::Closed);
    assert!((rates.seconds - 6.0).abs() < 1e-9);
    assert_rate(rates.achieved, 500.0);
}

#[test]
fn count_ends_the_window_despite_a_straggler() {
    let straggling =
        |ticket: &Ticket, _| Reply::After(ms(if ticket.number == 9_990 { 30_000 } else { 10 }));
    let mut settings = Settings::closed(ThinkTime::None, 10);
    settings.operation_timeout = ms(60_000);
    settings.stop.count = Some(10_000);
    let run_all = run(settings.clone(), &Server::new(straggling));
    assert_eq!(run_all.finished.counts.ok, 10_000, "the straggler counts");
    assert_rate(rates_of(&run_all, Mode::Closed).achieved, 1_000.0);
    // A single exchange has no rate.
    settings.sessions = 1;
    settings.stop.count = Some(1);
    assert_eq!(rates_of(&run(settings, &Server::taking(ms(10))), Mode::Closed).achieved, None);
    let once = Server { ends_after: Some(1), ..Server::taking(ms(10)) };
    assert_eq!(rates_of(&run(closed(1, 60_000), &once), Mode::Closed).achieved, None);
    let twice = Server { ends_after: Some(2), ..Server::taking(ms(10)) };
    assert!(rates_of(&run(closed(1, 60_000), &twice), Mode::Closed).achieved.is_some());
    let mut arrivals = Settings { operation_timeout: ms(60_000), ..open(1_000, 3_600, 100) };
    arrivals.stop.count = Some(10_000);
    assert_rate(open_rates(arrivals, &Server::new(straggling)).achieved, 1_000.0);
}

#[test]
fn plan_rates_are_those_of_its_iterations() {
    let server = Server { steps: 3, ..Server::taking(ms(1_000)) };
    // Ten users who are in step complete ten iterations each three seconds.
    for seconds in [12, 30] {
        let settings = Settings { drain: Some(ms(900_000)), ..open(100, seconds, 10) };
        let run = run(settings, &server);
        let rates = rates_of(&run, Mode::Open);
        // Of what is measured as a whole, those that end with the load are late.
        let whole = (10 * ((1_000 * seconds - 1) / 3_000)) as f64;
        assert_rate(rates.of_span(0, run.steady()), whole / seconds as f64);
        let iterations = rates.iterations.unwrap();
        assert_eq!(iterations.offered, Some(100.0));
        assert!((rates.share.unwrap() - 0.0333).abs() < 0.0003, "{rates:?}");
        assert_rate(iterations.achieved, 10.0 / 3.0);
    }
    // A step that fails at first and is tried again succeeds.
    let tries = Mutex::new(std::collections::BTreeMap::<u64, u32>::new());
    let retried = Server::new(move |ticket, _| {
        let mut tries = tries.lock().unwrap();
        let count = tries.entry(ticket.number).or_default();
        *count += 1;
        if *count < 3 { Reply::Busy(ms(5)) } else { Reply::After(ms(5)) }
    });
    let rates = open_rates(open(100, 10, 50), &Server { steps: 3, ..retried });
    let iterations = rates.iterations.unwrap();
    assert_eq!((rates.share, iterations.achieved), (Some(1.0), iterations.goodput));
    // Attempts are exchanges of their own: a third of them succeed.
    assert_rate(rates.achieved, 300.0);
    assert_rate(rates.goodput, 100.0);
}

#[test]
fn span_has_the_rate_of_its_last_exchange() {
    let server = Server { steps: 2, ..Server::taking(ms(10)) };
    let run = run(closed(10, 3_015), &server);
    let rates = rates_of(&run, Mode::Closed);
    // The last ten end after the load.
    let (steady, late) = (run.steady(), run.steady().pace.late_of(run.steady().operations.len()));
    assert_eq!((steady.spans[0].counts.ok, late.answered, late.ok), (1_510, 0, 10));
    assert_rate(rates.goodput, 1_000.0);
    assert_rate(rates.of_span(0, run.steady()), 500.0);
}

#[test]
fn transaction_without_its_second_half_is_not_achieved() {
    let losing = |ticket: &Ticket, _| {
        if ticket.number.is_multiple_of(2) { Reply::Silent } else { Reply::After(ms(5)) }
    };
    let settings = Settings { operation_timeout: ms(1_000), ..open(1_000, 5, 2_000) };
    let rates = open_rates(settings, &Server::new(losing));
    assert_rate(rates.achieved, 500.0);
}

#[test]
fn items_count_when_they_arrive() {
    let streaming = Server::new(|_, _| Reply::Items(ms(20_000), 10_000));
    let settings = Settings { drain: Some(ms(30_000)), ..closed(10, 10_000) };
    let rates = rates_of(&run(settings, &streaming), Mode::Closed);
    assert_rate(rates.items, 5_000.0);
}

#[test]
fn pauses_and_stops_shape_the_window() {
    let server = Server::taking(ms(100));
    // 5 s of 100/s and 5 s of none.
    assert_all(&open_rates(stages("100/s for 4s, pause 5s, 100/s for 1s", 100), &server), 50.0);
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(10_100)).await;
        handle.abort();
    };
    // The load is over when the drain is cut: what was in flight then is expected by nobody.
    let settings = Settings { drain: Some(ms(30_000)), ..open(100, 10, 300) };
    let cut = simulate_with(settings, &Server::taking(ms(200)), &stop, meddle);
    assert!(cut.finished.counts.cut_off > 0);
    let rates = rates_of(&cut, Mode::Open);
    assert_all(&rates, 100.0);
}

#[test]
fn merged_halves_have_the_rates_of_the_run() {
    let whole = run(open(200, 3, 100), &Server::taking(ms(300)));
    let mut sum = Interval::new(1, 1);
    let half = run(open(100, 3, 100), &Server::taking(ms(300)));
    sum.reset(half.steady().index, half.steady().phase, half.steady().from);
    sum.merge(half.steady());
    sum.merge(half.steady());
    let plan = Plan::open(200.0, 1, 1);
    let merged = Rates::new(&sum, &half.finished.timing, &plan);
    let whole = rates_of(&whole, Mode::Open);
    assert_eq!((merged.offered, merged.achieved), (whole.offered, whole.achieved));
}
