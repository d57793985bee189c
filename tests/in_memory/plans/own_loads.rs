//! Scenarios with loads of their own: how often the target was asked by each, in its own log.

use brunt_test_program::{Ended, Seen};

use crate::machine::run;
use crate::planned::Plan;
use crate::rest_target::RestTarget;

fn plan(target: &RestTarget, one: &str, other: &str) -> String {
    let scenario = |name: &str, keys: &str| {
        format!(
            "[[scenario]]\nname = \"{name}\"\nrun = {{ {keys} }}\n\
             steps = [{{ name = \"{name} step\", get = \"/echo/{name}/${{run.user}}\" }}]\n"
        )
    };
    let base = &target.base;
    format!("[http]\nbase = \"{base}\"\n{}{}", scenario("one", one), scenario("other", other))
}

fn asked<'a>(seen: &'a [Seen], name: &str) -> Vec<&'a Seen> {
    let start = format!("/echo/{name}/");
    seen.iter().filter(|seen| seen.target.starts_with(&start)).collect()
}

fn note(ended: &Ended, name: &str) -> String {
    let start = format!("scenario '{name}': ");
    let notes = ended.record().verdict.notes;
    notes.into_iter().find(|note| note.starts_with(&start)).expect("a note")
}

#[test]
fn each_scenario_has_the_iterations_of_its_own_load() {
    let target = RestTarget::start();
    let rate = "users = 3, rate = \"20/s\", duration = \"1s\"";
    let ended = Plan::of(&plan(&target, "users = 2, iterations = 5", rate));
    let ended = ended.run(&["--details"]).expect(0);
    let record = ended.record();
    let count = |name: &str| {
        let operation = record.operations.iter().find(|operation| operation.name == name);
        operation.expect(name).counts.ok
    };
    assert_eq!((count("one step"), count("other step")), (10, 20), "{ended}");
    let seen = target.stop();
    assert_eq!((asked(&seen, "one").len(), asked(&seen, "other").len()), (10, 20), "{ended}");
    let mut users: Vec<&str> =
        asked(&seen, "one").iter().map(|seen| seen.target.as_str()).collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(note(&ended, "one").contains("2 users began 10 iterations"), "{ended}");
    assert!(note(&ended, "other").contains("20 iterations were due"), "{ended}");
    assert!(note(&ended, "other").contains("20 began and 20 were completed"), "{ended}");
    let lag = record.spans.iter().find(|span| span.name == "other lag").expect("a span");
    assert_eq!(lag.counts.ok, 20, "{ended}");
    assert!(ended.stdout.to_lowercase().contains("scenario 'other'"), "{ended}");
}

#[test]
fn a_scenario_begins_when_its_load_says() {
    let target = RestTarget::start();
    let late = "users = 1, iterations = 2, start = \"700ms\"";
    let ended = Plan::of(&plan(&target, "users = 1, iterations = 1", late)).run(&[]).expect(0);
    let seen = target.stop();
    let (one, other) = (asked(&seen, "one"), asked(&seen, "other"));
    assert_eq!((one.len(), other.len()), (1, 2), "{ended}");
    assert!(other[0].at >= one[0].at.saturating_sub(100_000) + 600_000, "{seen:?}");
}

#[test]
fn arrivals_that_no_user_takes_are_told() {
    let target = RestTarget::scripted(
        "[[rule]]\npath = \"/echo/other/*\"\naction = { delay = \"400ms\" }\n",
    );
    let rate = "users = 1, rate = \"20/s\", duration = \"1s\"";
    let ended = Plan::of(&plan(&target, "users = 1, iterations = 1", rate)).run(&[]);
    let began = asked(&target.stop(), "other").len();
    assert!(began < 5, "{ended}");
    let note = note(&ended, "other");
    assert!(note.contains(&format!("{} were not begun", 20 - began)), "{note}");
}

#[test]
fn nodes_have_their_parts_of_each_load() {
    let target = RestTarget::start();
    let rate = "users = 4, rate = \"20/s\", duration = \"1s\"";
    let text = plan(&target, "users = 2, iterations = 3", rate);
    let plan = Plan::of(&text);
    for node in ["0/2", "1/2"] {
        plan.run(&["--node", node, "--seed", "5"]).expect(0);
    }
    let seen = target.stop();
    assert_eq!((asked(&seen, "one").len(), asked(&seen, "other").len()), (6, 20));
}

#[test]
fn a_check_says_when_the_loads_end() {
    let target = RestTarget::start();
    let bounded = "users = 1, iterations = 2";
    let check = |other: &str| Plan::of(&plan(&target, bounded, other)).run(&["--check"]);
    let ended = check("users = 2, rate = \"5/s\", duration = \"1s\"").expect(0);
    assert!(ended.stdout.contains("Loads of scenarios: 3 virtual users"), "{ended}");
    assert!(ended.stdout.contains("when the loads of all scenarios have ended"), "{ended}");
    let endless = check("users = 2").expect(0);
    assert!(!endless.stdout.contains("have ended"), "{endless}");
    assert!(!endless.stdout.contains("each user has completed"), "{endless}");
    assert!(target.stop().is_empty());
}

#[test]
fn a_search_and_a_canary_are_refused() {
    let target = RestTarget::start();
    let plan = Plan::of(&plan(&target, "users = 1, iterations = 1", "users = 1, iterations = 1"));
    let path = plan.path().display().to_string();
    let ended = run(&["find-max", "--", "run", &path]).expect(2);
    assert!(ended.said().contains("scenarios have loads of their own"), "{ended}");
    let canary = plan.run(&["--canary", "1"]).expect(2);
    assert!(canary.said().contains("scenarios have loads of their own"), "{canary}");
    let once = plan.run(&["--once"]).expect(0);
    assert!(once.stdout.contains("2 steps: 2 passed"), "{once}");
    assert_eq!(target.stop().len(), 2);
}
