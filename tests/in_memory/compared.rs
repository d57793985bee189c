//! The results of `brunt compare` and `trend` on runs, what they refuse, and their exit codes.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_record::{Reason, Record, Status};
use brunt_test_program::{Ended, scratch};
use serde_json::Value;

use crate::directory::{Directory, measure};
use crate::machine::run;

/// A record of a run.
fn real() -> Record {
    let (machine, _) = Directory::with(20);
    let line = ["-b", "dc=example,dc=com", "-m", "300", "-c", "2", "(uid=user.1)"];
    let mut record = measure(&machine, "searchrate", &line).record();
    // Whatever is said of a run that short.
    record.verdict.status = Status::Valid;
    record.verdict.reasons = Vec::new();
    record
}

/// A directory of runs like this one, with these successful exchanges a second.
fn repeated(directory: &Path, name: &str, record: &Record, rates: &[f64]) -> PathBuf {
    let directory = directory.join(name);
    fs::create_dir(&directory).expect("a directory");
    for (number, rate) in rates.iter().enumerate() {
        let mut record = record.clone();
        record.run = Some(format!("{name}{number}"));
        record.started = format!("2026-01-{:02}T00:00:00Z", number + 1);
        record.rates.achieved = Some(*rate);
        record.rates.goodput = Some(*rate);
        record.write(&directory.join(format!("{number:02}.json"))).expect("a record");
    }
    directory
}

fn compare(words: &[&Path], line: &[&str]) -> Ended {
    let words: Vec<&str> = words.iter().map(|path| path.to_str().expect("a path")).collect();
    run(&[&["compare"], &words[..], line].concat())
}

#[test]
fn compare_exit_codes_reflect_the_result() {
    let directory = scratch();
    let record = real();
    let of = |name: &str, rates: &[f64]| repeated(directory.path(), name, &record, rates);
    let a = of("a", &[1000.0, 1004.0, 996.0, 1002.0, 998.0]);
    let same = of("same", &[1001.0, 997.0, 1003.0, 999.0, 1002.0]);
    let slower = of("slower", &[900.0, 903.0, 896.0, 902.0, 898.0]);
    let equal = compare(&[&a, &same], &[]).expect(0);
    assert!(equal.stdout.contains("B and A do not differ (~)"), "{equal}");
    let worse = compare(&[&a, &slower], &[]).expect(6);
    assert!(
        worse.stdout.contains("B is worse than A: achieved -10.0 %, goodput -10.0 %"),
        "{worse}"
    );
    let better = compare(&[&slower, &a], &[]).expect(0);
    assert!(better.stdout.contains("B is better than A"), "{better}");
    compare(&[&a, &slower], &["--tolerance", "15%"]).expect(0);
    compare(&[&a, &slower], &["--tolerance", "15%,goodput=5%"]).expect(6);
    compare(&[&a, &slower], &["--tolerance", "many"]).expect(2);
    // The others against the first, each by its letter.
    let three = compare(&[&a, &same, &slower], &[]).expect(6);
    assert!(three.stdout.contains("C is worse than A") && three.stdout.contains("B and A do not"));
    let mut doubtful = record.clone();
    doubtful.verdict.status = Status::Partial;
    doubtful.verdict.reasons =
        vec![Reason::from_text(Status::Partial, "the target stopped responding")];
    (doubtful.rates.achieved, doubtful.rates.goodput) = (Some(899.0), Some(899.0));
    doubtful.write(&slower.join("05.json")).unwrap();
    let untrusted = compare(&[&a, &slower], &[]).expect(4);
    assert!(untrusted.stdout.contains("05.json is partial: the target stopped"), "{untrusted}");
    compare(&[&a, &slower], &["--anyway"]).expect(6);
}

#[test]
fn compare_formats_agree() {
    let directory = scratch();
    let record = real();
    let of = |name: &str, rates: &[f64]| repeated(directory.path(), name, &record, rates);
    let (a, b) = (of("a", &[1000.0, 1004.0, 996.0]), of("b", &[800.0, 803.0, 796.0]));
    let json = compare(&[&a, &b], &["--format", "json"]).expect(6).stdout;
    let document: Value = serde_json::from_str(&json).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/comparison.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let faults: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&document)
        .map(|it| it.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    let figures = document["pairs"][0]["figures"].as_array().unwrap();
    let goodput = figures.iter().find(|it| it["figure"] == "goodput").unwrap();
    // The geometric means of 1000, 1004, 996 and of 800, 803, 796.
    assert!((goodput["baseline"].as_f64().unwrap() - 999.994_67).abs() < 0.001, "{goodput}");
    assert!((goodput["change"].as_f64().unwrap() + 0.200_33).abs() < 0.000_1, "{goodput}");
    let page = directory.path().join("page.html");
    let words = ["--html", page.to_str().unwrap()];
    let text = compare(&[&a, &b], &words).expect(6).stdout;
    let markdown = compare(&[&a, &b], &["--format", "markdown"]).expect(6).stdout;
    let html = fs::read_to_string(&page).unwrap();
    for expected in ["1000.0", "799.7", "-20.0 %", "worse"] {
        for shown in [&text, &markdown, &html] {
            assert!(shown.contains(expected), "{expected} in {shown}");
        }
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.contains('/')), "{text}");
    assert!(html.contains("<svg") && html.contains("A response"), "{html}");
}

