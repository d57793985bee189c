//! Scenarios with loads of their own: how often the target was asked by each, in its own log.

use std::path::PathBuf;

use brunt_record::{Record, RunOutcome, ScenarioRecord};
use brunt_test_program::Seen;

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
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

fn requested<'a>(seen: &'a [Seen], name: &str) -> Vec<&'a Seen> {
    let start = format!("/echo/{name}/");
    seen.iter().filter(|seen| seen.target.starts_with(&start)).collect()
}

fn scenario<'a>(record: &'a Record, name: &str) -> &'a ScenarioRecord {
    let found = record.scenarios.iter().find(|scenario| scenario.name == name);
    found.unwrap_or_else(|| panic!("no scenario {name}: {:?}", record.scenarios))
}

#[test]
fn scenario_load_sets_its_iterations() {
    let target = RestTarget::start();
    let rate = "users = 3, rate = \"20/s\", duration = \"1s\"";
    let ended = Plan::from_text(&plan(&target, "users = 2, iterations = 5", rate));
    let ended = ended.run(&["--details"]).expect(0);
    let record = ended.record();
    let count = |name: &str| {
        let operation = record.operations.iter().find(|operation| operation.name == name);
        operation.expect(name).counts.ok
    };
    assert_eq!((count("one step"), count("other step")), (10, 20), "{ended}");
    let seen = target.stop();
    assert_eq!(
        (requested(&seen, "one").len(), requested(&seen, "other").len()),
        (10, 20),
        "{ended}"
    );
    let mut users: Vec<&str> =
        requested(&seen, "one").iter().map(|seen| seen.target.as_str()).collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!(users.len(), 2, "{users:?}");
    let (one, other) = (scenario(&record, "one"), scenario(&record, "other"));
    assert_eq!((one.users, one.due, one.not_begun, one.offered), (2, None, None, None));
    assert_eq!((one.begun, one.completed, one.failed), (10, 10, 0));
    assert_eq!((other.users, other.due, other.not_begun), (3, Some(20), Some(0)));
    assert_eq!((other.begun, other.completed, other.failed), (20, 20, 0));
    assert_eq!((other.seconds, other.offered, other.achieved), (1.0, Some(20.0), Some(20.0)));
    assert_eq!(one.measured, ["one step"]);
    assert_eq!(other.measured, ["other step", "other lag"]);
    let lag = record.spans.iter().find(|span| span.name == "other lag").expect("a span");
    assert_eq!(lag.counts.ok, 20, "{ended}");
    let waited = other.lag.expect("it has arrivals");
    assert_eq!(lag.response.max_ns.map(|ns| ns as f64 / 1e3), Some(waited.max_us));
    assert!(waited.p50_us <= waited.p99_us && waited.p99_us <= waited.max_us, "{waited:?}");
    assert!(ended.stdout.contains("\nScenarios"), "{ended}");
}

#[test]
fn scenario_counts_its_failed_iterations() {
    let target =
        RestTarget::scripted("[[rule]]\npath = \"/echo/other/*\"\naction = { status = 503 }\n");
    let two = "users = 1, iterations = 2";
    let ended =
        Plan::from_text(&plan(&target, "users = 1, iterations = 3", two)).run(&[]).expect(0);
    let record = ended.record();
    let counts = |name: &str| {
        let it = scenario(&record, name);
        (it.begun, it.completed, it.failed)
    };
    assert_eq!((counts("one"), counts("other")), ((3, 3, 0), (2, 2, 2)), "{ended}");
    assert_eq!(scenario(&record, "other").outcome, RunOutcome::NothingWorked, "{ended}");
    assert_eq!((requested(&target.stop(), "other")).len(), 2);
}

#[test]
fn scenario_start_delays_its_load() {
    let target = RestTarget::start();
    let late = "users = 1, iterations = 2, start = \"700ms\"";
    let ended =
        Plan::from_text(&plan(&target, "users = 1, iterations = 1", late)).run(&[]).expect(0);
    let seen = target.stop();
    let (one, other) = (requested(&seen, "one"), requested(&seen, "other"));
    assert_eq!((one.len(), other.len()), (1, 2), "{ended}");
    assert!(other[0].at >= one[0].at.saturating_sub(100_000) + 600_000, "{seen:?}");
}

