//! Shares of a run in virtual time: the merged measurements of the nodes are those of one machine.

use crate::plan::{Node, Settings, Stopping};
use crate::schedule::{Rate, Schedule, Shape, Stage};
use crate::simulation::{
    ScriptedSessions, Simulated, Step, TALLIES, ms, open, simulate, simulate_with,
};
use crate::start::{Start, StartSignal};
use crate::stop::Stop;
use crate::worker::Ended;
use brunt_exchange::{Outcome, ThinkTime, Ticket};
use brunt_record::{
    Catalogue, Ending, Head, Measured, OperationRecord, Phase, Plan, Record, Tool, merge,
};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A target whose answer depends only on the number of the exchange: most answers are fast, some late, some do not
/// arrive before the time-out, and some exchanges fail before they are sent.
fn scripted(timeout: Duration) -> ScriptedSessions {
    let mut sessions = ScriptedSessions::new(move |ticket: &Ticket| match ticket.number % 23 {
        3 => Step::Refuse(ms(4)),
        7 => Step::Answer(ms(700)),
        11 if !timeout.is_zero() => Step::Hang,
        n => Step::Answer(ms(1 + n * 3)),
    });
    sessions.tallied = true;
    sessions
}

/// The record of the node with this share of the settings.
fn node(settings: &Settings, node: Node) -> Record {
    let (rank, world) = (node.rank, node.world);
    let settings = settings.clone().shared(node, 1).unwrap();
    let scripted = scripted(settings.operation_timeout);
    let Simulated { finished, intervals } = simulate(settings, &scripted);
    let mut measured = Measured::default();
    for interval in &intervals {
        measured.absorb(interval);
    }
    let tool = Tool { name: "brunt".into(), version: "0".into() };
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let tallies = (0..TALLIES).map(|number| format!("remainder {number}"));
    let catalogue = Catalogue::new(["exchange"], ["connect"]).with_tallies(tallies);
    let head = Head {
        node: (world > 1).then_some(brunt_record::Node::even(rank, world)),
        ..Head::new("a".repeat(32), started, tool, Plan::open(1.0, 1, 7), catalogue)
    };
    let names = |_, outcome: Outcome| format!("{outcome:?}").into();
    let ending = Ending::planned(finished.timing);
    measured.conclusion(head, &names, ending).record().unwrap()
}

/// One to eight nodes with equal shares, and some with different ones.
fn divisions() -> impl Iterator<Item = Vec<u32>> {
    let weighted: [&[u32]; 4] = [&[3, 1, 1, 1], &[5, 2], &[1, 7, 3], &[2, 1, 1, 3, 1, 1, 2, 1]];
    (2..=8).map(|nodes| vec![1; nodes]).chain(weighted.map(<[u32]>::to_vec))
}

/// The merged record of the shares of nodes with these weights.
fn merged(settings: &Settings, weights: &[u32]) -> Record {
    let shares = (0..weights.len() as u32).map(|rank| {
        let share = Node::weighted(rank, weights).unwrap();
        (PathBuf::from(format!("n{rank}.json")), node(settings, share))
    });
    merge(&shares.collect::<Vec<_>>()).unwrap()
}

fn same_to_the_bucket(merged: &OperationRecord, whole: &OperationRecord) {
    assert_eq!(merged.counts, whole.counts);
    assert_eq!(merged.codes, whole.codes);
    for (of_merged, of_whole) in
        [(&merged.response, &whole.response), (&merged.service, &whole.service)]
    {
        let (of_merged, of_whole) = (of_merged.histogram().unwrap(), of_whole.histogram().unwrap());
        assert!(of_whole.count() > 100);
        assert!(of_merged.buckets().eq(of_whole.buckets()));
        assert_eq!(of_merged, of_whole, "sum, least and greatest too");
    }
    // The same figures in every form: percentiles, and how many of them are only bounds.
    assert_eq!((&merged.response, &merged.service), (&whole.response, &whole.service));
    assert_eq!((&merged.ok, &merged.tainted), (&whole.ok, &whole.tainted));
}

fn same(merged: &Record, whole: &Record) {
    same_to_the_bucket(&merged.operations[0], &whole.operations[0]);
    assert_eq!((merged.counts, &merged.conservation), (whole.counts, &whole.conservation));
    assert_eq!((&merged.lag, &merged.lateness), (&whole.lag, &whole.lateness));
    assert_eq!((&merged.dropped_after, merged.orphans), (&whole.dropped_after, whole.orphans));
    assert_eq!(merged.tallies, whole.tallies);
    assert!(whole.tallies.len() == TALLIES && whole.tallies.iter().all(|tally| tally.count > 90));
    assert!((merged.rates.seconds - whole.rates.seconds).abs() < 1e-9);
    let rates = |of: &Record| [of.rates.offered, of.rates.achieved, of.rates.goodput];
    for (of_merged, of_whole) in rates(merged).into_iter().zip(rates(whole)) {
        assert!((of_merged.unwrap() - of_whole.unwrap()).abs() < 1e-6);
    }
    assert_eq!(merged.series.len(), whole.series.len());
    for (of_merged, of_whole) in merged.series.iter().zip(&whole.series) {
        assert_eq!((of_merged.due, of_merged.ended), (of_whole.due, of_whole.ended));
        assert_eq!(of_merged.operations, of_whole.operations, "step {}", of_whole.index);
        assert_eq!((of_merged.index, of_merged.phase), (of_whole.index, of_whole.phase));
    }
}

