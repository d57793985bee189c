//! `--quiet`: every command that makes a load has it, and then writes nothing to standard error, or one line.

use std::path::Path;

use brunt_record::{Record, RunOutcome, Status};
use brunt_test_program::{Ended, scratch};

use crate::targets::{Targets, with};

/// The names of all commands, from the page that a test writes.
const ALL: &str = include_str!("../../docs/README.md");

/// A load by each command, without the words for its option. Files are in `DIR`.
const LOADS: [(&str, &str); 18] = [
    ("authrate", "AT -D uid=user.1,USERS -w password -m 20"),
    ("modrate", "AT AS-ADMIN -b uid=user.1,USERS -m 20 description:x"),
    ("searchrate", "AT -b USERS -m 20 (uid=user.1)"),
    ("addrate", "AT AS-ADMIN -m 20 --noPurge DIR/new.template"),
    ("search-and-mod-rate", "AT AS-ADMIN -b USERS -m 20 (uid=user.1) description:x"),
    ("comparerate", "AT -b uid=user.1,USERS -m 20 uid:user.1"),
    ("deleterate", "AT AS-ADMIN -b uid=user.{},USERS -g inc(100,200) -m 20"),
    ("moddnrate", "AT AS-ADMIN -b uid=user.{},USERS -g inc(300,400) -m 20 uid=moved.{}"),
    ("perfdhcp", "-4 -l 10.0.3.9 -r 50 -n 20 -R 100 10.0.3.1"),
    ("mysql_ubench", "-m /nowhere/socket -n 5"),
    ("sqlite_ubench", "-f DIR/new.db -n 5"),
    ("memfile_ubench", "-f DIR/new.leases -n 5"),
    ("brunt loadgen", "--config DIR/jobs/job.json"),
    ("brunt run", "DIR/plan.toml"),
    ("brunt http", "-c 2 -n 20 REST/sleep?ms=1"),
    ("brunt names lookup", "--through nss --by user --keys 0-0 --pattern root -n 20 --unlimited"),
    (
        "brunt find-max",
        "--second 20ms --quick --slo p99<1s --allow 127.0.0.1 --to 400/s -- http -c 2 REST/sleep?ms=1",
    ),
    ("brunt leases", "memfile -n 20 --directory DIR"),
];

/// The commands whose loads are made by processes of their own (`tests/behaviour/quiet.rs`), or that keep all cores
/// busy (`tests/behaviour/built_in.rs`).
const PROCESSES: &str = "ab, cluster run, names matrix, names sweep, quickstart, calibrate";

/// The commands that make no load of their own: they print, compare, write files or wait.
const OTHERS: &str = "import curl, import har, import openapi, report, sizing, merge, cluster keys, cluster check, \
    cluster manifest, agent, agents, compare, trend, serve, push, makeldif, target ldap, target dhcp, target rest, \
    help, completions, man";

/// What stands for several words.
const SHORT: [(&str, &str); 3] = [
    ("AT ", "-h 10.0.0.2 -p 389 "),
    ("USERS", "ou=people,dc=example,dc=com"),
    ("AS-ADMIN", "-D uid=admin,dc=example,dc=com -w password"),
];

const PLAN: &str = "[run]\nusers = 2\nrate = '20/s'\nduration = '1s'\n[http]\nbase = 'REST'\n\
    [[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\nget = '/sleep?ms=1'\n";

/// A job of LoadGen.
const JOB: [(&str, &str); 3] = [
    (
        "jobs/job.json",
        r#"{"name": "a job", "service-environment": "a test", "service-location-port": "REST",
            "load-generator": "a test", "ADMINUSERID": "amadmin", "ADMINUSERPASSWORD": "password", "threads": 2,
            "threadgroupsize": 0, "threadinterval": 0, "upperbounds": 9, "workloads": [{"looking": 9}]}"#,
    ),
    ("workloads/looking.json", r#"{"name": "looking", "tasks": [{"look": 5000}]}"#),
    (
        "tasks/look.json",
        r#"{"request": "GET", "header": {}, "url-endpoint": "/echo/look", "url-payload": ""}"#,
    ),
];

