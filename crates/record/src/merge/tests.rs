//! Shares of a synthetic run compared with the whole of it, and records that do not belong
//! together.

use super::*;
use crate::{
    Away, Catalogue, Ending, Environment, Finish, Head, Histogram, Interval, Machine, Measured,
    Node, Own, Reason, Sample, Status, Timing, Tool, Verdict, WorkerLoad,
};
use brunt_exchange::{Class, Moment, Outcome, Part, Stamps};
use std::time::Duration;

const SECONDS: u64 = 6;
const PER_SECOND: u64 = 60;
const REFUSED: Outcome = Outcome::Failed(Class::Result, 49);

/// Exchange `n`: its operation, its outcome and its stamps since it became due.
fn exchange(n: u64) -> (u16, Outcome, Stamps) {
    let outcome = match n % 17 {
        3 => REFUSED,
        5 => Outcome::TimedOut,
        9 => Outcome::Failed(Class::Connect, 111),
        _ => Outcome::Ok(0),
    };
    let took = 10_000_001 + (n * 7_919) % 30_000_000;
    let [due, sent, ended] = [0, (n % 5) * 400_000, took].map(Moment::from_nanos);
    (n.is_multiple_of(3).into(), outcome, Stamps { due, free: due, sent, ended })
}

/// The intervals of node `rank` of `of`: each exchange whose number it has.
fn intervals(node: &Node) -> Vec<Interval> {
    let mine = |n: &u64| n % u64::from(node.of) == u64::from(node.rank);
    let step = |second: u64| {
        let mut made = Interval::new(2, 1);
        let phase = if second == 0 { Phase::WarmUp } else { Phase::Steady };
        made.reset(second, phase, Duration::from_secs(second));
        made.to = Duration::from_secs(second + 1);
        made.tally(0, 0);
        for n in (second * PER_SECOND..(second + 1) * PER_SECOND).filter(mine) {
            let (operation, outcome, stamps) = exchange(n);
            made.plan();
            if n % 41 == 0 {
                made.drop_after(Duration::from_micros(n), n % 2 == 0);
                made.due.dropped += 1;
                continue;
            }
            // Late by 400 us and more: enough for an own part.
            let own = Own { waited: stamps.lag(), tainted: n % 50 == 7 };
            made.record(operation, outcome, &stamps, 1, own);
            made.due_in(second).settle(outcome, 1);
            made.part(Part(0), Duration::from_nanos(n * 31));
            made.tally(0, n % 4);
            if n.is_multiple_of(6) {
                made.span(1, outcome, Duration::from_nanos(n * 53_777));
            }
            made.repeats += u64::from(n % 37 == 0);
            if outcome == REFUSED {
                let (at, text) = (Duration::from_millis(n), format!("refused {n}"));
                made.samples.push(Sample {
                    operation,
                    outcome,
                    at,
                    text,
                    unreached: None,
                    sent: None,
                    answer: None,
                });
            }
            made.orphans += u64::from(n % 29 == 0);
            made.in_flight += u64::from(n % 13 == 0);
            made.backlog_peak += u64::from(n % 11 == 0);
        }
        made.unready.add(Outcome::Failed(Class::Connect, 111), made.planned);
        let wall = Duration::from_secs(1);
        let cpu = wall / 10 * (node.rank + 1);
        made.health.record(WorkerLoad { worker: 0, cpu, wall, ..WorkerLoad::default() });
        made.health.observe(&Machine { wall, cores: 2, ..Machine::default() }, &[]);
        made
    };
    (0..SECONDS).map(step).collect()
}

