//! Curves of records that were made in the same way as by a run, with known rates and times.

use std::time::Duration;

use brunt_exchange::{Moment, Outcome, Stamps};
use brunt_record::{
    Catalogue, Conclusion, Counts, Ending, Head, Interval, Mode, Own, Phase, Plan, Series, Status,
    Timing, Tool, Totals,
};

use super::*;
use crate::Screen;

fn tool() -> Tool {
    Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() }
}

/// Two seconds at a rate of which this many a second are answered, one for each number of milliseconds; the rest is
/// dropped.
fn run(name: &str, rate: u64, answered: u64, millis: &[u64]) -> Input {
    let (mut totals, mut series) = (Totals::new(), Series::new());
    for second in 0..2 {
        let mut interval = Interval::new(1, 0);
        interval.reset(second, Phase::Steady, Duration::from_secs(second));
        interval.to = Duration::from_secs(second + 1);
        for (_, took) in (0..answered).zip(millis.iter().cycle()) {
            let ended = Moment::from_nanos(took * 1_000_000);
            let [due, free, sent] = [0; 3].map(Moment::from_nanos);
            let stamps = Stamps { due, free, sent, ended };
            interval.record(0, Outcome::Ok(0), &stamps, 0, Own::default());
        }
        (0..rate).for_each(|_| interval.plan());
        (answered..rate).for_each(|_| interval.drop_after(Duration::from_millis(9), false));
        let counts = interval.operations[0].counts;
        interval.due.merge(&Counts { planned: 0, dropped: rate - answered, ..counts });
        totals.absorb(&interval);
        series.push(&interval);
    }
    let command = ["brunt", "searchrate", "-c", "10", "-M"].map(str::to_owned).into_iter();
    let command: Vec<String> = command.chain([rate.to_string()]).collect();
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let catalogue = Catalogue::new(["search"], ["connect"]);
    let mut plan = Plan::open(rate as f64, 10, 7);
    plan.target = Some("ldap://127.0.0.1:1389".to_owned());
    let conclusion = Conclusion {
        head: Head {
            command: command.clone(),
            ..Head::new("a".repeat(32), started, tool(), plan, catalogue)
        },
        names: &|_, _| "success".into(),
        totals: &totals,
        series: &series,
        ending: Ending::planned(Timing {
            to: Duration::from_secs(2),
            over: Duration::from_secs(2),
            ..Timing::default()
        }),
    };
    let mut record = conclusion.record().unwrap();
    record.verdict.status = Status::Valid;
    record.verdict.reasons.clear();
    Input { name: name.to_owned(), requested: command, record }
}

fn three() -> Vec<Input> {
    // The runs are in no order.
    vec![
        run("c.json", 400, 300, &[8]),
        run("a.json", 100, 100, &[1]),
        run("b.json", 200, 200, &[1, 1, 1, 2]),
    ]
}

fn made(runs: Vec<Input>) -> Collection {
    collection(tool(), vec!["brunt".to_owned(), "report".to_owned()], runs).unwrap()
}

fn wide() -> Screen {
    Screen { width: 110, ..Screen::default() }
}

