//! Attributes of a job, a workload and a task: the nearest one counts.

use serde_json::{Value, json};

use brunt_test_program::Seen;

use crate::machine::run;
use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// A task that shows who the administrator is, in the field that all three levels may give.
fn show(files: &Files, key: &str, more: &Value) {
    let mut task = json!({
        "request": "GET", "url-endpoint": "/echo/", "url-payload": format!("{key}/$ADMINUSERID/$RANDOMVALUE")
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        task[name] = value.clone();
    }
    files.task(key, &task);
}

fn find<'a>(seen: &'a [Seen], key: &str) -> &'a Seen {
    let start = format!("/echo/{key}/");
    seen.iter().find(|seen| seen.target.starts_with(&start)).unwrap_or_else(|| panic!("no {key}"))
}

#[test]
fn nearest_attribute_wins() {
    let (job, workload, task) = (RestTarget::start(), RestTarget::start(), RestTarget::start());
    let files = Files::new();
    show(&files, "plain", &json!({}));
    show(
        &files,
        "own",
        &json!({
            "service-location-port": task.base, "adminuserid": "of-task", "upperbounds": 0,
            "header": {"x-level": "task"}
        }),
    );
    files.write(
        "workloads/bare.json",
        &json!({"tasks": [{"plain": 5000}, {"own": 5000}]}).to_string(),
    );
    files.write(
        "workloads/rich.json",
        &json!({
            "tasks": [{"plain": 5000}, {"own": 5000}], "service-location-port": workload.base,
            "ADMINUSERID": "of-workload", "upperbounds": 0, "header": {"X-Level": "workload", "X-Other": "workload"}
        })
        .to_string(),
    );
    let more = json!({"ADMINUSERID": "of-job", "header": {"X-Level": "job"}});
    files.job(&job.base, 1, &[("bare", 1), ("rich", 1)], &more);
    files.run(&[]).expect(0);
    let [job, workload, task] = [job, workload, task].map(RestTarget::stop);
    assert_eq!([job.len(), workload.len(), task.len()], [1, 1, 2]);
    let plain = find(&job, "plain");
    assert!(plain.target.starts_with("/echo/plain/of-job/"));
    assert_eq!((plain.header("X-Level"), plain.header("X-Other")), (Some("job"), None));
    let plain = find(&workload, "plain");
    assert_eq!(plain.target, "/echo/plain/of-workload/0");
    assert_eq!(
        (plain.header("X-Level"), plain.header("X-Other")),
        (Some("workload"), Some("workload"))
    );
    for own in &task {
        assert_eq!(own.target, "/echo/own/of-task/0");
        assert_eq!(own.header("X-Level"), Some("task"));
    }
    assert_eq!(
        task.iter().map(|own| own.header("X-Other")).collect::<Vec<_>>(),
        [None, Some("workload")]
    );
}

#[test]
fn location_parts_may_come_from_different_levels() {
    let (first, second) = (RestTarget::start(), RestTarget::start());
    let port = |target: &RestTarget| target.base.rsplit(':').next().unwrap().to_owned();
    let files = Files::new();
    show(&files, "job", &json!({}));
    show(&files, "task", &json!({"service-port": port(&second).parse::<u16>().unwrap()}));
    files.workload("both", &[("job", 5000), ("task", 5000)]);
    let more = json!({
        "service-location-port": null, "service-location": "http://127.0.0.1:", "service-port": port(&first)
    });
    files.job("", 1, &[("both", 1)], &more);
    files.run(&[]).expect(0);
    let [first, second] = [first, second].map(RestTarget::stop);
    assert!(first.len() == 1 && find(&first, "job").status == 200);
    assert!(second.len() == 1 && find(&second, "task").status == 200);
}

/// A key that appears twice is reported, and the last one counts, as in the original program.
#[test]
fn duplicate_and_ignored_keys_are_noted() {
    let target = RestTarget::start();
    let files = Files::new();
    files.write(
        "tasks/two.json",
        "{\"request\": \"GET\",\n\"header\": {\"X-A\": \"1\",\n\"x-a\": \"2\",\n\"Content-Length\": \"5\"},\n\
         \"url-endpoint\": \"/echo\", \"_why\": 3}",
    );
    files.write("workloads/two.json", "{\"tasks\": [{\"two\": 900, \"again\": 901}]}");
    files.ask("again", "/echo/again");
    files.job(&target.base, 1, &[("two", 1)], &json!({}));
    let ended = files.run(&[]).expect(0);
    assert!(
        ended
            .output()
            .contains("tasks/two.json, line 3: \"x-a\" occurs twice; the last one counts"),
        "{ended}"
    );
    assert!(
        ended.output().contains("line 4: the header \"Content-Length\" is left out"),
        "{ended}"
    );
    assert!(ended.output().contains("one object has 2 entries"), "{ended}");
    let seen = target.stop();
    assert_eq!((seen.len(), seen[0].header("X-A")), (2, Some("2")));
}

#[test]
fn command_line_is_accepted_or_refused() {
    assert!(run(&["loadgen", "--help"]).expect(0).stdout.contains("--to-plan"));
    let ended = run(&["loadgen", "--confg", "x"]).expect(2);
    assert!(ended.stderr.contains("--config"), "{ended}");
    let ended = run(&["loadgen"]).expect(2);
    assert!(ended.stderr.contains("--config"), "{ended}");
    let ended = run(&["loadgen", "-c", "x", "--compat", "--mix", "smooth"]).expect(2);
    assert!(ended.stderr.contains("--mix"), "{ended}");
}
