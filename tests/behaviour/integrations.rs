//! Files for other tools: JUnit against a schema, and the CSV recipes on their page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_record::{Reason, Record, SloOutcome, SloResult, Status};
use brunt_testbed::{require, skip_anywhere};

use brunt_test_program::{Ended, Program, Target, binary, command, scratch};

/// A file of this repository.
pub(crate) fn ours(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What xmllint makes of a file.
fn xmllint(words: &[&str], file: &Path) -> (bool, String) {
    let run = Command::new("xmllint").args(words).arg(file).output().expect("xmllint runs");
    let message = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    (run.status.success(), message.trim().to_owned())
}

pub(crate) fn is_valid(junit: &Path) -> (bool, String) {
    let schema = ours("tests/behaviour/integrations/junit.xsd");
    xmllint(&["--noout", "--schema", schema.to_str().expect("UTF-8")], junit)
}

/// A short run with objectives, its record and its JUnit report.
fn judged(
    directory: &Path,
    target: &Target,
    path: &str,
    objectives: &[&str],
) -> (Ended, Record, PathBuf) {
    let [record, junit] = ["run.json", "junit.xml"].map(|name| directory.join(name));
    let url = format!("http://{}{path}", target.address());
    let mut run = command(binary());
    run.args(["http", "-c", "2", "-q", "50", "-z", "2s", "--quiet", "--record"]).arg(&record);
    run.arg("--junit").arg(&junit).args(objectives.iter().flat_map(|slo| ["--slo", slo])).arg(url);
    let ended = Program::start(&mut run).wait();
    (ended, Record::read(&record).expect("a record"), junit)
}

#[test]
fn junit_agrees_with_the_record() {
    if !require(&["xmllint"]) {
        return;
    }
    let (directory, target) = (scratch(), Target::start("rest"));
    let met: &[&str] = &["p99<60s", "errors<1%"];
    let missed: &[&str] = &["p99<60s", "errors<1%", "goodput>49/s"];
    for (path, objectives, code) in
        [("/sleep?ms=1", met, 0), ("/none?a=1&b=<x>", missed, 99), ("/sleep?ms=1", &[][..], 0)]
    {
        let (ended, record, junit) = judged(directory.path(), &target, path, objectives);
        let ended = ended.expect(code);
        let (valid, message) = is_valid(&junit);
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
        let again = Program::start(
            command(binary())
                .args(["report", "--format", "junit"])
                .arg(directory.path().join("run.json")),
        );
        let printed = again.wait().expect(0).stdout;
        assert_eq!(printed, fs::read_to_string(&junit).expect("a report"));
    }
    what_cannot_be_told_is_an_error(directory.path());
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
        assert!(!is_valid(&wrong).0, "without {good}");
    }
    target.stop();
}

/// An objective that is undecided, and a verdict that speaks against the figures: in words that would be markup.
fn what_cannot_be_told_is_an_error(directory: &Path) {
    let (path, junit) = (directory.join("doubtful.json"), directory.join("doubtful.xml"));
    let mut record = Record::read(&directory.join("run.json")).expect("a record");
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
    let printed =
        Program::start(command(binary()).args(["report", "--format", "junit"]).arg(&path));
    fs::write(&junit, printed.wait().expect(0).stdout).expect("a file");
    let (valid, message) = is_valid(&junit);
    assert!(valid, "{message}\n{}", fs::read_to_string(&junit).expect("a report"));
    let ask = |xpath: &str| xmllint(&["--xpath", xpath], &junit).1;
    let counts = ["count(//error)", "string(//testsuite/@errors)", "count(//failure)"].map(ask);
    assert_eq!(counts, ["2", "2", "0"]);
    assert!(ask("string(//error[@type='partial']/@message)").starts_with("]]></testsuite>"));
}

/// The blocks of a language on a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(ours(page)).expect("a page");
    let opening = format!("```{language}\n");
    let after = text.split(&opening).skip(1);
    after.filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn csv_recipes_run_unchanged() {
    if !require(&["python3"]) {
        return;
    }
    let (directory, target) = (scratch(), Target::start("rest"));
    let (_, record, _) = judged(directory.path(), &target, "/sleep?ms=1", &[]);
    target.stop();
    for (table, file) in [("--csv", "intervals.csv"), ("--csv=operations", "operations.csv")] {
        let path = directory.path().join("run.json");
        let printed =
            Program::start(command(binary()).args(["report", table]).arg(path)).wait().expect(0);
        fs::write(directory.path().join(file), printed.stdout).expect("a file");
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
