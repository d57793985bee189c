//! Jobs in one file.

use serde_json::json;

use brunt_test_program::Report;

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

#[test]
fn workloads_contain_tasks_and_other_workloads() {
    let target = RestTarget::start();
    let files = Files::new();
    let task = |path: &str| json!({"request": "GET", "url-endpoint": path, "threshold": 3000});
    files.ask("elsewhere", "/echo/elsewhere");
    files.workload("filed", &[("elsewhere", 2000)]);
    let job = json!({
        "version": 1, "service-location-port": target.base, "threads": 2, "threadgroupsize": 0,
        "threadspawninterval": 0, "upperbounds": 9,
        "warmup": ["warm"],
        "workload": ["outer", "filed"],
        "outer": [{"task": ["a", "rest", "b"], "iterations": 3}, {"inner": 2}],
        "inner": [{"task": ["c", "elsewhere"], "iterations": 2}],
        "warm": [{"task": ["w"], "iterations": 5}],
        "a": task("/echo/a"), "b": task("/echo/b"), "c": task("/echo/c"), "w": task("/echo/w"),
        "rest": {"url-endpoint": "$SLEEP", "url-payload": 5, "threshold": 5}
    });
    files.write("jobs/job.json", &job.to_string());
    let ended = files.run(&[]).expect(0);
    let report = Report::read(&ended.stdout);
    let rows: Vec<_> = report
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.text("Thrshold"), row.counts()[0]))
        .collect();
    let all = [
        ("a", "3000", 6),
        ("b", "3000", 6),
        ("c", "3000", 8),
        ("elsewhere", "-", 8),
        ("elsewhere", "2000", 2),
    ];
    assert_eq!(rows, all, "{ended}");
    report.obeys(2.0);
    assert!(report.number("Total sleep sec") >= 0.06, "{ended}");
    assert!(ended.stdout.contains("\tWorkload: inner with 8 loops;\t"), "{ended}");
    let seen = target.stop();
    let warm = seen.iter().rposition(|seen| seen.target == "/echo/w").unwrap();
    assert_eq!(seen[..=warm].iter().filter(|seen| seen.target == "/echo/w").count(), 10);
    assert_eq!(warm, 9, "the warm-up comes before everything else");
}

#[test]
fn mistakes_in_single_file_jobs_are_reported() {
    let files = Files::new();
    let base = json!({"version": 1, "service-location-port": "http://10.0.1.9:1", "threads": 1});
    for (more, words) in [
        (json!({"workload": ["a"], "a": [{"a": 1}]}), ["a[0]", "contains itself"]),
        (
            json!({
                "workload": ["a"], "a": [{"task": ["t"], "iterations": 0}],
                "t": {"request": "GET", "url-endpoint": "/"}
            }),
            ["workload", "0 iterations"],
        ),
        (json!({"workload": ["a"], "a": [{"task": ["t"]}]}), ["a[0]", "\"iterations\" is missing"]),
        (
            json!({"workload": ["a"], "a": [{"task": ["t"], "iterations": 1}]}),
            ["a[0].task[0]", "tasks/t.json"],
        ),
        (json!({"workload": ["nowhere"]}), ["workload[0]", "workloads/nowhere.json"]),
        (
            json!({"workload": ["a"], "a": [{"task": ["t"], "iteration": 1}]}),
            ["a[0].iteration", "did you mean \"iterations\"?"],
        ),
        (json!({"workload": [], "version": 2}), ["version", "2 is not allowed here"]),
        (json!({"workload": [], "treads": 2}), ["treads", "did you mean \"threads\"?"]),
        (
            json!({"workload": ["a"], "a": [{"task": [], "iterations": 1}]}),
            ["a[0].task", "without a task"],
        ),
        (
            json!({
                "workload": ["a"], "a": [{"a2": 2_000_000_000}], "a2": [{"task": ["t"], "iterations": 2}],
                "t": {"request": "GET", "url-endpoint": "/"}
            }),
            ["a2[0]", "2000000000 times 2"],
        ),
    ] {
        let mut job = base.clone();
        for (key, value) in more.as_object().unwrap() {
            job[key] = value.clone();
        }
        files.write("jobs/job.json", &job.to_string());
        let ended = files.run(&[]).expect(2);
        for word in words {
            assert!(ended.output().contains(word), "{word}: {ended}");
        }
    }
}
