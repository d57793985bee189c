//! Groups, branches and repetitions of a plan: what a server counts is what the plan says and what the record counts.

use super::site::{Site, json};
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

/// The load of most tests: twenty iterations.
pub(super) const TWENTY: &str = "users = 2\niterations = { each = 10 }";

/// A site that answers by target.
pub(super) fn visited() -> Site {
    Site::answering(|requested, seen| {
        let (status, body) = answer(requested.target(), seen);
        json(status, "", &body)
    })
}

/// A plan with this load and these steps.
pub(super) fn plan_of(site: &Site, load: &str, steps: &str) -> String {
    site.plan(load, "[variables]\nfirst = { number = \"repeat\", step = 20 }", steps)
}

/// Carries these steps out twenty times.
pub(super) fn visit(site: &Site, steps: &str) -> Ended {
    Plan::from_text(&plan_of(site, TWENTY, steps)).run(&[])
}

/// The answer to a target that was asked for this many times.
fn answer(target: &str, seen: u64) -> (u16, String) {
    let number = || target.rsplit('/').next().and_then(|last| last.parse::<u64>().ok());
    match target {
        _ if target.starts_with("/kind/") => {
            let kind = if number().is_some_and(|number| number % 4 == 0) { "otp" } else { "none" };
            (200, format!("{{\"kind\":\"{kind}\"}}"))
        }
        _ if target.starts_with("/more/") => {
            (200, if seen < 3 { "{\"next\":\"x\"}" } else { "{}" }.to_owned())
        }
        "/endless" => (200, "{\"next\":\"x\"}".to_owned()),
        _ if target.starts_with("/shaky/") && seen == 1 => (503, "{}".to_owned()),
        "/refused" => (503, "{}".to_owned()),
        _ if target == "/pending" || target.starts_with("/device/") && seen < 3 => {
            (400, "{\"error\":\"authorization_pending\"}".to_owned())
        }
        _ if target.starts_with("/token/") => {
            let lifetime = number().unwrap_or_default();
            (200, format!("{{\"token\":\"of-this-site\",\"expires_in\":{lifetime}}}"))
        }
        "/none" => (404, "{}".to_owned()),
        _ if target.starts_with("/stale") => (400, "{\"error\":\"invalid_grant\"}".to_owned()),
        _ => (200, "{}".to_owned()),
    }
}

