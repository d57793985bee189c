//! `--check` and `--schema`: their output, and that nothing is sent.

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

fn plan(base: &str) -> String {
    format!(
        "[run]\nrate = \"50/s\"\nduration = \"1s\"\n[http]\nbase = \"{base}\"\n\
         headers = {{ Authorization = \"Basic c2VjcmV0\" }}\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\nperson = {{ random = \"10..10\" }}\n\
         [[scenario]]\nname = \"only\"\n[[scenario.steps]]\nname = \"ask\"\nget = \"/users/user ${{person}}\"\n\
         query = {{ key = \"${{secret}}\" }}\nextract = {{ id = \"/id\" }}\n\
         [[scenario.steps]]\nname = \"again\"\nget = \"/users/${{id}}\"\n"
    )
    .replace("user ${person}", "user${person}")
}

#[test]
fn check_shows_what_would_be_sent_and_sends_nothing() {
    let target = RestTarget::start();
    let ended = Plan::from_text(&plan(&target.base)).run(&["--check"]).expect(0);
    for part in [
        "Open load: iterations begin 50/s, evenly spread; at most 50 users",
        "It ends after 1s.",
        &format!("GET {}/users/user10?key=***", target.base),
        &format!("GET {}/users/<id>", target.base),
        "kept as id: the JSON value at '/id'",
        "Authorization = \"Basic ***\"",
        "timeout = \"30s\"",
    ] {
        assert!(ended.stdout.contains(part), "{part} is not there: {ended}");
    }
    assert!(!ended.stdout.contains("opensesame"), "{ended}");
    assert_eq!(target.stop().len(), 0);
}

/// Thirty variables, each twice the one before.
#[test]
fn check_reports_values_that_are_too_large() {
    let variables = (1..30).fold("v0 = \"four\"\n".to_owned(), |text, number| {
        let before = number - 1;
        text + &format!("v{number} = \"${{v{before}}}${{v{before}}}\"\n")
    });
    let plan = |run: &str| {
        Plan::from_text(&format!(
            "[run]\n{run}\n[http]\nbase = \"http://10.0.1.9:1\"\n[variables]\n{variables}\
             [[scenario]]\nname = \"a\"\n[[scenario.steps]]\npost = \"/\"\ntext = \"${{v29}}\"\n"
        ))
    };
    let ended = plan("users = 1").run(&["--check"]).expect(0);
    let expected = "A request will fail to give the variable 'v23' a value: the variables in it make it longer";
    assert!(ended.stdout.contains(expected), "{ended}");
    for (run, expected) in [
        ("rate = \"5/s\"\nbacklog = 4000000000", "a backlog of 4000000000 operations; use at most"),
        ("users = 4000000000", "4000000000 sessions on one machine; ask for at most"),
    ] {
        let ended = plan(run).run(&["--check"]).expect(2);
        assert!(ended.output().contains(expected), "{ended}");
    }
}

#[test]
fn schema_equals_the_published_file() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/plan.schema.json");
    let ended = run(&["run", "--schema"]).expect(0);
    assert_eq!(ended.stdout, std::fs::read_to_string(published).unwrap());
}
