//! Wrong loads of scenarios.

use super::{expect, said};

/// A plan of two scenarios with these loads.
fn plan(run: &str, one: &str, other: &str) -> String {
    let scenario =
        |keys: &str| format!("[[scenario]]\n{keys}\nsteps = [{{ get = \"http://x/\" }}]\n");
    format!("[run]\n{run}\n{}{}", scenario(one), scenario(other))
}

const USERS: &str = "run = { users = 2, duration = \"1m\" }";

#[test]
fn loads_that_do_not_fit_together() {
    expect(
        &plan("", USERS, ""),
        "p.toml:6:1: scenario[2]:",
        &["another scenario has", "run = { users = 1 }"],
    );
    expect(&plan("", USERS, &format!("{USERS}\nweight = 2")), "p.toml:8:10", &["has no effect"]);
    for key in
        ["users = 5", "rate = \"9/s\"", "duration = \"9s\"", "think = \"1s\"", "order = \"turns\""]
    {
        let at = format!("p.toml:2:{}", key.find('=').unwrap() + 3);
        expect(&plan(key, USERS, USERS), &at, &["[run] keeps what they have in common"]);
    }
    assert_eq!(said(&plan("timeout = \"3s\"\nseed = 7", USERS, USERS)), None);
}

#[test]
fn loads_that_are_none() {
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
        ("user = 1", "did you mean 'users'?"),
    ] {
        expect(&plan("", &format!("run = {{ {keys} }}"), USERS), "p.toml:4", &[part]);
    }
}