/// What was printed, with one space between words.
fn output(run: &Ended) -> String {
    run.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

const VISIT: &str = r#"
[[scenario.steps]]
name = "kind"
get = "/kind/${run.iteration}"
extract = { kind = "/kind" }
[[scenario.steps]]
name = "second factor"
when = [{ value = "${kind}", equals = "otp" }]
steps = [{ name = "otp", get = "/otp" }, { name = "code", get = "/code" }]
[[scenario.steps]]
name = "pages"
repeat = { times = 3, pause = "1ms" }
steps = [{ name = "page", get = "/users", query = { first = "${first}" } }]
[[scenario.steps]]
name = "leave"
choose = "weights"
steps = [{ weight = 70, name = "logout", get = "/logout" }, { weight = 30, name = "stay", get = "/stay" }]
"#;

#[test]
fn plan_with_groups_and_branches_agrees_with_the_server() {
    let site = visited();
    let plan = Plan::from_text(&plan_of(&site, TWENTY, VISIT));
    let run = plan.run(&["--details"]).went_well();
    assert_eq!(site.count("/kind"), 20, "{run}");
    assert_eq!((site.count("/otp"), site.count("/code")), (5, 5), "{run}");
    for first in [0, 20, 40] {
        assert_eq!(site.count(&format!("/users?first={first}")), 20, "{run}");
    }
    let (logout, stay) = (site.count("/logout"), site.count("/stay"));
    assert_eq!(logout + stay, 20, "{run}");
    assert!(logout > 0 && stay > 0, "{run}");
    for (name, requested) in [("otp", 5), ("code", 5), ("page", 60), ("logout", logout)] {
        assert_eq!(run.count_of(name, "ok"), requested, "{name}: {run}");
    }
    assert_eq!(run.span("second factor"), (5, 0, 0), "{run}");
    assert_eq!(run.span("pages"), (20, 0, 0), "{run}");
    assert_eq!(run.span("pages work"), (20, 0, 0), "{run}");
    assert_eq!(run.span("leave"), (20, 0, 0), "{run}");
    assert_eq!(run.part("iteration"), 20, "{run}");
    for span in run.json()["spans"].as_array().expect("spans") {
        assert!(span["goodput"].as_f64().is_some_and(|rate| rate > 0.0), "{span}");
    }
    assert_eq!(run.tally("branch group 'second factor' taken"), 5, "{run}");
    assert_eq!(run.tally("branch group 'second factor' passed over"), 15, "{run}");
    assert_eq!(run.tally("choice leave reached"), 20, "{run}");
    assert_eq!(run.tally("choice leave: logout"), logout, "{run}");
    assert_eq!(run.tally("choice leave: stay"), stay, "{run}");
    let share = format!("{logout} {:.2}%", 5.0 * logout as f64);
    assert!(output(&run).contains(&format!(" leave logout {share}")), "{run}");
    // The same seed makes the same choices.
    let again = visited();
    visit(&again, VISIT).went_well();
    assert_eq!(again.count("/logout"), logout);
}

/// `VISIT` with the weights of its last group as variables.
fn shares(site: &Site, variables: &str) -> String {
    let steps = VISIT.replace("weight = 70", "weight = \"${logout}\"");
    let steps = steps.replace("weight = 30", "weight = \"${stay}\"");
    let plan = plan_of(site, TWENTY, &steps);
    plan.replace("[variables]\n", &format!("[variables]\n{variables}\n"))
}

#[test]
fn weight_may_be_a_variable() {
    let (given, site) = (visited(), visited());
    visit(&given, VISIT).went_well();
    let plan = shares(&site, "logout = 70\nstay = \"${rest}\"\nrest = 30");
    let run = Plan::from_text(&plan).run(&[]).went_well();
    // The same weights and the same seed make the same choices.
    assert_eq!(site.count("/logout"), given.count("/logout"), "{run}");
    assert_eq!(site.count("/stay"), given.count("/stay"), "{run}");
    let before = site.count("/stay");
    let run = Plan::from_text(&plan).run(&["--set", "variables.logout=0"]).went_well();
    assert_eq!((site.count("/stay") - before, run.count_of("stay", "ok")), (20, 20), "{run}");
    let run = Plan::from_text(&plan).run(&["--check", "--set", "variables.logout=10"]);
    assert!(run.stdout.contains("one of its steps is chosen: 25.0 %, 75.0 %"), "{run}");
    // One that is known only in the run.
    let drawn = shares(&site, "logout = { random = \"1..1\" }\nstay = { choice = [0] }");
    let run = Plan::from_text(&drawn).run(&[]).went_well();
    assert_eq!(run.count_of("logout", "ok"), 20, "{run}");
    let of_answer = drawn.replace("\"${stay}\"", "\"${kind}\"");
    let run = Plan::from_text(&of_answer).run(&["--check"]);
    assert!(run.stdout.contains("is chosen: by the weights ${logout}, ${kind}"), "{run}");
}

#[test]
fn weight_that_is_no_number_fails_the_step_and_says_why() {
    let site = visited();
    let leave = "[[scenario.steps]]\nname = \"leave\"\nchoose = \"weights\"\nsteps = [{ weight = \"${kind}\", \
         name = \"logout\", get = \"/logout\" }, { name = \"stay\", get = \"/stay\" }]\n";
    let kind =
        "[[scenario.steps]]\nname = \"kind\"\nget = \"/kind/1\"\nextract = { kind = \"/kind\" }\n";
    let run = visit(&site, &(kind.to_owned() + leave));
    let output = run.json()["samples"].to_string();
    assert!(
        output.contains("choose: the weight of 'logout' is 'none', which is not a whole number"),
        "{run}"
    );
    assert_eq!((run.count_of("kind", "failed"), run.of_class("check")), (20, 20), "{run}");
    assert_eq!((site.count("/logout"), site.count("/stay")), (0, 0), "{run}");
    // Nothing was sent before that could have failed.
    for (drawn, why) in
        [("much", "'logout' is 'much'"), ("0", "no step of 'leave' has a weight above 0")]
    {
        let none = leave.replace("{ name", "{ weight = 0, name");
        let plan = plan_of(&site, TWENTY, &none);
        let kind = format!("[variables]\nkind = {{ choice = [\"{drawn}\"] }}\n");
        let run = Plan::from_text(&plan.replace("[variables]\n", &kind)).run(&[]);
        assert!(run.json()["samples"].to_string().contains(why), "{run}");
        assert_eq!((run.count_of("logout", "failed"), run.of_class("check")), (20, 20), "{run}");
        assert_eq!((site.count("/logout"), site.count("/stay")), (0, 0), "{run}");
    }
}

#[test]
fn choose_first_takes_the_first_matching_step() {
    let site = visited();
    let steps = r#"
[[scenario.steps]]
name = "kind"
get = "/kind/${run.iteration}"
extract = { kind = "/kind" }
[[scenario.steps]]
name = "by kind"
choose = "first"
steps = [
  { name = "otp", when = [{ value = "${kind}", equals = "otp" }], get = "/otp" },
  { name = "some", when = [{ value = "${kind}" }, { value = "${run.iteration}", between = "..9" }], get = "/some" },
  { name = "else", get = "/else" },
]
"#;
    let run = visit(&site, steps).went_well();
    // Of 0 to 19, five are multiples of 4, three of them below 10.
    assert_eq!((site.count("/otp"), site.count("/some"), site.count("/else")), (5, 7, 8), "{run}");
    let chosen = ["reached", "otp", "some", "else"].map(|name| {
        let sign = if name == "reached" { "" } else { ":" };
        run.tally(&format!("choice by kind{sign} {name}"))
    });
    assert_eq!(chosen, [20, 5, 7, 8], "{run}");
    assert_eq!(run.span("by kind"), (20, 0, 0), "{run}");
}

#[test]
fn choose_weights_skips_a_step_whose_condition_fails() {
    let site = visited();
    let steps = r#"
[[scenario.steps]]
name = "kind"
get = "/kind/${run.iteration}"
extract = { kind = "/kind" }
[[scenario.steps]]
name = "leave"
choose = "weights"
steps = [
  { weight = 9, name = "otp", when = [{ value = "${kind}", equals = "sms" }], get = "/otp" },
  { name = "stay", get = "/stay" },
]
"#;
    let run = visit(&site, steps).went_well();
    let passed = run.tally("branch step 'otp' passed over");
    assert!(passed > 9 && passed < 20, "{run}");
    assert_eq!((site.count("/otp"), site.count("/stay")), (0, 20 - passed), "{run}");
    assert_eq!(run.tally("choice leave: stay"), 20 - passed, "{run}");
    assert!(
        output(&run).contains(&format!("Step 'otp' was passed over all {passed} times.")),
        "{run}"
    );
}

#[test]
fn repeat_ends_by_condition_or_fails_at_its_maximum() {
    let site = visited();
    let steps = |target: &str| {
        format!(
            "[[scenario.steps]]\nname = \"crawl\"\nrepeat = {{ while = [{{ value = \"${{next}}\", exists = false, \
             not = true }}], most = 5 }}\nsteps = [{{ name = \"page\", get = \"{target}\", \
             extract = {{ next = \"/next\" }} }}]\n"
        )
    };
    let first = "[[scenario.steps]]\nname = \"first\"\nget = \"/more/${run.iteration}\"\n\
         extract = { next = \"/next\" }\n";
    let run = visit(&site, &(first.to_owned() + &steps("/more/${run.iteration}"))).went_well();
    assert_eq!(site.count("/more"), 60, "{run}");
    assert_eq!(run.count_of("page", "ok"), 40, "{run}");
    let endless = first.replace("/more/${run.iteration}", "/endless") + &steps("/endless");
    let after = "[[scenario.steps]]\nname = \"after\"\nget = \"/after\"\n";
    let run = visit(&site, &(endless + after));
    assert_eq!((run.count_of("page", "ok"), run.count_of("page", "failed")), (80, 20), "{run}");
    assert_eq!(run.span("crawl"), (0, 20, 0), "{run}");
    assert_eq!((site.count("/after"), run.count_of("after", "skipped")), (0, 20), "{run}");
    let output = run.json()["samples"].to_string();
    assert!(output.contains("repeat: 5 times, and the condition still holds"), "{run}");
}

#[test]
fn group_fails_with_a_step_and_is_skipped_if_not_begun() {
    let site = visited();
    let steps = r#"
[[scenario.steps]]
name = "outer"
steps = [
  { name = "inner", steps = [{ name = "fine", get = "/fine" }, { name = "none", get = "/none" }] },
  { name = "later", steps = [{ name = "rest", get = "/rest" }] },
]
"#;
    let run = visit(&site, steps);
    assert_eq!((site.count("/fine"), site.count("/none"), site.count("/rest")), (20, 20, 0));
    assert_eq!(run.span("outer"), (0, 20, 0), "{run}");
    assert_eq!(run.span("inner"), (0, 20, 0), "{run}");
    assert_eq!(run.span("later"), (0, 0, 20), "{run}");
    assert_eq!(run.count_of("rest", "skipped"), 20, "{run}");
}

#[test]
fn iteration_without_requests_is_one_skipped_exchange() {
    let site = visited();
    let steps = "[[scenario.steps]]\nname = \"never\"\nwhen = [{ value = \"${next}\" }]\nget = \"/never\"\n\
         extract = { next = \"/next\" }\n";
    let run = visit(&site, steps);
    assert_eq!((site.count("/never"), run.count_of("never", "skipped")), (0, 20), "{run}");
    let notes = run.json()["verdict"]["notes"].to_string();
    assert!(notes.contains("step 'never' was passed over in all 20 iterations"), "{run}");
}

#[test]
fn once_shows_groups_rounds_and_skipped_steps() {
    let site = visited();
    let plan = plan_of(&site, "users = 1", VISIT).replace("equals = \"otp\"", "equals = \"sms\"");
    let run = Plan::from_text(&plan).run(&["--once"]);
    assert!(run.stdout.contains("-- page (in pages, round 3): passed"), "{run}");
    assert!(run.stdout.contains("group 'second factor' was passed over"), "{run}");
    let run = Plan::from_text(&plan).run(&["--check"]);
    assert!(run.stdout.contains("visit: at most 7 exchanges an iteration"), "{run}");
    assert!(run.stdout.contains("== group second factor\n   only when ${kind} is 'sms'"), "{run}");
    assert!(run.stdout.contains("repeated 3 times, with a pause of 1ms"), "{run}");
    assert!(run.stdout.contains("one of its steps is chosen: 70.0 %, 30.0 %"), "{run}");
}