#[test]
fn scenario_with_too_few_users_alone_is_overloaded() {
    let target = RestTarget::scripted(
        "[[rule]]\npath = \"/echo/other/*\"\naction = { delay = \"400ms\" }\n",
    );
    let rate = "users = 1, rate = \"20/s\", duration = \"1s\"";
    let ended = Plan::from_text(&plan(&target, "users = 1, iterations = 3", rate)).run(&[]);
    let record = ended.record();
    let began = requested(&target.stop(), "other").len() as u64;
    assert!(began < 5, "{ended}");
    let (one, other) = (scenario(&record, "one"), scenario(&record, "other"));
    assert!(other.is_overloaded() && !one.is_overloaded(), "{ended}");
    assert_eq!((other.due, other.begun, other.not_begun), (Some(20), began, Some(20 - began)));
    // A slow machine may be the reason for another word.
    assert_ne!(record.outcome, Some(RunOutcome::Measured), "{ended}");
    let words = format!("{} of 20 iterations were not begun, since its user was busy", 20 - began);
    let told: Vec<&str> = ended.stdout.split_whitespace().collect();
    assert!(told.join(" ").contains(&words), "{ended}");
}

#[test]
fn iterations_not_begun_are_named_when_nothing_worked() {
    let target = RestTarget::scripted(
        "[[rule]]\npath = \"/echo/*\"\naction = { delay = \"400ms\" }\n\
         [[rule]]\npath = \"/echo/*\"\naction = { status = 503 }\n",
    );
    let rate = "users = 1, rate = \"20/s\", duration = \"1s\"";
    let ended =
        Plan::from_text(&plan(&target, "users = 1, iterations = 2", rate)).run(&[]).expect(1);
    let began = requested(&target.stop(), "other").len();
    let sentences: Vec<&str> = ended.stdout.split_whitespace().collect();
    let due = began + 2;
    let left = format!("{} of 20 iterations of other did not begin.", 20 - began);
    for words in [format!("NOTHING WORKED None of {due} requests succeeded"), left] {
        assert!(sentences.join(" ").contains(&words), "{words}: {ended}");
    }
}

#[test]
fn nodes_share_each_scenario_load_exactly() {
    let target = RestTarget::start();
    let rate = "users = 4, rate = \"20/s\", duration = \"1s\"";
    let text = plan(&target, "users = 2, iterations = 3", rate);
    let plan = Plan::from_text(&text);
    let records =
        ["0/2", "1/2"].map(|node| plan.run(&["--node", node, "--seed", "5"]).expect(0).record());
    let seen = target.stop();
    assert_eq!((requested(&seen, "one").len(), requested(&seen, "other").len()), (6, 20));
    let files = [PathBuf::from("a"), PathBuf::from("b")].into_iter().zip(records.clone());
    let whole = brunt_record::merge(&files.collect::<Vec<_>>()).expect("they belong together");
    let (one, other) = (scenario(&whole, "one"), scenario(&whole, "other"));
    assert_eq!((one.users, one.begun, one.completed), (2, 6, 6));
    assert_eq!((other.users, other.due, other.begun, other.not_begun), (4, Some(20), 20, Some(0)));
    assert_eq!((other.completed, other.offered), (20, Some(20.0)));
    for record in &records {
        let [one, other] = ["one", "other"].map(|name| scenario(record, name));
        assert_eq!((one.users, one.begun, other.users, other.due), (1, 3, 2, Some(10)));
    }
    let most = records.iter().filter_map(|it| Some(scenario(it, "other").lag?.max_us));
    assert_eq!(most.reduce(f64::max), other.lag.map(|lag| lag.max_us));
    assert!(
        whole.verdict.notes.iter().all(|note| !note.contains("scenario")),
        "{:?}",
        whole.verdict
    );
}

