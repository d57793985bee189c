//! `brunt names matrix` and `brunt names sweep` from the outside: their output, their files and what they leave behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use brunt_testbed::{require, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::sandbox::marked;

const DAEMONS: [&str; 6] = ["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2", "ldapsearch"];
const PATIENCE: Duration = Duration::from_secs(90);

fn brunt(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brunt"));
    command.arg("names").args(words);
    command
}

/// Runs it, and reads what it kept.
fn kept(words: &[&str]) -> (Output, Vec<Value>) {
    let directory = tempfile::tempdir().expect("a directory for a record");
    let file = directory.path().join("names.json");
    let mut command = brunt(words);
    let output = command.arg("--record").arg(&file).output().expect("brunt starts");
    (output, cells(&file))
}

fn cells(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|_| r#"{"cells": []}"#.to_owned());
    let mut collection: Value = serde_json::from_str(&text).expect("a record is JSON");
    match collection["cells"].take() {
        Value::Array(cells) => cells,
        other => panic!("{other}"),
    }
}

/// The cells with these labels.
fn with<'a>(cells: &'a [Value], labels: &[(&str, &str)]) -> Vec<&'a Value> {
    let has = |cell: &Value| labels.iter().all(|(name, value)| cell["labels"][name] == *value);
    cells.iter().filter(|cell| has(cell)).collect()
}

fn figure(cell: &Value, name: &str) -> f64 {
    cell["figures"][name].as_f64().unwrap_or_else(|| panic!("no {name} in {cell}"))
}

/// A figure that counts something.
fn number(cell: &Value, name: &str) -> u64 {
    let figure = figure(cell, name);
    assert!(figure.fract().abs() < f64::EPSILON, "{name} in {cell}");
    figure as u64
}

/// Whether every lookup of a pass was answered by a cache.
fn all_hit(cell: &Value) -> bool {
    figure(cell, "hit_ratio") > 0.999_999
}

/// The process of this name in an environment of a matrix.
fn inside(mark: &str, name: &str) -> Option<i32> {
    let called = |pid: &i32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name)
    };
    marked(mark).into_iter().find(called)
}

/// Whether names are being looked up in an environment right now.
fn resolves(mark: &str) -> bool {
    let asks = |pid: &i32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == b"lookup")
    };
    marked(mark).iter().any(asks)
}

/// Runs a program where that process is.
fn beside(pid: i32, script: &str) -> String {
    let target = pid.to_string();
    let mut command = Command::new("nsenter");
    command.args(["--target", &target, "--mount", "--net", "sh", "-c", script]);
    let output = command.output().expect("nsenter starts");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn complaints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const FOUR: [&str; 4] = ["files", "ldap", "ldap+index", "ldap+index+nscd"];

/// What must hold of the article's four back ends, whatever the machine.
fn hold(cells: &[Value], users: u64) {
    let size = users.to_string();
    for backend in FOUR {
        let of = |kind: &'static str| {
            with(cells, &[("kind", kind), ("backend", backend), ("users", &size)])
        };
        for (kind, left) in [("insert", users), ("delete", 0)] {
            let [cell] = of(kind)[..] else { panic!("{backend} {users} {kind}: {:?}", of(kind)) };
            assert!(figure(cell, "seconds") > 0.0, "{cell}");
            // What getent, ldapsearch and the file itself count.
            let counts: &[&str] = if backend == "files" {
                &["accounts", "groups", "file_accounts", "file_groups"]
            } else {
                &["accounts", "groups", "ldap_accounts", "ldap_groups"]
            };
            for count in counts {
                assert_eq!(number(cell, count), left, "{backend} {kind} {count}");
            }
        }
        let lookups = of("lookup");
        assert!(lookups.len() >= 4, "{backend}");
        for cell in lookups {
            assert_eq!(cell["figures"].get("invalid"), None, "{cell}");
            assert_eq!(number(cell, "asked"), number(cell, "resolved"), "{cell}");
        }
        for cell in with(cells, &[("road", "ls"), ("backend", backend), ("users", &size)]) {
            assert_eq!(number(cell, "asked"), 2 * users);
            let warm = cell["labels"]["temperature"] == "warm";
            match (backend, warm) {
                ("files", _) => {}
                // One search for each name, counted by the directory and not by us.
                ("ldap" | "ldap+index", _) | (_, false) => {
                    assert!(number(cell, "slapd_searches") >= 2 * users, "{cell}");
                }
                (_, true) => assert!(all_hit(cell), "{cell}"),
            }
        }
    }
}