/// Every kind of schedule, each for four seconds or so.
fn schedules() -> Vec<Schedule> {
    let rate = Rate::per_second(100).unwrap();
    let trace = Shape::Trace((0..320).map(|n| n * n * 35_000).collect());
    let trace = Stage { phase: Phase::Steady, shape: trace, lasting: Some(ms(4_000)) };
    vec![
        Schedule::constant(rate, Some(ms(4_000))).unwrap(),
        Schedule::poisson(rate, Some(ms(4_000))).unwrap(),
        Schedule::parse(
            "90/s for 1s, ramp 50..150 over 1s, sine 100±50 every 500ms for 1s, 120/s for 1s",
        )
        .unwrap(),
        Schedule::new(vec![trace]).unwrap(),
    ]
}

#[test]
fn open_load_in_shares_equals_one_machine() {
    for schedule in schedules() {
        // Enough sessions that no exchange waits for one: some 100 a second, up to two seconds each.
        let settings = Settings { operation_timeout: ms(2_000), ..Settings::open(schedule, 500) };
        let whole = node(&settings, Node::default());
        assert!(whole.counts.timed_out > 10 && whole.counts.failed > 10, "{:?}", whole.counts);
        for weights in divisions() {
            same(&merged(&settings, &weights), &whole);
        }
    }
}

#[test]
fn warm_up_in_shares_equals_one_machine() {
    let settings =
        Settings { operation_timeout: ms(2_000), warm_up: ms(1_000), ..open(100, 4, 400) };
    let whole = node(&settings, Node::default());
    assert_eq!(whole.counts.planned, 400);
    for weights in [&[1, 1, 1][..], &[3, 1, 1, 1]] {
        same(&merged(&settings, weights), &whole);
    }
}

#[test]
fn count_in_shares_equals_one_machine() {
    let mut settings = Settings { operation_timeout: ms(2_000), ..open(200, 60, 800) };
    settings.stop.count = Some(501);
    let whole = node(&settings, Node::default());
    for weights in divisions() {
        let merged = merged(&settings, &weights);
        assert_eq!((whole.counts.planned, merged.counts.planned), (501, 501));
        same_to_the_bucket(&merged.operations[0], &whole.operations[0]);
    }
}

#[test]
fn closed_loop_in_shares_makes_the_same_exchanges() {
    let mut settings = Settings::closed(ThinkTime::None, 16);
    settings.stop.count = Some(500);
    let whole = node(&settings, Node::default());
    for weights in divisions() {
        // Which user does what differs, and so does when; the exchanges are the same.
        let merged = merged(&settings, &weights);
        assert_eq!((merged.counts.planned, merged.conservation.holds), (500, true));
        same_to_the_bucket(&merged.operations[0], &whole.operations[0]);
        assert_eq!(merged.nodes.len(), weights.len());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "simulated time has no millisecond wheel to miss")]
fn stop_before_the_start_signal_sends_nothing() {
    let closed = Settings::closed(ThinkTime::None, 4);
    for settings in [open(100, 2, 4), closed] {
        let settings = Settings { start: Start::OnSignal(StartSignal::new()), ..settings };
        let (scripted, stop) = (ScriptedSessions::answering_after(ms(1)), Stop::new());
        let requested = stop.clone();
        let run = simulate_with(settings, &scripted, &stop, async move {
            tokio::time::sleep(ms(300)).await;
            requested.request();
        });
        assert_eq!((run.finished.counts.planned, run.finished.ended), (0, Ended::Stopped));
        assert!(run.finished.prepared_in >= ms(300), "it waited: {:?}", run.finished.prepared_in);
    }
}

/// The numbers of the exchanges of a run that begins with `first`.
fn numbers(settings: &Settings, first: u64) -> Vec<u64> {
    let settings = Settings { first, ..settings.clone() };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let numbers = Arc::clone(&seen);
    let scripted = ScriptedSessions::new(move |ticket: &Ticket| {
        numbers.lock().unwrap().push(ticket.number);
        Step::Answer(ms(1))
    });
    simulate(settings, &scripted);
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    seen
}

#[test]
fn consecutive_runs_continue_the_numbers() {
    let closed = Settings {
        stop: Stopping { count: Some(50), ..Stopping::default() },
        ..Settings::closed(ThinkTime::None, 4)
    };
    let warmed = Settings { warm_up: ms(500), ..open(50, 1, 4) };
    for settings in [closed, open(50, 1, 4), warmed] {
        let before = numbers(&settings, 0);
        assert!(before.iter().copied().eq(0..before.len() as u64), "{before:?}");
        let first = before.len() as u64;
        let after = numbers(&settings, first);
        assert!(after.iter().copied().eq(first..2 * first), "{after:?}");
    }
}

#[test]
fn poisson_arrivals_of_a_later_run_differ() {
    let rate = Rate::per_second(200).unwrap();
    let poisson = Schedule::poisson(rate, Some(ms(1_000))).unwrap();
    let of = |first| numbers(&Settings::open(poisson.clone(), 4), first).len();
    assert_ne!(of(0), of(1_000), "by the seed of these tests");
    assert_eq!(of(1_000), of(1_000));
}
