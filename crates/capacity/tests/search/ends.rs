//! How a search ends when it cannot continue normally: each end has its answer and its exit code.

use crate::chance::Chance;
use crate::server::{PLAIN, Server};
use crate::simulation::{Generator, Simulation};
use brunt_capacity::{
    Answer, Ending, Evidence, Found, Goals, Kind, Objectives, Order, Outcome, Reading, Second,
    Settings, Tally, Trial, Verdict, find,
};
use std::ops::ControlFlow;

/// A simulated server that is disturbed at some step.
struct Script {
    simulation: Simulation,
    orders: Vec<Order>,
    happens: fn(&Order, usize) -> Option<Ending>,
}

impl Trial for Script {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        self.orders.push(order.clone());
        match (self.happens)(order, self.orders.len()) {
            Some(ending) => Outcome { took_s: 1.0, ending, ..Outcome::default() },
            None => self.simulation.step(order, judge),
        }
    }
}

fn script(happens: fn(&Order, usize) -> Option<Ending>) -> Script {
    let simulation = Simulation::new(Server::new(PLAIN, 1), Generator::default(), 1);
    Script { simulation, orders: Vec::new(), happens }
}

fn searched(script: &mut Script, goal: &str, settings: &Settings) -> Found {
    find(&Goals::parse([goal]).expect("a goal"), settings, script)
}

fn quick() -> Settings {
    Settings { confirm_s: 60, ..Settings::default() }
}

#[test]
fn unreachable_target_ends_the_search_after_three_attempts() {
    let mut away = script(|_, _| Some(Ending::Unreachable("connection refused".to_owned())));
    let found = searched(&mut away, "p99<20ms", &quick());
    assert_eq!(found.answer, Answer::Away { why: "connection refused".to_owned() });
    assert_eq!((found.exit(), away.orders.len()), (Some(5), 3));
    let mut once = script(|_, step| (step == 4).then(|| Ending::Unreachable(String::new())));
    assert_eq!(searched(&mut once, "p99<20ms", &quick()).exit(), Some(0));
}

#[test]
fn idle_session_gives_no_claim() {
    let mut idle = script(|_, step| (step == 1).then_some(Ending::Done));
    let found = searched(&mut idle, "p99<20ms", &quick());
    let Answer::NoClaim { why } = &found.answer else { panic!("{:?}", found.answer) };
    assert!(why.contains("ended no exchange in its time"), "{why}");
    assert_eq!(idle.orders.len(), 1);
}

#[test]
fn signal_or_abort_ends_the_search_at_once() {
    let mut interrupted = script(|_, step| (step == 6).then_some(Ending::Interrupted));
    let found = searched(&mut interrupted, "p99<20ms", &quick());
    assert_eq!((found.exit(), interrupted.orders.len()), (None, 6));
    let mut locked =
        script(|_, step| (step == 6).then(|| Ending::Protected("accounts lock".to_owned())));
    let found = searched(&mut locked, "p99<20ms", &quick());
    assert_eq!((found.exit(), locked.orders.len()), (Some(8), 6));
}

#[test]
fn rate_limit_gives_a_lower_bound() {
    let mut capped = script(|_, _| None);
    let found = searched(&mut capped, "p99<20ms", &Settings { to: Some(400.0), ..quick() });
    let Answer::Floor { rate, confirmed: true, .. } = found.answer else {
        panic!("{:?}", found.answer)
    };
    assert!((rate - 400.0).abs() < 1e-9 && found.exit() == Some(4));
    assert!(capped.orders.iter().all(|order| order.rate.is_none_or(|rate| rate <= 400.0)));
    let mut calibrated = script(|_, _| None);
    let found =
        searched(&mut calibrated, "p99<20ms", &Settings { ceiling: Some(500.0), ..quick() });
    assert_eq!(found.exit(), Some(4));
    assert!(calibrated.orders.iter().all(|order| order.rate.is_none_or(|rate| rate <= 400.0)));
}

#[test]
fn rate_is_never_more_than_doubled() {
    let mut all = script(|_, _| None);
    let found = searched(&mut all, "p99<20ms", &Settings { from: Some(3.0), ..quick() });
    let mut passed: f64 = 3.0;
    for step in &found.steps {
        let rate = step.order.rate.unwrap_or_default();
        assert!(rate <= 2.0 * passed + 1e-6, "{rate} after {passed}");
        let likely = step.evidence.as_ref().is_some_and(|evidence| evidence.w > 0.5);
        passed = if likely { passed.max(rate) } else { passed };
    }
    assert!(all.orders.iter().any(|order| order.kind == Kind::Calm));
}

