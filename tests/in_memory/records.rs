//! What is in a record and what it must not hold, what is made of it, and the verdict on objectives.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brunt_record::{Histogram, SloOutcome};
use brunt_test_program::{Ended, schema_faults, scratch};
use brunt_testbed::{BASE_DN, PASSWORD, PEOPLE_DN, user_dn};
use serde_json::Value;

use crate::directory::{Directory, measure};
use crate::machine::run;
use crate::scripted::{URL, answering};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file is there")).expect("it is JSON")
}

#[test]
fn report_prints_a_record_again() {
    let (machine, _) = Directory::with(20);
    let directory = scratch();
    let [hlog, hgrm] = ["run.hlog", "run.hgrm"].map(|name| directory.path().join(name));
    let dn = user_dn(2);
    let files = ["--hlog", hlog.to_str().unwrap(), "--hgrm", hgrm.to_str().unwrap()];
    let line = ["-D", &dn, "-w", PASSWORD, "-f", "-M", "100", "-B", "1", "-d", "2", "-I", "20"];
    let ended = measure(&machine, "authrate", &[&files[..], &line].concat()).expect(0);
    let (path, record) = (ended.record_path().to_str().unwrap(), ended.record());
    let report = |format: &[&str]| run(&[&["report", path], format].concat()).expect(0).stdout;

    let again = report(&["--details"]);
    assert_eq!(again, ended.summary(), "{ended}");
    let screen = report(&[]);
    let fits = |line: &str| line.chars().count() <= 80;
    assert!(screen.lines().count() <= 22 && screen.lines().all(fits), "{screen}");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(" 100 binds a second offered, "), "{screen}");
    assert!(words.contains(&format!(" {} failed (", record.counts.failed)), "{screen}");

    let same: Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    assert_eq!(same, json(ended.record_path()));

    let csv = report(&["--format", "csv"]);
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(csv.lines().count() - 1, record.series.len() * record.operations.len(), "{csv}");
    let column =
        |name: &str| head.iter().position(|title| *title == name).expect("there is such a column");
    let (phase, ok) = (column("phase"), column("ok"));
    let cells = csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let steady = cells
        .filter(|cells| cells[phase] == "steady")
        .map(|cells| cells[ok].parse::<u64>().unwrap());
    assert_eq!(steady.sum::<u64>(), record.counts.ok, "{csv}");

    // The distribution holds the steady phase, two seconds of a hundred binds.
    let distribution = report(&["--format", "hgrm"]);
    assert_eq!(distribution, fs::read_to_string(&hgrm).unwrap());
    let last = distribution.lines().rfind(|line| !line.starts_with('#')).unwrap();
    assert_eq!(last.split_whitespace().nth(2), Some("200"), "{distribution}");

    let log = fs::read_to_string(&hlog).unwrap();
    let histograms = log.lines().filter(|line| line.starts_with("Tag=bind,"));
    let coded = histograms.map(|line| line.rsplit(',').next().unwrap());
    let counts: Vec<u64> =
        coded.map(|text| Histogram::from_base64(text).unwrap().count()).collect();
    assert_eq!(counts.iter().sum::<u64>(), 200, "{counts:?}\n{log}");
    assert!(counts.len() >= 2, "{log}");
}

/// The old tools' tables stay on standard output, and the screen comes after them on standard error.
#[test]
fn run_ends_with_the_screen_of_its_record() {
    let (machine, _) = answering("200");
    let directory = scratch();
    let path = directory.path().join("run.json");
    let record = path.to_str().unwrap();
    let http =
        ["http", "-q", "50", "-c", "2", "-z", "1s", "--slo", "p99<20s", "--record", record, URL];
    let ended = machine.run(&http).expect(0);
    let screen = run(&["report", record]).expect(0).stdout;
    assert_eq!(ended.stdout, screen, "{ended}");
    assert!(ended.stderr.contains(&format!("record: {record}\n")), "{ended}");
    assert!(screen.contains(&format!("  brunt report {record} --details")), "{screen}");
    assert!(screen.lines().count() <= 22 && !screen.contains("Result:"), "{screen}");

    let ended = machine.run(&[&http[..], &["--details", "-L"]].concat()).expect(0);
    let details = run(&["report", record, "--details"]).expect(0).stdout;
    let (figures, closing) = details.rsplit_once("\nResult:").unwrap();
    assert!(ended.stdout.starts_with(figures), "{ended}\n{details}");
    assert!(ended.stdout.ends_with(closing) && ended.stdout.contains("Requests/s:"), "{ended}");

    let ended = machine.run(&[&http[..9], &["-L", URL]].concat()).expect(0);
    let (above, screen) = ended.stdout.split_once("\n\nhttp at ").expect("the screen comes last");
    assert!(above.starts_with("Response time percentiles (HdrHistogram)\n"), "{ended}");
    assert!(screen.contains("  the same with --details or --record FILE "), "{ended}");
}

