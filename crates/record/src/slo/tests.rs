//! Objectives evaluated against records whose figures are known.

use super::*;
use crate::record::samples::measured;
use crate::{Counts, Histogram, Latency, Record};
use std::time::Duration;

fn ask(expr: &str) -> SloResult {
    expr.parse::<Slo>().unwrap().evaluate(&measured()).unwrap()
}

fn refusal(expr: &str) -> String {
    expr.parse::<Slo>().unwrap_err().to_string()
}

#[test]
fn objectives_compare_values_in_their_units() {
    use SloOutcome::{Met, Missed};
    // 10 s, 100/s asked: 900 binds of 1 ms (99 of them failed), 50 searches of 4 ms, 50 dropped.
    for (expr, value, outcome) in [
        ("bind.ok.p99<20ms", Some(1.0), Met),
        ("bind.ok.p50<=1000us", Some(1_000.0), Met),
        // A ninth of the binds failed, and 50 drops may have been binds as well: p84 is the last that has an end.
        ("bind.p84<20ms", Some(1.0), Met),
        ("bind.p90<20ms", None, Missed),
        ("search.service.max<4ms", Some(3.0), Met),
        ("search.ok.max<4ms", Some(4.0), Missed),
        ("ok.max==4ms", Some(4.0), Met),
        ("total.ok.mean<0.002s", Some((801.0 + 200.0) / 851.0 / 1e3), Met),
        ("errors<15%", Some(100.0 * 149.0 / 1_000.0), Met),
        ("errors<14%", Some(100.0 * 149.0 / 1_000.0), Missed),
        ("search.errors==0", Some(0.0), Met),
        ("bind.errors==99", Some(99.0), Met),
        ("ok>=86%", Some(85.1), Missed),
        ("dropped==0", Some(50.0), Missed),
        ("dropped<=5%", Some(5.0), Met),
        ("achieved>=99%", Some(95.0), Missed),
        ("achieved>94/s", Some(95.0), Met),
        ("goodput>85/s", Some(85.1), Met),
        ("lag.p90<=1ms", Some(1.0), Met),
        ("count>=950", Some(950.0), Met),
    ] {
        let result = ask(expr);
        match (result.value, value) {
            (Some(found), Some(value)) => {
                assert!(
                    (found - value).abs() < value.abs() * 1e-3 + 1e-9,
                    "{expr}: {found}, not {value}"
                );
            }
            (found, value) => assert_eq!(found, value, "{expr}"),
        }
        assert_eq!(result.outcome, outcome, "{expr}: {result:?}");
    }
}

#[test]
fn objectives_that_are_impossible_or_ambiguous_are_refused() {
    for (expr, why) in [
        ("ok>=0.95", "ok is a whole number of operations, not 0.95; write 95% for a share"),
        (
            "errors<0.001",
            "errors is a whole number of operations, not 0.001; write 0.1% for a share",
        ),
        ("count>=10.5", "count is a whole number of operations, not 10.5"),
        ("errors>101%", "errors is at most 100%, not 101%"),
        ("search.ok<=100.1%", "search.ok is at most 100%, not 100.1%"),
        ("achieved>=110%", "achieved is at most 100%, not 110%"),
        ("ok>100%", "no run can meet it"),
        ("p99<0ms", "no run can meet it"),
        ("errors<0", "no run can meet it"),
    ] {
        assert_eq!(refusal(expr), format!("read the objective {expr:?}: {why}"));
    }
    for expr in ["errors<=0%", "errors==0", "ok>=100%", "errors>0", "p99>0ms", "offered>=0.5/s"] {
        expr.parse::<Slo>().unwrap();
    }
}

/// Of seven exchanges in three seconds a node may have four and its neighbour three; random arrivals may be fewer.
#[test]
fn achieved_share_is_relative_to_what_fell_due() {
    let mut record = measured();
    record.rates.target = record.rates.offered.map(|offered| offered * 1.5);
    let result = "achieved>=95%".parse::<Slo>().unwrap().evaluate(&record).unwrap();
    assert_eq!((result.outcome, result.value.map(f64::round)), (SloOutcome::Met, Some(95.0)));
}

#[test]
fn dropped_exchanges_may_have_been_of_any_operation() {
    // 50 searches were answered within 4 ms. 50 exchanges were dropped, of which all could have been searches.
    let result = ask("search.p90<20ms");
    assert_eq!((result.outcome, result.at_least), (SloOutcome::Undecided, true), "{result:?}");
    assert_eq!(ask("search.p40<20ms").outcome, SloOutcome::Met);
}

