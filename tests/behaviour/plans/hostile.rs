//! Answers that are made to delay the client that parses them: they count as failures, and the run ends on time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use brunt_test_program::Plan;

/// Serves these bodies by their paths, and gives the base of their URLs.
fn serve(bodies: BTreeMap<&'static str, String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let base = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (mut requested, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                requested.extend_from_slice(&buffer[..count]);
                if !requested.ends_with(b"\r\n\r\n") {
                    continue;
                }
                let text = String::from_utf8_lossy(&requested).into_owned();
                let path = text.split_whitespace().nth(1).unwrap_or_default();
                let body = bodies.get(path).map_or("", |body| body);
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                if stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
                    break;
                }
                requested.clear();
            }
        }
    });
    base
}

fn nested_namespaces() -> String {
    let open = (0..9_000).fold(String::new(), |mut text, at| {
        let _ = write!(text, "<a xmlns:n{at}='u'>");
        text
    });
    open + &"</a>".repeat(9_000)
}

fn attributes() -> String {
    let open = (0..50_000).fold("<a".to_owned(), |mut text, at| {
        let _ = write!(text, " attribute{at}='v'");
        text
    });
    open + "/>"
}

fn chains() -> String {
    format!("[{}]", vec!["[".repeat(100) + &"]".repeat(100); 4_800].join(","))
}

/// Each of the answers once took between 47 s and for ever, which is longer than any test waits for a program.
#[test]
fn expensive_answers_are_counted_as_unexamined() {
    let bodies = BTreeMap::from([
        ("/namespaces", nested_namespaces()),
        ("/attributes", attributes()),
        ("/chains", chains()),
        ("/doctype", "<!DOCTYPE a><a/>".to_owned()),
        ("/number", "{\"a\":1e999}".to_owned()),
    ]);
    assert!(bodies["/namespaces"].len() > 200_000 && bodies["/attributes"].len() > 860_000);
    assert!(bodies["/chains"].len() > 960_000);
    let mut plan = format!(
        "[run]\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\nlimits = {{ body-kept = \"1MiB\" }}\n\
         [[scenario]]\nname = \"a\"\nafter-failure = \"go-on\"\n",
        serve(bodies)
    );
    for (path, check) in [
        ("namespaces", "xpath = \"//b\""),
        ("attributes", "xpath = \"//b\""),
        ("chains", "json = \"$..*..*..*\""),
        ("doctype", "xpath = \"//b\""),
        ("number", "json = \"$.b\""),
    ] {
        let _ = write!(
            plan,
            "[[scenario.steps]]\nget = \"/{path}\"\nchecks = [{{ {check}, exists = false }}]\n"
        );
    }
    let ended = Plan::from_text(&plan).run(&[]);
    let record = ended.record();
    assert_eq!((record.counts.ok, record.counts.failed), (0, 5), "{ended}");
    for operation in &record.operations {
        let classes: Vec<_> = operation.codes.iter().map(|code| &*code.class).collect();
        assert_eq!(classes, ["unexamined"], "{}\n{ended}", operation.name);
    }
    for why in ["units of work", "has a DOCTYPE", "out of the range"] {
        let explained = record.samples.iter().any(|sample| sample.text.contains(why));
        assert!(explained, "{why}\n{ended}");
    }
}

/// What lies behind `body-kept` was not looked at.
#[test]
fn negative_checks_fail_on_a_body_cut_at_body_kept() {
    let body = format!("{}secret", "x".repeat(100_000));
    let base = serve(BTreeMap::from([("/", body)]));
    let plan = |kept: &str| {
        Plan::from_text(&format!(
            "[run]\niterations = {{ each = 1 }}\n[http]\nbase = \"{base}\"\nlimits = {{ body-kept = \"{kept}\" }}\n\
             [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nget = \"/\"\n\
             checks = [{{ body = true, contains = \"secret\", not = true }}]\n"
        ))
        .run(&[])
    };
    for (kept, class) in [("64KiB", "unexamined"), ("1MiB", "check")] {
        let ended = plan(kept);
        let record = ended.record();
        let classes: Vec<_> = record.operations[0].codes.iter().map(|code| &*code.class).collect();
        assert_eq!(classes, [class], "{kept}\n{ended}");
    }
}