#[test]
fn old_tool_table_is_the_same_however_the_run_ends() {
    let (machine, _) = Directory::with(20);
    let to = ["searchrate", "-h", "10.0.0.2", "-p", "389", "-F", "-M", "20", "-d", "1"];
    let what = ["-b", BASE_DN, "-s", "base"];
    let directory = scratch();
    let record = directory.path().join("run.json");
    let record = record.to_str().unwrap();
    let kept = ["--record", record, "(cn=*)"];
    let short = machine.run(&[&to[..], &what, &kept].concat()).expect(0);
    let screen = run(&["report", record]).expect(0).stdout;
    assert!(short.stderr.ends_with(&format!("\n\n{screen}")), "{short}\n{screen}");
    let long = machine.run(&[&to[..], &["--details"], &what, &kept].concat()).expect(0);
    assert!(long.stderr.contains("\nTrust:      "), "{long}");
    let titles =
        |ended: &Ended| ended.stdout.lines().take(5).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(titles(&short), titles(&long));
    assert!(short.rows().len() == long.rows().len() && !short.rows().is_empty(), "{short}");
}

#[test]
fn report_refuses_a_file_that_is_no_record() {
    let directory = scratch();
    let path = directory.path().join("not.json");
    let file = path.to_str().unwrap();
    let missing = run(&["report", file]).expect(1);
    assert!(missing.stderr.contains(file) && missing.stdout.is_empty(), "{missing}");
    for text in ["", "{}", "[1,", r#"{"schema":"brunt-record/999"}"#] {
        fs::write(&path, text).unwrap();
        let ended = run(&["report", file]).expect(1);
        assert!(ended.stderr.contains(file) && ended.stdout.is_empty(), "{text}\n{ended}");
    }
}

#[test]
fn slo_decides_the_exit_code() {
    let (machine, _) = Directory::with(20);
    let dn = user_dn(1);
    let line = ["-D", &dn, "-w", PASSWORD, "-f", "-m", "100", "-I", "30", "--seed", "5"];
    // Each objective with whether it is met.
    let held = |objectives: &[(&str, bool)]| {
        let slo: Vec<&str> = objectives.iter().flat_map(|(text, _)| ["--slo", *text]).collect();
        let ended = measure(&machine, "authrate", &[&slo[..], &line].concat());
        let all_met = objectives.iter().all(|(_, met)| *met);
        let ended = ended.expect(if all_met { 0 } else { 99 });
        let words = ended.stderr.split_once("Objectives\n").expect("they are listed").1.to_owned();
        let record = ended.record();
        for ((text, met), slo) in objectives.iter().zip(&record.slo) {
            let expected = if *met { SloOutcome::Met } else { SloOutcome::Missed };
            assert_eq!(slo.outcome, expected, "{text}\n{ended}");
        }
        let outcome = |line: &str| match line.split_whitespace().next() {
            Some("met") => Some(SloOutcome::Met),
            Some("missed") => Some(SloOutcome::Missed),
            _ => None,
        };
        let shown: Vec<SloOutcome> = words.lines().filter_map(outcome).collect();
        let recorded: Vec<SloOutcome> = record.slo.iter().map(|slo| slo.outcome).collect();
        assert_eq!(shown, recorded, "{ended}");
    };
    held(&[
        ("bind.ok.p99<20s", true),
        ("errors<=100", true),
        ("count==100", true),
        ("timeouts<1", true),
    ]);
    held(&[("errors<0.1%", false)]);
    // Three in ten were refused: for them no time is short enough.
    held(&[("bind.p99<20s", false), ("bind.p50<20s", true)]);
    held(&[("bind.ok.p50<1us", false), ("ok.p99<60s", true)]);
    // Under a rate, the share of it that was achieved is one as well.
    let line = [
        "-M",
        "100",
        "-d",
        "1",
        "-F",
        "-b",
        BASE_DN,
        "-s",
        "base",
        "--slo",
        "achieved>=90%",
        "(cn=*)",
    ];
    measure(&machine, "searchrate", &line).expect(0);
}

