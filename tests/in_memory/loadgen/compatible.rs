//! Requests on the wire: the repaired ones, and those that LoadGen would have sent.

use serde_json::json;

use brunt_test_program::{Ended, Seen};

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

fn perform(line: &[&str]) -> (Vec<Seen>, Ended) {
    let target = RestTarget::start();
    let files = Files::new();
    files.task(
        "get",
        &json!({"request": "GET", "header": {}, "url-endpoint": "/echo/get", "url-payload": "", "data-payload": "{}"}),
    );
    files.write(
        "tasks/object.json",
        r#"{
          "request": "POST", "header": {"Content-Type": "application/json"},
          "url-endpoint": "/echo/object/$RANDOMVALUE", "url-payload": "?n=$INCREMENT",
          "data-payload": {"b": "say \"a\\b\"", "a": 1.50, "n": "$INCREMENT"}
        }"#,
    );
    files.task(
        "text",
        &json!({
            "request": "PUT", "header": {"X-Thread": "$THREADID"},
            "url-endpoint": "/echo/", "url-payload": "text-$INCREMENT",
            "data-payload": "a\\b $RANDOMVALUE"
        }),
    );
    files.task("bare", &json!({"request": "DELETE", "header": {}, "url-endpoint": "/echo/", "url-payload": "bare"}));
    files.workload("all", &[("get", 5000), ("object", 5000), ("bare", 5000), ("text", 5000)]);
    files.job(&target.base, 1, &[("all", 2)], &json!({"upperbounds": 0}));
    let ended = files.run(line).expect(0);
    (target.stop(), ended)
}

#[test]
fn requests_are_sent_as_described() {
    let (seen, ended) = perform(&[]);
    let targets: Vec<&str> = seen.iter().map(|seen| seen.target.as_str()).collect();
    let round = |n: u8| {
        [
            "/echo/get".to_owned(),
            format!("/echo/object/0?n={n}"),
            "/echo/bare".to_owned(),
            format!("/echo/text-{n}"),
        ]
    };
    assert_eq!(targets, [round(0), round(1)].concat(), "{ended}");
    let methods: Vec<&str> = seen.iter().map(|seen| seen.method.as_str()).collect();
    assert_eq!(methods[..4], ["GET", "POST", "DELETE", "PUT"]);
    assert_eq!(seen[0].body, "{}");
    assert_eq!(seen[1].body, r#"{"b":"say \"a\\b\"","a":1.50,"n":"0"}"#);
    assert_eq!(seen[3].body, r"a\b 0");
    assert_eq!(seen[3].header("X-Thread"), Some("0"));
    assert!(seen[0].header("User-Agent").unwrap().starts_with("brunt/"));
    assert_eq!(seen[0].header("Accept"), Some("text/html, image/gif, image/jpeg, */*; q=0.2"));
    assert_eq!(seen[0].header("Content-Type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(seen[1].header("Content-Type"), Some("application/json"));
    assert_eq!([seen[2].header("Content-Type"), seen[3].header("Content-Type")], [None, None]);
    let repairs: Vec<&str> =
        ended.stdout.lines().filter(|line| line.starts_with("Repaired: ")).collect();
    assert_eq!(repairs.len(), 5, "{ended}");
    for word in
        ["$INCREMENT is the same", "wildcards were", "backslashes", "a GET", "times are exact"]
    {
        assert_eq!(repairs.iter().filter(|line| line.contains(word)).count(), 1, "{word}: {ended}");
    }
}

#[test]
fn compat_requests_equal_loadgen() {
    let (seen, ended) = perform(&["--compat"]);
    let targets: Vec<&str> = seen.iter().map(|seen| seen.target.as_str()).collect();
    // The counter advances before the next task that is carried out, whichever it is; endpoints do not change it.
    let round = |n: u8| {
        [
            "/echo/get".to_owned(),
            format!("/echo/object/$RANDOMVALUE?n={n}"),
            "/echo/bare".to_owned(),
            format!("/echo/text-{}", n + 1),
        ]
    };
    assert_eq!(targets, [round(0), round(2)].concat(), "{ended}");
    assert_eq!(seen[0].method, "POST");
    assert_eq!(seen[1].body, r#"{"b":"say "ab"","a":1.50,"n":"0"}"#);
    assert_eq!(seen[3].body, "ab $RANDOMVALUE");
    assert_eq!(seen[3].header("X-Thread"), Some("$THREADID"));
    assert!(seen[0].header("User-Agent").unwrap().starts_with("Java/"));
    assert!(!ended.stdout.contains("Repaired"), "{ended}");
}

/// PATCH with an array, which OpenDJ and OpenIDM want, and redirects that Java's client follows.
#[test]
fn methods_and_payloads_are_all_sent() {
    let target = RestTarget::start();
    let files = Files::new();
    let admin = json!({
        "X-OpenIDM-Username": "admin", "X-OpenIDM-Password": "password", "Content-Type": "application/json"
    });
    files.task(
        "patch",
        &json!({
            "request": "PATCH", "header": admin, "url-endpoint": "/api/users/", "url-payload": "user.$RANDOMVALUE",
            "data-payload": [{"operation": "replace", "field": "/displayName", "value": "Changed \\ $THREADID"}]
        }),
    );
    for method in ["HEAD", "OPTIONS", "DELETE"] {
        files.task(
            method,
            &json!({"request": method, "url-endpoint": "/echo/", "url-payload": method}),
        );
    }
    files.ask("moved", "/redirect/2");
    files.workload(
        "all",
        &[("patch", 5000), ("HEAD", 5000), ("OPTIONS", 5000), ("DELETE", 5000), ("moved", 5000)],
    );
    files.job(&target.base, 1, &[("all", 1)], &json!({}));
    let ended = files.run(&[]).expect(0);
    let seen = target.stop();
    assert!(seen[0].method == "PATCH" && seen[0].status == 200, "{:?}", seen[0]);
    assert_eq!(seen[0].json()[0]["value"], "Changed \\ 0");
    let methods: Vec<&str> = seen[1..4].iter().map(|seen| seen.method.as_str()).collect();
    assert_eq!(methods, ["HEAD", "OPTIONS", "DELETE"]);
    let hops: Vec<u64> = seen[4..].iter().map(|seen| seen.status).collect();
    assert_eq!((hops.len(), hops[2]), (3, 200), "{hops:?}");
    for word in ["PATCH was sent", "an array was sent"] {
        assert!(ended.stdout.contains(word), "{word}: {ended}");
    }
}