fn head(node: Node) -> Head {
    let tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let catalogue = Catalogue::new(["bind", "search"], ["connect"])
        .with_spans(["first", "visit"])
        .with_parts_of(vec![None, Some(0), Some(1), None])
        .with_tallies(["entries"]);
    let share = f64::from(node.of);
    let plan = Plan::open(PER_SECOND as f64 / share, u64::from(12 / node.of), 7);
    Head {
        environment: Environment { host: format!("host{}", node.rank), ..Environment::default() },
        node: Some(node).filter(|node| node.of > 1),
        objectives: ["bind.p50<20ms", "dropped==0", "visit.ok.p50<1s"]
            .map(|slo| slo.parse().unwrap())
            .into(),
        ceiling: Some(1_000.0),
        ..Head::new("f".repeat(32), started, tool, plan, catalogue)
    }
}

fn record(rank: u32, of: u32) -> Record {
    let node = Node::even(rank, of);
    let mut measured = Measured::default();
    for interval in intervals(&node) {
        measured.absorb(&interval);
    }
    let over = Duration::from_secs(SECONDS);
    let timing = Timing { from: Duration::from_secs(1), to: over, over, ..Timing::default() };
    let names = |_, outcome| match outcome {
        REFUSED => "no".into(),
        outcome => format!("{outcome:?}").into(),
    };
    measured.conclusion(head(node), &names, Ending::planned(timing)).record().unwrap()
}

fn files(records: impl IntoIterator<Item = Record>) -> Vec<(PathBuf, Record)> {
    (0..).zip(records).map(|(n, record)| (PathBuf::from(format!("n{n}.json")), record)).collect()
}

fn shares(of: u32) -> Vec<(PathBuf, Record)> {
    files((0..of).map(|rank| record(rank, of)))
}

fn near(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| (one - other).abs() < 1e-9 * one.abs())
}

#[test]
fn merged_shares_equal_the_whole() {
    let whole = record(0, 1);
    for of in 2..=4 {
        let merged = merge(&shares(of)).unwrap();
        for (rate, expected) in [
            (merged.rates.offered, whole.rates.offered),
            (merged.rates.achieved, whole.rates.achieved),
            (merged.rates.goodput, whole.rates.goodput),
            (merged.rates.target, whole.rates.target),
            (merged.operations[1].goodput, whole.operations[1].goodput),
            (merged.spans[1].goodput, whole.spans[1].goodput),
        ] {
            assert!(near(rate, expected), "{rate:?} {expected:?}");
        }
        // Sums of quotients differ in their last digit; data about machines is not added.
        let mut expected = whole.clone();
        expected.rates = merged.rates.clone();
        expected.plan = merged.plan.clone();
        for (of_merged, of_whole) in merged.operations.iter().zip(&mut expected.operations) {
            (of_whole.achieved, of_whole.goodput) = (of_merged.achieved, of_merged.goodput);
        }
        for (of_merged, of_whole) in merged.spans.iter().zip(&mut expected.spans) {
            of_whole.goodput = of_merged.goodput;
        }
        for (of_merged, of_whole) in merged.series.iter().zip(&mut expected.series) {
            of_whole.busiest = of_merged.busiest;
        }
        expected.environment = merged.environment.clone();
        expected.nodes.clone_from(&merged.nodes);
        expected.generator = merged.generator.clone();
        expected.verdict = merged.verdict.clone();
        assert_eq!(merged, expected);
        assert_eq!((merged.plan.sessions, merged.plan.seed), (12, 7));
    }
}

#[test]
fn merge_order_and_steps_do_not_matter() {
    let mut shares = shares(4);
    let merged = merge(&shares).unwrap();
    shares.reverse();
    assert_eq!(merge(&shares).unwrap(), merged);
    let [one, two] = [0, 2].map(|at| merge(&shares[at..at + 2]).unwrap());
    let mut in_steps = merge(&files([one, two])).unwrap();
    assert!(near(in_steps.rates.offered, merged.rates.offered));
    in_steps.rates = merged.rates.clone();
    for (of_steps, of_merged) in in_steps.operations.iter_mut().zip(&merged.operations) {
        (of_steps.achieved, of_steps.goodput) = (of_merged.achieved, of_merged.goodput);
    }
    for (of_steps, of_merged) in in_steps.spans.iter_mut().zip(&merged.spans) {
        of_steps.goodput = of_merged.goodput;
    }
    assert_eq!(in_steps, merged);
}

