//! Compares sums with intervals that are filled as workers fill them.

use super::*;
use crate::export::exposition::{Format, exposition};
use brunt_exchange::{Class, Moment, Named, Stamps};
use brunt_record::{Own, Plan, Tool};

fn head(operations: &[String]) -> Head {
    let text =
        include_str!("../../../../../protocols/flow/tool/src/http/testdata/empty.record.json");
    let record: brunt_record::Record = serde_json::from_str(text).unwrap();
    let plan: Plan = record.plan;
    let tool = Tool { name: "brunt".to_owned(), version: "0".to_owned() };
    let catalogue = Catalogue::new(operations.to_vec(), Vec::new());
    Head::new("run".to_owned(), jiff::Timestamp::UNIX_EPOCH, tool, plan, catalogue)
}

fn interval(operations: usize, phase: Phase, outcomes: &[Outcome]) -> Interval {
    let mut interval = Interval::new(operations, 0);
    interval.reset(0, phase, Duration::ZERO);
    interval.to = Duration::from_secs(1);
    let [due, ended] = [0, 3_000_000].map(Moment::from_nanos);
    let stamps = Stamps { due, free: due, sent: due, ended };
    for (number, outcome) in outcomes.iter().enumerate() {
        interval.plan();
        interval.record((number % operations) as u16, *outcome, &stamps, 2, Own::default());
    }
    interval
}

/// The sum of all points of a name.
fn sum(text: &str, name: &str, labels: &[&str]) -> u64 {
    let of = |line: &&str| {
        line.starts_with(&format!("{name}{{")) && labels.iter().all(|label| line.contains(label))
    };
    let values =
        text.lines().filter(of).map(|line| line.rsplit(' ').next().unwrap().parse::<u64>());
    values.map(Result::unwrap).sum()
}

#[test]
fn exchanges_are_in_each_view_once() {
    let named = |_: usize, outcome: Outcome| Named::from(format!("{outcome:?}"));
    let mut sums = Sums::new(&head(&["get".to_owned(), "put".to_owned()]), &named);
    let outcomes = [
        Outcome::Ok(200),
        Outcome::Failed(Class::Result, 404),
        Outcome::TimedOut,
        Outcome::CutOff,
        Outcome::Skipped,
        Outcome::Ok(200),
    ];
    sums.absorb(&interval(2, Phase::WarmUp, &outcomes));
    sums.absorb(&interval(2, Phase::Steady, &outcomes));
    sums.absorb(&interval(2, Phase::Steady, &outcomes));
    let text = exposition(&sums.snapshot(false), Format::OpenMetrics);
    let steady = "phase=\"steady\"";
    assert_eq!(sum(&text, "brunt_exchanges_due_total", &[]), 18);
    assert_eq!(sum(&text, "brunt_exchanges_total", &[]), 18);
    assert_eq!(sum(&text, "brunt_exchange_codes_total", &[]), 18);
    assert_eq!(sum(&text, "brunt_items_total", &[steady]), 24);
    for (outcome, count) in
        [("ok", 4), ("failed", 2), ("timed-out", 2), ("cut-off", 2), ("skipped", 2)]
    {
        let outcome = format!("outcome=\"{outcome}\"");
        assert_eq!(sum(&text, "brunt_exchanges_total", &[steady, &outcome]), count, "{outcome}");
    }
    // A skipped exchange has no times.
    assert_eq!(sum(&text, "brunt_response_seconds_count", &[steady]), 10);
    assert_eq!(sum(&text, "brunt_response_seconds_bucket", &[steady, "le=\"0.005\""]), 10);
    assert_eq!(sum(&text, "brunt_response_seconds_bucket", &[steady, "le=\"0.0025\""]), 0);
    assert_eq!(sum(&text, "brunt_service_seconds_count", &[steady]), 10);
}

#[test]
fn groups_have_their_own_metric_families() {
    let named = |number: usize, outcome: Outcome| Named::from(format!("{number} {outcome:?}"));
    let mut head = head(&["get".to_owned()]);
    head.catalogue = head.catalogue.with_spans(["login", "login work"]);
    let mut sums = Sums::new(&head, &named);
    let begun = exposition(&sums.snapshot(false), Format::OpenMetrics);
    let zero = "brunt_groups_total{group=\"login\",outcome=\"ok\",phase=\"steady\"} 0\n";
    assert!(begun.contains(zero), "{begun}");
    let mut second = interval(1, Phase::Steady, &[Outcome::Ok(200), Outcome::Ok(200)]);
    for outcome in [Outcome::Ok(0), Outcome::Failed(Class::Check, 0), Outcome::Skipped] {
        second.span(0, outcome, Duration::from_millis(40));
    }
    sums.absorb(&second);
    let text = exposition(&sums.snapshot(true), Format::OpenMetrics);
    let (login, work) = ("group=\"login\"", "group=\"login work\"");
    assert_eq!(sum(&text, "brunt_groups_total", &[login]), 3);
    assert_eq!(sum(&text, "brunt_groups_total", &[login, "outcome=\"failed\""]), 1);
    assert_eq!(sum(&text, "brunt_groups_total", &[work]), 0);
    // The names of a span's outcomes follow those of the operations.
    assert_eq!(sum(&text, "brunt_group_codes_total", &[login, "code=\"1 Ok(0)\""]), 1);
    assert_eq!(sum(&text, "brunt_group_time_seconds_count", &[login]), 2);
    assert_eq!(sum(&text, "brunt_exchanges_total", &[]), 2);
    assert_eq!(sum(&text, "brunt_response_seconds_count", &[]), 2);
}

#[test]
fn series_are_limited_whatever_plan_and_target_send() {
    let operations: Vec<String> = (0..5_000).map(|number| format!("op {number}")).collect();
    let named =
        |operation: usize, outcome: Outcome| Named::from(format!("{operation} {outcome:?}"));
    let mut sums = Sums::new(&head(&operations), &named);
    let outcomes: Vec<Outcome> =
        (0..20_000).map(|number| Outcome::Failed(Class::Result, number % 600)).collect();
    for phase in Phase::ALL {
        sums.absorb(&interval(5_000, phase, &outcomes));
    }
    let text = exposition(&sums.snapshot(true), Format::OpenMetrics);
    assert_eq!(sum(&text, "brunt_exchanges_total", &[]), 100_000);
    assert_eq!(sum(&text, "brunt_exchange_codes_total", &[]), 100_000);
    let lines = text.lines().count();
    assert!(lines < 51 * 5 * (5 + 33 + 2 + 2 * 25) + 1_000, "{lines} lines");
    let distinct = text.lines().filter(|line| line.starts_with("brunt_items_total{")).count();
    assert_eq!(distinct, 5 * (OPERATIONS_MAX + 1));
}

#[test]
fn sums_before_the_run_are_zero() {
    let named = |_: usize, _: Outcome| Named::from("");
    let text =
        exposition(&Sums::new(&head(&["get".to_owned()]), &named).snapshot(false), Format::Text);
    let line = "brunt_exchanges_total{operation=\"get\",outcome=\"ok\",phase=\"steady\"} 0\n";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("brunt_run_finished 0\n"), "{text}");
}
