//! Steps that are tried again, asked again, or have a connection of their own, and values that expire: the server
//! counts.

use super::journeys::{plan_of, visit, visited};
use super::site::Site;
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

#[test]
fn retry_repeats_a_failure_and_the_last_attempt_decides() {
    let site = visited();
    let steps = r#"
[[scenario.steps]]
name = "visit"
steps = [
  { name = "shaky", get = "/shaky/${run.iteration}", retry = { times = 2, of = ["503"], pause = "1ms" } },
  { name = "after", get = "/after" },
]
"#;
    let run = visit(&site, steps);
    // Each of 20 targets refuses once.
    assert_eq!((site.count("/shaky"), site.count("/after")), (40, 20), "{run}");
    assert_eq!((run.count_of("shaky", "ok"), run.count_of("shaky", "failed")), (20, 20), "{run}");
    assert_eq!(run.span("shaky retry"), (20, 0, 0), "{run}");
    assert_eq!(run.span("visit"), (20, 0, 0), "{run}");
    assert_eq!(run.tally("pause retry made"), 20, "{run}");
    // Other failures are not tried again, and attempts come to an end.
    let steps = "[[scenario.steps]]\nname = \"none\"\nget = \"/none\"\nretry = { times = 2, of = [503, \"closed\"] }\n";
    let other = visit(&site, steps);
    assert_eq!((site.count("/none"), other.span("none retry")), (20, (0, 0, 0)), "{other}");
    let steps = "[[scenario.steps]]\nname = \"never\"\nget = \"/refused\"\nretry = { times = 2 }\n";
    let never = visit(&site, steps);
    assert_eq!((site.count("/refused"), never.span("never retry")), (60, (0, 40, 0)), "{never}");
}

#[test]
fn pending_answer_is_not_a_failure() {
    let site = visited();
    let poll = |target: &str, within: &str| {
        format!(
            "[[scenario.steps]]\nname = \"poll\"\npost = \"{target}\"\npending = [{{ json = \"/error\", equals = \
             \"authorization_pending\" }}]\nevery = \"100ms\"\nwithin = \"{within}\"\n"
        )
    };
    let run = visit(&site, &poll("/device/${run.iteration}", "1m"));
    assert_eq!(site.count("/device"), 60, "{run}");
    assert_eq!((run.count_of("poll", "ok"), run.count_of("poll", "failed")), (20, 0), "{run}");
    assert_eq!(run.count_of("poll pending", "ok"), 40, "{run}");
    assert_eq!(run.span("poll wait"), (20, 0, 0), "{run}");
    // The next request would come too late.
    let run = visit(&site, &poll("/pending", "50ms"));
    assert_eq!((site.count("/pending"), run.of_class("pending")), (20, 20), "{run}");
    assert_eq!(run.span("poll wait"), (0, 20, 0), "{run}");
    let output = run.json()["samples"].to_string();
    assert!(
        output.contains("pending after 50ms (1 answer, the last: authorization_pending)"),
        "{output}"
    );
}

#[test]
fn new_connection_is_opened_for_each_step() {
    let site = visited();
    let steps = "[[scenario.steps]]\nname = \"a\"\nget = \"/a\"\nconnection = \"new\"\n\
         [[scenario.steps]]\nname = \"b\"\nget = \"/b\"\n";
    let run = visit(&site, steps);
    assert_eq!((run.count_of("a", "ok"), run.count_of("b", "ok")), (20, 20), "{run}");
    assert_eq!(site.connections(), 20, "{run}");
}

#[test]
fn refused_token_is_reported_with_its_age() {
    let site = visited();
    let output = |work: &str| {
        let steps = format!(
            "[[scenario.steps]]\nname = \"sign in\"\nget = \"/token/3600\"\nextract = {{ token = {{ json = \
             \"/token\", expires = {{ json = \"/expires_in\", early = \"5s\" }} }}, other = \"/token\" }}\n\
             [[scenario.steps]]\nname = \"work\"\n{work}\n"
        );
        let run = visit(&site, &steps);
        assert_eq!(run.count_of("work", "failed"), 20, "{run}");
        let samples = run.json()["samples"].as_array().cloned().unwrap_or_default();
        samples[0]["text"].as_str().expect("a text").to_owned()
    };
    for work in [
        "get = \"/stale\"\nbearer = \"${token}\"",
        "get = \"/stale\"\nbearer = \"${token}\"\nstatus = 200",
        "post = \"/stale\"\nform = { refresh = \"${token}\", other = \"${other}\" }",
    ] {
        let text = output(work);
        assert!(text.contains("invalid_grant") && text.contains("; token is "), "{text}");
        assert!(text.ends_with(" s old, was valid for 3600 s"), "{text}");
        assert!(!text.contains("other is"), "{text}");
    }
    let text = output("post = \"/stale\"\nform = { code = \"${other}\" }");
    assert!(text.contains("; other is ") && text.ends_with(" s old"), "{text}");
    // Another refusal, and a value that is only in the path.
    for work in ["get = \"/none\"\nbearer = \"${token}\"", "get = \"/stale/${token}\""] {
        let text = output(work);
        assert!(!text.contains(" old"), "{text}");
    }
}

/// Signs in unless there is a token, and works with it.
fn service(site: &Site, run: &str, lifetime: &str, early: &str) -> Ended {
    let steps = format!(
        "[[scenario.steps]]\nname = \"sign in\"\nwhen = [{{ value = \"${{token}}\", exists = false }}]\nget = \
         \"/token/{lifetime}\"\nextract = {{ token = {{ json = \"/token\", expires = {{ \
         json = \"/expires_in\", early = \"{early}\" }} }} }}\n[[scenario.steps]]\nname = \"work\"\n\
         get = \"/work\"\nbearer = \"${{token}}\"\n"
    );
    let plan = plan_of(site, run, &steps);
    Plan::from_text(
        &plan.replace("[variables]\n", "[variables]\ntoken = { extracted = \"user\" }\n"),
    )
    .run(&[])
}

#[test]
fn service_signs_in_again_when_its_token_expires() {
    // What lives for five seconds does not exist for conditions, and what lives for none is gone.
    for (lifetime, requested, worked) in
        [("3600", 2, 20), ("1000000000000000000", 2, 20), ("5", 20, 20), ("0", 20, 0)]
    {
        let site = visited();
        let run = service(&site, "users = 2\niterations = { each = 10 }", lifetime, "5s");
        let seen = (site.count("/token"), site.count("/work"));
        assert_eq!(seen, (requested, worked), "{lifetime}: {run}");
    }
}

#[test]
fn expiring_value_is_renewed_before_the_arrival() {
    let site = visited();
    let load = "users = 1\nrate = \"1/s\"\nduration = \"3s\"";
    let run = service(&site, load, "1", "500ms");
    assert_eq!((site.count("/token"), site.count("/work")), (3, 3), "{run}");
    assert_eq!((run.count_of("work", "ok"), run.count("failed")), (3, 0), "{run}");
}
