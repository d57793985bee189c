//! Wrong loads of scenarios.

use super::{expect, message};

/// A plan of two scenarios with these loads.
fn plan(run: &str, one: &str, other: &str) -> String {
    let scenario =
        |keys: &str| format!("[[scenario]]\n{keys}\nsteps = [{{ get = \"http://x/\" }}]\n");
    format!("[run]\n{run}\n{}{}", scenario(one), scenario(other))
}

const USERS: &str = "run = { users = 2, duration = \"1m\" }";

#[test]
fn scenario_loads_that_conflict() {
    expect(
        &plan("", USERS, ""),
        "p.toml:6:1: scenario[2]:",
        &["another scenario has", "run = { users = 1 }"],
    );
    expect(&plan("", USERS, &format!("{USERS}\nweight = 2")), "p.toml:8:10", &["has no effect"]);
    for (key, why) in [
        ("users = 5", "in its table run"),
        ("rate = \"9/s\"", "in its table run"),
        ("trace = \"times\"", "in its table run"),
        ("rate-file = \"rates\"", "in its table run"),
        ("duration = \"9s\"", "in its table run"),
        ("think = \"1s\"", "in its table run"),
        ("groups = { size = 1, every = \"1s\" }", "a ramp-up or a start"),
        ("backlog = 5", "wait until a user"),
        ("order = \"turns\"", "none is chosen"),
    ] {
        let at = format!("p.toml:2:{}", key.find('=').unwrap() + 3);
        expect(&plan(key, USERS, USERS), &at, &["cannot be used with loads of scenarios", why]);
    }
    let common = "timeout = \"3s\"\nseed = 7\nwarm-up = \"5s\"";
    assert_eq!(message(&plan(common, USERS, USERS)), None);
}

#[test]
fn scenario_load_errors() {
    for (keys, part) in [
        ("users = 0", "more than 0"),
        ("iterations = 0", "more than 0"),
        ("duration = \"0s\"", "more than 0"),
        ("rate = \"9/s\", stages = \"9/s for 1s\"", "only one of them"),
        ("arrival = \"poisson\"", "needs a rate"),
        ("rate = \"often\"", "must be a rate"),
        ("stages = \"soon\"", "failed to"),
        ("rate = \"9/s\", think = \"1s\"", "put a pause into the scenario"),
        ("rate = \"9/s\", iterations = 4", "add its duration"),
        ("rate = \"9/s\", ramp-up = \"4s\"", "begin the stages with a ramp"),
        ("think = \"soon\"", "failed to"),
        ("rate-file = \"none.txt\"", "none.txt"),
        ("trace = \"none.txt\"", "none.txt"),
        ("rate-file = \"none.txt\", stages = \"9/s\"", "with 'rate-file'"),
        ("stages = \"9/s for 5s as warm-up, 9/s for 5s\"", "set run.warm-up"),
        ("user = 1", "did you mean 'users'?"),
    ] {
        expect(&plan("", &format!("run = {{ {keys} }}"), USERS), "p.toml:4", &[part]);
    }
}
