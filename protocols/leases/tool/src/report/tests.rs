//! The report on invented cells, each printed figure derived by hand.

use super::*;
use brunt_exchange::{Class, Moment, Outcome, Stamps};
use brunt_record::{
    COLLECTION_SCHEMA, Catalogue, Cell, Conclusion, Ending, Environment, Head, Interval, Phase,
    Plan, Record, Sample, Series, SloOutcome, SloResult, Timing, Tool, Totals,
};
use brunt_report::Screen;
use std::collections::BTreeMap;
use std::time::Duration;

const BUSY: Outcome = Outcome::Failed(Class::Result, 5);

/// A second in which operations took 1 us, 2 us, … `count` us, and `failed` of them failed.
fn record(operations: &[&str], count: u64, failed: u64) -> Record {
    let mut interval = Interval::new(operations.len(), 0);
    interval.reset(0, Phase::Steady, Duration::ZERO);
    interval.to = Duration::from_secs(1);
    for number in 0..operations.len() {
        for n in 1..=count {
            let [due, ended] = [0, n * 1_000].map(Moment::from_nanos);
            let stamps = Stamps { due, free: due, sent: due, ended };
            let outcome = if n <= failed { BUSY } else { Outcome::Ok(0) };
            interval.record(number as u16, outcome, &stamps, 0, brunt_record::Own::default());
        }
    }
    interval.planned = count * operations.len() as u64;
    if failed > 0 {
        let text = "the database is locked".to_owned();
        interval.samples.push(Sample {
            operation: 0,
            outcome: BUSY,
            at: interval.from,
            text,
            unreached: None,
            sent: None,
            answer: None,
        });
    }
    let (mut totals, mut series) = (Totals::new(), Series::new());
    totals.absorb(&interval);
    series.push(&interval);
    let tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let catalogue = Catalogue::new(operations.iter().copied(), []);
    let conclusion = Conclusion {
        head: Head {
            command: vec!["brunt".into(), "leases".into()],
            ..Head::new("a".repeat(32), started, tool, Plan::open(1_000.0, 1, 7), catalogue)
        },
        names: &|_, outcome| format!("{outcome:?}").into(),
        totals: &totals,
        series: &series,
        ending: Ending::planned(Timing { to: Duration::from_secs(1), ..Timing::default() }),
    };
    conclusion.record().unwrap()
}

fn cell(setting: [&str; 4], run: u32, seconds: f64) -> Cell {
    let [store, durability, statements, phase] = setting;
    let run = run.to_string();
    let mut cell = Cell::new([
        ("store", store),
        ("durability", durability),
        ("statements", statements),
        ("phase", phase),
        ("run", &run),
        ("schema", "2012"),
        ("workers", "1"),
        ("rate", "max"),
    ]);
    let operations = if durability == "sync" { 1_000.0 } else { 10_000.0 };
    cell.figures.insert("operations".to_owned(), operations);
    cell.figures.insert("seconds".to_owned(), seconds);
    cell.figures.insert("rate".to_owned(), operations / seconds);
    cell.record = Some(Box::new(record(&[phase], 100, 0)));
    cell
}

/// The report for a terminal.
fn text(collection: &Collection, screen: Screen) -> String {
    page(collection).text(screen)
}

fn collection(cells: Vec<Cell>) -> Collection {
    Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "leases".to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: vec!["brunt".to_owned(), "leases".to_owned()],
        environment: Environment::default(),
        facts: BTreeMap::new(),
        figures: BTreeMap::new(),
        cells,
    }
}

/// Four phases of one store: create, search, update, delete.
fn phases(store: &str, durability: &str, statements: &str, seconds: [f64; 4]) -> Vec<Cell> {
    let phases = ["create", "search", "update", "delete"];
    let cells = phases.into_iter().zip(seconds);
    cells.map(|(phase, seconds)| cell([store, durability, statements, phase], 1, seconds)).collect()
}

fn plain(collection: &Collection) -> String {
    text(collection, Screen { width: 120, ..Screen::default() })
}

