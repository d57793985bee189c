//! What can be ordered from other machines: `brunt cluster check` of commands with files, where they may be, and the
//! policies of agents.

use std::fs;
use std::path::Path;

use brunt_test_program::{Ended, brunt, run, scratch};

/// Checks a command in a directory of its own; `~` is a space within a word.
fn check(directory: &Path, options: &[&str], line: &str) -> Ended {
    let check = brunt("cluster check").within(directory).env("PW", "password").args(options);
    check.arg("--").args(line.split(' ').map(|word| word.replace('~', " "))).run()
}

const PLAN: &str = "
[run]
rate = '200/s'
users = 4

[http]
base = 'http://127.0.0.1:9'

[variables]
secret = { env = 'PW' }

[feeders.people]
csv = 'data/users.csv'

[[scenario]]
name = 'login'

[[scenario.steps]]
name = 'login'
post = '/login'
body-file = 'body.json'
";

/// Lays what commands read.
fn lay_files(at: &Path) {
    fs::create_dir(at.join("data")).expect("a file");
    let offer = "01".repeat(300);
    for (name, text) in [
        ("plan.toml", PLAN),
        ("data/users.csv", "name\njo\n"),
        ("body.json", "{}"),
        ("pw", "password\n"),
        ("names", "a\nb\n"),
        ("trace", "0.1\n0.2\n0.21\n"),
        (
            "entry.template",
            "branch: dc=x\nsubordinateTemplate: t:9\n\ntemplate: t\nrdnAttr: uid\nuid: <file:names>\n",
        ),
        ("macs", "00:0c:01:02:03:04\n"),
        ("discover.hex", &offer),
        ("urls", "http://127.0.0.1:9/a\n"),
        ("keys.passwd", "u:x:5000:5000::/:/bin/sh\n"),
    ] {
        fs::write(at.join(name), text).expect("a file");
    }
}

#[test]
fn cluster_check_lists_every_file_and_variable() {
    let directory = scratch();
    let at = directory.path();
    lay_files(at);
    for (line, files, secrets, variables, rate) in [
        (
            "run plan.toml",
            &["body.json", "data/users.csv", "plan.toml"][..],
            &[][..],
            &["PW"][..],
            Some(200.0),
        ),
        (
            "authrate -D uid=%s -w:file pw -g rand(names) -M 50",
            &["names"],
            &["pw"],
            &[],
            Some(50.0),
        ),
        (
            "searchrate -b dc=x -w:env PW -D cn=x --stages trace~trace (uid=a)",
            &["trace"],
            &[],
            &["PW"],
            Some(3.0),
        ),
        (
            "addrate -D cn=x -w:file pw entry.template",
            &["entry.template", "names"],
            &["pw"],
            &[],
            None,
        ),
        ("perfdhcp -4 -r 100 -f 20 -M macs 127.0.0.1", &["macs"], &[], &[], Some(120.0)),
        ("http --urls-from-file urls -q 70", &["urls"], &[], &[], Some(70.0)),
        ("names lookup --keys keys.passwd --rate 30", &["keys.passwd"], &[], &[], Some(30.0)),
    ] {
        let ended = check(at, &["--format", "json"], line).expect(0);
        let needs: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let of = |secret: bool| -> Vec<&str> {
            let files = needs["files"].as_array().unwrap().iter();
            files
                .filter(|it| it["secret"] == secret)
                .map(|it| it["name"].as_str().unwrap())
                .collect()
        };
        assert_eq!((of(false), of(true)), (files.to_vec(), secrets.to_vec()), "{line}");
        assert_eq!(needs["variables"], serde_json::json!(variables), "{line}");
        // A rate is kept as the time between two operations.
        let found = needs["rate"].as_f64();
        let same = found.unwrap_or(0.0) - rate.unwrap_or(0.0);
        assert!(found.is_some() == rate.is_some() && same.abs() < 1e-6, "{line}: {found:?}");
    }
}

#[test]
fn ordered_run_cannot_reach_outside_its_directory() {
    let directory = scratch();
    let at = directory.path();
    let elsewhere = scratch();
    let outside = elsewhere.path().join("outside.json");
    fs::write(&outside, "{}").unwrap();
    fs::create_dir(at.join("data")).unwrap();
    fs::write(at.join("data/users.csv"), "name\njo\n").unwrap();
    fs::write(at.join("body.json"), "{}").unwrap();
    let named = format!("body-file = '{}'", outside.display());
    let plan =
        PLAN.replace("body-file = 'body.json'", &named).replace("4\n", "4\nduration = '1s'\n");
    let inside = PLAN.replace("4\n", "4\nduration = '1s'\n");
    fs::write(at.join("outside.toml"), plan).unwrap();
    fs::write(at.join("inside.toml"), inside).unwrap();
    let carried_out = |file: &str, confined: bool| {
        let run = brunt("run --quiet").arg(file).within(at).env("PW", "password");
        if confined { run.env("BRUNT_CONFINED", "1").run() } else { run.run() }
    };
    // Nothing listens there, so a run that begins fails in its own way.
    for (file, confined) in [("outside.toml", false), ("inside.toml", true)] {
        let ended = carried_out(file, confined);
        assert!(!ended.stderr.contains("relative names"), "{file}: {ended}");
        assert_ne!(ended.code(), 2, "{file}: {ended}");
    }
    let ended = carried_out("outside.toml", true).expect(2);
    assert!(ended.stderr.contains("relative names"), "{ended}");
}

#[test]
fn agent_policy_overrides_the_order() {
    let directory = scratch();
    let at = directory.path();
    run(["cluster", "keys", &at.join("keys").display().to_string(), "--agents", "1"]).expect(0);
    let sample = fs::read_to_string(at.join("keys/agents/agent-0/agent.toml")).unwrap();
    fs::write(at.join("sample.toml"), &sample).unwrap();
    let strict = "rate_max = 100\ncommands = ['http']\nexpires = 2999-01-01\n";
    fs::write(at.join("strict.toml"), format!("{strict}{sample}")).unwrap();
    fs::write(at.join("over.toml"), format!("expires = 2020-01-01\n{sample}")).unwrap();
    let http = "http -q 300 http://127.0.0.1:9/";
    let narrow = "http -q 300 --allow 127.0.0.1:9 http://127.0.0.1:9/";
    let wide = "http -q 300 --allow 10.0.0.0/8 http://10.0.0.1/";
    for (policy, agents, line, rule) in [
        ("sample.toml", "1", http, None),
        ("sample.toml", "1", narrow, None),
        ("sample.toml", "1", wide, Some("targets")),
        ("strict.toml", "3", http, None),
        ("strict.toml", "2", http, Some("rate_max")),
        ("strict.toml", "1", "http http://127.0.0.1:9/", Some("rate_max")),
        ("strict.toml", "1", "perfdhcp -4 -r 9 127.0.0.1", Some("commands")),
        ("over.toml", "1", http, Some("expires")),
    ] {
        let ended = check(at, &["--policy", policy, "--agents", agents], line);
        match rule {
            None => {
                assert!(ended.expect(0).stdout.contains("permits it, within: "), "{policy} {line}");
            }
            Some(rule) => {
                let output = ended.expect(8).stderr;
                assert!(
                    output.contains(&format!("({rule} in agent.toml)")),
                    "{policy} {line}: {output}"
                );
            }
        }
    }
}