#[test]
fn slow_server_passes_at_no_rate() {
    let mut slow = script(|_, _| None);
    slow.simulation = Simulation::new(
        Server::new(crate::server::Design { delay: 0.1, ..PLAIN }, 1),
        Generator::default(),
        1,
    );
    let found = searched(&mut slow, "p99<20ms", &Settings { from: Some(200.0), ..quick() });
    assert!(matches!(found.answer, Answer::NothingPasses { .. }), "{:?}", found.answer);
    assert_eq!(found.exit(), Some(99));
}

#[test]
fn exhausted_budget_gives_an_interval_without_a_claim() {
    let mut short = script(|_, _| None);
    let found =
        searched(&mut short, "p99<20ms", &Settings { budget_s: 200.0, ..Settings::default() });
    assert!(
        matches!(found.answer, Answer::NoClaim { .. }) && found.exit() == Some(9),
        "{:?}",
        found.answer
    );
    assert!(found.estimate.is_some());
    let collection = found.collection(brunt_capacity::Origin::default());
    let sentence = Reading::from_collection(&collection).unwrap().sentence();
    assert!(
        sentence.starts_with("No claim: no further step fits into the 3.3 minutes it was given")
            && sentence.contains("with a probability of 80% the limit is between"),
        "{sentence}"
    );
}

/// A server that never answers in time again once it was overloaded.
struct Breaks {
    inner: Script,
    broken: bool,
}

impl Trial for Breaks {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        self.broken |= order.rate.is_some_and(|rate| rate > 800.0);
        let broken = self.broken;
        self.inner.step(order, &mut |second| {
            let mut second = second.clone();
            if broken {
                second.tallies.iter_mut().for_each(|tally| tally.bad = tally.of);
            }
            judge(&second)
        })
    }
}

#[test]
fn exhausted_budget_before_recovery_claims_no_drift() {
    let mut breaks = Breaks { inner: script(|_, _| None), broken: false };
    // The time allowed for recovery is longer than the time that is left.
    let settings = Settings { recovery_s: 1_000, ..Settings::quick() };
    let found = find(&Goals::parse(["p99<20ms"]).unwrap(), &settings, &mut breaks);
    let Answer::NoClaim { why } = &found.answer else { panic!("{:?}", found.answer) };
    assert!(why.starts_with("no further step fits into the 5 minutes it was given, of"), "{why}");
    assert!((250.0..=300.0).contains(&found.took_s), "{}", found.took_s);
    // A sentinel would no longer see the target as it was at the start.
    assert_eq!(breaks.inner.orders.last().map(|order| order.kind), Some(Kind::Calm));
    assert_eq!(found.drift, None);
}

/// Connecting takes three seconds, and after a rate that was too high it takes five until everything is answered.
#[test]
fn budget_includes_connecting_and_draining() {
    struct Slow(Script);
    impl Trial for Slow {
        fn step(
            &mut self,
            order: &Order,
            judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
        ) -> Outcome {
            let mut outcome = self.0.step(order, judge);
            outcome.took_s += if order.rate.is_some_and(|rate| rate > 800.0) { 8.0 } else { 3.0 };
            outcome
        }
    }
    for budget_s in [120.0, 180.0, 240.0, 300.0, 600.0] {
        let settings = Settings { budget_s, ..Settings::quick() };
        let goals = Goals::parse(["p99<20ms"]).unwrap();
        let found = find(&goals, &settings, &mut Slow(script(|_, _| None)));
        // Only the additional time of the first overload is not known in advance.
        assert!(found.took_s <= budget_s + 5.0, "{} of {budget_s}", found.took_s);
        let closing = found.steps.last().map(|step| step.order.kind);
        assert_eq!(closing, Some(Kind::Sentinel), "{budget_s}: {:?}", found.answer);
        let claimed = matches!(found.answer, Answer::Claim { .. } | Answer::Floor { .. });
        assert_eq!(claimed, budget_s > 150.0, "{budget_s}: {:?}", found.answer);
    }
}

#[test]
fn rate_too_low_to_judge_in_a_minute_is_not_claimed() {
    let design = crate::server::Design { speed: 8.0, ..PLAIN };
    let simulation = || Simulation::new(Server::new(design, 1), Generator::default(), 1);
    let mut rare = script(|_, _| None);
    rare.simulation = simulation();
    let found = searched(&mut rare, "p99<2s", &Settings::quick());
    // 5,000 exchanges, of which 50 may be late, take a quarter of an hour at 6 a second.
    let Answer::NoClaim { why } = &found.answer else { panic!("{:?}", found.answer) };
    assert!(why.contains("minutes until there are enough samples"), "{why}");
    assert!(found.took_s < 150.0, "{}", found.took_s);
    assert!(found.steps.iter().all(|step| step.order.kind != Kind::Confirm));
    // If there is time for it, the rate is held for as long as that takes.
    let mut longer = script(|_, _| None);
    longer.simulation = simulation();
    let settings = Settings { budget_s: 7_200.0, ..Settings::quick() };
    let found = searched(&mut longer, "p99<2s", &settings);
    let Answer::Claim { rate, confirmed_s, .. } = found.answer else {
        panic!("{:?}", found.answer)
    };
    assert!(rate * confirmed_s >= 5_000.0 && confirmed_s > 600.0, "{rate} for {confirmed_s} s");
}