fn words(text: &str, begin: &str) -> Vec<String> {
    let row = text.lines().find(|line| line.trim_start().starts_with(begin));
    let row = row.unwrap_or_else(|| panic!("no row of {begin} in\n{text}"));
    row.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn curve_has_a_point_per_rate_in_order() {
    let collection = made(three());
    let page = page(&collection).unwrap();
    let text = page.text(wide());
    // Half a millisecond is exact to 16 ns at most: the page shows the input.
    assert_eq!(
        words(&text, "100 "),
        ["100", "100.0", "100.0", "0", "%", "1.000", "1.000", "1.000", "valid", "a.json"]
    );
    assert_eq!(
        words(&text, "200 "),
        ["200", "200.0", "200.0", "0", "%", "1.000", "2.000", "2.000", "valid", "b.json"]
    );
    let last = words(&text, "400 ");
    // 100 of 400 were dropped, which failed, and waited for nine milliseconds at least.
    assert_eq!(last[..5], ["400", "400.0", "300.0", "25", "%"], "{text}");
    assert!(last[6].starts_with('>') && last[9] == "c.json", "{last:?}");
    assert!(
        text.contains("from 400 a second on less was answered than was offered: 300 of 400"),
        "{text}"
    );
    assert!(
        text.contains("At 100 a second half of all operations took at most 1.000 ms"),
        "{text}"
    );
    assert!(text.contains("Achieved over rate"), "{text}");
    let [low, middle] = [1, 2].map(|at| collection.cells[at - 1].label("run"));
    assert_eq!((low, middle), (Some("a.json"), Some("b.json")));
    let kept: Vec<Input> = three().into_iter().skip(1).collect();
    let text = super::page(&made(kept)).unwrap().text(wide());
    assert!(text.contains("every rate that was offered was achieved"), "{text}");
    assert!(!text.contains("Achieved over rate"), "{text}");
}

#[test]
fn curve_merges_runs_of_one_rate_exactly() {
    let runs = vec![
        run("a.json", 100, 100, &[1]),
        run("b.json", 200, 200, &[1]),
        run("c.json", 200, 200, &[5, 5, 5, 1]),
    ];
    let collection = made(runs);
    let points = points::Point::all(&collection).unwrap();
    assert_eq!(points.len(), 2);
    let point = &points[1];
    // 500 of 1 ms and 300 of 5 ms: no mean of two medians.
    assert_eq!((point.times.count(), point.runs.len()), (800, 2));
    let at = |quantile| point.at(quantile).unwrap().0;
    assert!((at(0.62) - 0.001).abs() < 1e-5 && (at(0.63) - 0.005).abs() < 1e-4, "{}", at(0.63));
    let text = page(&collection).unwrap().text(wide());
    assert!(text.contains("b.json and 1 more"), "{text}");
}

#[test]
fn curve_requires_runs_that_differ_only_in_rate() {
    let refused = |change: &dyn Fn(&mut Input)| {
        let mut runs = three();
        change(&mut runs[1]);
        let found = unlike(&runs);
        let mut what: Vec<String> =
            found.iter().filter(|it| it.refuses).map(|it| it.what.clone()).collect();
        what.dedup();
        what
    };
    assert_eq!(refused(&|_| {}), Vec::<String>::new());
    assert_eq!(refused(&|run| run.requested[3] = "20".to_owned()), ["command"]);
    // The right number, and the wrong one, where the rate is.
    assert_eq!(refused(&|run| run.requested[5] = "0.1k/s".to_owned()), Vec::<String>::new());
    assert_eq!(refused(&|run| run.requested[5] = "150".to_owned()), ["command"]);
    assert_eq!(refused(&|run| run.record.plan.target = Some("ldap://x".to_owned())), ["target"]);
    // How many DHCP exchanges are in flight at most follows from the rate.
    assert_eq!(refused(&|run| run.record.plan.sessions = 77), Vec::<String>::new());
    // Plans of one name have their rates in their files: other changes there are not visible.
    let unsaid = |run: &mut Input| {
        run.record.plan.sessions = 77;
        run.requested = three()[0].requested.clone();
    };
    assert_eq!(refused(&unsaid), ["sessions"]);
}

#[test]
fn curve_is_refused_without_a_rate() {
    let tried = |change: &dyn Fn(&mut Input)| {
        let mut runs = three();
        runs.iter_mut().for_each(change);
        collection(tool(), Vec::new(), runs).unwrap_err()
    };
    let closed = tried(&|run| run.record.plan.mode = Mode::Closed);
    assert_eq!(closed, RatesError::NoRate("c.json".to_owned()));
    let varied = tried(&|run| run.record.plan.constant = false);
    assert_eq!(varied, RatesError::Varies("c.json".to_owned()));
    assert_eq!(tried(&|run| run.record.plan.target_rate = Some(5.0)), RatesError::OneRate(5.0));
    assert_eq!(collection(tool(), Vec::new(), Vec::new()).unwrap_err(), RatesError::Few);
}

#[test]
fn curve_names_doubtful_runs_and_escapes_names() {
    let mut runs = three();
    runs[0].name = "x\u{1b}[31m<script>alert(1)</script>".to_owned();
    runs[0].record.verdict.status = Status::GeneratorLimited;
    let page = page(&made(runs)).unwrap();
    let text = page.text(Screen::default());
    assert!(text.contains("1 of 3 runs cannot be trusted"), "{text}");
    assert!(!text.contains('\u{1b}') && text.contains("generator-limited"), "{text}");
    let html = page.html();
    assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;alert"));
}

/// A search for a curve reads back exactly what was written.
#[test]
fn curve_collection_round_trips() {
    let made = made(three());
    let text = crate::json(&made).unwrap();
    let read: Collection = serde_json::from_str(&text).unwrap();
    let [before, after] = [&made, &read].map(|it| page(it).unwrap().text(Screen::default()));
    assert_eq!(before, after);
}
