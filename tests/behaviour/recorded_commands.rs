//! `record.command` is the command that was typed: a shell that runs it again, with its secrets, makes the same record
//! except for the times.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use brunt_test_program::{Program, Targets, binary, command, scratch};

fn record(line: &str, path: &Path) -> Value {
    let mut shell = command(Path::new("sh"));
    let line = with(line, &format!("--record '{}'", path.display()));
    let line = format!("exec '{}' {line}", binary().display());
    // What another command left must not pass for this one's.
    let _ = fs::remove_file(path);
    let ended = Program::start(shell.args(["-c", &line])).wait();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {ended}"));
    serde_json::from_str(&text).expect("it is JSON")
}

/// A line with these options before its own: some tools take none after their first argument.
fn with(line: &str, options: &str) -> String {
    let at = line.find(" -").or_else(|| line.find(" '-")).expect("a line has options");
    format!("{} {options}{}", &line[..at], &line[at..])
}

/// A recorded command as a shell takes it, without where the record goes.
fn typed(record: &Value) -> String {
    let words = record["command"].as_array().expect("words").iter();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    let before = words.iter().position(|word| *word == "--record").unwrap_or(words.len());
    let words = [&words[..before], words.get(before + 2..).unwrap_or_default()].concat();
    let quoted = words.iter().map(|word| format!("'{word}'"));
    quoted.collect::<Vec<_>>().join(" ")
}

/// The tools for which [`Targets::commands`] has none: a line, and how many exchanges it plans.
fn more(targets: &Targets, directory: &Path) -> Vec<(&'static str, String, u64)> {
    let job = directory.join("job");
    let write = |name: &str, text: &str| {
        let path = job.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    write(
        "tasks/ask.json",
        r#"{"request": "GET", "header": {}, "url-endpoint": "/sleep?ms=1", "url-payload": ""}"#,
    );
    write("workloads/ask.json", r#"{"name": "ask", "tasks": [{"ask": 900}]}"#);
    let base = targets.rest.address();
    write(
        "jobs/job.json",
        &format!(
            r#"{{"name": "j", "service-environment": "e", "load-generator": "g", "threads": 2,
            "service-location-port": "http://{base}", "threadgroupsize": 0, "threadinterval": 0,
            "upperbounds": 99, "workloads": [{{"ask": 7}}]}}"#
        ),
    );
    let port = targets.ldap.port();
    let ldap = format!("-h 127.0.0.1 -p {port} -D 'cn=Directory Manager' -w password -M 50 -c 2");
    let entry = "'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,9)'";
    let template = job.join("entry.template");
    write(
        "entry.template",
        "branch: ou=people,dc=example,dc=com\nsubordinateTemplate: person\n\n\
         template: person\nrdnAttr: uid\nobjectClass: inetOrgPerson\n\
         uid: new.<sequential:0>\ncn: a\nsn: b\n",
    );
    vec![
        (
            "searchrate",
            format!(
                "searchrate {ldap} -F -m 20 -b dc=example,dc=com -g 'rand(0,9)' '(uid=user.{{1}})'"
            ),
            20,
        ),
        ("modrate", format!("modrate {ldap} -F -m 20 -b {entry} 'description:a \"b\" $HOME'"), 20),
        ("loadgen", format!("loadgen --config '{}'", job.join("jobs/job.json").display()), 14),
        ("addrate", format!("addrate {ldap} -F -m 20 -C off '{}'", template.display()), 20),
    ]
}

/// Runs a command, and what its record says that it was.
fn runs_again(name: &str, line: &str, planned: u64, directory: &Path) {
    let line = with(line, "--seed 11 --slo 'p99<900s'");
    let first = record(&line, &directory.join("first.json"));
    let shown = typed(&first);
    assert!(!shown.contains("password"), "{name}: {shown}");
    let again = record(&shown.replace("***", "password"), &directory.join("again.json"));
    assert_eq!(typed(&again), shown, "{name}");
    assert_eq!(again["plan"], first["plan"], "{name}: {shown}");
    assert_eq!(again["fingerprint"], first["fingerprint"], "{name}: {shown}");
    for at in ["/counts/planned", "/counts/ok", "/slo/0/expr", "/plan/seed"] {
        assert_eq!(again.pointer(at), first.pointer(at), "{name} {at}: {shown}");
        assert!(first.pointer(at).is_some(), "{name} {at}");
    }
    assert_eq!(first["plan"]["seed"], 11, "{name}");
    assert_eq!(first["counts"]["planned"], planned, "{name}: {shown}");
}

#[test]
fn recorded_command_repeats_the_record() {
    let directory = scratch();
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        runs_again(name, &line.join(" "), 100, directory.path());
    }
    for (name, line, planned) in more(&targets, directory.path()) {
        runs_again(name, &line, planned, directory.path());
    }
    targets.stop();
}

#[test]
fn recorded_command_repeats_the_comparison() {
    let directory = scratch();
    let directory = directory.path();
    let files = directory.display();
    for (name, line) in [
        (
            "leases",
            "leases sqlite memfile -n 30 --phases create,search --seed 11 --quiet".to_owned(),
        ),
        ("sqlite_ubench", format!("sqlite_ubench -n 30 -s no -v no -f '{files}/leases.db'")),
        ("memfile_ubench", format!("memfile_ubench -n 30 -s no -v no -f '{files}/leases.csv'")),
    ] {
        let first = record(&line, &directory.join("first.json"));
        let again = record(&typed(&first), &directory.join("again.json"));
        assert_eq!(typed(&again), typed(&first), "{name}");
        let cells = |record: &Value| -> Vec<Value> {
            let cells = record["cells"].as_array().expect("cells").iter();
            cells
                .map(|cell| {
                    json!([cell["labels"], cell["figures"]["operations"], cell["record"]["counts"]])
                })
                .collect()
        };
        assert_eq!(cells(&again), cells(&first), "{name}");
        assert!(!cells(&first).is_empty(), "{name}");
    }
}
