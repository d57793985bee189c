//! Comparisons and trends of records that were made in the same way as by a run.

use super::random::Random;
use super::*;
use crate::Screen;
use brunt_exchange::{Moment, Outcome, Stamps};
use brunt_record::{
    Catalogue, Conclusion, Counts, Ending, Head, Interval, Own, Phase, Plan, Reason, Series,
    Status, Timing, Tool, Totals, WorkerLoad,
};
use std::path::Path;
use std::time::Duration;

/// Text that has an effect on a terminal, in HTML and in Markdown.
const EVIL: &str = "x|\u{1b}[31m<script>alert(1)</script>`@all`[a](http://b)*_";

/// Exchanges of each second.
const COUNT: u64 = 150;

fn tool() -> Tool {
    Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() }
}

/// A run of this many seconds, in which exchanges take about this many milliseconds, half of that as service time.
fn record(name: &str, seconds: u64, millis: f64, seed: u64) -> Record {
    let mut random = Random::new(seed);
    let (mut totals, mut series) = (Totals::new(), Series::new());
    for second in 0..seconds {
        let mut interval = Interval::new(1, 1);
        interval.reset(second, Phase::Steady, Duration::from_secs(second));
        interval.to = Duration::from_secs(second + 1);
        for _ in 0..COUNT {
            let took = (millis * 1e6 * (0.3 * random.normal()).exp()) as u64;
            let [due, free, sent, ended] = [0, 0, took / 2, took].map(Moment::from_nanos);
            let stamps = Stamps { due, free, sent, ended };
            interval.record(0, Outcome::Ok(0), &stamps, 0, Own::default());
            interval.plan();
        }
        let counts = interval.operations[0].counts;
        interval.due.merge(&Counts { planned: 0, ..counts });
        interval.health.record(WorkerLoad {
            node: 0,
            worker: 0,
            cpu: Duration::from_millis(300),
            wall: Duration::from_secs(1),
            waited: Duration::ZERO,
            runs: 0,
            unseen: false,
        });
        totals.absorb(&interval);
        series.push(&interval);
    }
    let started = format!("2026-01-{:02}T00:00:00Z", seed % 28 + 1).parse().unwrap();
    let catalogue = Catalogue::new([name], ["connect"]);
    let plan = Plan::open(COUNT as f64, 10, 7);
    let run = format!("{seed:032x}");
    let conclusion = Conclusion {
        head: Head {
            command: ["authrate", "-M", "150"].map(str::to_owned).to_vec(),
            ..Head::new(run, started, tool(), plan, catalogue)
        },
        names: &|_, _| "success".into(),
        totals: &totals,
        series: &series,
        ending: Ending::planned(Timing {
            to: Duration::from_secs(seconds),
            over: Duration::from_secs(seconds),
            ..Timing::default()
        }),
    };
    let mut record = conclusion.record().unwrap();
    record.verdict.status = Status::Valid;
    record
}

fn input(name: &str, record: Record) -> Input {
    Input { name: name.to_owned(), requested: record.command.clone(), record }
}

fn side(name: &str, records: impl IntoIterator<Item = Record>) -> Given {
    let runs = records.into_iter().enumerate();
    let runs = runs.map(|(number, record)| input(&format!("{name}/{number}.json"), record));
    Given { name: name.to_owned(), runs: runs.collect() }
}

fn compared(a: Record, b: Record) -> Comparison {
    compare(tool(), &[side("a", [a]), side("b", [b])]).unwrap()
}

fn found(comparison: &Comparison, figure: Figure) -> &Difference {
    comparison.pairs[0].figures.iter().find(|it| it.figure == figure).unwrap()
}