#[test]
fn scenario_figures_exclude_the_warm_up() {
    let target = RestTarget::start();
    let rate = "users = 4, rate = \"20/s\", duration = \"1s\"";
    let late = "users = 3, rate = \"10/s\", start = \"500ms\", duration = \"500ms\"";
    let text = format!("[run]\nwarm-up = \"500ms\"\n{}", plan(&target, rate, late));
    let ended = Plan::from_text(&text).run(&[]).expect(0);
    let seen = target.stop();
    assert_eq!(
        (requested(&seen, "one").len(), requested(&seen, "other").len()),
        (30, 5),
        "{ended}"
    );
    let record = ended.record();
    for (name, due, seconds) in [("one", 20, 1.0), ("other", 5, 0.5)] {
        let it = scenario(&record, name);
        assert_eq!((it.due, it.begun, it.completed), (Some(due), due, due), "{ended}");
        assert!((it.seconds - seconds).abs() < 0.01, "{it:?}");
        let step = record.operations.iter().find(|of| of.name == format!("{name} step"));
        assert_eq!(step.expect("it took place").counts.ok, due, "{ended}");
    }
}

#[test]
fn trace_and_rate_file_belong_to_one_scenario() {
    let target = RestTarget::start();
    let times = "users = 2, trace = \"times.txt\"";
    let rates = "users = 2, rate-file = \"rates.txt\", duration = \"1s\"";
    let plan = Plan::from_text(&plan(&target, times, rates));
    plan.beside("times.txt", "0.01\n0.02\n0.3\n");
    plan.beside("rates.txt", "format=rate-and-duration\nEND HEADER\n8, 1s\n");
    let ended = plan.run(&[]).expect(0);
    let seen = target.stop();
    assert_eq!((requested(&seen, "one").len(), requested(&seen, "other").len()), (3, 8), "{ended}");
    let record = ended.record();
    assert_eq!(scenario(&record, "one").due, Some(3));
    assert_eq!(scenario(&record, "other").due, Some(8));
}

#[test]
fn trace_contains_failures_of_every_scenario() {
    let target = RestTarget::scripted("[[rule]]\npath = \"/echo/*\"\naction = { status = 503 }\n");
    let rate = "users = 1, rate = \"10/s\", duration = \"500ms\"";
    let plan = Plan::from_text(&plan(&target, "users = 1, iterations = 2", rate));
    let file = plan.path().with_file_name("failed.jsonl");
    let ended = plan.run(&["--trace", &file.display().to_string()]).expect(1);
    let lines = std::fs::read_to_string(&file).expect("it was written");
    let seen = target.stop();
    for name in ["one", "other"] {
        let traced = lines.lines().filter(|line| line.contains(&format!("/echo/{name}/")));
        assert_eq!(traced.count(), requested(&seen, name).len(), "{ended}: {lines}");
    }
}

#[test]
fn check_reports_when_scenario_loads_end() {
    let target = RestTarget::start();
    let bounded = "users = 1, iterations = 2";
    let check = |other: &str| Plan::from_text(&plan(&target, bounded, other)).run(&["--check"]);
    let ended = check("users = 2, rate = \"5/s\", duration = \"1s\"").expect(0);
    assert!(ended.stdout.contains("Loads of scenarios: 3 virtual users"), "{ended}");
    assert!(ended.stdout.contains("when the loads of all scenarios have ended"), "{ended}");
    let endless = check("users = 2").expect(0);
    assert!(!endless.stdout.contains("have ended"), "{endless}");
    assert!(!endless.stdout.contains("each user has completed"), "{endless}");
    assert!(target.stop().is_empty());
}

#[test]
fn find_max_and_canary_are_refused_with_scenario_loads() {
    let target = RestTarget::start();
    let plan =
        Plan::from_text(&plan(&target, "users = 1, iterations = 1", "users = 1, iterations = 1"));
    let path = plan.path().display().to_string();
    let ended = run(&["find-max", "--", "run", &path]).expect(2);
    assert!(ended.output().contains("scenarios have loads of their own"), "{ended}");
    let canary = plan.run(&["--canary", "1"]).expect(2);
    assert!(canary.output().contains("scenarios have loads of their own"), "{canary}");
    let once = plan.run(&["--once"]).expect(0);
    assert!(once.stdout.contains("2 steps: 2 passed"), "{once}");
    assert_eq!(target.stop().len(), 2);
}