#[test]
fn matrix_measures_four_backends_with_a_process_per_user() {
    if !require(&DAEMONS) {
        return;
    }
    let (output, cells) = kept(&["matrix", "--users", "60", "--passes", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    hold(&cells, 60);
    assert_eq!(with(&cells, &[("kind", "insert"), ("way", "process")]).len(), 4);
    for by in ["uid+gid", "name", "group", "groups"] {
        assert_eq!(
            with(
                &cells,
                &[("backend", "files"), ("road", "nss"), ("by", by), ("temperature", "warm")]
            )
            .len(),
            1,
            "{by}"
        );
    }
    for path in ["ls", "nss", "nscd", "nslcd", "ldap"] {
        assert!(
            !with(&cells, &[("backend", "ldap+index+nscd"), ("road", path)]).is_empty(),
            "{path}"
        );
    }
    let text = String::from_utf8(output.stdout).unwrap();
    for line in ["files (seconds; one process a user)", "Conclusions", "120/120"] {
        assert!(text.contains(line), "{line}\nin {text}");
    }
}

#[test]
fn matrix_shows_the_gain_of_an_index_and_reprints_from_file() {
    if !require(&DAEMONS) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [file, page] = ["names.json", "names.html"].map(|name| directory.path().join(name));
    let words =
        ["matrix", "--users", "500", "--insert", "connection", "--passes", "2", "--by", "uid+gid"];
    let mut command = brunt(&words);
    let output = command.arg("--record").arg(&file).arg("--html").arg(&page).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let cells = cells(&file);
    hold(&cells, 500);
    let median = |backend| {
        let labels = [("backend", backend), ("road", "ldap")];
        let times = with(&cells, &labels).into_iter().map(|cell| figure(cell, "seconds"));
        times.fold(f64::INFINITY, f64::min)
    };
    assert!(
        median("ldap") > 1.5 * median("ldap+index"),
        "{} {}",
        median("ldap"),
        median("ldap+index")
    );
    let mut report = Command::new(env!("CARGO_BIN_EXE_brunt"));
    let report = report.arg("report").arg(&file).output().unwrap();
    assert_eq!(
        String::from_utf8(report.stdout).unwrap(),
        String::from_utf8(output.stdout).unwrap()
    );
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("<table") && page.contains("ldap+index+nscd"));
}

#[test]
fn matrix_can_be_inspected_and_interrupted() {
    if !require(&DAEMONS) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("names.json");
    let words = [
        "matrix",
        "--users",
        "300",
        "--insert",
        "bulk",
        "--backend",
        "ldap+index",
        "--passes",
        "1000",
    ];
    let mut command = brunt(&words);
    command.args(["--road", "ls", "--record"]).arg(&file);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mark = format!("{}-0", run.id());
    let count =
        |script: &str| inside(&mark, "slapd").map(|pid| beside(pid, script)).unwrap_or_default();
    assert!(until(PATIENCE, || count("getent passwd | grep -c '^u1'") == "300"));
    assert_eq!(count("getent group | grep -c '^u1'"), "300");
    let search = "ldapsearch -x -LLL -H ldap://127.0.0.1:3890 -b ou=people,dc=bench -z none \
                  '(objectClass=posixAccount)' dn | grep -c '^dn:'";
    assert_eq!(count(search), "300");
    // Listings begin once the insertion is in the books.
    assert!(until(PATIENCE, || inside(&mark, "ls").is_some()));
    kill_process(Pid::from_raw(run.id().cast_signed()).unwrap(), Signal::INT).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", complaints(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("ldap+index (seconds; in bulk)"));
    assert_eq!(with(&cells(&file), &[("kind", "insert")]).len(), 1);
    assert!(until(PATIENCE, || marked(&mark).is_empty()));
}

#[test]
fn matrix_counts_a_hung_directory_as_invalid() {
    if !require(&DAEMONS) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("names.json");
    let words = [
        "matrix",
        "--users",
        "50",
        "--insert",
        "bulk",
        "--backend",
        "ldap+index",
        "--passes",
        "12",
    ];
    let mut command = brunt(&words);
    command.args(["--road", "nss", "--by", "uid+gid", "--timeout", "500ms", "--limit", "2s"]);
    command.arg("--record").arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    let mark = format!("{}-0", run.id());
    let slapd = || inside(&mark, "slapd");
    assert!(until(PATIENCE, || resolves(&mark)));
    let pid = Pid::from_raw(slapd().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    std::thread::spawn(move || {
        #[expect(
            clippy::disallowed_methods,
            reason = "a directory hangs for some time, whatever happens"
        )]
        std::thread::sleep(Duration::from_secs(6));
        let _ = kill_process(pid, Signal::CONT);
    });
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", complaints(&output));
    let cells = cells(&file);
    let invalid = |cell: &&Value| cell["figures"].get("invalid").is_some();
    let hung: Vec<&Value> =
        with(&cells, &[("kind", "lookup")]).into_iter().filter(invalid).collect();
    assert!(!hung.is_empty(), "{cells:#?}");
    assert!(hung.iter().all(|cell| !cell["notes"].as_array().unwrap().is_empty()));
    assert!(String::from_utf8_lossy(&output.stdout).contains("INVALID"));
}

