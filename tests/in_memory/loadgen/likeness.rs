//! Jobs that are probably mistaken, and requests that must equal those of Java's client.

use brunt_testbed::{Pki, require};
use serde_json::json;

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

#[test]
fn misspelt_task_name_gets_a_suggestion() {
    let files = Files::new();
    files.ask("search", "/echo");
    files.workload("visit", &[("serach", 100)]);
    files.job("http://127.0.0.1:9", 1, &[("visti", 1)], &json!({}));
    let ended = files.run(&[]).expect(2);
    assert!(ended.stderr.contains("did you mean \"visit\"?"), "{ended}");
    files.job("http://127.0.0.1:9", 1, &[("visit", 1)], &json!({}));
    let ended = files.run(&[]).expect(2);
    assert!(ended.stderr.contains("did you mean \"search\"?"), "{ended}");
}

#[test]
fn location_without_scheme_is_reported_at_its_place() {
    let files = Files::new();
    files.ask("search", "/echo");
    files.workload("visit", &[("search", 100)]);
    files.job("id.example.com:8080", 1, &[("visit", 1)], &json!({}));
    let ended = files.run(&[]).expect(2);
    assert!(ended.stderr.contains("jobs/job.json, line 1"), "{ended}");
    assert!(
        ended.stderr.contains(
            "at service-location-port: the location \"id.example.com:8080\" has no scheme"
        ),
        "{ended}"
    );
}

#[test]
fn unknown_wildcard_is_noted() {
    let files = Files::new();
    files.ask("search", "/echo?n=$RANDOMVALU&m=$set");
    files.workload("visit", &[("search", 100)]);
    files.job("http://127.0.0.1:9", 1, &[("visit", 1)], &json!({}));
    let ended = files.run(&["--check"]).expect(0);
    assert!(
        ended.stderr.contains("tasks/search.json, line 1: $RANDOMVALU is no wildcard here"),
        "{ended}"
    );
    assert!(ended.stderr.contains("did you mean $RANDOMVALUE?"), "{ended}");
    assert!(!ended.stderr.contains("$set"), "{ended}");
}

#[test]
fn to_plan_keeps_insecure_tls() {
    if !require(&["openssl"]) {
        return;
    }
    let files = Files::new();
    files.ask("search", "/echo");
    files.workload("visit", &[("search", 100)]);
    files.job("https://127.0.0.1:9", 1, &[("visit", 1)], &json!({}));
    let ca = Pki::make(&files.write("x", "").with_file_name("pki")).ca();
    let plan = files.run(&["--to-plan", "-", "--ca", ca.to_str().unwrap()]).expect(0);
    assert!(plan.stdout.contains(&format!("ca = \"{}\"", ca.display())), "{plan}");
    let plan = files.run(&["--to-plan", "-", "--insecure"]).expect(0);
    assert!(plan.stdout.contains("insecure = true"), "{plan}");
}

#[test]
fn connection_and_host_headers_are_handled_like_java() {
    let target = RestTarget::start();
    let files = Files::new();
    let header = json!({"Connection": "close", "Host": "other.example.com", "X-One": "1"});
    files.task(
        "look",
        &json!({"request": "GET", "header": header, "url-endpoint": "/echo", "url-payload": "#part"}),
    );
    files.workload("visit", &[("look", 4000)]);
    files.job(&target.base, 1, &[("visit", 3)], &json!({}));
    let plan = files.run(&["--to-plan", "-"]).expect(0);
    assert!(plan.stdout.contains("Connection = \"close\""), "{plan}");
    let ended = files.run(&[]).expect(0);
    assert!(
        ended.stderr.contains("the header \"Host\" is left out, because Java's client"),
        "{ended}"
    );
    assert!(!ended.stderr.contains("\"Connection\""), "{ended}");
    let authority = target.base.strip_prefix("http://").unwrap().to_owned();
    let seen = target.stop();
    let connections: std::collections::BTreeSet<u64> =
        seen.iter().map(|seen| seen.connection).collect();
    assert_eq!((seen.len(), connections.len()), (3, 3), "{seen:?}");
    for seen in &seen {
        assert_eq!(seen.header("Host"), Some(authority.as_str()));
        assert_eq!(seen.header("Connection"), Some("close"));
        assert_eq!((seen.target.as_str(), seen.header("X-One")), ("/echo", Some("1")));
    }
}