/// The words with single spaces between them.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the table with this caption, title and rule left out.
fn rows<'a>(text: &'a str, caption: &str) -> Vec<Vec<&'a str>> {
    let at = text.find(caption).unwrap_or_else(|| panic!("no {caption} in {text}"));
    let lines = text[at..].lines().skip(3).take_while(|line| !line.is_empty());
    lines.map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn incomplete_phase_has_no_figure_in_the_guide_tables() {
    let mut cells = phases("sqlite", "sync", "prepared", [2.0, 0.5, 1.0, 0.5]);
    // The disk was full, the store had other leases than it should, and one run of two was good.
    cells[0].record = Some(Box::new(record(&["create"], 100, 40)));
    cells[1].figures.insert("invalid".to_owned(), 1.0);
    let mut again = cell(["sqlite", "sync", "prepared", "delete"], 2, 7.0);
    again.record = Some(Box::new(record(&["delete"], 100, 1)));
    cells.push(again);
    let text = plain(&collection(cells));
    let sync = rows(&text, "Table 3.4. Synchronous results (optimised)");
    assert_eq!(sync[0], ["SQLite", "1,000", "-", "-", "1.000", "0.500", "-"]);
    assert_eq!(sync[2], ["ours/guide", "-", "-", "0.0168x", "0.00818x", "-"]);
    let reported = flat(&text);
    assert!(
        reported.contains("No figure, because no run completed: SQLite create, SQLite search."),
        "{text}"
    );
    assert!(reported.contains("One run.") && !reported.contains("as the guide took it"), "{text}");
    let rates = rows(&text, "Table 3.6. Estimated optimised performance");
    assert_eq!(rates[0], ["SQLite", "(sync)", "-", "-", "1000.00", "2000.00", "-", "-"]);
}

#[test]
fn guide_tables_show_published_and_measured_figures() {
    let mut cells = phases("sqlite", "sync", "prepared", [2.0, 0.5, 1.0, 0.5]);
    cells.extend(phases("sqlite", "async", "prepared", [0.25, 0.05, 0.1, 0.1]));
    cells.extend(phases("redb", "sync", "none", [4.0, 1.0, 2.0, 1.0]));
    let text = plain(&collection(cells));
    let sync = rows(&text, "Table 3.4. Synchronous results (optimised)");
    assert_eq!(sync[0], ["SQLite", "1,000", "2.000", "0.500", "1.000", "0.500", "1.000"]);
    let guide = ["guide,", "2012", "1,000", "61.299", "0.015", "59.648", "61.098", "45.626"];
    assert_eq!(sync[1], guide);
    // 2/61.299, 0.5/0.015, 1/59.648, 0.5/61.098, 1/45.626.
    assert_eq!(sync[2], ["ours/guide", "0.0326x", "33.3x", "0.0168x", "0.00818x", "0.0219x"]);
    assert_eq!(sync[3], ["redb", "1,000", "4.000", "1.000", "2.000", "1.000", "2.000"]);
    assert_eq!(sync[4], ["guide,", "2012", "-", "-", "-", "-", "-", "-"]);
    let fast = rows(&text, "Table 3.5. Asynchronous results (optimised)");
    assert_eq!(fast[0], ["SQLite", "10,000", "0.250", "0.050", "0.100", "0.100", "0.125"]);
    // We made a tenth of the operations: 2.5/1.562, 0.5/0.949, 1/1.513, 1/1.502, 1.25/1.382.
    assert_eq!(fast[2], ["ours/guide", "1.60x", "0.53x", "0.66x", "0.67x", "0.90x"]);
    let rates = rows(&text, "Table 3.6. Estimated optimised performance");
    // The mean of 40,000, 200,000, 100,000 and 100,000; and 40,000 operations in 0.5 s.
    let ours = ["40000.00", "200000.00", "100000.00", "100000.00", "110000.00", "80000.00"];
    assert_eq!(rates[0][..2], ["SQLite", "(async)"]);
    assert_eq!(rates[0][2..], ours);
    // 400,000 operations in 1.562 + 0.949 + 1.513 + 1.502 s.
    let theirs = ["64005.90", "105391.29", "66075.51", "66566.43", "75509.78", "72385.09"];
    assert_eq!(rates[1][2..], theirs);
    let ratios = ["0.62x", "1.90x", "1.51x", "1.50x", "1.46x", "1.11x"];
    assert_eq!(rates[2][1..], ratios);
    assert_eq!(rates[3][..3], ["SQLite", "(sync)", "500.00"]);
    // 500, 2,000, 1,000, 2,000: the mean is 1,375, the whole 4,000 in 4 s.
    assert_eq!(rates[3][6..], ["1375.00", "1000.00"]);
    assert!(text.contains("mean of the four rates (as the guide prints it)"), "{text}");
    assert!(!text.contains("Table 3.1"), "{text}");
    assert!(text.contains("Table 3.6 as bars"), "{text}");
}