#[test]
fn comparison_figures_equal_the_records() {
    let (a, b) = (record("bind", 20, 2.0, 1), record("bind", 20, 2.4, 2));
    let comparison = compared(a.clone(), b.clone());
    assert_eq!(comparison.pairs[0].result, Finding::Worse);
    for (figure, place) in [(Figure::P50, 0), (Figure::P90, 2), (Figure::P99, 4)] {
        let found = found(&comparison, figure);
        let of = |record: &Record| record.operations[0].response.percentiles[place].us;
        assert!((found.baseline - of(&a)).abs() < 1e-9 && (found.value - of(&b)).abs() < 1e-9);
        assert!((found.change.unwrap() - (of(&b) / of(&a) - 1.0)).abs() < 1e-9);
        let [low, high] = found.interval.unwrap();
        assert!(low < 0.2 && 0.2 < high, "the true change is 20 %: {found:?}");
        assert_eq!(found.result, Finding::Worse);
    }
    let mean = found(&comparison, Figure::ServiceMean);
    assert!((mean.value - b.operations[0].service.mean_us.unwrap()).abs() < 1e-9);
    // 0.3 of a core for 150 a second.
    assert!((found(&comparison, Figure::Cpu).value - 2_000.0).abs() < 1e-6);
    assert_eq!(found(&comparison, Figure::Goodput).result, Finding::Same);
    // 20 seconds of 150 exchanges leave three beyond the last percentile.
    assert!(comparison.pairs[0].figures.iter().all(|it| it.figure != Figure::P999));
    let turned = compared(b, a);
    assert_eq!(turned.pairs[0].result, Finding::Better);
    assert!(turned.regressions(&[]).next().is_none());
}

#[test]
fn comparison_is_deterministic() {
    let runs = || (record("bind", 12, 2.0, 1), record("bind", 12, 2.1, 2));
    let [one, two] = [runs(), runs()].map(|(a, b)| compared(a, b));
    assert_eq!(one, two);
    assert_eq!(compared(runs().0, runs().0).pairs[0].result, Finding::Same);
}

#[test]
fn confidence_interval_equals_the_analytic_one() {
    // Independent exchanges: the logarithm of the mean of n of them varies by (exp(0.3 x 0.3) - 1) / n.
    let (a, b) = (record("bind", 60, 2.0, 3), record("bind", 60, 2.0, 4));
    let comparison = compared(a, b);
    let [low, high] = found(&comparison, Figure::Mean).interval.unwrap();
    let error = (2.0 * 0.09_f64.exp_m1() / (60.0 * COUNT as f64)).sqrt();
    let half = (high.ln_1p() - low.ln_1p()) / 2.0;
    // Figures are judged together, so this is the normal quantile of 1 - 0.05 / 2 / 9, which Student's approaches.
    let expected = 2.77 * error;
    assert!((0.75..1.6).contains(&(half / expected)), "{half} {expected}");
}

#[test]
fn repeated_runs_widen_the_interval() {
    // Each run is 8 % faster or slower than the next, which its own seconds do not show.
    let runs = |slower: f64, from: u64| {
        let levels = [0.92, 1.0, 1.08, 0.96, 1.04];
        let runs = (from..).zip(levels);
        side(
            "s",
            runs.map(|(seed, level)| record("bind", 10, 2.0 * slower * level, seed))
                .collect::<Vec<_>>(),
        )
    };
    let of = |slower: f64| compare(tool(), &[runs(1.0, 10), runs(slower, 20)]).unwrap();
    assert_eq!(of(1.08).pairs[0].result, Finding::Same);
    let slower = of(1.5);
    assert_eq!(slower.pairs[0].result, Finding::Worse);
    let mean = found(&slower, Figure::Mean);
    assert!((mean.change.unwrap() - 0.5).abs() < 0.03, "{mean:?}");
    // A single run of each would have been reported as a difference.
    let single = compared(record("bind", 10, 2.0 * 0.92, 10), record("bind", 10, 2.0 * 1.08, 22));
    assert_eq!(single.pairs[0].result, Finding::Worse);
}

#[test]
fn run_too_short_gives_no_finding() {
    let comparison = compared(record("bind", 4, 2.0, 1), record("bind", 4, 9.0, 2));
    assert_eq!(comparison.pairs[0].result, Finding::Unknown);
    assert!(comparison.regressions(&[]).next().is_none());
    let text = page(&comparison, Vec::new()).text(Screen::default());
    assert!(closing(&comparison, Screen::default()).contains("cannot be compared"), "{text}");
}

#[test]
fn bounded_figure_is_never_the_smaller() {
    let (a, mut b) = (record("bind", 20, 9.0, 1), record("bind", 20, 2.0, 2));
    let response = &mut b.operations[0].response;
    response.censored = Some(Box::new(response.clone()));
    let comparison = compared(a, b.clone());
    assert_eq!(found(&comparison, Figure::P50).result, Finding::Unknown);
    assert!(found(&comparison, Figure::P50).value_at_least);
    // What is at least 2 ms may be 9, but not less than 1.
    let comparison = compared(record("bind", 20, 1.0, 1), b);
    assert_eq!(found(&comparison, Figure::P50).result, Finding::Worse);
    let text = page(&comparison, Vec::new()).text(Screen::default());
    assert!(text.contains(" >2."), "{text}");
}

