//! Delays, statuses, bodies and echoes, all of which are counted.

use std::io::Read as _;
use std::time::{Duration, Instant};

use brunt_http_server::{Config, Server};
use serde_json::json;

use super::{connect, log_file, server};

#[test]
#[expect(clippy::disallowed_methods, reason = "the time of a sleep is measured from outside")]
fn sleep_lasts_as_long_as_requested() {
    let server =
        Server::start(Config { sleep_max: Duration::from_millis(300), ..Config::default() })
            .unwrap();
    let mut client = connect(&server);
    for (query, shortest, longest) in
        [("ms=20", 20, 20), ("ms=0", 0, 0), ("ms=10..30", 10, 30), ("ms=2.5", 2, 3)]
    {
        let begun = Instant::now();
        let answer = client.get(&format!("/sleep?{query}"));
        let took = begun.elapsed();
        let output = Duration::from_micros(answer.json()["slept_us"].as_u64().unwrap());
        let range = Duration::from_millis(shortest)..=Duration::from_millis(longest);
        assert!(
            answer.status == 200 && range.contains(&output) && took >= output,
            "{query}: {output:?} {took:?}"
        );
    }
    let lengths: std::collections::HashSet<_> =
        (0..20).map(|_| client.get("/sleep?ms=0..5").json()["slept_us"].as_u64()).collect();
    assert!(lengths.len() > 10, "{lengths:?}");
    for wrong in ["", "ms=", "ms=x", "ms=301", "ms=20..10", "ms=-1", "ms=1e99"] {
        assert_eq!(client.get(&format!("/sleep?{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn status_and_bytes_answer_as_requested() {
    let server = server();
    let mut client = connect(&server);
    for status in [200, 204, 299, 304, 404, 500, 599] {
        assert_eq!(client.get(&format!("/status/{status}")).status, status);
    }
    for wrong in
        ["/status/99", "/status/100", "/status/600", "/status/x", "/bytes/x", "/redirect/-1"]
    {
        assert_eq!(client.get(wrong).status, 400, "{wrong}");
    }
    for bytes in [0, 1, 64, 65_536, 65_537, 3_000_000] {
        for chunked in ["", "?chunked=true"] {
            let answer = client.get(&format!("/bytes/{bytes}{chunked}"));
            assert_eq!(answer.body.len(), bytes, "{chunked}");
            assert_eq!(answer.field("transfer-encoding").is_some(), !chunked.is_empty());
            let lines = answer.body.chunks(64);
            assert!(
                lines
                    .filter(|line| line.len() == 64)
                    .all(|line| line[0] == b'a' && line[63] == b'\n')
            );
        }
    }
    let head = client.exchange("HEAD", "/bytes/5000000", &[], "");
    assert_eq!((head.field("content-length"), head.body.len()), (Some("5000000"), 0));
    assert_eq!(client.get("/nothing/here").status, 404);
    assert_eq!(client.get(&format!("/echo{}", "/x".repeat(50))).status, 404);
    let options = client.exchange("OPTIONS", "/api/users", &[], "");
    assert_eq!((options.status, options.field("allow").is_some()), (204, true));
    let answer = client.get("/redirect/2?status=307");
    assert_eq!((answer.status, answer.field("location")), (307, Some("/redirect/1?status=307")));
    assert_eq!(client.get("/redirect/0").status, 200);
    let xml = client.get("/xml");
    assert!(xml.field("content-type").unwrap().starts_with("application/xml"));
    assert!(String::from_utf8(xml.body).unwrap().contains("<saml:NameID"));
    let zipped = client.get("/gzip");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*zipped.body).read_to_string(&mut text).unwrap();
    assert!(zipped.field("content-encoding") == Some("gzip") && text.contains("compressed "));
    let deflated = client.get("/deflate");
    text.clear();
    flate2::read::ZlibDecoder::new(&*deflated.body).read_to_string(&mut text).unwrap();
    assert!(text.contains("compressed "));
}

#[test]
fn echo_shows_the_received_request() {
    let server = server();
    let mut client = connect(&server);
    let fields = [("X-One", "a"), ("x-two", "b"), ("X-ONE", "c")];
    let echo = client
        .exchange("PATCH", "/echo/some%20path?a=b&c='d'*", &fields, "{\"x\":\"é\\\\\"}")
        .json();
    let expected = json!({
        "method": "PATCH",
        "target": "/echo/some%20path?a=b&c='d'*",
        "path": "/echo/some%20path",
        "query": "a=b&c='d'*",
        "version": "HTTP/1.1",
        "headers": {"host": "test", "x-one": "a, c", "x-two": "b", "content-length": "12"},
        "body": "{\"x\":\"é\\\\\"}",
        "body_bytes": 12,
    });
    assert_eq!(echo, expected);
    let headers = client.exchange("GET", "/headers", &fields, "").json();
    let expected = json!([["Host", "test"], ["X-One", "a"], ["x-two", "b"], ["X-ONE", "c"]]);
    assert_eq!(headers["headers"], expected);
    let set = client.get("/cookies/set?a=1&b=x%3Dy");
    let cookies: Vec<_> = set.fields.iter().filter(|(name, _)| name == "Set-Cookie").collect();
    assert_eq!((&*cookies[0].1, &*cookies[1].1), ("a=1; Path=/", "b=x=y; Path=/"));
    assert_eq!(client.get("/cookies/set?a=1%0d%0aX:%20y").status, 400);
    let seen = client.exchange("GET", "/cookies", &[("Cookie", "a=1; b=2")], "").json();
    assert_eq!(seen, json!({"cookies": {"a": "1", "b": "2"}}));
}

#[test]
fn requests_are_all_counted() {
    let server = server();
    let mut client = connect(&server);
    for n in 0..30 {
        client.get(&format!("/status/{}", if n % 3 == 0 { 500 } else { 200 }));
        connect(&server).exchange("BREW", "/echo", &[], "");
    }
    let shown = client.get("/stats").json();
    let stats = server.shutdown();
    assert_eq!(stats.answers_of("GET", "/status/{status}", 500), 10);
    assert_eq!(stats.answers_of("GET", "/status/{status}", 200), 20);
    assert_eq!(stats.answers_of("other", "/echo", 200), 30);
    assert_eq!(
        (stats.requests, stats.connections_accepted, stats.connections_closed),
        ([61, 0], 31, 31)
    );
    let answers = shown["answers"].as_array().unwrap();
    let line = json!({"method": "GET", "path": "/status/{status}", "status": 500, "count": 10});
    assert!(answers.contains(&line), "{shown}");
    assert_eq!(
        (&shown["requests"]["total"], &shown["connections"]["accepted"]),
        (&json!(61), &json!(31))
    );
}

#[test]
fn log_contains_requests_verbatim() {
    let path = log_file("log");
    let server = Server::start(Config { log: Some(path.clone()), ..Config::default() }).unwrap();
    let mut client = connect(&server);
    let long = "é".repeat(50_000);
    client.exchange("POST", "/echo?q='*'", &[("X-A", "1"), ("x-a", "2")], "{\"a\": \"b\\\\c\"}");
    client.exchange("PUT", "/status/503", &[], &long);
    client.send(b"POST /echo HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\xff\x00A\r\n0\r\n\r\n");
    client.receive("POST").unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    let first = json!([["Host", "test"], ["X-A", "1"], ["x-a", "2"], ["Content-Length", "13"]]);
    assert_eq!((&lines[0]["headers"], &lines[0]["body"]), (&first, &json!("{\"a\": \"b\\\\c\"}")));
    assert_eq!((&lines[0]["target"], &lines[0]["method"]), (&json!("/echo?q='*'"), &json!("POST")));
    assert_eq!((&lines[1]["status"], &lines[1]["body_bytes"]), (&json!(503), &json!(100_000)));
    // As much of a text as fits, cut between two letters.
    assert_eq!(lines[1]["body"].as_str().unwrap().len(), 65_536);
    assert_eq!((&lines[2]["body_base64"], &lines[2]["body_bytes"]), (&json!("/wBB"), &json!(3)));
    let numbers: Vec<_> =
        lines.iter().map(|line| (line["n"].as_u64(), line["connection"].as_u64())).collect();
    assert_eq!(numbers, [(Some(1), Some(1)), (Some(2), Some(1)), (Some(3), Some(1))]);
    let times: Vec<_> = lines.iter().map(|line| line["time_us"].as_u64().unwrap()).collect();
    assert!(times.is_sorted());
}