/// If time ends before a rate above the confirmed one was tried, the search says nothing about that rate.
#[test]
fn confirmed_rate_without_a_failure_above_is_a_lower_bound() {
    let design = crate::server::Design { servers: 8, ..PLAIN };
    let mut floors = 0;
    for seed in 0..20 {
        let mut trial = Simulation::new(Server::new(design, seed), Generator::default(), seed);
        let found = find(&Goals::parse(["p99<60ms"]).unwrap(), &Settings::quick(), &mut trial);
        let Answer::Floor { rate, confirmed, why } = &found.answer else { continue };
        floors += 1;
        assert!(*confirmed && why.contains("no further step fits into the 5 minutes"), "{why}");
        let held = found.steps.iter().find(|step| step.order.rate == Some(*rate));
        assert!(held.is_some_and(|step| step.verdict == Verdict::Pass && step.judged_s >= 60.0));
        let mut failed = found.steps.iter().filter(|step| step.verdict == Verdict::Fail);
        // What failed a little above it in a short step may have failed by chance.
        let least = *rate * Settings::quick().above.powi(2);
        assert!(failed.all(|step| step.order.rate.is_some_and(|at| at < least)), "{rate}");
        assert_eq!(found.exit(), Some(4));
    }
    assert!(floors > 0);
}

#[test]
fn broken_target_stops_the_search() {
    let mut breaks = Breaks { inner: script(|_, _| None), broken: false };
    let found = find(&Goals::parse(["p99<20ms"]).unwrap(), &quick(), &mut breaks);
    assert!(matches!(found.answer, Answer::NotRecovered { .. }), "{:?}", found.answer);
    assert_eq!(found.exit(), Some(5));
    assert!(found.remarks.iter().any(|remark| remark.contains("does not recover under load")));
    assert_eq!(breaks.inner.orders.last().map(|order| order.kind), Some(Kind::Calm));
}

#[test]
fn growing_queue_is_detected_without_false_alarms() {
    // 1 % more than a server manages, for 300 s: the queue grows by 10 a second.
    let (mut seen, mut alarms) = (0, 0);
    for seed in 0..40 {
        let mut rising = Chance::new(seed);
        let mut seconds = |slope: f64| -> Vec<Second> {
            (0..300)
                .map(|at| {
                    let mean = 0.01 * (1.0 + 0.2 * rising.exponential()) + slope * f64::from(at);
                    Second {
                        seconds: 1.0,
                        tallies: Vec::new(),
                        response_s: 1_000.0 * mean,
                        responses: 1_000,
                        ..Second::default()
                    }
                })
                .collect()
        };
        let of = |seconds: &[Second]| {
            brunt_capacity::Evidence::new(seconds, &brunt_capacity::Objectives::default(), 2)
        };
        seen += u32::from(of(&seconds(0.01)).grows);
        alarms += u32::from(of(&seconds(0.0)).grows);
        // Half a percent slower within five minutes is a slope, but not a queue.
        alarms += u32::from(of(&seconds(0.00005 / 300.0)).verdict == Verdict::Fail);
    }
    assert_eq!((seen, alarms), (40, 0));
}

#[test]
fn rising_latency_within_the_objective_is_no_queue() {
    // From 2 ms to 6 within half a minute, of 20 that are allowed; then the same ten times as slow.
    let objectives = Objectives::new(["p99<20ms".parse().unwrap()], []);
    let rising = |times: f64| -> Vec<Second> {
        (0..30)
            .map(|at| {
                let mean = times * (0.002 + 0.004 * f64::from(at) / 30.0);
                let bad = if mean > 0.02 { 500 } else { 0 };
                let tally = Tally { of: 1_000, bad, timed: 1_000, sum_s: 1_000.0 * mean };
                Second {
                    seconds: 1.0,
                    tallies: vec![tally],
                    response_s: 1_000.0 * mean,
                    responses: 1_000,
                    ..Second::default()
                }
            })
            .collect()
    };
    let of = |times| Evidence::new(&rising(times), &objectives, 2);
    let (well, badly) = (of(1.0), of(10.0));
    assert!(well.trend > 2.5 && !well.grows, "{well:?}");
    assert_eq!(well.verdict, Verdict::Pass, "{well:?}");
    assert!(badly.grows, "{badly:?}");
}