#[test]
fn merged_nodes_keep_their_own_verdict() {
    let mut shares = shares(3);
    let limited = Reason::from_text(Status::GeneratorLimited, "its core was busy");
    let drifted = Reason::from_text(Status::Unstable, "it drifted");
    shares[0].1.verdict =
        Verdict { status: Status::Unstable, reasons: vec![drifted], ..Verdict::default() };
    shares[1].1.verdict.reasons.clear();
    shares[2].1.verdict =
        Verdict { status: Status::GeneratorLimited, reasons: vec![limited], ..Verdict::default() };
    shares[2].1.generator.workers[0].cpu_share = Some(0.97);
    let merged = merge(&shares).unwrap();
    let workers: Vec<(Option<u32>, u16, Option<f64>)> =
        merged.generator.workers.iter().map(|of| (of.node, of.worker, of.cpu_share)).collect();
    assert_eq!(
        workers,
        [(Some(0), 0, Some(0.1)), (Some(1), 0, Some(0.2)), (Some(2), 0, Some(0.97))]
    );
    assert_eq!(merged.generator.cpu_share_max, Some(0.3));
    assert_eq!((merged.generator.ceiling, merged.generator.machine.cores), (Some(3_000.0), 6));
    assert_eq!(merged.verdict.status, Status::GeneratorLimited);
    let reasons: Vec<&str> =
        merged.verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "node 2 of 3 on host2 (33% of the load) was limited by its own machine, the others were not: \
             its core was busy",
            "node 0 of 3 on host0 (33% of the load): it drifted",
        ]
    );
    assert_eq!(merged.nodes[2].verdict.status, Status::GeneratorLimited);
    assert_eq!(merged.nodes[1].environment.host, "host1");
}

#[test]
fn limited_node_is_named_with_its_lateness() {
    let mut shares = shares(4);
    let late = |record: &mut Record, millis| {
        let mut lateness = Histogram::new();
        (0..100).for_each(|_| lateness.record(Duration::from_millis(millis)));
        record.lateness = Latency::new(&lateness, &Latency::PERCENTILES);
    };
    for (_, record) in &mut shares {
        record.verdict = Verdict::default();
        late(record, 1);
    }
    let text = "p99 of bind is 40 ms too high: its core was busy";
    let limited = Reason::from_text(Status::GeneratorLimited, text);
    shares[3].1.verdict.reasons = vec![limited];
    shares[3].1.verdict.status = Status::GeneratorLimited;
    late(&mut shares[3].1, 40);
    let merged = merge(&shares).unwrap();
    assert_eq!(merged.verdict.status, Status::GeneratorLimited);
    let reasons: Vec<&str> =
        merged.verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let expected = "node 3 of 4 on host3 (25% of the load) sent 40.0 ms late at p99, the others at most 1.0 ms";
    assert_eq!(reasons, [format!("{expected}: {text}")]);
    // Where the other nodes are as late, they are no comparison.
    for (_, record) in &mut shares {
        late(record, 40);
    }
    let merged = merge(&shares).unwrap();
    let reason = &merged.verdict.reasons[0].text;
    let expected =
        "node 3 of 4 on host3 (25% of the load) was limited by its own machine, the others";
    assert!(reason.starts_with(expected), "{reason}");
}

#[test]
fn missing_node_makes_the_run_partial() {
    let shares = shares(4);
    let merged = merge(&shares[1..3]).unwrap();
    assert!(merged.verdict.status >= Status::Partial);
    let reasons: Vec<&str> =
        merged.verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert!(
        reasons.contains(&"2 of 4 nodes are missing (0, 3): what they did is in no figure"),
        "{reasons:?}"
    );
    assert_eq!(merged.counts.planned, shares[1].1.counts.planned + shares[2].1.counts.planned);
}

