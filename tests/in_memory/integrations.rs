//! Files for other tools: JUnit against a schema, and the CSV recipes on their page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_record::{Reason, Record, SloOutcome, SloResult, Status};
use brunt_testbed::{require, skip_anywhere};

use brunt_test_program::{Ended, is_junit, scratch, xmllint};

use crate::machine::{own, run};
use crate::rest_target::RestTarget;

/// A short run with objectives, and its JUnit report.
fn judged(directory: &Path, path: &str, objectives: &[&str]) -> (Ended, PathBuf) {
    let target = RestTarget::start();
    let junit = directory.join("junit.xml");
    let run = ["-c", "2", "-q", "50", "-z", "2s", "--quiet", "--junit", &junit.to_string_lossy()];
    let objectives = objectives.iter().flat_map(|slo| ["--slo", slo]).collect::<Vec<_>>();
    let url = format!("{}{path}", target.base);
    let ended =
        own(|machine| machine.record(&["http"], &[&run[..], &objectives, &[&url]].concat()));
    (ended, junit)
}

fn printed(record: &Path, words: &[&str]) -> String {
    run(&[&["report", &record.to_string_lossy()], words].concat()).expect(0).stdout
}

#[test]
fn junit_agrees_with_the_record() {
    if !require(&["xmllint"]) {
        return;
    }
    let directory = scratch();
    let met: &[&str] = &["p99<60s", "errors<1%"];
    let missed: &[&str] = &["p99<60s", "errors<1%", "goodput>49/s"];
    let mut doubted = None;
    for (path, objectives, code) in
        [("/sleep?ms=1", met, 0), ("/none?a=1&b=<x>", missed, 99), ("/sleep?ms=1", &[][..], 0)]
    {
        let (ended, junit) = judged(directory.path(), path, objectives);
        let ended = ended.expect(code);
        let record = ended.record();
        let (valid, message) = is_junit(&junit);
        assert!(valid, "{message}\n{}", fs::read_to_string(&junit).expect("a report"));
        let ask = |xpath: &str| xmllint(&["--xpath", xpath], &junit).1;
        let not_met = record.slo.iter().filter(|slo| slo.outcome == SloOutcome::Missed).count();
        assert_eq!(ask("count(//testcase)"), (objectives.len() + 1).to_string(), "{ended}");
        assert_eq!(ask("count(//failure)"), not_met.to_string(), "{ended}");
        assert_eq!(ask("string(//testsuite/@failures)"), not_met.to_string(), "{ended}");
        for slo in &record.slo {
            let failed = ask(&format!("count(//testcase[@name='{}']/failure)", slo.expr));
            assert_eq!(failed == "1", slo.outcome == SloOutcome::Missed, "{}: {ended}", slo.expr);
            let figures = ask(&format!("string(//testcase[@name='{}']/system-out)", slo.expr));
            let limit = &slo.expr[slo.expr.find(['<', '>']).expect("a limit")..];
            assert!(figures.contains(&format!("\nlimit: {limit}\n")), "{figures}");
            let measured = figures.strip_prefix("measured: ").expect("a figure");
            let value = slo.value.map_or("infinite".to_owned(), |value| format!("{value:.3}"));
            assert!(measured.starts_with(&value), "{figures}");
        }
        let again = printed(ended.record_path(), &["--format", "junit"]);
        assert_eq!(again, fs::read_to_string(&junit).expect("a report"));
        doubted = Some(record);
    }
    what_cannot_be_told_is_an_error(directory.path(), doubted.expect("a record"));
    // The schema can say no.
    let wrong = directory.path().join("wrong.xml");
    let text = fs::read_to_string(directory.path().join("junit.xml")).expect("a report");
    for (good, bad) in [
        (" tests=\"1\"", ""),
        ("<testcase", "<case"),
        ("<system-err></system-err>", ""),
        (" time=\"2.", " time=\"-2."),
    ] {
        fs::write(&wrong, text.replace(good, bad)).expect("a file");
        assert!(!is_junit(&wrong).0, "without {good}");
    }
}

/// An objective that is undecided, and a verdict that speaks against the figures: in words that would be markup.
fn what_cannot_be_told_is_an_error(directory: &Path, mut record: Record) {
    let (path, junit) = (directory.join("doubtful.json"), directory.join("doubtful.xml"));
    let hostile = "]]></testsuite>\u{1b}[2J\u{ffff}&\"'";
    let reason = Reason::from_text(Status::Partial, hostile);
    (record.verdict.status, record.verdict.reasons) = (Status::Partial, vec![reason]);
    record.plan.target = Some(hostile.to_owned());
    record.slo = vec![SloResult {
        expr: "p99<20ms".to_owned(),
        value: None,
        at_least: false,
        unit: "ms".to_owned(),
        outcome: SloOutcome::Undecided,
        why: Some(hostile.to_owned()),
    }];
    record.write(&path).expect("a file");
    fs::write(&junit, printed(&path, &["--format", "junit"])).expect("a file");
    let (valid, message) = is_junit(&junit);
    assert!(valid, "{message}\n{}", fs::read_to_string(&junit).expect("a report"));
    let ask = |xpath: &str| xmllint(&["--xpath", xpath], &junit).1;
    let counts = ["count(//error)", "string(//testsuite/@errors)", "count(//failure)"].map(ask);
    assert_eq!(counts, ["2", "2", "0"]);
    assert!(ask("string(//error[@type='partial']/@message)").starts_with("]]></testsuite>"));
}

/// The blocks of a language on a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(page).expect("a page");
    let opening = format!("```{language}\n");
    let after = text.split(&opening).skip(1);
    after.filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn csv_recipes_run_unchanged() {
    if !require(&["python3"]) {
        return;
    }
    let directory = scratch();
    let (ended, _) = judged(directory.path(), "/sleep?ms=1", &[]);
    let record = ended.record();
    for (table, file) in [("--csv", "intervals.csv"), ("--csv=operations", "operations.csv")] {
        let text = printed(ended.record_path(), &[table]);
        fs::write(directory.path().join(file), text).expect("a file");
    }
    let python = |code: &str| {
        let run = Command::new("python3").args(["-c", code]).current_dir(directory.path()).output();
        let run = run.expect("python3 runs");
        let message = String::from_utf8_lossy(&run.stderr).into_owned();
        (run.status.success(), String::from_utf8_lossy(&run.stdout).into_owned(), message)
    };
    let recipes = blocks("docs/integrations.md", "python");
    let [plain, pandas] = recipes.as_slice() else { panic!("{recipes:?}") };
    let (good, printed, message) = python(plain);
    assert!(good, "{message}");
    let completed = record.counts.ok + record.counts.failed + record.counts.timed_out;
    assert_eq!(completed, 100);
    assert!(printed.starts_with(&format!("{completed} exchanges, the slowest ")), "{printed}");
    let columns = "import csv; row = next(csv.DictReader(open('operations.csv'))); print(row['ok'], \
    row['response_max'])";
    let (_, printed, message) = python(columns);
    let slowest = record.operations[0].response.max_ns.expect("answers") as f64 / 1e6;
    assert_eq!(printed.trim(), format!("{} {slowest:.3}", record.counts.ok), "{message}");
    if python("import pandas, pyarrow, matplotlib").0 {
        let (good, printed, message) = python(pandas);
        assert!(good && printed.contains(" 100 "), "{printed}{message}");
        assert!(directory.path().join("intervals.parquet").exists());
    } else {
        skip_anywhere(
            "no pandas with pyarrow and matplotlib for python3; the recipe without them was run",
        );
    }
}
