//! `brunt sizing` and `brunt report` of a search, on a file whose results were calculated by hand.

use std::path::{Path, PathBuf};

use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Tool};

use brunt_test_program::scratch;

use crate::machine::run;

/// A search that claims 731/s and saw 804/s fail, as find-max writes it.
fn found(at: &Path, answer: &str) -> PathBuf {
    let step = |kind, verdict, rate: f64| {
        let mut cell = Cell::new([("kind", kind), ("verdict", verdict), ("objective", "p99<20ms")]);
        let figures = [
            ("rate", rate),
            ("achieved", rate),
            ("share", 0.006),
            ("allowed", 0.01),
            ("p99_us", 17_100.0),
        ];
        cell.figures = figures.map(|(name, value)| (name.to_owned(), value)).into();
        cell
    };
    let facts = [
        ("answer", answer),
        ("why", "time ran out"),
        ("objective 1", "p99<20ms"),
        ("connections", "50"),
    ];
    let figures = [("claim", 731.0), ("confirmed_s", 300.0), ("fails_at", 804.0)];
    let collection = Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "find-max".to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: Vec::new(),
        environment: Environment::default(),
        facts: facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        figures: figures.map(|(name, value)| (name.to_owned(), value)).into(),
        cells: vec![step("confirm", "pass", 731.0), step("above", "fail", 804.0)],
    };
    let path = at.join(format!("{}.json", answer.replace(' ', "-")));
    collection.write(&path).expect("a file can be written");
    path
}

#[test]
fn sizing_and_report_of_a_search_print_known_figures() {
    let directory = scratch();
    let file = found(directory.path(), "claim");
    let file = file.to_str().unwrap();
    let sized = run(&["sizing", file, "--peak", "1200/s", "--growth", "30%", "--cores", "4"]);
    assert_eq!(sized.code(), 0, "{}", sized.stderr);
    let words = sized.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // 1,200 x 1.3 = 1,560; / (731 x 0.6) = 3.56; / 731 = 2.13, and one spare.
    assert!(words.contains("For 1560/s at peak: 4 servers, at either end of the range"), "{words}");
    assert!(words.contains("3.56 -> 4 2.13 -> 4 4"), "{words}");
    assert!(sized.stdout.lines().all(|line| line.chars().count() <= 80), "{}", sized.stdout);
    let figures = run(&["sizing", file, "--peak", "1200/s", "--growth", "30%", "--format", "json"]);
    let figures: serde_json::Value = serde_json::from_str(&figures.stdout).unwrap();
    assert_eq!(figures["peak"], 1_560.0);
    assert_eq!(figures["confirmed"]["servers"], 4);
    let page = run(&["sizing", file, "--peak", "1200/s", "--format", "html"]);
    assert!(page.stdout.contains("<svg") && page.stdout.contains("7 Not tested"));
    let report = run(&["report", file]);
    let words = report.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Sustains 731/s (confirmed 300 s, Poisson, 50 connections)"), "{words}");
}

#[test]
fn sizing_refuses_a_search_without_a_claim_and_other_files() {
    let directory = scratch();
    let none = found(directory.path(), "no claim");
    let refused = run(&["sizing", none.to_str().unwrap(), "--peak", "1200/s"]);
    assert_eq!(refused.code(), 1);
    assert!(refused.stderr.contains("claims no rate"), "{}", refused.stderr);
    assert_eq!(run(&["sizing", none.to_str().unwrap()]).code(), 2, "no peak");
    assert_eq!(
        run(&["sizing", none.to_str().unwrap(), "--peak", "5/s", "--headroom", "100%"]).code(),
        2
    );
}
