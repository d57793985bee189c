//! What is measured and what is not: thresholds, timeouts, pauses, and load that does not wait for answers.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::Duration;

use brunt_testbed::{Listener, Nginx, Served, until};

use crate::brunt::{mean_response, planned, shortest_service};
use crate::logged::{base, nginx, plan, step, the_same};

#[test]
fn threshold_exceeded_is_not_a_failure() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"slow\"\nget = \"/slow.txt\"\nthreshold = \"100ms\"")
        + &step("name = \"patient\"\nget = \"/slow.txt\"\nthreshold = \"30s\"");
    let run = planned(&plan(4, 2, &base(&nginx, Listener::Clear), &steps)).run().ended_with(0);
    the_same(&nginx, &run);
    assert_eq!(run.ends_of("slow"), [(("exceeded".into(), 200), 8)].into(), "{run}");
    assert_eq!(run.ends_of("patient"), [(("ok".into(), 200), 8)].into(), "{run}");
    assert_eq!((run.tally("slow exceeded"), run.tally("slow passed")), (8, 0), "{run}");
    assert!(shortest_service(&run, "patient") >= Nginx::SLOW.as_secs_f64() * 999.0, "{run}");
}

#[test]
fn pauses_are_in_no_latency() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"first\"\nget = \"/small.txt\"")
        + &step("pause = \"2s\"")
        + &step("name = \"second\"\nget = \"/small.txt\"");
    let plan = plan(3, 3, &base(&nginx, Listener::Clear), &steps);
    let plan = plan.replace("users = 3", "users = 3\nthink = \"2s\"");
    let run = planned(&plan).run().went_well();
    the_same(&nginx, &run);
    for operation in ["first", "second"] {
        // With the pause in it, it would be two seconds, and 1.3 with those between iterations.
        assert!(mean_response(&run, operation) < 1_000.0, "{operation}\n{run}");
    }
    assert_eq!(run.tally("pause pause made"), 9, "{run}");
    let paused = Duration::from_nanos(run.tally("pause pause ns"));
    assert!(paused >= 9 * Duration::from_secs(2), "{paused:?}\n{run}");
    let seconds = run.record()["rates"]["seconds"].as_f64().expect("a length");
    assert!(seconds > 3.0 * 2.0 + 2.0 * 2.0, "{seconds}");
}

#[test]
fn timeout_is_counted_and_replaces_the_connection() {
    let Some(nginx) = nginx() else { return };
    // Three seconds, so that a run on a busy machine notices the end of its time-out first.
    let steps = step("name = \"slow\"\nget = \"/slower.txt\"\ntimeout = \"100ms\"")
        + &step("name = \"small\"\nget = \"/small.txt\"");
    let run = planned(&plan(2, 3, &base(&nginx, Listener::Clear), &steps)).run();
    assert_eq!(run.count_of("slow", "timed_out"), 6, "{run}");
    assert_eq!(run.count_of("small", "ok"), 6, "{run}");
    let served = nginx.served();
    let small: Vec<&Served> = served.iter().filter(|one| one.path == "/small.txt").collect();
    assert_eq!(small.len(), 6, "{run}");
    assert!(small.iter().all(|one| one.place == 1), "{served:?}\n{run}");
    assert_eq!(run.record()["conservation"]["holds"], true, "{run}");
}

#[test]
fn stall_is_visible_in_response_times_of_an_open_load() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nrate = \"100/s\"\nduration = \"5s\"\nusers = 10\nbacklog = 1000\n[http]\n{}\n\n[[scenario]]\n{}",
        base(&nginx, Listener::Clear),
        step("name = \"small\"\nget = \"/small.txt\""),
    );
    let run = planned(&plan).start();
    assert!(until(Duration::from_secs(60), || nginx.served().len() > 50), "the run began");
    nginx.pause();
    until(Duration::from_secs(1), || false);
    nginx.resume();
    let run = run.wait();
    let served = the_same(&nginx, &run);
    assert_eq!((served.len(), run.count("planned"), run.count("dropped")), (500, 500, 0), "{run}");
    // A hundred were due while it stood still, though ten connections could only ask ten times. The others waited half
    // a second in the mean until they were sent, which belongs to their response times only.
    let response = run.operation("small")["response"]["sum_ns"].as_f64().expect("a sum") / 1e9;
    let service = run.operation("small")["service"]["sum_ns"].as_f64().expect("a sum") / 1e9;
    assert!(response - service > 30.0, "{response} {service}\n{run}");
}