const TEMPLATE: &str = "define suffix=dc=example,dc=com\n\nbranch: [suffix]\n\nbranch: ou=people,[suffix]\n\
    subordinateTemplate: person:100\n\ntemplate: person\nrdnAttr: uid\nobjectClass: inetOrgPerson\n\
    uid: new.<sequential:0>\ncn: New\nsn: New\n";

#[test]
fn quiet_list_of_load_commands_is_complete() {
    let (_, table) = ALL.split_once("<!-- commands -->").expect("a table");
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| [")?.split(']').next()).collect();
    assert!(names.len() > 40, "{names:?}");
    let listed = [OTHERS, PROCESSES].map(|list| list.split(", ")).into_iter().flatten();
    let listed = listed.map(|name| format!("brunt {name}"));
    let listed: Vec<String> =
        LOADS.map(|(name, _)| name.to_owned()).into_iter().chain(listed).collect();
    for name in &names {
        let times = listed.iter().filter(|known| known == name).count();
        assert_eq!(times, 1, "{name}: add it to LOADS if it makes a load, else to OTHERS");
    }
    assert_eq!(names.len(), listed.len());
}

#[test]
fn quiet_writes_at_most_one_line_to_stderr() {
    let (targets, directory) = (Targets::start(), scratch());
    for (name, line) in LOADS {
        let ended = quietly(&targets, directory.path(), name, line);
        assert!(ended.stderr.lines().count() <= 1, "{name}: {ended}");
        // What is not understood has no results.
        assert!(![2, 89].contains(&ended.code()) && !ended.stdout.is_empty(), "{name}: {ended}");
    }
}

#[test]
fn quiet_reports_in_one_line_what_needs_attention() {
    let (targets, directory) = (Targets::start(), scratch());
    let path = directory.path().join("record.json");
    for name in ["searchrate", "perfdhcp", "brunt http", "brunt run", "brunt loadgen"] {
        let line = LOADS.iter().find(|(known, _)| *known == name).expect("a load").1;
        for more in ["", "--slo p50<1us"] {
            let line = format!("--record DIR/record.json {more} {line}");
            let ended = quietly(&targets, directory.path(), name, &line);
            let record = Record::read(&path).unwrap_or_else(|error| panic!("{error}: {ended}"));
            let outcome = record.outcome();
            if more.is_empty() {
                assert_eq!((ended.stderr.as_str(), outcome), ("", RunOutcome::Measured), "{ended}");
                assert_eq!(record.verdict.status, Status::Valid, "{name}: {ended}");
            } else {
                let begins = outcome.words().to_uppercase();
                assert!(ended.stderr.starts_with(&begins), "{name}: {ended}");
                assert_eq!(ended.stderr.lines().count(), 1, "{name}: {ended}");
            }
        }
    }
}

#[test]
fn quiet_still_reports_what_cannot_be_written() {
    let (targets, directory) = (Targets::start(), scratch());
    let line = "--hgrm /nowhere/x -c 2 -n 20 REST/sleep?ms=1";
    let ended = quietly(&targets, directory.path(), "brunt http", line);
    assert!(ended.code() != 0 && ended.stderr.contains("/nowhere/x"), "{ended}");
    for words in ["--details", "--summary", "--live"] {
        let authrate = format!("{words} {}", LOADS[0].1);
        let ended = quietly(&targets, directory.path(), "authrate", &authrate);
        assert!(ended.code() == 89 && ended.stderr.contains("--quiet"), "{words}: {ended}");
    }
}

/// Runs a load with `--quiet`, and with its files in a directory.
fn quietly(targets: &Targets, directory: &Path, name: &str, line: &str) -> Ended {
    let place = directory.to_str().expect("a plain path");
    let all = |text: &str| {
        let text = SHORT.iter().fold(text.to_owned(), |it, (name, all)| it.replace(name, all));
        text.replace("DIR", place).replace("REST", &targets.rest.base)
    };
    for (file, text) in [("plan.toml", PLAN), ("new.template", TEMPLATE)].into_iter().chain(JOB) {
        let path = directory.join(file);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, all(text)).expect("a file");
    }
    let line = format!("{} {}", name.trim_start_matches("brunt "), all(line));
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    with(&words, &["--quiet"])
}