/// What could be written only at the end would be lost with the run.
#[test]
fn output_file_error_is_reported_before_the_run() {
    for option in ["--record", "--hgrm"] {
        let line =
            ["searchrate", "-h", "10.0.1.9", "-b", BASE_DN, option, "/nonexistent/file", "(cn=a)"];
        let ended = run(&line).expect(1);
        assert!(ended.stderr.contains(option), "{ended}");
        assert!(ended.stderr.contains("/nonexistent/file") && ended.stdout.is_empty(), "{ended}");
    }
}

/// A load that was too much for its target leaves the command of a search. A shell takes it apart; here it meets a
/// target that is not there, so that only how it is read matters.
#[test]
fn proposed_search_after_an_overload_is_a_valid_command() {
    let (machine, _) = answering("200");
    let directory = scratch();
    let path = directory.path().join("run.json");
    let record = path.to_str().unwrap();
    machine.run(&["http", "-q", "50", "-z", "1s", "--record", record, URL]).expect(0);
    for line in [
        "http -q 8000 -c 2 -z2s --warm-up=1s --record x.json --html=x.html --details http://10.0.1.9:9/",
        "searchrate -h 10.0.1.9 -p 9 -F -c 2 -M500 -d 2 -B 1 --slo p99<20ms -b dc=x (uid=a)",
        "modrate -h 10.0.1.9 -p 9 -F -c 2 --targetThroughput 500 -m100 -b uid=a,dc=x description:x",
    ] {
        let mut overloaded = json(&path);
        overloaded["outcome"] = "overloaded".into();
        overloaded["verdict"]["status"] = "valid".into();
        overloaded["rates"]["overload"] = serde_json::json!({ "waiting": 5 });
        overloaded["command"] = std::iter::once("brunt").chain(line.split(' ')).collect();
        let edited = directory.path().join("overloaded.json");
        fs::write(&edited, overloaded.to_string()).unwrap();
        let screen = run(&["report", edited.to_str().unwrap()]).expect(0).stdout;
        let (_, next) = screen.split_once("\nnext  brunt ").unwrap_or_else(|| panic!("{screen}"));
        let (typed, _) = next.split_once("\n      brunt report ").expect("the record comes last");
        let apart = Command::new("sh").args(["-c", &format!("printf '%s\\n' {typed}")]).output();
        let words = String::from_utf8(apart.expect("a shell").stdout).unwrap();
        let words: Vec<&str> = words.lines().collect();
        let ended = run(&words);
        assert!(![0, 2, 89].contains(&ended.code()), "{line}\n{screen}\n{ended}");
    }
}