/// A run of one operation with these response times and ends.
fn run(ok: &[u64], failed: &[u64], cut_off: &[u64], change: fn(&mut Record)) -> Record {
    let of = |millis: &[u64]| {
        let mut histogram = Histogram::new();
        for ms in millis {
            histogram.record(Duration::from_millis(*ms));
        }
        histogram
    };
    let mut record = measured();
    record.operations.truncate(1);
    let (ok, failed, cut_off) = (of(ok), of(failed), of(cut_off));
    let mut answered = ok.clone();
    answered.merge(&failed);
    let operation = &mut record.operations[0];
    operation.response = Latency::with_bounds(&answered, &cut_off, &[]);
    operation.ok = Some(Latency::new(&ok, &[]));
    let planned = answered.count() + cut_off.count();
    let counts = Counts {
        planned,
        sent: planned,
        ok: ok.count(),
        failed: failed.count(),
        cut_off: cut_off.count(),
        ..Counts::default()
    };
    (operation.counts, record.counts) = (counts, counts);
    change(&mut record);
    record
}

fn outcome(record: &Record, expr: &str) -> (SloOutcome, bool) {
    let result = expr.parse::<Slo>().unwrap().evaluate(record).unwrap();
    (result.outcome, result.at_least)
}

#[test]
fn hung_target_meets_no_objective() {
    // 57 of a hundred were answered at once, the others not within ten seconds.
    let hung = run(&[2; 57], &[], &[10_000; 43], |_| {});
    assert_eq!(outcome(&hung, "p99<20ms"), (SloOutcome::Missed, true));
    assert_eq!(outcome(&hung, "p50<20ms"), (SloOutcome::Met, false));
    assert_eq!(outcome(&hung, "ok.p99<20ms"), (SloOutcome::Met, false));
    assert_eq!(outcome(&hung, "errors<0.1%"), (SloOutcome::Missed, false));
    assert_eq!(outcome(&hung, "p99<20s"), (SloOutcome::Undecided, true));
    assert_eq!(outcome(&hung, "mean<20ms"), (SloOutcome::Missed, true));
}

#[test]
fn percentile_of_few_exchanges_is_undecided_unless_missed() {
    use SloOutcome::{Met, Missed, Undecided};
    let quick = |count: usize| run(&vec![1; count], &[], &[], |_| {});
    for (count, expr, expected) in [
        (50, "p99.9999<20ms", Undecided),
        (50, "p99<20ms", Met),
        (10, "p99<20ms", Met),
        (9, "p99<20ms", Undecided),
        (100, "p99.9<20ms", Met),
        (99, "ok.p99.9<20ms", Undecided),
        (1, "p90<20ms", Met),
        (1, "max<20ms", Met),
        (1, "p100<20ms", Met),
    ] {
        assert_eq!(outcome(&quick(count), expr).0, expected, "{expr} of {count}");
    }
    let result = "p99.9999<20ms".parse::<Slo>().unwrap().evaluate(&quick(50)).unwrap();
    let why = "50 operations say nothing about p99.9999: it takes at least 100000";
    assert_eq!(result.why.as_deref(), Some(why));
    // One of fifty is more than one in a million.
    assert_eq!(outcome(&run(&[30; 50], &[], &[], |_| {}), "p99.9999<20ms").0, Missed);
}

#[test]
fn failures_are_not_fast() {
    let refused = run(&[], &[1; 100], &[], |_| {});
    for expr in [
        "p99<50ms",
        "p1<50ms",
        "mean<50ms",
        "ok.p99<50ms",
        "service.p99<50ms",
        "min<50ms",
        "max<50ms",
    ] {
        assert_eq!(outcome(&refused, expr).0, SloOutcome::Missed, "{expr}");
    }
    let some = run(&[1; 98], &[1; 2], &[], |_| {});
    assert_eq!(outcome(&some, "p98<50ms").0, SloOutcome::Met);
    assert_eq!(outcome(&some, "p99<50ms").0, SloOutcome::Missed);
    // No later answer could make the mean of something endless finite.
    assert_eq!(outcome(&some, "mean<50ms").0, SloOutcome::Missed);
    assert_eq!(outcome(&some, "ok.mean<50ms").0, SloOutcome::Met);
}

