//! Tests of what consists of several exchanges, in virtual time: each exchange takes as long as the test defines.

use super::*;
use crate::control::{Control, Group as StepGroup, Repetition, Times as RepeatTimes, When};
use crate::extract::{Expiry, Extract, Location, Missing};
use crate::guard::Guard;
use crate::pause::Pause;
use crate::plan::{AfterFailure, Between, Flow, Iterations, Scenario, Step};
use crate::poll::{Poll, Slower};
use crate::retry::Retry;
use crate::{Condition, HttpExchange, Renewal, Source, Variable};
use brunt_exchange::{Class, Clock, ThinkTime};
use brunt_feed::{Escape, Text, TextPiece};
use brunt_http_driver::{Network, Settings};
use std::cell::Cell;

/// A clock that stands still unless it is moved.
struct Still(Cell<Moment>);

impl Clock for Still {
    fn now(&self) -> Moment {
        self.0.get()
    }
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn act(operation: u16) -> ExchangeStep {
    let url = Text::literal("http://127.0.0.1:9/");
    let http = HttpExchange { method: "GET".to_owned(), url, ..HttpExchange::default() };
    ExchangeStep::new(operation, Payload::Http(Box::new(http)))
}

fn step(act: ExchangeStep) -> Step {
    Step::Exchange(Box::new(act))
}

fn pause(time: Duration) -> Pause {
    Pause { time: ThinkTime::Constant(time), name: "pause".to_owned() }
}

/// A group whose spans are numbers 0 and 1.
fn flow(steps: Vec<Step>) -> Flow {
    let after_failure = AfterFailure::Skip;
    let scenario = Scenario { name: "visit".to_owned(), steps, after_failure };
    Flow {
        scenarios: vec![scenario],
        operations: ["a", "b", "a pending"].map(str::to_owned).into(),
        spans: ["group", "group work"].map(str::to_owned).into(),
        groups: vec![StepGroup { name: "group".to_owned(), span: 0, work: Some(1) }],
        iterations: Iterations::Each(3),
        users: 1,
        ..Flow::default()
    }
}

/// A user and its clock.
struct Walk {
    user: User,
    clock: Still,
}

/// An exchange: its step, when it began, and what ended with it.
#[derive(Debug, PartialEq)]
struct Made {
    step: usize,
    at: Duration,
    outcome: Outcome,
    spans: Vec<(u16, Outcome, Duration)>,
    iteration: Vec<Duration>,
}

impl Walk {
    fn new(flow: Flow) -> Self {
        let network = Network::new(Settings::default(), &brunt_net::Network::private()).unwrap();
        let compiled = Arc::new(CompiledFlow::new(flow, Arc::new(network)).unwrap());
        let counters = Arc::new(FlowCounters::new(compiled.tallies().clone()));
        let context = Rc::new(WorkerContext::new(&compiled, &counters, 1));
        Self { user: User::new(&context, 0), clock: Still(Cell::new(Moment::ZERO)) }
    }

    /// The next exchange, which takes this time and ends like this.
    fn made(&mut self, took: Duration, outcome: Outcome) -> Made {
        self.made_with(took, outcome, None)
    }

    /// An exchange whose answer means "not yet".
    fn pending(&mut self, took: Duration, slower_by: Duration) -> Made {
        let pending = Pending { slower_by, message: "authorization_pending".to_owned() };
        self.made_with(took, Outcome::Ok(400), Some(pending))
    }

