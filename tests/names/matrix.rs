//! `brunt names matrix` and `brunt names sweep` from the outside: their output, their files and what they leave behind.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_test_program::{Ended, Trial, brunt};
use brunt_testbed::{require, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::sandbox::marked;

const DAEMONS: [&str; 6] = ["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2", "ldapsearch"];
const PATIENCE: Duration = Duration::from_secs(90);

fn names(words: &str) -> Trial {
    brunt("names").typed(words).recorded()
}

/// Runs it, and reads what it kept.
fn kept(run: Trial, code: i32) -> (Ended, Vec<Value>) {
    let ended = run.run().expect(code);
    let cells = cells(&ended);
    (ended, cells)
}

fn cells(ended: &Ended) -> Vec<Value> {
    ended.any_json().and_then(|kept| kept["cells"].as_array()).cloned().unwrap_or_default()
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
    let (ended, cells) = kept(names("matrix --users 60 --passes 1"), 0);
    hold(&cells, 60);
    assert_eq!(with(&cells, &[("kind", "insert"), ("way", "process")]).len(), 4);
    for by in ["uid+gid", "name", "group", "groups"] {
        let warm = [("backend", "files"), ("road", "nss"), ("by", by), ("temperature", "warm")];
        assert_eq!(with(&cells, &warm).len(), 1, "{by}");
    }
    for path in ["ls", "nss", "nscd", "nslcd", "ldap"] {
        let cached = with(&cells, &[("backend", "ldap+index+nscd"), ("road", path)]);
        assert!(!cached.is_empty(), "{path}");
    }
    for line in ["files (seconds; one process a user)", "Conclusions", "120/120"] {
        assert!(ended.stdout.contains(line), "{line}\nin {ended}");
    }
}

#[test]
fn matrix_shows_the_gain_of_an_index_and_reprints_from_file() {
    if !require(&DAEMONS) {
        return;
    }
    let run = names("matrix --users 500 --insert connection --passes 2 --by uid+gid");
    let page = run.file("names.html", "");
    let (ended, cells) = kept(run.arg("--html").arg(&page), 0);
    hold(&cells, 500);
    let median = |backend| {
        let labels = [("backend", backend), ("road", "ldap")];
        let times = with(&cells, &labels).into_iter().map(|cell| figure(cell, "seconds"));
        times.fold(f64::INFINITY, f64::min)
    };
    let [without, with] = ["ldap", "ldap+index"].map(median);
    assert!(without > 1.5 * with, "{without} {with}");
    assert_eq!(brunt("report").arg(ended.record_path()).run().stdout, ended.stdout);
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("<table") && page.contains("ldap+index+nscd"));
}

#[test]
fn matrix_can_be_inspected_and_interrupted() {
    if !require(&DAEMONS) {
        return;
    }
    let line = "matrix --users 300 --insert bulk --backend ldap+index --passes 1000 --road ls";
    let run = names(line).start();
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
    run.interrupt();
    let ended = run.wait().expect(130);
    assert!(ended.stdout.contains("ldap+index (seconds; in bulk)"), "{ended}");
    assert_eq!(with(&cells(&ended), &[("kind", "insert")]).len(), 1);
    assert!(until(PATIENCE, || marked(&mark).is_empty()));
}

#[test]
fn matrix_counts_a_hung_directory_as_invalid() {
    if !require(&DAEMONS) {
        return;
    }
    let line = "matrix --users 50 --insert bulk --backend ldap+index --passes 12 --road nss";
    let run = names(line).typed("--by uid+gid --timeout 500ms --limit 2s").start();
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
    let ended = run.wait().expect(1);
    let cells = cells(&ended);
    let invalid = |cell: &&Value| cell["figures"].get("invalid").is_some();
    let hung: Vec<&Value> =
        with(&cells, &[("kind", "lookup")]).into_iter().filter(invalid).collect();
    assert!(!hung.is_empty(), "{cells:#?}");
    assert!(hung.iter().all(|cell| !cell["notes"].as_array().unwrap().is_empty()));
    assert!(ended.stdout.contains("INVALID"), "{ended}");
}

#[test]
fn matrix_marks_a_switch_without_users_as_invalid() {
    if !require(&DAEMONS) {
        return;
    }
    let line = "matrix --users 40 --insert bulk --backend ldap+index --passes 1";
    let (ended, cells) = kept(names(line).typed("--nsswitch files --by uid+gid"), 1);
    let [insert] = with(&cells, &[("kind", "insert")])[..] else { panic!("{cells:#?}") };
    assert_eq!((number(insert, "accounts"), number(insert, "ldap_accounts")), (0, 40));
    let [listed] = with(&cells, &[("road", "ls"), ("temperature", "cold")])[..] else {
        panic!("{cells:#?}")
    };
    assert_eq!((number(listed, "asked"), number(listed, "resolved")), (80, 0));
    assert!(ended.stdout.contains("0/80 INVALID"), "{ended}");
}

#[test]
fn matrix_notices_a_list_cut_by_the_size_limit() {
    if !require(&DAEMONS) {
        return;
    }
    let line = "matrix --users 700 --insert bulk --passes 1 --road nss --by uid+gid";
    let cut = "cut=index uidNumber,gidNumber eq; sizelimit 500";
    let run = names(line).args(["--variant", cut, "--backend", "ldap:cut"]);
    let (_, cells) = kept(run, 1);
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
    let line = "matrix --users 20 --insert bulk --passes 1 --backend 389ds,files";
    let (ended, cells) = kept(names(line), 1);
    assert!(ended.stderr.contains("389ds is skipped: it needs"), "{ended}");
    assert!(ended.stderr.contains("389-ds-base"), "{ended}");
    assert!(with(&cells, &[("backend", "389ds")]).is_empty());
    assert_eq!(with(&cells, &[("backend", "files"), ("kind", "insert")]).len(), 1);
}

#[test]
fn sweep_measures_each_value_by_each_method() {
    if !require(&DAEMONS) {
        return;
    }
    let line = "sweep --suggested-size 101,4001 --ttl 600s --users 200 --passes 1";
    let (ended, cells) = kept(names(line).typed("--duration 500ms"), 0);
    assert_eq!(cells.len(), 6, "three values by two roads");
    for cell in &cells {
        assert!(all_hit(cell), "{cell}");
        assert!(figure(cell, "asked") > 0.0, "{cell}");
        assert!(cell["record"].is_object());
    }
    let sized = with(&cells, &[("axis", "suggested-size"), ("value", "101"), ("road", "nscd")]);
    assert_eq!(number(sized[0], "nscd_passwd_buckets"), 101);
    assert!(ended.stdout.contains("Median latency over suggested-size"), "{ended}");
}

#[test]
fn usage_errors_name_a_remedy() {
    for (line, remedy) in [
        ("matrix --backend nis", "it is one of files, ldap, 389ds, sssd"),
        ("matrix --backend ldap:fast", "--variant 'fast=...'"),
        ("matrix --variant fast=turbo", "use index, maxsize"),
        ("matrix --variant a=nosync --variant a=nosync", "described twice"),
        ("matrix --nscd size~5", "use suggested-size"),
        ("matrix --users 0", "0 is not in 1..=1000000"),
        ("matrix --data /nonexistent", "nor 'tmpfs'"),
        ("sweep --ttl 1500ms", "whole seconds"),
        ("sweep --ttl 3s --backend ldap", "add +nscd or +unscd"),
    ] {
        let words = line.split(' ').map(|word| word.replace('~', " "));
        let ended = brunt("names").args(words).run().expect(2);
        assert!(ended.stderr.contains(remedy), "{line}: {ended}");
    }
}
