//! What a record proposes, typed into a shell. What else is in it, and what is made of it, is seen in the process of
//! the tests (`tests/in_memory`).

use std::fs;
use std::process::Command;

use serde_json::Value;

use brunt_test_program::{Target, Trial, binary, run, scratch};

/// A load that was too much for its target leaves the command of a search, which is typed here into a shell. The others
/// are read in the process of the tests (`tests/in_memory`).
#[test]
fn proposed_search_after_an_overload_is_valid_shell() {
    let (target, directory) = (Target::start("rest"), scratch());
    let path = directory.path().join("run.json");
    let (record, url) = (path.to_str().unwrap(), format!("http://{}/", target.address()));
    run(["http", "-q", "50", "-z", "1s", "--record", record, &url]).expect(0);
    let mut overloaded: Value =
        serde_json::from_slice(&fs::read(&path).expect("the file is there")).expect("it is JSON");
    overloaded["outcome"] = "overloaded".into();
    overloaded["verdict"]["status"] = "valid".into();
    overloaded["rates"]["overload"] = serde_json::json!({ "waiting": 5 });
    let line = "brunt perfdhcp -4 -l lo -r10 -n300 -R 5000 -W3 -t1 -D 5 127.0.0.1";
    overloaded["command"] = line.split(' ').collect();
    fs::write(&path, overloaded.to_string()).unwrap();
    let screen = run(["report", record]).expect(0).stdout;
    let (_, next) = screen.split_once("\nnext  brunt ").unwrap_or_else(|| panic!("{screen}"));
    let (typed, _) = next.split_once("\n      brunt report ").expect("the record comes last");
    let typed = typed.replacen("find-max", "find-max --second 100ms --quiet", 1);
    let shell = Trial::new(Command::new("sh")).within(directory.path()).arg("-c");
    let ended = shell.arg(format!("{} {typed}", binary().display())).run();
    assert!(![0, 2, 89].contains(&ended.code()), "{screen}\n{ended}");
}