#[test]
fn differences_between_runs_are_all_named() {
    let a = record("bind", 10, 2.0, 1);
    let mut b = record("search", 20, 2.0, 2);
    b.plan.target = Some("ldap://other".to_owned());
    b.plan.sessions = 11;
    b.plan.mode = brunt_record::Mode::Closed;
    b.plan.target_rate = None;
    b.tool.version = "0.2.0".to_owned();
    b.environment.cores = Some(64);
    b.environment.kernel = "Linux 7".to_owned();
    b.environment.memory_bytes = Some(1 << 40);
    b.environment.host = "elsewhere".to_owned();
    b.phases[0].name = Phase::WarmUp;
    b.command.push("-f".to_owned());
    let comparison = compared(a, b);
    let named = |refuses: bool| {
        let unlike = comparison.unlike.iter().filter(move |it| it.refuses == refuses);
        unlike.map(|it| it.what.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        named(true),
        [
            "target",
            "command",
            "model",
            "rate",
            "sessions",
            "operations",
            "phases",
            "length of the steady phase",
            "cores",
            "kernel",
            "memory"
        ]
    );
    assert_eq!(named(false), ["version", "name of the machine"]);
    let text = page(&comparison, Vec::new()).text(Screen::default());
    for expected in ["ldap://other", "b/0.json", "64", "Linux 7", "1024.0 GiB", "elsewhere"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn comparison_shows_the_verdict_of_each_run() {
    let mut b = record("bind", 10, 9.0, 2);
    b.verdict.status = Status::GeneratorLimited;
    b.verdict.reasons = vec![Reason::from_text(Status::GeneratorLimited, "other processes")];
    let sides = [side("a", [record("bind", 10, 2.0, 1)]), side("b", [b])];
    let comparison = compare(tool(), &sides).unwrap();
    assert!(!comparison.trusted);
    let screen = Screen::default();
    let text = page(&comparison, Vec::new()).text(screen) + &closing(&comparison, screen);
    let html = page(&comparison, spectra(&sides).unwrap()).html();
    for shown in [&text, &html, &markdown(&comparison)] {
        let flowing = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains("b/0.json is generator-limited: other processes"), "{shown}");
    }
    assert!(text.contains("Trust:      no: "), "{text}");
}

#[test]
fn comparison_fits_eighty_columns() {
    let comparison = compared(record("bind", 20, 2.0, 1), record("bind", 20, 2_400.0, 2));
    let text = page(&comparison, Vec::new()).text(Screen::default())
        + &closing(&comparison, Screen::default());
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(text.matches("figure  ").count(), 2, "no table is folded: {text}");
}

#[test]
fn comparison_escapes_names() {
    let mut records = [record(EVIL, 10, 2.0, 1), record(EVIL, 10, 4.0, 2)];
    records[1].plan.target = Some(EVIL.to_owned());
    records[1].verdict.reasons = vec![Reason::from_text(Status::Partial, EVIL)];
    records[1].verdict.status = Status::Partial;
    let [a, b] = records;
    let sides = [side(EVIL, [a]), side(EVIL, [b])];
    let comparison = compare(tool(), &sides).unwrap();
    let screen = Screen::default();
    let text = page(&comparison, Vec::new()).text(screen) + &closing(&comparison, screen);
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let html = page(&comparison, spectra(&sides).unwrap()).html();
    assert!(!html.contains("<script>alert") && !html.contains('\u{1b}'), "{html}");
    let shown = markdown(&comparison);
    for active in ["<script", "@all", "`", "[a]", "\u{1b}", "http://", "*_"] {
        assert!(!shown.contains(active), "{active}: {shown}");
    }
    // A cell stays in its column.
    let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("| x")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.matches('|').count() == 8), "{shown}");
}