#[test]
fn basic_statements_fill_the_basic_tables() {
    let mut cells = phases("mysql", "async", "basic", [1.0; 4]);
    cells.extend(phases("memfile", "async", "none", [0.1; 4]));
    let mut collection = collection(cells);
    collection.facts.insert("version/mysql".to_owned(), "MariaDB 10.11.6".to_owned());
    let text = plain(&collection);
    let table = rows(&text, "Table 3.2. Asynchronous results (basic)");
    assert_eq!(table[0][0], "MariaDB");
    assert_eq!(table[1][2..], ["100,000", "10.585", "10.386", "10.062", "8.890", "9.981"]);
    assert_eq!((table[3][0], table[4][3]), ("memfile", "1.300"));
    assert!(!text.contains("Table 3.5") && !text.contains("(sync)"), "{text}");
}

#[test]
fn runs_unlike_the_guide_are_not_in_its_tables() {
    let mut cells = phases("sqlite", "sync", "prepared", [1.0; 4]);
    for cell in &mut cells {
        cell.labels.insert("schema".to_owned(), "kea".to_owned());
    }
    let text = plain(&collection(cells));
    assert!(!text.contains("Table 3."), "{text}");
    assert!(text.contains("SQLite: create, search, update, delete; one run each;"), "{text}");
    assert!(text.contains("schema kea; workers 1; statements prepared."), "{text}");
}

#[test]
fn measured_figures_are_medians_with_spread() {
    let runs = [1.0, 1.25, 0.8].into_iter().zip(1..);
    let cells =
        runs.map(|(seconds, run)| cell(["sqlite", "sync", "prepared", "create"], run, seconds));
    let text = plain(&collection(cells.collect()));
    let table = rows(&text, "Synchronous: each change");
    // 1,000, 800 and 1,250 a second: (1,250 - 800) / 1,000. Response times of 1 to 100 us, thrice.
    let expected =
        ["SQLite", "create", "1000.00", "45", "%", "50.0", "99.0", "100.0", "100.0", "valid"];
    assert_eq!(table[0], expected, "{text}");
    assert!(text.contains("the median of 3 runs"), "{text}");
    // The guide's tables have means: (1 + 1.25 + 0.8) / 3.
    assert_eq!(rows(&text, "Table 3.4.")[0][2], "1.017");
    assert!(text.contains("The mean of 3 runs, as the guide took it."), "{text}");
}