#[test]
fn record_matches_the_schema() {
    let directory = scratch();
    let template = directory.path().join("people.template");
    let text = format!(
        "branch: {PEOPLE_DN}\nsubordinateTemplate: person\n\ntemplate: person\nrdnAttr: uid\n\
         objectClass: inetOrgPerson\nuid: added.<sequential:0>\ncn: Added\nsn: Added\n"
    );
    fs::write(&template, text).unwrap();
    let (dn, template) = (user_dn(2), template.to_str().unwrap());
    let search = ["-b", BASE_DN, "(uid=user.1)"];
    let lines: [(&str, &[&str], &[&str]); 6] = [
        ("authrate", &["bind"], &["-m", "20", "-I", "50"]),
        ("authrate", &["search-and-bind"], &["-D", "{1}", "-m", "9"]),
        ("searchrate", &["search"], &["-M", "100", "-B", "1", "-d", "1"]),
        ("modrate", &["modify"], &["-F", "-m", "20", "-b", &dn, "description:x"]),
        ("addrate", &["add", "delete"], &["-F", "-m", "20", "-s", "5", template]),
        ("search-and-mod-rate", &["search", "modify"], &["-F", "-m", "20"]),
    ];
    for (tool, operations, line) in lines {
        let (machine, _) = Directory::with(20);
        let mut words = vec!["--slo", "errors<0.1%", "--slo", "p99<1s", "-w", PASSWORD];
        if !line.contains(&"-D") {
            let admin = "uid=admin,dc=example,dc=com";
            words.extend(["-D", if tool == "authrate" { &dn } else { admin }]);
        }
        words.extend(line);
        if operations.iter().any(|it| it.starts_with("search")) {
            words.extend(search);
        }
        if tool == "search-and-mod-rate" {
            words.push("description:x");
        }
        let ended = measure(&machine, tool, &words);
        let (record, written) = (ended.record(), json(ended.record_path()));
        assert_eq!(schema_faults(&written), Vec::<String>::new(), "{ended}");
        let names: BTreeSet<&str> = record.operations.iter().map(|o| o.name.as_str()).collect();
        assert!(operations.iter().all(|name| names.contains(name)), "{names:?}\n{ended}");
        let mode = fs::metadata(ended.record_path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{mode:o}");

        // A record that lacks something, or has something else in its place, would be found out.
        let mut wrong = written.clone();
        wrong.as_object_mut().unwrap().remove("verdict");
        assert!(!schema_faults(&wrong).is_empty());
        let mut wrong = written;
        wrong["counts"]["ok"] = Value::from("many");
        assert!(!schema_faults(&wrong).is_empty());
    }
}

#[test]
fn record_and_output_contain_no_secrets() {
    let canary = "Canary-7f3a!";
    let coded = STANDARD.encode(canary);
    let directory = scratch();
    let secret = directory.path().join("secret");
    fs::write(&secret, format!("{canary}\n")).unwrap();
    let secret = secret.to_str().unwrap();
    let (mut machine, _) = Directory::with(20);
    machine.set("CANARY", canary);
    let files = ["record.json", "run.hlog", "run.hgrm", "out.txt"];
    let files = files.map(|name| directory.path().join(name));
    let [record, hlog, hgrm, out] = files.each_ref().map(|path| path.to_str().unwrap());
    let dn = user_dn(1);
    let sasl = ["-o", "mech=PLAIN", "-o", "authid=dn:cn=a"];
    for given in [
        &["-w", canary][..],
        &["-wCanary-7f3a!"],
        &["--bindPassword=Canary-7f3a!"],
        &["--BINDPASSWORD", canary, "-T", canary, "-W", canary],
        &["-w:env", "CANARY"],
        &["-w:file", secret],
        &[&["-w", canary], &sasl[..]].concat(),
    ] {
        let results = ["--record", record, "--hlog", hlog, "--hgrm", hgrm];
        let more = ["--outputFile", out, "--teeOutput", "-D", &dn, "-m", "5", "-v"];
        let line = [&["authrate", "-h", "10.0.0.2", "-p", "389"], &results[..], &more, given];
        // The password is wrong, so that every message about a failed bind is shown as well.
        let ended = machine.run(&line.concat());
        let written =
            files.each_ref().map(|path| fs::read_to_string(path).expect("it was written"));
        let command = json(&files[0])["command"].to_string();
        assert!(command.contains(&dn), "{command}");
        for text in written.iter().chain([&ended.stdout, &ended.stderr]) {
            assert!(!text.contains(canary) && !text.contains(&coded), "{given:?}\n{text}");
        }
        for file in &files {
            fs::remove_file(file).expect("it is there");
        }
    }
    // A command line that is wrong does not show it either.
    for line in [
        &["authrate", "-D", &*dn, "-w", canary, "-c", "x"][..],
        &["searchrate", "-w", canary, "-b", BASE_DN, "(cn=a)"],
        &["authrate", "-D", &*dn, "-w", canary, "-w", canary],
        &["authrate", "-D", &*dn, "-o", "mech=GUESS", "-w", canary],
        &["authrate", "-D", &*dn, "-w", canary, "-Z", "--ca", "/nonexistent"],
    ] {
        let ended = run(line).expect(89);
        assert!(!ended.stderr.contains(canary), "{ended}");
    }
}

#[test]
fn seed_repeats_the_sequence() {
    let requested = |seed: &[&str]| {
        let (machine, directory) = Directory::with(20);
        let draws = ["-g", "rand(0,1000)", "-g", "randstr(6)", "-g", "xrand(1,60)"];
        let line = ["-m", "50", "-F", "-b", BASE_DN];
        let filter = "(&(uid={1})(cn={2})(sn={3}))";
        measure(&machine, "searchrate", &[seed, &line, &draws, &[filter]].concat()).expect(0);
        directory.searched()
    };
    let first = requested(&["--seed", "42"]);
    assert_eq!(first.len(), 50);
    assert!(requested(&["--seed", "42"]) == first && requested(&["--seed", "43"]) != first);
    // Without one it is new each time.
    assert_ne!(requested(&[]), requested(&[]));
}