#[test]
fn compare_names_the_differences_of_unlike_runs() {
    let directory = scratch();
    let record = real();
    let [a, b] = ["a.json", "b.json"].map(|name| directory.path().join(name));
    record.write(&a).unwrap();
    let mut other = record;
    other.plan.sessions = 77;
    other.plan.target = Some("ldap://elsewhere\u{1b}[31m".to_owned());
    other.command.extend(["--extra".to_owned(), "yes".to_owned()]);
    other.environment.cores = Some(128);
    other.environment.host = "other".to_owned();
    other.run = Some("other".to_owned());
    other.write(&b).unwrap();
    let refused = compare(&[&a, &b], &[]).expect(2);
    for expected in ["sessions: 2, but 77 in", "ldap://elsewhere", "--extra yes", "cores: "] {
        assert!(refused.output().contains(expected), "{expected}: {refused}");
    }
    assert!(!refused.stderr.contains('\u{1b}') && refused.stdout.is_empty(), "{refused}");
    assert!(!refused.output().contains("name of the machine"), "{refused}");
    // 300 exchanges take fewer seconds than a conclusion needs.
    let compared = compare(&[&a, &b], &["--anyway"]).expect(4);
    assert!(compared.stdout.contains("ldap://elsewhere"), "{compared}");
    assert!(!compared.stdout.contains('\u{1b}'), "{compared}");
}

#[test]
fn compare_names_a_path_without_a_run() {
    let directory = scratch();
    let missing = directory.path().join("missing.json");
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let output = compare(&[&missing, &missing], &[]).expect(1).output();
    assert!(output.contains("missing.json"), "{output}");
    let output = compare(&[&empty, &empty], &[]).expect(2).output();
    assert!(output.contains("failed to find a run in"), "{output}");
    compare(&[&missing], &[]).expect(2);
    let output = run(&["trend", empty.to_str().unwrap()]).expect(2).output();
    assert!(output.contains("failed to find a run in"), "{output}");
}

#[test]
fn compare_counts_record_and_events_as_one_run() {
    let directory = scratch();
    let runs = directory.path().join("runs");
    fs::create_dir(&runs).unwrap();
    let (machine, _) = Directory::with(20);
    let [record, events] = ["run.json", "run.ndjson"].map(|name| runs.join(name));
    let (record, events) = (record.to_str().unwrap(), events.to_str().unwrap());
    let line = ["-b", "dc=example,dc=com", "-m", "100", "--events", events, "(uid=user.1)"];
    let ended = measure(&machine, "searchrate", &line).expect(0);
    fs::copy(ended.record_path(), record).unwrap();
    let events = Path::new(events);
    let ended = compare(&[&runs, events], &["--anyway", "--format", "json"]).expect(4);
    assert!(ended.output().contains("another file contains the same run"), "{ended}");
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    let sides = document["sides"].as_array().unwrap();
    let counts = sides.iter().map(|side| side["runs"].as_array().unwrap().len());
    assert!(counts.eq([1, 1]), "{document}");
}

#[test]
fn trend_names_the_first_run_after_a_change() {
    let directory = scratch();
    let rates: Vec<f64> =
        (0..20).map(|run| if run < 12 { 1000.0 } else { 850.0 } + f64::from(run % 5)).collect();
    let nightly = repeated(directory.path(), "nightly", &real(), &rates);
    let page = directory.path().join("trend.html");
    let nightly = nightly.to_str().unwrap();
    let trend = run(&["trend", nightly, "--html", page.to_str().unwrap()]).expect(0);
    let flowing = trend.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flowing.contains("goodput -14.9 % (worse) since"), "{trend}");
    assert!(flowing.contains("12.json (2026-01-13T00:00:00Z): 1001.7 to 852.4"), "{trend}");
    assert!(fs::read_to_string(page).unwrap().contains("<svg"));
    let json = run(&["trend", nightly, "--format", "json"]).expect(0).stdout;
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["series"][0]["changes"][0]["run"], 12, "{document}");
    let steady = repeated(directory.path(), "steady", &real(), &rates[..5]);
    run(&["trend", steady.to_str().unwrap()]).expect(2);
}
