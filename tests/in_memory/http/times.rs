//! What is measured and what is not: thresholds, timeouts, pauses, and load that does not wait for answers.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;
use crate::wire::WAY;
use brunt_test_program::Ended;

/// A plan with this load and these steps.
fn plan(target: &RestTarget, run: &str, steps: &[&str]) -> String {
    format!(
        "[run]\n{run}\n[http]\nbase = \"{}\"\n[[scenario]]\nafter-failure = \"go-on\"\nsteps = [{}]\n",
        target.base,
        steps.join(", ")
    )
}

/// What all exchanges of an operation took together: `response` or `service`.
fn took(run: &Ended, operation: &str, basis: &str) -> Duration {
    let sum = run.operation(operation)[basis]["sum_ns"].as_u64();
    Duration::from_nanos(sum.expect("nanoseconds"))
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn threshold_exceeded_is_not_a_failure() {
    let target = RestTarget::start();
    let steps = [
        r#"{ name = "slow", get = "/sleep?ms=300", threshold = "100ms" }"#,
        r#"{ name = "patient", get = "/sleep?ms=300", threshold = "30s" }"#,
    ];
    let run =
        Plan::from_text(&plan(&target, "users = 4\niterations = { each = 2 }", &steps)).run(&[]);
    let run = run.expect(0);
    assert_eq!(run.ends_of("slow"), [(("exceeded".into(), 200), 8)].into(), "{run}");
    assert_eq!(run.ends_of("patient"), [(("ok".into(), 200), 8)].into(), "{run}");
    assert_eq!((run.tally("slow exceeded"), run.tally("slow passed")), (8, 0), "{run}");
    let each = ms(300) + 2 * WAY;
    assert_eq!(took(&run, "patient", "service"), 8 * each, "{run}");
}

#[test]
fn pauses_are_in_no_latency() {
    let target = RestTarget::start();
    let steps = [
        r#"{ name = "first", get = "/" }"#,
        r#"{ pause = "2s" }"#,
        r#"{ name = "second", get = "/" }"#,
    ];
    let load = "users = 3\nthink = \"2s\"\niterations = { each = 3 }";
    let run = Plan::from_text(&plan(&target, load, &steps)).run(&[]).went_well();
    for operation in ["first", "second"] {
        assert_eq!(took(&run, operation, "response"), 9 * 2 * WAY, "{operation}\n{run}");
    }
    assert_eq!(run.tally("pause pause made"), 9, "{run}");
    assert_eq!(Duration::from_nanos(run.tally("pause pause ns")), Duration::from_secs(9 * 2));
    // Three pauses of a user, and two between iterations.
    let seconds = run.json()["rates"]["seconds"].as_f64().expect("a length");
    assert!((10.0..10.1).contains(&seconds), "{seconds}\n{run}");
}

#[test]
fn timeout_is_counted_and_replaces_the_connection() {
    let target = RestTarget::start();
    let steps = [
        r#"{ name = "slow", get = "/sleep?ms=3000", timeout = "100ms" }"#,
        r#"{ name = "small", get = "/" }"#,
    ];
    let run =
        Plan::from_text(&plan(&target, "users = 2\niterations = { each = 3 }", &steps)).run(&[]);
    assert_eq!(run.count_of("slow", "timed_out"), 6, "{run}");
    assert_eq!(run.count_of("small", "ok"), 6, "{run}");
    // It is noticed within a twentieth of the timeout.
    let took = took(&run, "slow", "service");
    assert!((ms(600)..=ms(630)).contains(&took), "{took:?}\n{run}");
    let seen = target.stop();
    let connections = |path: &str| -> BTreeSet<u64> {
        seen.iter().filter(|one| one.target == path).map(|one| one.connection).collect()
    };
    // The next slow one is sent over the connection that replaced that of the one before.
    assert_eq!((connections("/").len(), connections("/sleep?ms=3000").len()), (6, 6), "{run}");
    assert_eq!(connections("/").union(&connections("/sleep?ms=3000")).count(), 8, "{run}");
}

#[test]
fn open_load_iterations_arrive_when_due() {
    let target = RestTarget::start();
    let steps = [
        r#"{ name = "first", get = "/?first" }"#,
        r#"{ pause = "100ms" }"#,
        r#"{ name = "second", get = "/?second" }"#,
    ];
    let load = "rate = \"50/s\"\nduration = \"2s\"\nusers = 40";
    let run = Plan::from_text(&plan(&target, load, &steps)).run(&[]).went_well();
    assert_eq!((run.count_of("first", "ok"), run.count_of("second", "ok")), (100, 100), "{run}");
    assert_eq!(took(&run, "second", "response"), 100 * 2 * WAY, "{run}");
    let seen = target.stop();
    assert_eq!(seen.len(), 200, "{run}");
    // The user who has been free for longest has the next one, so all take turns.
    let users: BTreeSet<u64> = seen.iter().map(|one| one.connection).collect();
    assert_eq!(users.len(), 40, "{run}");
}
