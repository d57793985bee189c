//! `record.command` is the command that was typed: a shell that is given it again, with its secrets, makes the same
//! record but for what the clock says.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Program, among_others, binary, command, scratch};
use crate::targets::Targets;

fn record(line: &str, path: &Path) -> Value {
    let mut shell = command(Path::new("sh"));
    let line = format!("exec '{}' {line} --record '{}'", binary().display(), path.display());
    let ended = Program::start(shell.args(["-c", &line])).wait();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {ended}"));
    serde_json::from_str(&text).expect("it is JSON")
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

#[test]
fn a_recorded_command_makes_the_same_record_again() {
    let _among = among_others();
    let directory = scratch();
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        let line = format!("{} --seed 11 --slo 'p99<900s'", line.join(" "));
        let first = record(&line, &directory.path().join("first.json"));
        let shown = typed(&first);
        assert!(!shown.contains("password"), "{name}: {shown}");
        let again = record(&shown.replace("***", "password"), &directory.path().join("again.json"));
        assert_eq!(typed(&again), shown, "{name}");
        assert_eq!(again["plan"], first["plan"], "{name}: {shown}");
        assert_eq!(again["fingerprint"], first["fingerprint"], "{name}: {shown}");
        for at in ["/counts/planned", "/counts/ok", "/slo/0/expr", "/plan/seed"] {
            assert_eq!(again.pointer(at), first.pointer(at), "{name} {at}: {shown}");
            assert!(first.pointer(at).is_some(), "{name} {at}");
        }
        assert_eq!(first["plan"]["seed"], 11, "{name}");
        assert_eq!(first["counts"]["planned"], 100, "{name}: {shown}");
    }
    targets.stop();
}
