//! A job and the plan that is made from it, performed: the same requests arrive.

use serde_json::json;

use brunt_test_program::Seen;

use crate::machine::run;
use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// What a request was, but for what differs from one run to the next.
fn requested(seen: &[Seen]) -> Vec<String> {
    let words = |seen: &Seen| {
        let mut fields: Vec<String> = seen
            .headers
            .iter()
            .filter(|(name, _)| !["Host", "Content-Length"].contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        fields.sort();
        format!("{} {} {fields:?} {}", seen.method, seen.target, seen.body)
    };
    seen.iter().map(words).collect()
}

/// Writes a job with something of everything that can be said of a request.
fn write(files: &Files, base: &str) {
    files.write("values/teams.txt", "red\ngreen\nblue\n");
    files.write("values/users.csv", "user;password\njo & co;p\"w\n");
    files.task(
        "login",
        &json!({
            "request": "POST",
            "header": {"X-OpenAM-Username": "$ADMINUSERID", "X-OpenAM-Password": "$ADMINUSERPASSWORD"},
            "url-endpoint": "/openam/json/", "url-payload": "authenticate", "data-payload": "{}"
        }),
    );
    files.task(
        "change",
        &json!({
            "request": "PATCH", "header": {"X-Cost": "5$$TEAM ${x} $RANDOMVALUE"},
            "url-endpoint": "/echo/a+b'*/$TEAM", "url-payload": "?n=$INCREMENT&t=$THREADID&u=$MEMBER&w=$WHO",
            "data-payload": [{"a": "q\"$TEAM\\", "b": 1.50, "w": "$WHO", "p": "$WORD"}]
        }),
    );
    files.task(
        "form",
        &json!({
            "request": "PUT", "url-endpoint": "/echo/form", "data-payload": "team=$TEAM&r=$RANDOMVALUE"
        }),
    );
    files.task("sleep", &json!({"url-endpoint": "$SLEEP", "url-payload": 3}));
    files.workload("one", &[("login", 4000), ("change", 4000), ("sleep", 2), ("form", 4000)]);
    files.workload("two", &[("form", 4000)]);
    let wildcards = json!([
        {"name": "$TEAM", "type": "file", "source": "values/teams.txt"},
        {
            "name": "$WHO", "type": "file", "source": "values/users.csv", "column": "user",
            "separator": ";", "encode": "url"
        },
        {
            "name": "$WORD", "type": "file", "source": "values/users.csv", "column": "password",
            "separator": ";"
        },
        {
            "name": "$MEMBER", "type": "rest-endpoint", "attribute": "/result", "member": "_id",
            "source": format!("{}/api/users?_queryFilter=_id+eq+'user.7'", base),
            "header": {"X-OpenIDM-Username": "admin", "X-OpenIDM-Password": "password"}
        }
    ]);
    files.job(base, 1, &[("one", 6), ("two", 4)], &json!({"WILDCARDS": wildcards}));
}

/// Writes a job whose names and payloads a plan has to write in another way.
fn write_odd(files: &Files, base: &str) {
    files.write("values/rows.csv", "who,where\njo,here\n");
    files.write("values/lines.txt", "a \"b\"\n");
    files.task(
        "text",
        &json!({
            "request": "POST", "header": {"Content-Type": "application/json", "X-Dollar": "$$dollar"},
            "url-endpoint": "/echo/", "url-payload": "$A.B", "data-payload": "not JSON: $LINE ${LINE}"
        }),
    );
    files.task(
        "string",
        &json!({
            "request": "POST", "header": {"Content-Type": "application/json"},
            "url-endpoint": "/echo/$my.way", "data-payload": "{\"line\": \"$LINE\"}"
        }),
    );
    files.task("sleep", &json!({"url-endpoint": "$SLEEP", "url-payload": 1}));
    files.workload("one", &[("text", 4000), ("string", 4000)]);
    files.workload("idle", &[("sleep", 1)]);
    let wildcards = json!([
        {"name": "$A", "type": "file", "source": "values/rows.csv", "column": "who"},
        {"name": "$A.B", "type": "file", "source": "values/rows.csv", "column": "where"},
        {"name": "$LINE", "type": "file", "source": "values/lines.txt"},
        {"name": "$dollar", "type": "generated", "lowerbounds": 7, "upperbounds": 7},
        {"name": "$my.way", "type": "generated", "source": "increment"}
    ]);
    files.job(base, 1, &[("one", 2), ("idle", 2)], &json!({"WILDCARDS": wildcards}));
}

#[test]
fn to_plan_keeps_unusual_names_and_payloads() {
    let files = Files::new();
    let perform = |plan: bool| {
        let target = RestTarget::start();
        write_odd(&files, &target.base);
        if plan {
            let path = files.write("plan.toml", "");
            files.run(&["--to-plan", path.to_str().unwrap()]).expect(0);
            run(&["run", path.to_str().unwrap()]).expect(0);
        } else {
            files.run(&[]).expect(0);
        }
        requested(&target.stop())
    };
    let (job, plan) = (perform(false), perform(true));
    assert_eq!(job.len(), 4);
    assert!(job[0].starts_with("POST /echo/here "), "{job:?}");
    assert!(job[0].contains("X-Dollar: $7"), "{job:?}");
    assert!(job[0].ends_with("not JSON: a \\\"b\\\" ${LINE}"), "{job:?}");
    assert!(job[3].starts_with("POST /echo/1 "), "{job:?}");
    assert_eq!(job, plan);
}

#[test]
fn to_plan_marks_password_columns_as_secrets() {
    let files = Files::new();
    files.write("values/rows.csv", "who,word\njo,here\n");
    files.ask("look", "/echo/$WHO/$PASSWORD");
    files.workload("one", &[("look", 4000)]);
    let column = |name: &str, column: &str| {
        let source = "values/rows.csv";
        json!({"name": name, "type": "file", "source": source, "column": column})
    };
    let wildcards = json!([column("$WHO", "who"), column("$PASSWORD", "word")]);
    files.job("http://127.0.0.1:9", 1, &[("one", 1)], &json!({"WILDCARDS": wildcards}));
    let plan = files.run(&["--to-plan", "-"]).expect(0);
    assert!(plan.stdout.contains("secrets = [\"word\"]"), "{plan}");
}

#[test]
fn to_plan_sends_the_same_requests_as_the_job() {
    let files = Files::new();
    let perform = |plan: bool| {
        let target = RestTarget::start();
        write(&files, &target.base);
        if plan {
            let path = files.write("plan.toml", "");
            let ended = files.run(&["--to-plan", path.to_str().unwrap()]).expect(0);
            assert!(ended.stderr.contains("export ADMINUSERPASSWORD before running it"), "{ended}");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains("\"password\""), "{text}");
            run(&["run", path.to_str().unwrap(), "--seed", "3"]).expect(0);
        } else {
            files.run(&["--seed", "3"]).expect(0);
        }
        let seen = target.stop();
        assert!(seen.iter().all(|seen| seen.status < 400), "{seen:?}");
        seen
    };
    let (job, plan) = (perform(false), perform(true));
    assert_eq!(job.len(), 1 + 6 * 3 + 4);
    let values = |seen: &[Seen]| -> Vec<String> {
        let words = requested(seen);
        words
            .iter()
            .map(|line| {
                ["red", "green", "blue"]
                    .iter()
                    .fold(line.clone(), |line, team| line.replace(team, "TEAM"))
            })
            .collect()
    };
    // Which line is drawn follows from the seed and from the variable's number, and a plan counts otherwise.
    let drawn = |lines: Vec<String>| -> Vec<String> {
        lines.into_iter().map(|line| digits_after(&line, &["TEAM ${x} ", "r="])).collect()
    };
    assert_eq!(drawn(values(&job)), drawn(values(&plan)));
}

/// The line without the number that follows each of these words.
fn digits_after(line: &str, words: &[&str]) -> String {
    words.iter().fold(line.to_owned(), |line, word| match line.split_once(word) {
        Some((before, after)) => {
            format!("{before}{word}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line,
    })
}
