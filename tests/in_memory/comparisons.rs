//! A comparison in a file, and what `brunt report` prints from it: the text, the page, the cells.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Tool};
use serde_json::Value;

use brunt_test_program::{Ended, scratch};

use crate::machine::{own, run};

const SCHEMA: &str = include_str!("../../docs/collection.schema.json");

/// SQLite and memfile, four phases of 1,000 operations in 2 and in 4 s each.
fn stores(subject: &str) -> Collection {
    let phases = ["create", "search", "update", "delete"];
    let cells = [("sqlite", "prepared", 2.0), ("memfile", "none", 4.0)].into_iter().flat_map(
        |(store, statements, seconds)| {
            phases.map(|phase| {
                let mut cell = Cell::new([
                    ("store", store),
                    ("durability", "sync"),
                    ("statements", statements),
                    ("phase", phase),
                    ("run", "1"),
                ]);
                cell.figures.insert("operations".to_owned(), 1_000.0);
                cell.figures.insert("seconds".to_owned(), seconds);
                cell
            })
        },
    );
    Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: subject.to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: ["brunt", "leases", "it's"].map(str::to_owned).to_vec(),
        environment: Environment::default(),
        facts: BTreeMap::from([("note".to_owned(), "<script>\u{1b}[31m".to_owned())]),
        figures: BTreeMap::new(),
        cells: cells.collect(),
    }
}

fn report(path: &Path, words: &[&str]) -> Ended {
    run(&[&["report", path.to_str().expect("a path of ours is text")], words].concat())
}

#[test]
fn report_prints_a_collection_as_text_html_and_csv() {
    let directory = scratch();
    let path = directory.path().join("stores.json");
    stores("leases").write(&path).unwrap();

    let text = report(&path, &[]).expect(0).stdout;
    // 1,000 operations in 2 s; the guide took 61.299 s to create as many.
    for expected in ["Stores of leases", "500.00", "Table 3.4.", "61.299", "0.0326x", r"'it'\''s'"]
    {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");

    let page = report(&path, &["--format", "html"]).expect(0).stdout;
    for expected in ["<!doctype html>", "61.299", "<svg", "&lt;script&gt;", "default-src 'none'"] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    // The one script is ours.
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    assert!(page.trim_end().ends_with("</script>\n</body>\n</html>"), "{page}");

    let csv = report(&path, &["--format", "csv"]).expect(0).stdout;
    assert_eq!(csv.lines().count(), 9, "{csv}");
    assert_eq!(csv.lines().filter(|line| line.contains("sqlite")).count(), 4, "{csv}");

    let again: Value =
        serde_json::from_str(&report(&path, &["--format", "json"]).expect(0).stdout).unwrap();
    let written: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(again, written);
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    assert!(validator.is_valid(&written), "{:?}", validator.iter_errors(&written).next());
}

#[test]
fn report_without_unicode_draws_no_bars() {
    let directory = scratch();
    let path = directory.path().join("stores.json");
    stores("leases").write(&path).unwrap();
    let with = |locale: &str| {
        own(|machine| machine.set("LC_ALL", locale));
        report(&path, &[]).stdout
    };
    assert!(with("C").is_ascii(), "{}", with("C"));
    assert!(with("C.UTF-8").contains('█'), "{}", with("C.UTF-8"));
}

#[test]
fn report_refuses_a_format_that_a_collection_lacks() {
    let directory = scratch();
    let path = directory.path().join("stores.json");
    stores("leases").write(&path).unwrap();
    let message = report(&path, &["--format", "hgrm"]).expect(1);
    assert!(message.stderr.contains("--format csv") && message.stdout.is_empty(), "{message}");
    stores("planets").write(&path).unwrap();
    let message = report(&path, &[]).expect(1);
    assert!(
        message.stderr.contains("\"planets\"") && message.stderr.contains("--format csv"),
        "{message}"
    );
    assert_eq!(report(&path, &["--format", "csv"]).expect(0).stdout.lines().count(), 9);
    fs::write(&path, r#"{"schema":"brunt-collection/9"}"#).unwrap();
    let message = report(&path, &[]).expect(1);
    assert!(
        message.stderr.contains("brunt-collection/9") && message.stdout.is_empty(),
        "{message}"
    );
}
