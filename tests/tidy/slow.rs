//! Tests that only `.ci/slow` runs: every mark is the one that it looks for, and stands in a test program that it runs.
//!
//! A test that nothing runs would break unnoticed.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{ROOT, files};

/// The attribute, in pieces, since this file is read as well.
const MARK: &str = concat!("#[ig", "nore = \"slow: .ci/slow runs it\"]");
const LIKE: &str = concat!("#[ig", "nore = \"slow");

/// How many tests of a source are marked, and the lines that look like a mark and are none.
fn marks(text: &str) -> (usize, Vec<&str>) {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with(LIKE));
    let (right, wrong): (Vec<_>, Vec<_>) = lines.partition(|line| *line == MARK);
    (right.len(), wrong)
}

/// The test program, of this package or of a crate, that a source belongs to.
fn program(path: &str) -> Option<&str> {
    let of_crate = path.strip_prefix("crates/").and_then(|inside| inside.split_once('/'));
    let inside = of_crate.map_or(path, |(_, inside)| inside).strip_prefix("tests/")?;
    let (program, _) = inside.split_once('/').or_else(|| inside.split_once(".rs"))?;
    (!["program", "testbed"].contains(&program)).then_some(program)
}

/// Whether the script runs the marked tests of a test program.
fn runs(script: &str, program: &str) -> bool {
    let ways = [
        format!("--slow 'binary({program})'"),
        // With a choice among its tests.
        format!("--slow 'binary({program}) "),
        format!("--test {program} -- --ignored"),
    ];
    let mut lines = script.lines().filter(|line| !line.starts_with('#'));
    lines.any(|line| ways.iter().any(|way| line.contains(way)))
}

#[test]
fn slow_tests_are_all_run_by_ci_slow() {
    let script = std::fs::read_to_string(Path::new(ROOT).join(".ci/slow")).expect("the script");
    let (mut wrong, mut programs) = (Vec::new(), BTreeSet::new());
    for (path, text) in &files("rs") {
        let (marked, unlike) = marks(text);
        wrong.extend(unlike.iter().map(|line| format!("{path}: {line}")));
        if marked == 0 {
            continue;
        }
        match program(path).filter(|program| runs(&script, program)) {
            Some(program) => {
                programs.insert(program.to_owned());
            }
            None => wrong.push(format!("{path}: .ci/slow does not run its {marked} marked tests")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(programs.len() > 1, "the marked tests are not where this test looks for them");
}

#[test]
fn slow_test_that_never_runs_is_found() {
    let marked = format!("#[test]\n{MARK}\nfn a() {{}}\n");
    assert_eq!(marks(&marked), (1, vec![]));
    let other = MARK.replace("runs it", "runs it.");
    assert_eq!(marks(&other), (0, vec![other.as_str()]));
    assert_eq!(marks("#[ignore = \"for a person to read\"]\n"), (0, vec![]));
    for (path, expected) in [
        ("tests/ldap/main.rs", Some("ldap")),
        ("tests/hdr.rs", Some("hdr")),
        ("tests/testbed/src/skip.rs", None),
        ("crates/engine/tests/pace.rs", Some("pace")),
        ("crates/engine/src/pace.rs", None),
        ("src/main.rs", None),
    ] {
        assert_eq!(program(path), expected, "{path}");
    }
    let script =
        "a() { ./test --slow 'binary(browser)'; }\nb() { cargo test --test x -- --ignored; }\n";
    assert!(runs(script, "browser") && runs(script, "x"));
    assert!(!runs(script, "brow") && !runs("# --slow 'binary(x)'\n", "x"));
}
