//! `--quiet`: every command that makes a load has it, and then writes nothing to standard error, or one line.

use std::path::Path;

use brunt_record::{Record, RunOutcome, Status};
use brunt_testbed::{free_port, require};

use brunt_test_program::{Ended, Program, Target, binary, command, scratch};

/// The names of all commands, from the page that a test writes.
const ALL: &str = include_str!("../../docs/README.md");

/// A load by each command, without the words for its option. `LDAP`, `DHCP` and `REST` are ports of embedded servers,
/// `LOCAL` one of this machine that no other test uses.
const LOADS: [(&str, &str); 24] = [
    ("authrate", "-h 127.0.0.1 -p LDAP -D uid=user.1,USERS -w password -m 20"),
    ("modrate", "-h 127.0.0.1 -p LDAP AS-ADMIN -b uid=user.1,USERS -m 20 description:x"),
    ("searchrate", "-h 127.0.0.1 -p LDAP -b USERS -m 20 (uid=user.1)"),
    ("addrate", "-h 127.0.0.1 -p LDAP AS-ADMIN -m 20 --noPurge new.template"),
    (
        "search-and-mod-rate",
        "-h 127.0.0.1 -p LDAP AS-ADMIN -b USERS -m 20 (uid=user.1) description:x",
    ),
    ("comparerate", "-h 127.0.0.1 -p LDAP -b uid=user.1,USERS -m 20 uid:user.1"),
    ("deleterate", "-h 127.0.0.1 -p LDAP AS-ADMIN -b uid=user.{},USERS -g inc(100,200) -m 20"),
    (
        "moddnrate",
        "-h 127.0.0.1 -p LDAP AS-ADMIN -b uid=user.{},USERS -g inc(300,400) -m 20 uid=moved.{}",
    ),
    ("perfdhcp", "-4 -l 127.0.0.1 -r 50 -n 20 -R 100 -L LOCAL -N DHCP 127.0.0.1"),
    ("mysql_ubench", "-m /nowhere/socket -n 5"),
    ("sqlite_ubench", "-f new.db -n 5"),
    ("memfile_ubench", "-f new.leases -n 5"),
    ("brunt loadgen", "--config jobs/job.json"),
    ("brunt run", "plan.toml"),
    ("brunt http", "-c 2 -n 20 http://127.0.0.1:REST/sleep?ms=1"),
    ("brunt names lookup", "--through nss --by user --keys 0-0 --pattern root -n 20 --unlimited"),
    ("brunt names matrix", "--backend files --users 20 --insert bulk --passes 1"),
    ("brunt names sweep", "--backend files+nscd --users 20 --ttl 60s --passes 1 --duration 1s"),
    (
        "brunt find-max",
        "--second 20ms --quick --slo p99<1s -- http -c 2 http://127.0.0.1:REST/sleep?ms=1",
    ),
    ("brunt cluster run", "--local 2 -- http -c 2 -n 20 http://127.0.0.1:REST/sleep?ms=1"),
    (
        "brunt ab",
        "--runs 1 -- http -n 9 http://127.0.0.1:REST/echo -- http -n 9 http://127.0.0.1:REST/echo",
    ),
    ("brunt leases", "memfile -n 20 --directory ."),
    // It keeps all cores busy, so `built_in.rs` looks at what else it says.
    ("brunt calibrate", ""),
    ("brunt quickstart", "--duration 1s --users 50 --output records"),
];

/// The commands that make no load of their own: they print, compare, write files or wait.
const OTHERS: &str = "import curl, import har, import openapi, report, sizing, merge, cluster keys, cluster check, \
    cluster manifest, agent, agents, compare, trend, serve, push, makeldif, target ldap, target dhcp, target rest, \
    help, completions, man";

/// What stands for several words.
const SHORT: [(&str, &str); 2] = [
    ("USERS", "ou=people,dc=example,dc=com"),
    ("AS-ADMIN", "-D uid=admin,dc=example,dc=com -w password"),
];

const PLAN: &str = "[run]\nusers = 2\nrate = '20/s'\nduration = '1s'\n[http]\nbase = 'http://127.0.0.1:REST'\n\
    [[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\nget = '/sleep?ms=1'\n";