    fn made_with(&mut self, took: Duration, outcome: Outcome, pending: Option<Pending>) -> Made {
        let Self { user, clock } = self;
        match user.wants(clock.now()) {
            Want::Next => {}
            Want::At(moment) => clock.0.set(moment),
            Want::Nothing => panic!("there is nothing more"),
        }
        let id = user.next(&Ticket { number: 0, session: 0, turn: 0, phase: 3 }).unwrap();
        let at = clock.now();
        let mut watch = Watch::new(clock, None);
        if user.cursor.is_fresh() {
            (user.began, user.paused_before) = (at, user.cursor.paused());
        }
        let context = Rc::clone(&user.context);
        let (act, _) = context.compiled.act(id).unwrap();
        let outcome = if user.cursor.skips() {
            user.cursor.done(id, false, &context.compiled);
            Outcome::Skipped
        } else {
            user.variables.expire(at);
            user.cursor.act_begins(at);
            clock.0.set(at + took);
            user.pending = pending.map(Box::new);
            user.conclude(id, act, outcome, &mut watch)
        };
        user.measure(outcome, &mut watch);
        let spans = watch.spans().to_vec();
        let iteration = watch.parts().iter().map(|(_, took)| *took).collect();
        Made { step: id.step, at: at.since_origin(), outcome, spans, iteration }
    }
}

const OK: Outcome = Outcome::Ok(200);
const REFUSED: Outcome = Outcome::Failed(Class::Result, 500);

#[test]
fn group_lasts_from_first_to_last_exchange() {
    let steps = || {
        vec![
            Step::Pause(pause(seconds(9))),
            Step::Control(Control::Enter(0)),
            Step::Pause(pause(seconds(1))),
            step(act(0)),
            Step::Pause(pause(seconds(2))),
            step(act(1)),
            Step::Pause(pause(seconds(3))),
            Step::Control(Control::Leave),
            step(act(0)),
        ]
    };
    let mut walk = Walk::new(flow(steps()));
    let first = walk.made(seconds(1), OK);
    assert_eq!((first.step, first.at, first.spans.len()), (3, seconds(10), 0));
    let second = walk.made(seconds(4), OK);
    assert_eq!((second.step, second.at), (5, seconds(13)));
    assert_eq!(second.spans, [(0, OK_GROUP, seconds(7)), (1, OK_GROUP, seconds(5))]);
    let last = walk.made(seconds(1), OK);
    assert_eq!((last.at, last.spans.len()), (seconds(20), 0));
    assert_eq!(last.iteration, [seconds(11), seconds(6)]);
    // A failure is one of the group, which ends when its last step is skipped.
    let mut walk = Walk::new(flow(steps()));
    assert_eq!(walk.made(seconds(1), REFUSED).spans, []);
    let skipped = walk.made(seconds(4), OK);
    assert_eq!((skipped.outcome, skipped.at), (Outcome::Skipped, seconds(11)));
    assert_eq!(skipped.spans, [(0, REFUSED, seconds(1)), (1, REFUSED, seconds(1))]);
}

/// How a group ends in which nothing failed.
const OK_GROUP: Outcome = Outcome::Ok(0);

#[test]
fn group_that_repeats_lasts_for_all_rounds() {
    let repetition = Arc::new(Repetition {
        depth: 0,
        times: RepeatTimes::Most,
        guards: Vec::new(),
        most: 3,
        pause: Some(pause(seconds(2))),
        body: 2,
        past: 4,
    });
    let steps = vec![
        Step::Control(Control::Enter(0)),
        Step::Control(Control::Start(Arc::clone(&repetition))),
        step(act(0)),
        Step::Control(Control::Again(repetition)),
        Step::Control(Control::Leave),
    ];
    let mut walk = Walk::new(flow(steps));
    let rounds = [0, 3, 6].map(|at| (walk.made(seconds(1), OK), seconds(at)));
    assert!(rounds.iter().all(|(made, at)| made.at == *at), "{rounds:?}");
    assert_eq!(rounds[1].0.spans, []);
    assert_eq!(rounds[2].0.spans, [(0, OK_GROUP, seconds(7)), (1, OK_GROUP, seconds(3))]);
    assert_eq!(rounds[2].0.iteration, [seconds(7), seconds(3)]);
}

/// A step whose request is repeated after 5 s, for at most a minute.
fn polled() -> Flow {
    let poll = Poll {
        pending: Vec::new(),
        every: Text::literal("5s"),
        least: seconds(1),
        within: seconds(60),
        slower: Some(Slower { by: seconds(5), when: Vec::new() }),
        operation: 2,
        span: 0,
        pause: Pause { time: ThinkTime::None, name: "pending".to_owned() },
    };
    flow(vec![step(ExchangeStep { poll: Some(Box::new(poll)), ..act(0) }), step(act(1))])
}

#[test]
fn poll_slow_down_lengthens_later_waits() {
    let mut walk = Walk::new(polled());
    let at = |made: Made| made.at.as_secs();
    // Repeated 5 s after an answer, then 10 s, 10 s, 15 s.
    assert_eq!(at(walk.pending(seconds(1), Duration::ZERO)), 0);
    assert_eq!(at(walk.pending(seconds(1), seconds(5))), 6);
    assert_eq!(at(walk.pending(seconds(1), Duration::ZERO)), 17);
    assert_eq!(at(walk.pending(seconds(1), seconds(5))), 28);
    let last = walk.made(seconds(2), OK);
    assert_eq!((last.at, last.outcome), (seconds(44), OK));
    assert_eq!(last.spans, [(0, OK, seconds(46))]);
    // The next step, and the next iteration, begin with neither.
    assert_eq!(at(walk.made(seconds(1), OK)), 46);
    assert_eq!(at(walk.pending(seconds(1), Duration::ZERO)), 47);
    assert_eq!(at(walk.made(seconds(1), OK)), 53);
}

#[test]
fn poll_beyond_its_limit_fails_at_once() {
    let mut walk = Walk::new(polled());
    let made: Vec<Made> = (0..4).map(|_| walk.pending(seconds(1), seconds(5))).collect();
    let at: Vec<u64> = made.iter().map(|made| made.at.as_secs()).collect();
    // The fifth request would begin 20 s after 37 s, within the minute; the sixth would not.
    assert_eq!(at, [0, 11, 27, 48]);
    let pending = Outcome::Failed(Class::Pending, 400);
    assert_eq!(made[3].outcome, pending);
    assert_eq!(made[3].spans, [(0, pending, seconds(49))]);
}

#[test]
fn retry_attempt_excludes_the_pause_before_it() {
    let retry = Retry { times: 2, of: Vec::new(), pause: Some(pause(seconds(3))), span: 0 };
    let mut walk =
        Walk::new(flow(vec![step(ExchangeStep { retry: Some(Box::new(retry)), ..act(0) })]));
    assert_eq!(walk.made(seconds(1), REFUSED).spans, []);
    let second = walk.made(seconds(2), REFUSED);
    assert_eq!((second.at, second.spans), (seconds(4), vec![(0, REFUSED, seconds(2))]));
    let third = walk.made(seconds(5), OK);
    assert_eq!((third.at, third.spans), (seconds(9), vec![(0, OK, seconds(5))]));
}

#[test]
fn token_expiry_makes_a_user_sign_in_again() {
    let token = Text::from_pieces([TextPiece::Hole(Hole(0), Escape::None)]);
    let guards = vec![Guard { value: token, must: Condition::Exist, not: true }];
    let (early, lifetime) = (seconds(5), Some(seconds(300)));
    let extract = Extract {
        from: Location::Body,
        into: Hole(0),
        missing: Missing::Fail,
        expires: Some(Box::new(Expiry { of: Location::Code, early })),
    };
    let steps = vec![
        Step::Control(Control::When(Arc::new(When { guards, branch: 0, past: 2 }))),
        step(ExchangeStep { extracts: vec![extract], ..act(0) }),
        step(act(1)),
    ];
    let variable = Variable::new("token", Source::Answer, Renewal::Kept);
    let (variables, branches) = (vec![variable], vec!["step 'a'".to_owned()]);
    let flow = Flow { variables, branches, ..flow(steps) };
    let think = |time| Between { think: Some(pause(time)), back_off: None };
    let mut walk = Walk::new(Flow { between: think(seconds(10)), ..flow });
    assert_eq!(walk.made(seconds(1), OK).step, 1);
    let Walk { user, clock } = &mut walk;
    user.variables.values_mut().set(Hole(0), b"secret");
    user.variables.taken(Hole(0), clock.now(), (lifetime, early));
    assert_eq!(user.variables.age(Hole(0), clock.now() + seconds(7)), Some((seconds(7), lifetime)));
    // Until five seconds before 300 s after it was given: at 296 s. What the user waits first counts.
    assert_eq!(walk.made(Duration::from_millis(284_900), OK).step, 2);
    let last = walk.made(Duration::from_millis(100), OK);
    assert_eq!((last.step, last.at), (2, Duration::from_millis(295_900)));
    let again = walk.made(seconds(1), OK);
    assert_eq!((again.step, again.at), (1, seconds(306)));
    // A step that follows a condition may use it to its end.
    let Walk { user, clock } = &mut walk;
    user.variables.values_mut().set(Hole(0), b"secret");
    user.variables.taken(Hole(0), clock.now(), (lifetime, early));
    user.variables.expire(clock.now() + Duration::from_millis(299_999));
    assert!(user.variables.values().value(Hole(0)).is_some());
    user.variables.expire(clock.now() + seconds(300));
    assert!(user.variables.values().value(Hole(0)).is_none());
}
