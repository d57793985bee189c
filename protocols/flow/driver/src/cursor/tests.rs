//! Tests of the way through iterations: steps, pauses, failures, renewals.

use super::*;
use crate::pause::Pause;
use crate::plan::{Between, ExchangeStep, Flow, Order, Payload, Pool, Scenario};
use crate::{HttpExchange, Renewal, Source, Variable};
use brunt_exchange::ThinkTime;
use brunt_feed::{Hole, Text};
use brunt_http_driver::{Network, Settings};
use std::sync::Arc;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn act(operation: u16) -> Step {
    let url = Text::literal("http://127.0.0.1:9/");
    let http = HttpExchange { method: "GET".to_owned(), url, ..HttpExchange::default() };
    Step::Exchange(Box::new(ExchangeStep::new(operation, Payload::Http(Box::new(http)))))
}

fn pause(millis: u64) -> Step {
    let time = ThinkTime::Constant(ms(millis));
    Step::Pause(Pause { time, name: "think".to_owned() })
}

fn scenario(steps: Vec<Step>) -> Scenario {
    Scenario { name: "visit".to_owned(), steps, after_failure: AfterFailure::Skip }
}

fn compiled(flow: Flow) -> CompiledFlow {
    let flow = Flow { operations: vec!["a".to_owned(), "b".to_owned()], users: 1, ..flow };
    CompiledFlow::new(
        flow,
        Arc::new(Network::new(Settings::default(), &brunt_net::Network::private()).unwrap()),
    )
    .unwrap()
}

/// Runs to the end and returns each step with its pause; `fails` says which turns fail.
fn walked(
    compiled: &CompiledFlow,
    fails: impl Fn(usize) -> bool,
) -> (Vec<(usize, u64, bool)>, FlowCounters) {
    let counters = FlowCounters::new(compiled.tallies().clone());
    let (mut cursor, mut variables) = (
        Cursor::new(0, IterationStart { first: 0, arrivals: compiled.flow().arrivals }),
        Variables::new(compiled, 0),
    );
    let mut steps = Vec::new();
    while let Upcoming::Step(id, after) = cursor.upcoming(compiled, &counters, &mut variables) {
        assert_eq!(cursor.upcoming(compiled, &counters, &mut variables), Upcoming::Step(id, after));
        let skipped = cursor.skips();
        steps.push((id.step, after.as_millis() as u64, skipped));
        cursor.done(id, !skipped && fails(steps.len() - 1), compiled);
    }
    (steps, counters)
}

fn counted(compiled: &CompiledFlow, counters: &FlowCounters) -> (u64, u64, u64, u64) {
    let counts = counters.whole();
    let (paused, visits) =
        (compiled.tallies().of_pause(&counts, "think"), compiled.tallies().of_scenario(&counts, 0));
    (paused.made, paused.skipped, visits.begun, visits.completed)
}

#[test]
fn pauses_precede_the_next_step() {
    let steps = vec![act(0), pause(10), pause(5), act(1), pause(20)];
    let flow = Flow {
        scenarios: vec![scenario(steps)],
        iterations: Iterations::Each(2),
        ..Flow::default()
    };
    let compiled = compiled(flow);
    let (steps, counters) = walked(&compiled, |_| false);
    assert_eq!(steps, [(0, 0, false), (3, 15, false), (0, 20, false), (3, 15, false)]);
    assert_eq!(counted(&compiled, &counters), (6, 0, 2, 2));
}

#[test]
fn failure_skips_the_rest_of_the_iteration() {
    let steps = vec![act(0), pause(10), act(1), act(1)];
    let flow = Flow {
        scenarios: vec![scenario(steps)],
        iterations: Iterations::Each(2),
        ..Flow::default()
    };
    let compiled = compiled(flow);
    let (steps, counters) = walked(&compiled, |turn| turn == 0);
    let first = [(0, 0, false), (2, 0, true), (3, 0, true)];
    let second = [(0, 0, false), (2, 10, false), (3, 0, false)];
    assert_eq!(steps, [first, second].concat());
    assert_eq!(counted(&compiled, &counters), (1, 1, 2, 2));
}

