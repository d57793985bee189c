//! A job of LoadGen that a test can use from a directory or from a browser, and the part of its report that does not
//! depend on timing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The files of a job: two workloads that share a task, one task that fails.
pub fn loadgen_tree(base: &str) -> BTreeMap<&'static str, String> {
    let task = |method: &str, path: &str, body: &str| {
        json!({"request": method, "header": {}, "url-endpoint": path, "url-payload": "", "data-payload": body})
            .to_string()
    };
    let workload = |name: &str, tasks: &[&str]| {
        let one = |task: &&str| json!({ *task: if *task == "sleep" { 2 } else { 4000 } });
        json!({"name": name, "tasks": tasks.iter().map(one).collect::<Vec<Value>>()}).to_string()
    };
    let login = json!({
        "request": "POST",
        "header": {"X-OpenAM-Username": "$ADMINUSERID", "X-OpenAM-Password": "$ADMINUSERPASSWORD"},
        "url-endpoint": "/openam/json/", "url-payload": "authenticate", "data-payload": "{}"
    });
    let job = json!({
        "name": "a job of a test", "service-location-port": base, "ADMINUSERID": "amadmin",
        "ADMINUSERPASSWORD": "password", "threads": 2, "threadgroupsize": 0, "threadinterval": 0, "upperbounds": 9,
        "WILDCARDS": [{"name": "$TEAM", "type": "file", "source": "values/teams.txt"}],
        "workloads": [{"visit": 6}, {"rare": 4}],
    });
    [
        ("jobs/job.json", job.to_string()),
        ("workloads/visit.json", workload("visit", &["login", "form", "sleep", "other"])),
        ("workloads/rare.json", workload("rare", &["form", "missing"])),
        ("tasks/login.json", login.to_string()),
        ("tasks/form.json", task("PUT", "/echo/form", "team=$TEAM")),
        ("tasks/other.json", task("GET", "/echo/other", "")),
        ("tasks/missing.json", task("GET", "/nowhere", "")),
        ("tasks/sleep.json", json!({"url-endpoint": "$SLEEP", "url-payload": 3}).to_string()),
        ("values/teams.txt", "red\ngreen\n".to_owned()),
    ]
    .into()
}

/// What of LoadGen's report does not hang on how fast anything was.
pub fn loadgen_counts(report: &str) -> Vec<String> {
    let rows = report.lines().skip_while(|line| !line.starts_with("Operation  ")).skip(1);
    let rows = rows.take_while(|line| !line.starts_with("Job lapsed time")).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let last = words.len() - 3;
        [&[words[0], words[1], words[3], words[4], words[6], words[8]], &words[last..]]
            .concat()
            .join(" ")
    });
    let figures = ["Total Threads", "Transaction goal", "Transaction actual", "Success rate"];
    let figures = report.lines().filter(|line| figures.iter().any(|name| line.starts_with(name)));
    let workloads = report.lines().skip_while(|line| !line.starts_with("Based on"));
    let workloads = workloads.take_while(|line| !line.starts_with("Target environment"));
    rows.chain(figures.chain(workloads).map(str::to_owned)).collect()
}