/// One of two nodes, which reported this many of ten seconds: 50 exchanges a second, each answered after 10 ms.
fn reported(rank: u32, seconds: u64) -> Record {
    let mut measured = Measured::default();
    let took = Duration::from_millis(10);
    for second in 0..seconds {
        let mut made = Interval::new(2, 1);
        made.reset(second, Phase::Steady, Duration::from_secs(second));
        made.to = Duration::from_secs(second + 1);
        for n in 0..50 {
            made.plan();
            let [due, ended] = [0, 10_000_000].map(Moment::from_nanos);
            let stamps = Stamps { due, free: due, sent: due, ended };
            made.record(0, Outcome::Ok(0), &stamps, 0, Own::default());
            let due = Duration::from_secs(second) + Duration::from_millis(20 * n + 5);
            made.pace.due(due);
            made.pace.finished(&Finish {
                due,
                response: took,
                service: Some(took),
                answered: true,
                ok: true,
                in_time: true,
            });
        }
        measured.absorb(&made);
    }
    let to = Duration::from_secs(seconds);
    let timing = Timing { from: Duration::ZERO, to, over: to, ..Timing::default() };
    let plan = Plan::open(50.0, 6, 7);
    let head = Head { plan, objectives: Vec::new(), ..head(Node::even(rank, 2)) };
    let names = |_, outcome: Outcome| format!("{outcome:?}").into();
    measured.conclusion(head, &names, Ending::planned(timing)).record().unwrap()
}

#[test]
fn lost_node_counts_its_last_report_and_its_plan() {
    // One of two agents is lost 1.5 s after a run of 10 s began: its last report is that of the first second.
    let merged = merge(&files([reported(0, 10), reported(1, 1)])).unwrap();
    assert!(near(Some(merged.rates.seconds), Some(10.0)));
    assert!(near(merged.rates.offered, Some(100.0)), "{:?}", merged.rates);
    // 500 answers of the one, 50 of the other, in 10 s.
    for rate in [merged.rates.achieved, merged.rates.goodput] {
        assert!(near(rate, Some(55.0)), "{:?}", merged.rates);
    }
    assert!(near(merged.rates.share, Some(0.55)), "{:?}", merged.rates);
    let output = "from 1.0 s to 10.0 s: what a node did after its own is unknown, so they are at least these";
    assert!(merged.verdict.notes.iter().any(|note| note.ends_with(output)), "{:?}", merged.verdict);
    let both = merge(&files([reported(0, 10), reported(1, 10)])).unwrap();
    assert!(near(both.rates.achieved, Some(100.0)), "{:?}", both.rates);
    assert!(!both.verdict.notes.iter().any(|note| note.contains("at least")));
}

#[test]
fn nodes_that_started_apart_are_noticed() {
    let mut shares = shares(2);
    shares[1].1.started = "2026-01-02T03:04:05.12Z".into();
    let near = merge(&shares).unwrap();
    assert_eq!(near.started, "2026-01-02T03:04:05Z");
    assert!(
        near.verdict.notes.iter().any(|note| note.contains("0.1 s apart")),
        "{:?}",
        near.verdict
    );
    shares[1].1.started = "2026-01-02T03:04:04Z".into();
    let far = merge(&shares).unwrap();
    assert_eq!(far.started, "2026-01-02T03:04:04Z");
    let unstable = |reason: &&Reason| reason.status == Status::Unstable;
    let reason = far.verdict.reasons.iter().find(unstable).unwrap();
    assert!(reason.text.contains("1.0 s apart"), "{}", reason.text);
}