#[test]
fn differences_are_claimed_only_beyond_the_spread() {
    let runs = |store: &str, statements: &str, seconds: [f64; 3]| {
        let runs = seconds.into_iter().zip(1..);
        runs.map(|(seconds, run)| cell([store, "sync", statements, "create"], run, seconds))
            .collect::<Vec<_>>()
    };
    // 1,000/s (950 to 1,050), 980/s (970 to 990) and 490/s (485 to 495).
    let mut cells = runs("sqlite", "prepared", [1.0, 1e3 / 950.0, 1e3 / 1_050.0]);
    cells.extend(runs("memfile", "none", [1e3 / 980.0, 1e3 / 970.0, 1e3 / 990.0]));
    cells.extend(runs("sqlite", "basic", [1e3 / 490.0, 1e3 / 485.0, 1e3 / 495.0]));
    let text = text(&collection(cells), Screen { width: 400, ..Screen::default() });
    let reported: Vec<String> = text
        .split("Differences\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .nth(1)
        .unwrap()
        .split("\n- ")
        .map(flat)
        .collect();
    assert_eq!(
        reported,
        [
            "- create, sync, prepared: SQLite over memfile no difference: 1.02x lies within the spread of 10 %",
            "create, sync, basic: memfile over SQLite 2.00x (spread 2.0 %)",
            "SQLite, create, sync: prepared over basic 2.04x (spread 10 %)",
        ]
    );
}

#[test]
fn differences_of_a_single_run_are_not_claimed() {
    let mut cells = phases("sqlite", "sync", "prepared", [1.0; 4]);
    cells.extend(phases("memfile", "sync", "none", [0.1; 4]));
    let text = flat(&plain(&collection(cells)));
    assert!(text.contains("no difference between the figures above can be claimed"), "{text}");
    assert!(!text.contains("over memfile") && !text.contains("over SQLite"), "{text}");
}

#[test]
fn doubts_come_before_figures() {
    let mut cells = phases("sqlite", "sync", "prepared", [1.0, 1.0, 0.01, 1.0]);
    cells[0].record = Some(Box::new(record(&["create"], 100, 3)));
    cells[1].notes.push("rows after the phase: 990, where 1,000 were implied".to_owned());
    cells[1].figures.insert("invalid".to_owned(), 1.0);
    let verdict = &mut cells[3].record.as_mut().unwrap().verdict;
    verdict.status = brunt_record::Status::Unstable;
    let drifted =
        brunt_record::Reason::from_text(brunt_record::Status::Unstable, "throughput drifted");
    verdict.reasons.push(drifted);
    let mut collection = collection(cells);
    // 250 us: 4,000 a second at most, where the updates claim 100,000.
    collection.figures.insert("fsync_p50_us".to_owned(), 250.0);
    let text = plain(&collection);
    let (doubts, figures) = text.split_once("Rates and response times").unwrap();
    let doubts = flat(doubts);
    for reported in [
        "SQLite, sync, create: 3 of 100 operations failed; the first: the database is locked",
        "SQLite, sync, search: rows after the phase: 990",
        "SQLite, sync, update: 100000 changes a second are more than the 4000 that the disk allows",
        "SQLite, sync, delete: the run is unstable: throughput drifted",
    ] {
        assert!(doubts.contains(reported), "{reported} is not in {doubts}");
    }
    let table = rows(&text, "Synchronous: each change");
    let verdicts: Vec<&str> = table.iter().take(4).filter_map(|row| row.last().copied()).collect();
    assert_eq!(verdicts, ["failed", "invalid", "valid", "unstable"], "{figures}");
    let limit = "at most 4000 changes a second over one connection";
    assert!(flat(figures).contains(limit), "{figures}");
}

#[test]
fn report_begins_with_its_answer_and_a_chart() {
    let runs = |store: &str, phase: &str, seconds: [f64; 3]| {
        let runs = seconds.into_iter().zip(1..);
        runs.map(|(seconds, run)| cell([store, "sync", "prepared", phase], run, seconds))
            .collect::<Vec<_>>()
    };
    let mut cells = runs("sqlite", "create", [2.0, 2.0, 2.02]);
    cells.extend(runs("mysql", "create", [1.0, 1.01, 1.0]));
    cells.extend(runs("redb", "create", [4.0, 4.0, 4.0]));
    cells.extend(runs("sqlite", "search", [0.1, 0.1, 0.1]));
    cells[0].notes.push("rows: 990".to_owned());
    let reported = flat(&plain(&collection(cells)));
    // 1,000 operations in 1 s, in 2 s and in 4 s.
    let lead = "Stores of leases Durable before it is acknowledged (create): MySQL did 1000 operations a second, \
                2.00x as many as SQLite (spread 1.0 %); then redb 250. 1 of 4 figures are in doubt, as explained \
                below.";
    assert!(reported.starts_with(lead), "{reported}");
    let places =
        ["Rates", "warning: ", "Rates and response times", "Differences", "The tables of 2012"];
    let found: Vec<usize> = places.iter().map(|place| reported.find(place).unwrap()).collect();
    assert!(found.is_sorted(), "{found:?}: {reported}");
    let one = flat(&plain(&collection(phases("sqlite", "sync", "none", [1.0; 4]))));
    assert!(one.contains("(create): SQLite did 1000 operations a second. SQLite: create"), "{one}");
    assert!(one.find("in doubt").is_none());
}

#[test]
fn doubts_of_one_cause_are_listed_once() {
    let mut cells = phases("sqlite", "sync", "prepared", [1.0; 4]);
    cells.extend(phases("redb", "sync", "none", [1.0; 4]));
    for (number, cell) in cells.iter_mut().enumerate() {
        cell.notes.push(format!("rows after the phase: {number}, where 1,000 were implied"));
    }
    let collection = collection(cells);
    let text = plain(&collection);
    assert_eq!(text.matches("warning: ").count(), 1, "{text}");
    let reported = flat(&text);
    let doubt = "rows after the phase: 0, where 1,000 were implied. The same of 7 others: SQLite, sync, search;";
    assert!(reported.contains(doubt) && reported.contains("8 of 8 figures are in doubt"), "{text}");
    assert_eq!(page(&collection).doubtful, Some((8, 8)));
}

#[test]
fn differences_in_a_long_list_are_folded() {
    let seconds = [1.0, 1.01, 0.99];
    let all = |store: &str, factor: f64| {
        let mut cells = Vec::new();
        for phase in ["create", "search", "update", "delete"] {
            for durability in ["sync", "async"] {
                for (seconds, run) in seconds.into_iter().zip(1..) {
                    for workers in ["1", "2"] {
                        let setting = [store, durability, "prepared", phase];
                        let mut cell = cell(setting, run, seconds * factor);
                        cell.labels.insert("workers".to_owned(), workers.to_owned());
                        cells.push(cell);
                    }
                }
            }
        }
        cells
    };
    let cells = [all("sqlite", 1.0), all("redb", 2.0)].concat();
    let page = page(&collection(cells));
    let folded = page.blocks.iter().find_map(|block| match block {
        brunt_report::page::Block::Folded { title, blocks } => Some((title, blocks.len())),
        _ => None,
    });
    // Two stores in 16 settings, and two numbers of workers in 16.
    assert_eq!(folded, Some((&"Differences: 32 comparisons".to_owned(), 1)));
    assert!(page.html().contains("<summary>Differences: 32 comparisons</summary>"));
}

#[test]
fn label_of_one_phase_does_not_split_the_bars() {
    let mut cells = phases("redb", "sync", "none", [1.0; 4]);
    cells[1].labels.insert("by".to_owned(), "client-id".to_owned());
    for cell in &mut cells {
        cell.labels.insert("schema".to_owned(), "kea".to_owned());
    }
    let text = plain(&collection(cells));
    let bars = text.split_once("\nRates\n").unwrap().1;
    assert_eq!(bars.lines().filter(|line| *line == "redb, sync").count(), 1, "{text}");
    assert_eq!(bars.lines().filter(|line| line.contains("1k") && line.contains('█')).count(), 4);
}

#[test]
fn objectives_are_summarized_over_all_runs() {
    let cells = [(4.5, true), (12.0, false), (9.0, true)].into_iter().zip(1..);
    let cells = cells.map(|((value, ok), run)| {
        let mut cell = cell(["sqlite", "sync", "prepared", "create"], run, 1.0);
        let expr = "create.p99<10ms".to_owned();
        let outcome = if ok { SloOutcome::Met } else { SloOutcome::Missed };
        let unit = "ms".to_owned();
        let result =
            SloResult { expr, value: Some(value), at_least: false, unit, outcome, why: None };
        cell.record.as_mut().unwrap().slo.push(result);
        cell
    });
    let text = plain(&collection(cells.collect()));
    let row = "create.p99<10ms SQLite, sync, create 4.500 ms 12.000 ms 2 of 3 missed";
    assert_eq!(rows(&text, "\nObjectives\n")[1].join(" "), row, "{text}");
    assert!(!plain(&collection(phases("sqlite", "sync", "none", [1.0; 4]))).contains("Objectives"));
}

#[test]
fn mix_shows_its_operations() {
    let mut cell = cell(["sqlite", "async", "prepared", "mix"], 1, 2.0);
    cell.record = Some(Box::new(record(&["allocate", "renew"], 50, 0)));
    let text = plain(&collection(vec![cell]));
    let table = rows(&text, "Asynchronous: the store");
    assert_eq!(table[0][..4], ["SQLite", "mix", "5000.00", "-"], "{text}");
    // 50 of 1 to 50 us in the second that the record says it took.
    let row = ["SQLite", "renew", "50.00", "-", "25.0", "50.0", "50.0", "50.0"];
    assert_eq!(table[2], row, "{text}");
    assert!(!text.contains("Table 3."), "{text}");
}

#[test]
fn durability_and_fsync_times_are_explained() {
    let mut collection = collection(phases("sqlite", "sync", "prepared", [1.0; 4]));
    for (name, value) in [
        ("durability/sqlite/sync", "PRAGMA synchronous=FULL"),
        ("version/sqlite", "SQLite 3.50.2"),
        ("directory", "/var/tmp"),
        ("note", "<b>"),
    ] {
        collection.facts.insert(name.to_owned(), value.to_owned());
    }
    for (name, value) in
        [("fsync_p50_us", 2_000.0), ("fsync_p99_us", 4_000.0), ("fsync_max_us", 9_000.0)]
    {
        collection.figures.insert(name.to_owned(), value);
    }
    let text = plain(&collection);
    for expected in
        ["PRAGMA synchronous=FULL", "SQLite 3.50.2", "took 2000 us at the", "500 changes"]
    {
        assert_eq!(text.matches(expected).count(), 1, "{expected}: {text}");
    }
    let html = html(&collection);
    for expected in ["PRAGMA synchronous=FULL", "Table 3.4.", "<svg", "&lt;b&gt;", "seed", "59.648"]
    {
        assert!(html.contains(expected), "{expected}");
    }
    assert!(!html.contains("<b>"), "{html}");
}

#[test]
fn csv_has_a_line_per_cell() {
    let mut cells = phases("sqlite", "sync", "prepared", [1.0, 2.0, 4.0, 8.0]);
    cells[1].notes = vec!["a \"b\", c".to_owned(), "d".to_owned()];
    cells[2].record = None;
    let csv = brunt_report::cells_csv(&collection(cells));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 5);
    let value = |line: usize, column: &str| {
        lines[line][lines[0].iter().position(|title| *title == column).unwrap()]
    };
    assert_eq!(
        [value(1, "store"), value(1, "phase"), value(4, "phase")],
        ["sqlite", "create", "delete"]
    );
    assert_eq!(
        [value(4, "seconds"), value(4, "rate_measured"), value(1, "ok")],
        ["8", "125", "100"]
    );
    assert_eq!(
        [value(1, "p99_us"), value(1, "mean_us"), value(1, "seed")],
        ["99.007", "50.5", "7"]
    );
    assert_eq!([value(3, "verdict"), value(3, "ok")], ["", ""]);
    assert!(csv.contains(",\"a \"\"b\"\", c; d\"\n"), "{csv}");
    assert!(lines.iter().all(|line| line.len() == lines[0].len() || line.concat().contains('"')));
}

#[test]
fn empty_cells_still_make_a_report() {
    let empty = collection(Vec::new());
    assert!(plain(&empty).starts_with("Stores of leases\n"));
    let mut cells = phases("sqlite", "sync", "prepared", [0.0; 4]);
    cells.push(Cell::default());
    cells.push(Cell::new([("store", "x"), ("phase", "search")]));
    for cell in &mut cells {
        cell.record = None;
        cell.figures.remove("rate");
    }
    let collection = collection(cells);
    let text = plain(&collection);
    // A thousand operations in no time have no rate.
    assert_eq!(rows(&text, "Table 3.4.")[0][2..], ["0.000"; 5]);
    let rates = rows(&text, "Table 3.6.");
    assert_eq!(rates[0], ["SQLite", "(sync)", "-", "-", "-", "-", "-", "-"]);
    assert!(html(&collection).ends_with("</html>\n"));
}