#[test]
fn think_time_follows_every_iteration() {
    let wait = |millis, name: &str| {
        let time = ThinkTime::Constant(ms(millis));
        Some(Pause { time, name: name.to_owned() })
    };
    // The first of three iterations fails at the first of its two steps.
    for (after_failure, skipped) in [(AfterFailure::Skip, true), (AfterFailure::GoOn, false)] {
        let flow = Flow {
            scenarios: vec![Scenario {
                after_failure,
                ..scenario(vec![act(0), pause(10), act(1)])
            }],
            iterations: Iterations::Each(3),
            between: Between { think: wait(1_000, "think"), back_off: wait(300, "back-off") },
            ..Flow::default()
        };
        let compiled = compiled(flow);
        let (steps, counters) = walked(&compiled, |turn| turn == 0);
        let first = [(0, 0, false), (2, if skipped { 0 } else { 10 }, skipped)];
        let others = [(0, 1_300, false), (2, 10, false), (0, 1_000, false), (2, 10, false)];
        assert_eq!(steps, [&first[..], &others].concat());
        let counts = counters.whole();
        let backed_off = compiled.tallies().of_pause(&counts, "back-off");
        assert_eq!((backed_off.made, backed_off.time), (1, ms(300)));
    }
}

#[test]
fn users_share_a_pool_of_iterations() {
    let flow = Flow {
        scenarios: vec![scenario(vec![act(0)])],
        iterations: Iterations::Shared(Pool::new(3)),
        ..Flow::default()
    };
    let compiled = compiled(flow);
    assert_eq!(walked(&compiled, |_| false).0.len(), 3);
    assert_eq!(walked(&compiled, |_| false).0.len(), 0);
}

#[test]
fn scenario_of_pauses_ends() {
    let flow = Flow {
        scenarios: vec![scenario(vec![pause(10)])],
        iterations: Iterations::Each(3),
        order: Order::Turns,
        ..Flow::default()
    };
    let compiled = compiled(flow);
    let (steps, counters) = walked(&compiled, |_| false);
    assert!(steps.is_empty());
    assert_eq!(counted(&compiled, &counters), (3, 0, 3, 3));
}

#[test]
fn variables_are_renewed_by_their_rule() {
    let counter = |renewal| Variable::new("", Source::Count { first: 0, step: 1 }, renewal);
    let renewals = [
        Renewal::Iteration,
        Renewal::User,
        Renewal::Exchange,
        Renewal::IterationIfUsed,
        Renewal::AfterUse,
    ];
    let flow = Flow {
        scenarios: vec![scenario(vec![act(0), act(1)])],
        variables: renewals.map(counter).into_iter().collect(),
        ..Flow::default()
    };
    let compiled = compiled(flow);
    let mut variables = Variables::new(&compiled, 0);
    let all: Vec<Hole> = (0..5).map(Hole).collect();
    let mut seen = Vec::new();
    for (iteration, uses) in [(0, &all[..]), (1, &[]), (2, &all[..])] {
        let place = DrawContext { iteration, users: 1, turn: iteration, ..DrawContext::default() };
        variables.begin_iteration(&compiled, place).unwrap();
        for _ in 0..2 {
            variables.begin_exchange(&compiled, uses).unwrap();
            let value = |hole: &Hole| variables.values().value(*hole).map(<[u8]>::to_vec);
            let row: Vec<_> = all.iter().filter_map(value).collect();
            seen.push(String::from_utf8(row.join(&b' ')).unwrap());
        }
    }
    // Of the last two values, one counts the iterations that used it, the other the exchanges that followed a use
    // of it.
    assert_eq!(
        seen,
        ["0 0 0 0 0", "0 0 1 0 1", "1 0 2 1 2", "1 0 3 1 2", "2 0 4 1 2", "2 0 5 1 3"]
    );
}
