//! Answers that are not complete in time, and cookies that are not kept: what a user reads of them.

use brunt_test_program::scratch;
use serde_json::Value;

use super::site::Site;
use crate::planned::{InMemory as _, Plan};

/// A site that sends this to every request, and nothing more.
fn site(answer: &'static str) -> Site {
    Site::answering(move |_, _| answer.to_owned())
}

#[test]
fn timeout_within_the_body_reports_what_arrived() {
    let site = site("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n");
    // Shorter than the silence after which a target is said to be away.
    let plan = format!(
        "[run]\nusers = 1\niterations = {{ each = 3 }}\n[http]\nbase = \"{}\"\n[[scenario]]\n\
         [[scenario.steps]]\nname = \"events\"\nget = \"/\"\ntimeout = \"500ms\"\n",
        site.url
    );
    let once = Plan::from_text(&plan).run(&["--once"]);
    for output in [
        "(timed out, 200 OK)",
        "< 200 OK (first byte after",
        "< data: one",
        "was not complete, 11 bytes",
    ] {
        assert!(once.stdout.contains(output), "{output}: {once}");
    }
    let directory = scratch();
    let lines = directory.path().join("timed-out.ndjson");
    let run = Plan::from_text(&plan).run(&["--details", "--trace", lines.to_str().unwrap()]);
    let text = std::fs::read_to_string(&lines).expect("it was written");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{text}\n{run}");
    for line in &lines {
        assert_eq!(line["outcome"], "timed out", "{line}");
        let answer = &line["answer"];
        assert_eq!((&answer["code"], &answer["body"]["length"]), (&200.into(), &11.into()));
        assert_eq!(answer["body"]["text"], "data: one\n\n", "{line}");
        let why = line["why"].as_str().unwrap_or_default();
        assert!(why.contains("the body was not complete, 11 bytes"), "{line}");
        // The way there and back, and all of the time-out.
        let times = ["first_byte_ms", "took_ms"].map(|name| line[name].as_f64());
        assert_eq!(times, [Some(2.0), Some(500.0)], "{line}");
    }
    let output = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.contains("the body was not complete, 11 bytes of it had come"), "{run}");
    assert!(!output.contains("the target stopped responding"), "{run}");
}

#[test]
fn rejected_cookie_is_named_with_its_reason() {
    let site = site(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: SID=s3cret-value; Path=/; Secure\r\n\
         Set-Cookie: other=x; Domain=b.test\r\n\r\n",
    );
    let plan = format!(
        "[run]\nusers = 1\n[http]\nbase = \"{}\"\ncookies = true\n\
         [[scenario]]\nsteps = [{{ get = \"/set\" }}, {{ get = \"/again\" }}]\n",
        site.url
    );
    let once = Plan::from_text(&plan).run(&["--once"]);
    for output in [
        "< Set-Cookie: SID=***; Path=/; Secure",
        "the cookie 'other' is not kept: its Domain 'b.test'",
        "> Cookie: SID=***",
    ] {
        assert!(once.stdout.contains(output), "{output}: {once}");
    }
    assert!(!once.stdout.contains("s3cret-value"), "{once}");
}