/// The data that a history keeps of a run, written to its documents and read back.
fn kept(run: &Input) -> FiguredRun {
    fn again<T: serde::Serialize + serde::de::DeserializeOwned>(of: &T) -> T {
        serde_json::from_str(&serde_json::to_string(of).unwrap()).unwrap()
    }
    let made = FiguredRun::new(run).unwrap();
    FiguredRun { figures: again(&made.figures), steps: again(&made.steps), ..made }
}

#[test]
fn stored_figures_give_the_same_comparison_as_records() {
    let records = [record("bind", 20, 2.0, 1), record("bind", 300, 2.3, 2)];
    let sides = records.map(|record| side("a", [record]));
    let as_kept = sides.each_ref().map(|side| FiguredSide {
        name: side.name.clone(),
        runs: side.runs.iter().map(kept).collect(),
    });
    let of_records = compare(tool(), &sides).unwrap();
    let of_kept = compare_figured(tool(), &as_kept);
    assert_eq!(crate::json(&of_kept).unwrap(), crate::json(&of_records).unwrap());
    assert_eq!(spectra_figured(&as_kept), spectra(&sides).unwrap());
    let html = page(&of_kept, spectra_figured(&as_kept)).html();
    assert_eq!(html, page(&of_records, spectra(&sides).unwrap()).html());
    let level = |seed: u64| if seed < 9 { 2.0 } else { 3.0 };
    let runs = (0..18).map(|seed| input("n.json", record("bind", 2, level(seed), seed)));
    let runs: Vec<Input> = runs.collect();
    let figures: Vec<_> = runs.iter().map(|run| (run.name.clone(), kept(run).figures)).collect();
    let of_kept = trend_figured(tool(), "nightly", &figures);
    assert!(!of_kept.changes().is_empty());
    assert_eq!(of_kept, trend(tool(), "nightly", &runs).unwrap());
}

#[test]
fn spectra_are_overlaid() {
    let (a, b) = (record("bind", 20, 2.0, 1), record("bind", 20, 4.0, 2));
    let charts = spectra(&[side("a", [a.clone()]), side("b", [b])]).unwrap();
    let [crate::chart::Chart::Lines(lines)] = charts.as_slice() else { panic!("{charts:?}") };
    let names: Vec<&str> = lines.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["A response", "A service", "B response", "B service"]);
    // One in a hundred took longer than the 99th percentile.
    let p99 = lines.lines[0].points.iter().find(|(one_in, _)| (one_in - 100.0).abs() < 1e-9);
    let percentiles = &a.operations[0].response.percentiles;
    assert!((p99.unwrap().1 * 1e3 - percentiles[4].us).abs() < 1e-6);
}

#[test]
fn rates_of_another_definition_are_omitted() {
    let defined = |definition, seed| {
        let mut record = record("bind", 20, 2.0, seed);
        record.rates.definition = definition;
        record
    };
    let (old, new) = (|seed| defined(1, seed), |seed| defined(2, seed));
    let rates = |sides: &[Given]| {
        let found = compare(tool(), sides).unwrap();
        let figures = found.pairs[0].figures.iter().map(|difference| difference.figure);
        let rates = figures.filter(|figure| figure.is_of_rate()).count();
        (rates, found.pairs[0].figures.len(), differences(&found.unlike).join("; "))
    };
    let (none, others, words) = rates(&[side("a", [old(1)]), side("b", [new(2)])]);
    assert!(none == 0 && others > 5, "{none} of {others}");
    assert!(words.contains("definition of rates"), "{words}");
    let (of_old, _, words) = rates(&[side("a", [old(1)]), side("b", [old(2)])]);
    assert!(of_old > 0 && !words.contains("definition"), "{of_old}: {words}");
    let runs = [old(1), old(2), new(3), new(4)];
    let runs: Vec<Input> = runs.into_iter().map(|record| input("n.json", record)).collect();
    let found = trend(tool(), "nightly", &runs).unwrap();
    let of = |figure| found.series.iter().find(|of| of.figure == figure).unwrap();
    let known = |figure| of(figure).values.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(known(Figure::Goodput), [false, false, true, true]);
    assert_eq!(known(Figure::P50), [true; 4]);
}