/// Once the generator limited a step, later steps use all cores, and a rate that it could not confirm does not end the
/// search.
#[test]
fn lower_bound_is_confirmed_at_a_rate_the_generator_makes() {
    struct Tired(Script);
    impl Trial for Tired {
        fn step(
            &mut self,
            order: &Order,
            judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
        ) -> Outcome {
            let mut outcome = self.0.step(order, judge);
            // It makes 400 a second for a few seconds, and no more than 300 for longer.
            let most = if order.kind == Kind::Confirm { 300.0 } else { 400.0 };
            let limited = order.rate.is_some_and(|rate| rate > most);
            outcome.measured.limited =
                limited.then(|| "p99 is 2 ms and 1 without: no core".to_owned());
            outcome
        }
    }
    for settings in [quick(), Settings::quick()] {
        let mut tired = Tired(script(|_, _| None));
        let found = find(&Goals::parse(["p99<20ms"]).unwrap(), &settings, &mut tired);
        let Answer::Floor { rate, confirmed: true, why } = &found.answer else {
            panic!("{:?}", found.answer)
        };
        assert!((200.0..=300.0).contains(rate), "{rate}");
        assert_eq!(why, "generator-limited: p99 is 2 ms and 1 without: no core");
        let all_cores: Vec<bool> = tired
            .0
            .orders
            .iter()
            .filter(|it| it.kind.is_evidence())
            .map(|it| it.all_cores)
            .collect();
        let first = all_cores.iter().position(|all| *all).expect("it was in the way");
        let evidence = all_cores[first..].iter().filter(|all| !**all).count();
        // The closing sentinel is compared with the first one, which had fewer cores.
        assert_eq!(evidence, 1, "{all_cores:?}");
        let collection = found.collection(brunt_capacity::Origin::default());
        let sentence = Reading::from_collection(&collection).unwrap().sentence();
        assert!(sentence.ends_with("generator-limited: p99 is 2 ms and 1 without."), "{sentence}");
    }
}

/// A session that asks as fast as it can is refused most of what it asks for, and a refusal is quicker than an answer.
#[test]
fn baseline_slows_down_for_a_rate_limited_target() {
    let design = crate::server::Design { allows: Some(100), speed: 2_000.0, ..PLAIN };
    let mut limited = script(|_, _| None);
    limited.simulation = Simulation::new(Server::new(design, 1), Generator::default(), 1);
    let found = searched(&mut limited, "errors<0.1%", &quick());
    let alone = || found.steps.iter().filter(|step| step.order.kind == Kind::Baseline);
    assert!(alone().next().is_some_and(|first| first.measured.errors > 0.9), "it is refused");
    let last = alone().next_back().expect("a baseline");
    assert!(last.order.most.is_some_and(|most| most < 100.0), "{:?}", last.order.most);
    assert!(last.measured.errors < 0.1, "{}", last.measured.errors);
    // Where it refuses however slowly it is asked, it is at no time unloaded.
    let goals = Goals::parse(["errors<0.1%"]).unwrap();
    let found = find(&goals, &quick(), &mut Refusing(script(|_, _| None)));
    let Answer::NoClaim { why } = &found.answer else { panic!("{:?}", found.answer) };
    assert!(why.starts_with("98% of what one session asked for failed"), "{why}");
    assert!(found.steps.iter().all(|step| step.order.kind == Kind::Baseline));
}

/// Of what it is asked, 98 of 100 fail, however slowly.
struct Refusing(Script);

impl Trial for Refusing {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        let mut outcome = self.0.step(order, judge);
        outcome.measured.errors = 0.98;
        outcome
    }
}

/// All objectives are met by what was answered, but no more than 400 are answered in a second.
#[test]
fn rate_not_achieved_is_not_claimed() {
    struct Short(Script);
    impl Trial for Short {
        fn step(
            &mut self,
            order: &Order,
            judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
        ) -> Outcome {
            let mut outcome = self.0.step(order, judge);
            outcome.measured.achieved = outcome.measured.offered.map(|offered| offered.min(400.0));
            outcome
        }
    }
    let goals = Goals::parse(["errors<0.1%"]).unwrap();
    let settings = Settings { from: Some(100.0), to: Some(800.0), ..quick() };
    let found = find(&goals, &settings, &mut Short(script(|_, _| None)));
    let short: Vec<_> =
        found.steps.iter().filter(|step| step.why.contains("achieved only 50%")).collect();
    assert!(!short.is_empty() && short.iter().all(|step| step.verdict == Verdict::Undecided));
    let (Answer::Claim { rate, .. } | Answer::Floor { rate, .. }) = found.answer else {
        panic!("up to 400/s were achieved: {:?}", found.answer)
    };
    assert!((300.0..=400.0).contains(&rate), "{rate}");
    assert_eq!(found.estimate, None, "nothing failed, so there is no interval");
}