#[test]
fn generator_delay_that_could_decide_leaves_it_undecided() {
    let late = run(&[30; 100], &[], &[], |record| {
        let mut cleared = Histogram::new();
        (0..100).for_each(|_| cleared.record(Duration::from_millis(10)));
        record.operations[0].ok_without_own = Some(Latency::new(&cleared, &[]));
    });
    assert_eq!(outcome(&late, "p99<20ms").0, SloOutcome::Undecided);
    assert_eq!(outcome(&late, "p99<40ms").0, SloOutcome::Met);
    assert_eq!(outcome(&late, "p99<5ms").0, SloOutcome::Missed);
    let stopped = run(&[1; 95], &[1; 5], &[], |record| {
        record.operations[0].tainted =
            Some(Counts { planned: 5, sent: 5, failed: 5, ..Counts::default() });
    });
    assert_eq!(outcome(&stopped, "errors<1%").0, SloOutcome::Undecided);
    assert_eq!(outcome(&stopped, "p99<50ms").0, SloOutcome::Undecided);
    assert_eq!(outcome(&stopped, "errors<10%").0, SloOutcome::Met);
}

#[test]
fn achieved_is_undecided_if_the_generator_was_limited() {
    let slow =
        run(&[1; 100], &[], &[], |record| record.verdict.status = crate::Status::GeneratorLimited);
    assert_eq!(outcome(&slow, "achieved>=99%").0, SloOutcome::Undecided);
    assert_eq!(outcome(&slow, "achieved>=1/s").0, SloOutcome::Met);
}

#[test]
fn latency_is_undecided_if_the_generator_omitted_load() {
    // Answers of 2 ms, which waited for 3 s before they were sent; 10 of 110 were never sent.
    let starved = |service_ms: u64, status| {
        let mut record = run(&[3_000; 100], &[], &[], |_| {});
        let mut served = Histogram::new();
        (0..100).for_each(|_| served.record(Duration::from_millis(service_ms)));
        record.operations[0].service = Latency::new(&served, &[]);
        record.plan.mode = crate::Mode::Open;
        (record.counts.planned, record.counts.dropped) = (110, 10);
        record.verdict.status = status;
        record
    };
    let limited = starved(2, crate::Status::GeneratorLimited);
    for expr in ["p99<20ms", "ok.p99<20ms", "errors<1%", "dropped==0"] {
        assert_eq!(outcome(&limited, expr).0, SloOutcome::Undecided, "{expr}");
    }
    // The target by itself misses it too.
    let both = starved(30, crate::Status::GeneratorLimited);
    assert_eq!(outcome(&both, "p99<20ms").0, SloOutcome::Missed);
    // The generator performed well: the target kept its connections busy.
    let slow = starved(2, crate::Status::Valid);
    for expr in ["p99<20ms", "ok.p99<20ms", "errors<1%", "dropped==0"] {
        assert_eq!(outcome(&slow, expr).0, SloOutcome::Missed, "{expr}");
    }
}

#[test]
fn objectives_without_measurements_are_missed() {
    let empty = run(&[], &[], &[], |_| {});
    for expr in ["bind.p99<1s", "errors<1%", "ok>=99%"] {
        assert_eq!(outcome(&empty, expr).0, SloOutcome::Missed, "{expr}");
    }
}

#[test]
fn mistakes_are_named_with_a_remedy() {
    assert!(refusal("bind.p99").contains("has no comparison"));
    assert!(refusal("bind.p99=3ms").contains("has no comparison"));
    assert!(refusal("bind.p999<3ms").contains("\"bind.p999\""));
    assert!(refusal("p99<soon").contains("\"soon\""));
    assert!(refusal("p99<20").contains("us, ms or s"));
    assert!(refusal("errors<20ms").contains("% or without a unit"));
    assert!(refusal("bind.dropped==0").contains("leave the operation out"));
    let unknown = "compare.p99<1s".parse::<Slo>().unwrap().evaluate(&measured()).unwrap_err();
    assert!(unknown.to_string().contains("it has bind, search"), "{unknown}");
}

#[test]
fn operations_and_percentiles_may_contain_dots() {
    let slo: Slo = "ldap.bind.service.p99.9 < 3 ms".parse().unwrap();
    assert_eq!(slo.operation.as_deref(), Some("ldap.bind"));
    assert_eq!(slo.figure, Figure::Time(Basis::Service, Statistic::Percentile(99.9)));
    let whole: Slo = "p99.9<3ms".parse().unwrap();
    assert_eq!(whole.operation, None);
}

#[test]
fn response_limit_is_known_to_charts() {
    let limit = |expr: &str| expr.parse::<Slo>().unwrap().response_limit();
    assert_eq!(limit("p99<0.25s"), Some((99.0, 250.0)));
    assert_eq!(limit("ok.p99.9<=250us"), Some((99.9, 0.25)));
    for other in ["bind.p99<1ms", "service.p99<1ms", "max<1s", "errors<1%"] {
        assert_eq!(limit(other), None, "{other}");
    }
    assert!(("errors<0.1%".parse::<Slo>().unwrap().limit() - 0.1).abs() < 1e-12);
}