#[test]
fn trend_names_the_first_run_after_a_change() {
    let level = |seed: u64| if seed < 12 { 2.0 } else { 2.6 };
    let runs: Vec<Input> = (0..24)
        .map(|seed| input(&format!("n{seed:02}.json"), record("bind", 2, level(seed), seed)))
        .collect();
    let found = trend(tool(), "nightly", &runs).unwrap();
    let changes = found.changes();
    assert!(!changes.is_empty());
    for (series, change) in changes {
        assert_eq!((change.run, change.file.as_str()), (12, "n12.json"), "{:?}", series.figure);
        assert_eq!(change.result, Finding::Worse);
        assert!((change.change - 0.3).abs() < 0.1, "{change:?}");
    }
    assert!(found.series.iter().any(|of| of.figure == Figure::P50 && of.changes.len() == 1));
    let goodput = found.series.iter().find(|of| of.figure == Figure::Goodput).unwrap();
    assert!(goodput.changes.is_empty() && goodput.levels.len() == 1);
    let text = trend_page(&found, false).text(Screen::default());
    assert!(text.contains("n12.json") && text.contains("bind: response p50, ms"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let html = trend_page(&found, true).html();
    assert!(html.matches("<svg").count() == found.series.len(), "{html}");
}

#[test]
fn trend_without_a_change_raises_few_alarms() {
    let alarms = (0..12).filter(|trial| {
        let runs = (0..18)
            .map(|number| input("x.json", record("bind", 1, 2.0, 1_000 * (trial + 1) + number)));
        let found = trend(tool(), "nightly", &runs.collect::<Vec<_>>()).unwrap();
        !found.changes().is_empty()
    });
    assert!(alarms.count() <= 2);
}

#[test]
fn trend_omits_invalid_runs_and_lists_them() {
    let of = |limited: fn(u64) -> bool| {
        let runs = (0..18).map(|seed| {
            // Only runs that the generator limited are slow.
            let slow = if limited(seed) { 6.0 } else { 2.0 };
            let mut run = input(&format!("{seed}.json"), record("bind", 1, slow, seed));
            if limited(seed) {
                run.record.verdict.status = Status::GeneratorLimited;
                run.record.verdict.reasons =
                    vec![Reason::from_text(Status::GeneratorLimited, "a processor quota")];
            }
            run
        });
        trend(tool(), "nightly", &runs.collect::<Vec<_>>()).unwrap()
    };
    let found = of(|seed| seed >= 12);
    assert!(found.changes().is_empty(), "{:?}", found.changes());
    assert!(found.series.iter().all(|it| it.values[..12].iter().all(Option::is_some)));
    assert!(found.series.iter().all(|it| it.values[12..].iter().all(Option::is_none)));
    let text = trend_page(&found, false).text(crate::Screen { width: 200, ..Default::default() });
    assert!(text.contains("6 of 18 runs are left out"), "{text}");
    assert!(text.contains("12.json is generator-limited: a processor quota"), "{text}");
    assert!(text.contains("in 12 runs"), "{text}");
    // The same runs, if they are valid, are a change.
    let mut valid: Vec<Input> =
        (0..12).map(|seed| input("x.json", record("bind", 1, 2.0, seed))).collect();
    valid.extend((12..18).map(|seed| input("y.json", record("bind", 1, 6.0, seed))));
    assert!(!trend(tool(), "nightly", &valid).unwrap().changes().is_empty());
}

#[test]
fn trend_requires_one_load_but_not_one_machine() {
    let mut runs: Vec<Input> =
        (0..6).map(|seed| input("x.json", record("bind", 1, 2.0, seed))).collect();
    runs[3].record.environment.kernel = "Linux 9".to_owned();
    runs[4].record.environment.kernel = "Linux 9".to_owned();
    runs[5].record.environment.kernel = "Linux 9".to_owned();
    let found = trend(tool(), "nightly", &runs).unwrap();
    assert_eq!(found.unlike.len(), 1, "{:?}", found.unlike);
    assert!(!found.unlike[0].refuses && found.unlike[0].what == "kernel");
    runs[5].record.plan.sessions = 99;
    let found = trend(tool(), "nightly", &runs).unwrap();
    assert!(found.unlike.iter().any(|it| it.refuses && it.what == "sessions"));
}

#[test]
fn schemas_published_equal_this_version() {
    for (name, schema) in [("comparison", Comparison::schema()), ("trend", Trend::schema())] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{name}.schema.json"));
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(&path, &schema).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(published == schema, "docs/{name}.schema.json: run with BRUNT_BLESS=1");
    }
}
