//! `record.command` is the command that was typed: carried out again, with its secrets, it makes the same record except
//! for the times.

use std::fs;
use std::path::Path;

use brunt_test_program::scratch;
use serde_json::{Value, json};

use crate::planned::Files;
use crate::targets::{Targets, with};

fn record(line: &[String], options: &[&str], directory: &Path) -> Value {
    let path = directory.join("record.json");
    let ended = with(line, &[options, &["--record", &path.display().to_string()]].concat());
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {ended}"));
    // What another command left must not pass for this one's.
    fs::remove_file(&path).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A recorded command, without where the record goes.
fn typed(record: &Value) -> Vec<String> {
    let words = record["command"].as_array().expect("words").iter();
    let mut words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    let at = words.iter().position(|word| word == "--record").expect("it is recorded");
    words.drain(at..at + 2);
    words
}

/// The tools for which [`Targets::commands`] has none: a line, and how many exchanges it plans.
fn more(targets: &Targets, directory: &Path, job: &Files) -> [(&'static str, String, u64); 4] {
    job.ask("ask", "/sleep?ms=1");
    job.workload("ask", &[("ask", 900)]);
    job.job(&targets.rest.base, 2, &[("ask", 7)], &json!({}));
    let ldap = "-h 10.0.0.2 -p 389 -D 'cn=Directory Manager' -w password -M 50 -c 2";
    let entry = "'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,9)'";
    let search = "-b dc=example,dc=com -g 'rand(0,9)' '(uid=user.{1})'";
    let template = directory.join("entry.template");
    let text = "branch: ou=people,dc=example,dc=com\nsubordinateTemplate: person\n\n\
         template: person\nrdnAttr: uid\nobjectClass: inetOrgPerson\n\
         uid: new.<sequential:0>\ncn: a\nsn: b\n";
    fs::write(&template, text).expect("it can be written");
    let (template, job) = (template.display(), job.path());
    [
        ("searchrate", format!("searchrate {ldap} -F -m 20 {search}"), 20),
        ("modrate", format!("modrate {ldap} -F -m 20 -b {entry} 'description:a \"b\" $HOME'"), 20),
        ("loadgen", format!("loadgen --config {}", job.display()), 14),
        ("addrate", format!("addrate {ldap} -F -m 20 -C off {template}"), 20),
    ]
}

/// Runs a command, and what its record says that it was.
fn runs_again(name: &str, line: &[String], planned: u64, directory: &Path) {
    let first = record(line, &["--seed", "11", "--slo", "p99<900s"], directory);
    let shown = typed(&first);
    assert!(!shown.iter().any(|word| word.contains("password")), "{name}: {shown:?}");
    let secrets: Vec<String> = shown.iter().map(|word| word.replace("***", "password")).collect();
    let again = record(&secrets, &[], directory);
    assert_eq!(typed(&again), shown, "{name}");
    for at in ["/plan", "/fingerprint", "/counts/planned", "/counts/ok", "/slo/0/expr"] {
        assert_eq!(again.pointer(at), first.pointer(at), "{name} {at}: {shown:?}");
        assert!(first.pointer(at).is_some(), "{name} {at}");
    }
    assert_eq!(first["plan"]["seed"], 11, "{name}");
    assert_eq!(first["counts"]["planned"], planned, "{name}: {shown:?}");
}

fn words(line: &str) -> Vec<String> {
    shlex::split(line).expect("quotes are closed")
}

#[test]
fn recorded_command_repeats_the_record() {
    let (directory, targets, job) = (scratch(), Targets::start(), Files::new());
    for (name, line) in targets.commands(directory.path()) {
        runs_again(name, &line, 100, directory.path());
    }
    for (name, line, planned) in more(&targets, directory.path(), &job) {
        runs_again(name, &words(&line), planned, directory.path());
    }
}

#[test]
fn recorded_command_repeats_the_comparison() {
    let directory = scratch();
    let directory = directory.path();
    let files = directory.display();
    let leases = format!(
        "leases sqlite memfile -n 30 --phases create,search --seed 11 --quiet --directory {files}"
    );
    for (name, line) in [
        ("leases", leases),
        ("sqlite_ubench", format!("sqlite_ubench -n 30 -s no -v no -f '{files}/leases.db'")),
        ("memfile_ubench", format!("memfile_ubench -n 30 -s no -v no -f '{files}/leases.csv'")),
    ] {
        let first = record(&words(&line), &[], directory);
        let again = record(&typed(&first), &[], directory);
        assert_eq!(typed(&again), typed(&first), "{name}");
        let cells = |record: &Value| -> Vec<Value> {
            let cells = record["cells"].as_array().expect("cells").iter();
            let of = |cell: &Value| {
                json!([cell["labels"], cell["figures"]["operations"], cell["record"]["counts"]])
            };
            cells.map(of).collect()
        };
        assert_eq!(cells(&again), cells(&first), "{name}");
        assert!(!cells(&first).is_empty(), "{name}");
    }
}