#[test]
fn target_was_away_only_when_every_node_lacked_answers() {
    let away = |from_s, to_s: Option<f64>, after: f64| Away {
        from_s,
        to_s,
        answered_after_s: to_s.map(|_| after),
        recovered_after_s: to_s.map(|_| 0.5),
        answered_before: true,
    };
    let found = |one: &[Away], other: &[Away]| {
        let mut shares = shares(2);
        shares[0].1.away = one.to_vec();
        shares[1].1.away = other.to_vec();
        let words: Vec<String> = merge(&shares).unwrap().away.iter().map(Away::words).collect();
        words
    };
    let (early, late) = (away(1.0, Some(3.0), 0.2), away(1.5, Some(3.5), 0.0));
    assert_eq!(
        found(&[early], &[late]),
        ["away 1.5 s to 3.0 s, answered again after 0.2 s, had caught up 0.8 s later"]
    );
    assert_eq!(found(&[early], &[]), [""; 0], "one node alone lost its way");
    assert_eq!(found(&[early], &[away(2.5, Some(5.0), 0.0)]), [""; 0], "0.7 s of both");
    assert_eq!(
        found(&[away(4.0, None, 0.0)], &[away(4.5, None, 0.0)]),
        ["no answer from 4.5 s to the end"]
    );
}

#[test]
fn series_of_different_resolution_are_merged() {
    let mut shares = shares(2);
    let series = &mut shares[1].1.series;
    // The steady steps of the second node, two at a time: 1 and 2, 3 and 4, and 5.
    let steady = series.split_off(1);
    let node = Record { series: steady, ..shares[1].1.clone() };
    for at in [0, 2, 4] {
        let mut pair = node.clone();
        pair.series = node.series[at..(at + 2).min(5)].to_vec();
        let mut step = series::series(&[&pair]).unwrap().swap_remove(0);
        for other in pair.series.iter().skip(1) {
            step.intervals += other.intervals;
            step.to_s = other.to_s;
            step.due.merge(&other.due);
        }
        shares[1].1.series.push(step);
    }
    let merged = merge(&shares).unwrap();
    let spans: Vec<(u64, u64, f64)> =
        merged.series.iter().map(|step| (step.index, step.intervals, step.to_s)).collect();
    assert_eq!(spans, [(0, 1, 1.0), (1, 2, 3.0), (3, 2, 5.0), (5, 1, 6.0)]);
    let planned: u64 = merged.series.iter().map(|step| step.due.planned).sum();
    assert_eq!(planned, SECONDS * PER_SECOND);
}

#[test]
fn unrelated_records_are_refused() {
    let output = |files: &[(PathBuf, Record)]| merge(files).unwrap_err().to_string();
    assert!(output(&[]).contains("name the records"));
    assert!(output(&files([record(0, 1)])).contains("n0.json: it is a whole run"));
    let twice = output(&files([record(1, 2), record(1, 2)]));
    assert!(twice.contains("n0.json and n1.json: both are node 1 of 2"), "{twice}");
    let count = output(&files([record(0, 2), record(1, 3)]));
    assert!(count.contains("one has 2 nodes and the other 3"), "{count}");
    let changed = |change: fn(&mut Record)| {
        let mut other = record(1, 2);
        change(&mut other);
        output(&files([record(0, 2), other]))
    };
    let weights = changed(|record| record.node.as_mut().unwrap().weights = vec![3, 1]);
    assert!(weights.contains("different --weights"), "{weights}");
    let seed = changed(|record| {
        record.plan.seed = 8;
        record.fingerprint = Some("0".repeat(32));
    });
    assert!(seed.contains("the seed of one is 7 and of the other 8"), "{seed}");
    assert!(
        changed(|record| record.fingerprint = Some("0".repeat(32))).contains("different loads")
    );
    assert!(changed(|record| record.fingerprint = None).contains("n1.json: it does not say"));
    let damaged = changed(|record| record.operations[0].response.hdr_v2 = "AAAA".into());
    assert!(damaged.contains("failed to read a histogram"), "{damaged}");
}
