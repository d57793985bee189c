//! What a seed draws for each kind of wildcard.
//!
//! The values are those that brunt has always drawn with this seed: a job must send the same requests after an update,
//! or its results could not be compared with those from before.

use serde_json::json;

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// A job with every kind of wildcard whose values depend on the seed, and one that answers bring between them.
fn write(files: &Files, base: &str) {
    let teams: Vec<String> = (0..40).map(|n| format!("team{n}\n")).collect();
    let users: Vec<String> = (0..40).map(|n| format!("user{n},pw{n}\n")).collect();
    files.write("values/teams.txt", &teams.concat());
    files.write("values/users.csv", &format!("user,password\n{}", users.concat()));
    files.task(
        "login",
        &json!({
            "request": "POST", "header": {"X-OpenAM-Username": "user.3", "X-OpenAM-Password": "password"},
            "url-endpoint": "/openam/json/", "url-payload": "authenticate?a=$RANDOMVALUE", "data-payload": "{}"
        }),
    );
    files.task(
        "see",
        &json!({
            "request": "GET", "url-endpoint": "/echo/",
            "url-payload": "$TOKENID/$DICE/$TEAM/$WHO/$WORD/$MEMBER/$ID"
        }),
    );
    files.workload("visit", &[("login", 9000), ("see", 9000)]);
    let column = |name: &str, column: &str| {
        let source = "values/users.csv";
        json!({"name": name, "type": "file", "source": source, "column": column})
    };
    let wildcards = json!([
        {"name": "$DICE", "type": "generated", "lowerbounds": 1, "upperbounds": 1000},
        {"name": "$TEAM", "type": "file", "source": "values/teams.txt"},
        column("$WHO", "user"),
        column("$WORD", "password"),
        {"name": "$ID", "type": "generated", "source": "uuid"},
        {
            "name": "$MEMBER", "type": "rest-endpoint", "attribute": "result", "member": "_id",
            "source": format!("{base}/api/users?_queryFilter=true&_pageSize=20"),
            "header": {"X-OpenIDM-Username": "admin", "X-OpenIDM-Password": "password"}
        }
    ]);
    files.job(base, 1, &[("visit", 3)], &json!({"WILDCARDS": wildcards, "upperbounds": 9999}));
}

/// What the job asks for, without its tokens.
fn requested(line: &[&str]) -> Vec<String> {
    let target = RestTarget::start();
    let files = Files::new();
    write(&files, &target.base);
    let ended = files.run(&[&["--seed", "3"], line].concat()).expect(0);
    let seen = target.stop();
    let visits = seen.iter().filter(|seen| !seen.target.starts_with("/api/users"));
    let without = |target: &str| match target.strip_prefix("/echo/") {
        Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest).to_owned(),
        None => target.replace("/openam/json/authenticate", ""),
    };
    let visits: Vec<String> = visits.map(|seen| without(&seen.target)).collect();
    assert_eq!(visits.len(), 6, "{ended}");
    visits
}

const DRAWN: [&str; 6] = [
    "?a=4007",
    "696/team37/user38/pw38/user.14/16956a3b-8c60-4dae-992b-f03467fcb92c",
    "?a=550",
    "18/team29/user5/pw5/user.0/4c5cbf2c-39e3-483e-b1b5-a59e6d9ab686",
    "?a=3085",
    "127/team23/user34/pw34/user.2/5ff2a4f3-d26f-48b2-afeb-62ed4e25bdcb",
];

#[test]
fn seed_draws_the_recorded_values() {
    assert_eq!(requested(&[]), DRAWN);
}

#[test]
fn seed_draws_the_same_values_with_compat() {
    assert_eq!(requested(&["--compat"]), DRAWN);
}