#[test]
fn open_load_iterations_arrive_when_due() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nrate = \"50/s\"\nduration = \"2s\"\nusers = 40\n[http]\n{}\n\n[[scenario]]\n{}{}{}",
        base(&nginx, Listener::Clear),
        step("name = \"first\"\nget = \"/small.txt?first\""),
        step("pause = \"100ms\""),
        step("name = \"second\"\nget = \"/small.txt?second\""),
    );
    let run = planned(&plan).run().went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(served.len(), 200, "{run}");
    assert_eq!((run.count_of("first", "ok"), run.count_of("second", "ok")), (100, 100), "{run}");
    assert!(mean_response(&run, "second") < 80.0, "{run}");
    // Iterations overlap, so there are several users; but not one for each arrival.
    let users = Served::connections(&served).len();
    assert!((2..=40).contains(&users), "{users}");
}

#[test]
fn interrupted_run_accounts_for_every_request() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nusers = 4\nduration = \"60s\"\n[http]\n{}\n[[scenario]]\n{}{}",
        base(&nginx, Listener::Clear),
        step("name = \"small\"\nget = \"/small.txt\""),
        step("name = \"slow\"\nget = \"/slow.txt\""),
    );
    let run = planned(&plan).start();
    assert!(until(Duration::from_secs(90), || nginx.served().len() > 8));
    run.interrupt();
    let run = run.wait().ended_with(130);
    let served = the_same(&nginx, &run);
    assert!(served.len() > 8 && run.count("cut_off") == 0, "{run}");
}

#[test]
fn check_sends_nothing() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"first\"\nput = \"/kept/${user}\"\ntext = \"of user ${user}\"")
        + &step("name = \"second\"\nget = \"/small.txt\"\nbearer = \"${token}\"");
    let plan = plan(2, 5, &base(&nginx, Listener::Clear), &steps)
        + "\n[variables]\nuser = { number = \"user\" }\ntoken = { env = \"TOKEN\" }\n";
    let run = planned(&plan).env("TOKEN", "not-to-be-seen").arg("--check").run().ended_with(0);
    assert_eq!(nginx.served(), [], "{run}");
    let first = format!("PUT {}", nginx.url(Listener::Clear, "/kept/0"));
    assert!(run.report.contains(&first) && run.report.contains("of user 0"), "{run}");
    let output = format!("{}{}", run.report, run.notes);
    assert!(!output.contains("not-to-be-seen"), "{run}");
}

/// A server that sends this to every request, and nothing more.
fn silent_after(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while client.read(&mut bytes).is_ok_and(|count| count > 0) {
                    let _ = client.write_all(answer);
                }
            });
        }
    });
    port
}

#[test]
fn timeout_within_the_body_reports_what_arrived() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n";
    let http = format!("base = \"http://127.0.0.1:{}\"", silent_after(answer));
    // Shorter than the silence after which a target is said to be away.
    let steps = step("name = \"events\"\nget = \"/\"\ntimeout = \"500ms\"");
    let plan = plan(1, 3, &http, &steps);
    let once = planned(&plan).arg("--once").run();
    for output in [
        "(timed out, 200 OK)",
        "< 200 OK (first byte after",
        "< data: one",
        "was not complete, 11 bytes",
    ] {
        assert!(once.report.contains(output), "{output}: {once}");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let lines = directory.path().join("timed-out.ndjson");
    let run = planned(&plan).arg("--details").arg("--trace").arg(&lines).run();
    let text = std::fs::read_to_string(&lines).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{text}\n{run}");
    for line in &lines {
        assert_eq!(line["outcome"], "timed out", "{line}");
        assert_eq!(
            (&line["answer"]["code"], &line["answer"]["body"]["length"]),
            (&200.into(), &11.into())
        );
        assert_eq!(line["answer"]["body"]["text"], "data: one\n\n", "{line}");
        assert!(
            line["why"]
                .as_str()
                .is_some_and(|why| why.contains("the body was not complete, 11 bytes")),
            "{line}"
        );
        let [first, took] = ["first_byte_ms", "took_ms"].map(|name| line[name].as_f64());
        assert!(first.zip(took).is_some_and(|(first, took)| first < took), "{line}");
    }
    let words: Vec<&str> = run.report.split_whitespace().collect();
    let output = words.join(" ");
    assert!(output.contains("the body was not complete, 11 bytes of it had come"), "{run}");
    assert!(!output.contains("the target stopped responding"), "{run}");
}

#[test]
fn rejected_cookie_is_named_with_its_reason() {
    let answer =
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: SID=s3cret-value; Path=/; Secure\r\n\
                   Set-Cookie: other=x; Domain=b.test\r\n\r\n";
    let port = silent_after(answer);
    let http = format!("base = \"http://127.0.0.1:{port}\"\ncookies = true");
    let steps = step("get = \"/set\"") + &step("get = \"/again\"");
    let once = planned(&plan(1, 1, &http, &steps)).arg("--once").run();
    for output in [
        "< Set-Cookie: SID=***; Path=/; Secure",
        "the cookie 'other' is not kept: its Domain 'b.test'",
        "> Cookie: SID=***",
    ] {
        assert!(once.report.contains(output), "{output}: {once}");
    }
    assert!(!once.report.contains("s3cret-value"), "{once}");
}