#[test]
fn matrix_marks_a_switch_without_users_as_invalid() {
    if !require(&DAEMONS) {
        return;
    }
    let words =
        ["matrix", "--users", "40", "--insert", "bulk", "--backend", "ldap+index", "--passes", "1"];
    let (output, cells) = kept(&[&words[..], &["--nsswitch", "files", "--by", "uid+gid"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", complaints(&output));
    let [insert] = with(&cells, &[("kind", "insert")])[..] else { panic!("{cells:#?}") };
    assert_eq!((number(insert, "accounts"), number(insert, "ldap_accounts")), (0, 40));
    let [listed] = with(&cells, &[("road", "ls"), ("temperature", "cold")])[..] else {
        panic!("{cells:#?}")
    };
    assert_eq!((number(listed, "asked"), number(listed, "resolved")), (80, 0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("0/80 INVALID"), "{text}");
}

#[test]
fn matrix_notices_a_list_cut_by_the_size_limit() {
    if !require(&DAEMONS) {
        return;
    }
    let words = [
        "matrix", "--users", "700", "--insert", "bulk", "--passes", "1", "--road", "nss", "--by",
        "uid+gid",
    ];
    let tuned =
        ["--variant", "cut=index uidNumber,gidNumber eq; sizelimit 500", "--backend", "ldap:cut"];
    let (output, cells) = kept(&[&words[..], &tuned].concat());
    assert_eq!(output.status.code(), Some(1), "{}", complaints(&output));
    let [insert] = with(&cells, &[("kind", "insert")])[..] else { panic!("{cells:#?}") };
    assert_eq!(number(insert, "accounts"), 500);
    // Single lookups are not cut short.
    let lookups = with(&cells, &[("kind", "lookup")]);
    assert!(
        !lookups.is_empty() && lookups.iter().all(|cell| cell["figures"].get("invalid").is_none())
    );
}

#[test]
fn matrix_names_missing_software_and_measures_the_rest() {
    if !require(&["root"]) || Path::new("/usr/sbin/dscreate").exists() {
        return;
    }
    let words = [
        "matrix",
        "--users",
        "20",
        "--insert",
        "bulk",
        "--passes",
        "1",
        "--backend",
        "389ds,files",
    ];
    let (output, cells) = kept(&words);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaints(&output).contains("389ds is skipped: it needs"), "{}", complaints(&output));
    assert!(complaints(&output).contains("389-ds-base"), "{}", complaints(&output));
    assert!(with(&cells, &[("backend", "389ds")]).is_empty());
    assert_eq!(with(&cells, &[("backend", "files"), ("kind", "insert")]).len(), 1);
}

#[test]
fn sweep_measures_each_value_by_each_method() {
    if !require(&DAEMONS) {
        return;
    }
    let words = [
        "sweep",
        "--suggested-size",
        "101,4001",
        "--ttl",
        "600s",
        "--users",
        "200",
        "--passes",
        "1",
    ];
    let (output, cells) = kept(&[&words[..], &["--duration", "500ms"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    assert_eq!(cells.len(), 6, "three values by two roads");
    for cell in &cells {
        assert!(all_hit(cell), "{cell}");
        assert!(figure(cell, "asked") > 0.0, "{cell}");
        assert!(cell["record"].is_object());
    }
    let sized = with(&cells, &[("axis", "suggested-size"), ("value", "101"), ("road", "nscd")]);
    assert_eq!(number(sized[0], "nscd_passwd_buckets"), 101);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Median latency over suggested-size"), "{text}");
}

#[test]
fn usage_errors_name_a_remedy() {
    let cases: [(&[&str], &str); 9] = [
        (&["matrix", "--backend", "nis"], "it is one of files, ldap, 389ds, sssd"),
        (&["matrix", "--backend", "ldap:fast"], "--variant 'fast=...'"),
        (&["matrix", "--variant", "fast=turbo"], "use index, maxsize"),
        (&["matrix", "--variant", "a=nosync", "--variant", "a=nosync"], "described twice"),
        (&["matrix", "--nscd", "size 5"], "use suggested-size"),
        (&["matrix", "--users", "0"], "0 is not in 1..=1000000"),
        (&["matrix", "--data", "/nonexistent"], "nor 'tmpfs'"),
        (&["sweep", "--ttl", "1500ms"], "whole seconds"),
        (&["sweep", "--ttl", "3s", "--backend", "ldap"], "add +nscd or +unscd"),
    ];
    for (words, remedy) in cases {
        let output = brunt(words).output().unwrap();
        let message = complaints(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
        assert!(message.contains(remedy), "{words:?}: {message}");
    }
}