/// A job of LoadGen.
const JOB: [(&str, &str); 3] = [
    (
        "jobs/job.json",
        r#"{"name": "a job", "service-environment": "a test", "service-location-port": "http://127.0.0.1:REST",
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
    let others: Vec<String> = OTHERS.split(", ").map(|name| format!("brunt {name}")).collect();
    for name in &names {
        let load = LOADS.iter().any(|(known, _)| known == name);
        let other = others.iter().any(|known| known == name);
        assert!(load ^ other, "{name}: add it to LOADS if it makes a load, else to OTHERS");
    }
    assert_eq!(names.len(), LOADS.len() + others.len());
}

#[test]
fn quiet_writes_at_most_one_line_to_stderr() {
    let servers = Servers::start();
    let mut wrong = Vec::new();
    for (name, line) in LOADS {
        let elsewhere = name == "brunt calibrate";
        if elsewhere || name == "brunt cluster run" && !require(&["nats-server"]) {
            continue;
        }
        let directory = scratch();
        let ended = servers.quietly(directory.path(), name, line);
        let is_quiet = ended.stderr.lines().count() <= 1;
        // What is not understood has no results.
        let is_known = ![2, 89].contains(&ended.code()) && !ended.stdout.is_empty();
        if !(is_quiet && is_known) {
            wrong.push(format!("{name}: {ended}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn quiet_reports_in_one_line_what_needs_attention() {
    let servers = Servers::start();
    let directory = scratch();
    let path = directory.path().join("record.json");
    let runs = LOADS.iter().filter(|(name, _)| {
        // The others have no option --record of one run.
        ["searchrate", "perfdhcp", "brunt http", "brunt run", "brunt loadgen"].contains(name)
    });
    for (name, line) in runs {
        for more in ["", "--slo p50<1us"] {
            let line = format!("--record record.json {more} {line}");
            let ended = servers.quietly(directory.path(), name, &line);
            let record = Record::read(&path).unwrap_or_else(|error| panic!("{error}: {ended}"));
            let outcome = record.outcome();
            let trusted = record.verdict.status == Status::Valid;
            if trusted && matches!(outcome, RunOutcome::Passed | RunOutcome::Measured) {
                assert_eq!((ended.stderr.as_str(), more), ("", ""), "{name}: {ended}");
            } else {
                let begins = outcome.words().to_uppercase();
                assert!(ended.stderr.starts_with(&begins), "{name}: {ended}");
                assert_eq!(ended.stderr.lines().count(), 1, "{name}: {ended}");
            }
        }
    }
}

#[test]
fn quiet_still_writes_requested_output() {
    let servers = Servers::start();
    let directory = scratch();
    let http = LOADS.iter().find(|(name, _)| *name == "brunt http").expect("a load").1;
    let ended =
        servers.quietly(directory.path(), "brunt http", &format!("--web --prometheus 0 {http}"));
    assert!(ended.stderr.contains("web: http://") && ended.stderr.contains("metrics: "), "{ended}");
    let ended =
        servers.quietly(directory.path(), "brunt http", &format!("--hgrm /nowhere/x {http}"));
    assert!(ended.code() != 0 && ended.stderr.contains("/nowhere/x"), "{ended}");
    for words in ["--details", "--summary", "--live"] {
        let authrate = format!("{words} {}", LOADS[0].1);
        let ended = servers.quietly(directory.path(), "authrate", &authrate);
        assert!(ended.code() == 89 && ended.stderr.contains("--quiet"), "{words}: {ended}");
    }
}

/// An embedded server for each protocol.
struct Servers([(&'static str, Target); 3]);

impl Servers {
    fn start() -> Self {
        Self(
            [("LDAP", "ldap"), ("DHCP", "dhcp"), ("REST", "rest")]
                .map(|(name, kind)| (name, Target::start(kind))),
        )
    }

    /// Runs a load with `--quiet` in a directory with its files.
    fn quietly(&self, directory: &Path, name: &str, line: &str) -> Ended {
        let local = free_port().to_string();
        let ports = |text: &str| {
            let text = text.replace("LOCAL", &local);
            let text = SHORT.iter().fold(text, |it, (name, all)| it.replace(name, all));
            self.0.iter().fold(text, |text, (name, server)| text.replace(name, server.port()))
        };
        for (file, text) in [("plan.toml", PLAN), ("new.template", TEMPLATE)].into_iter().chain(JOB)
        {
            let path = directory.join(file);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            std::fs::write(path, ports(text)).expect("a file");
        }
        let mut brunt = command(binary());
        brunt.current_dir(directory).args(name.trim_start_matches("brunt ").split(' '));
        brunt.arg("--quiet").args(ports(line).split(' ').filter(|word| !word.is_empty()));
        Program::start(&mut brunt).wait()
    }
}
