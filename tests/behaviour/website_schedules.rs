//! A schedule of the website whose time comes: a real run, its verdict beside the baseline, a webhook that is called,
//! and times that were missed while the site was down.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use brunt_testbed::{require, until};
use rusqlite::Connection;
use serde_json::Value;

use crate::website::{Visitor, api, between, end, site};
use brunt_test_program::scratch;

const PATIENCE: Duration = Duration::from_secs(90);

/// What a receiver was sent: where to, the headers that Standard Webhooks name, and the body.
pub(crate) struct Delivery {
    pub(crate) path: String,
    pub(crate) id: String,
    at: String,
    pub(crate) signature: String,
    pub(crate) body: String,
}

/// A receiver, which is busy for so many of the first messages.
pub(crate) fn receiver(busy: usize) -> (SocketAddr, Receiver<Delivery>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("it is bound");
    let (sender, deliveries) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
            let status = if number < busy { "503 Busy" } else { "204 No Content" };
            if sender.send(taken(stream, status)).is_err() {
                return;
            }
        }
    });
    (at, deliveries)
}

fn taken(mut stream: TcpStream, status: &str) -> Delivery {
    let mut lines = BufReader::new(stream.try_clone().expect("a handle"));
    let (mut headers, mut path) = (Vec::new(), String::new());
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim().is_empty() {
                break;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["POST", to, "HTTP/1.1"] = words[..] else { panic!("{line}") };
            to.clone_into(&mut path);
            continue;
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name == wanted);
        found.unwrap_or_else(|| panic!("no {wanted} in {headers:?}")).1.clone()
    };
    assert_eq!(header("content-type"), "application/json");
    let mut body = vec![0; header("content-length").parse().expect("a length")];
    lines.read_exact(&mut body).expect("a body");
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").expect("an answer");
    Delivery {
        path,
        id: header("webhook-id"),
        at: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: String::from_utf8(body).expect("text"),
    }
}

/// What a receiver makes of the key and the message by the specification, in a language that is not ours.
pub(crate) fn expected(key: &str, delivery: &Delivery) -> String {
    let lines = "import base64, hashlib, hmac, sys\n\
                 key = base64.b64decode(sys.argv[1].removeprefix('whsec_'))\n\
                 signed = hmac.new(key, sys.stdin.buffer.read(), hashlib.sha256).digest()\n\
                 print('v1,' + base64.b64encode(signed).decode())";
    let mut python = Command::new("python3");
    python.args(["-c", lines, key]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().expect("python3");
    let message = format!("{}.{}.{}", delivery.id, delivery.at, delivery.body);
    python.stdin.take().expect("a pipe").write_all(message.as_bytes()).expect("it reads");
    let output = python.wait_with_output().expect("an end").stdout;
    String::from_utf8(output).expect("text").trim().to_owned()
}

/// The page of a run that a user began, once it is over.
fn over(visitor: &Visitor, live: &str) -> String {
    let page = live.replace("/live/", "/runs/");
    let is_over = || {
        visitor.ask("GET", "/", "", "");
        visitor.ask("GET", &page, "", "").0.starts_with("HTTP/1.1 200")
    };
    assert!(until(PATIENCE, is_over), "{}", visitor.ask("GET", live, "", "").1);
    page
}

/// A site with a target, a plan, a run of it that is the baseline, a webhook, and a schedule. Returns the key of the
/// webhook, and the id of the baseline.
fn furnished(visitor: &Visitor, target: &str, receiver: SocketAddr) -> (String, String) {
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}&users=10&seconds=60&days=1"
    );
    visitor.send("/targets", "/targets", &fields);
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", "target=1&duration=2s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let page = over(visitor, between(&head, "location: ", "\r\n"));
    let (head, _) = visitor.send(&page, &format!("{page}/about"), "baseline=1");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    let fields = format!("name=ci&url=http://{receiver}/hook");
    let (head, shown) = visitor.send("/hooks", "/hooks", &fields);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{shown}");
    let key = between(&shown, "data-copy>", "<").to_owned();
    let (_, again) = visitor.ask("GET", "/hooks", "", "");
    assert!(again.contains("/hook") && !again.contains(&key), "it is shown once: {again}");
    // Once a minute.
    let fields = "plan=1&target=1&times=*+*+*+*+*&duration=2s&hook=1";
    let (head, body) = visitor.send("/schedules", "/schedules", fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    (key, page.trim_start_matches("/runs/").to_owned())
}

/// The site was away, for so many seconds as far as its schedule knows.
fn away(directory: &Path, seconds: i64) {
    let file = Connection::open(directory.join("brunt.db")).expect("a database");
    let earlier = file.execute("UPDATE schedule SET seen = unixepoch() - ?1", [seconds]);
    assert_eq!(earlier.expect("a schedule"), 1);
}

#[test]
fn schedule_starts_a_run_judges_it_and_calls_the_webhook() {
    if !require(&["python3"]) {
        return;
    }
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (receiver, deliveries) = receiver(1);
    let (program, visitor) = site(&at);
    let (key, baseline) = furnished(&visitor, &target, receiver);
    end(program);
    away(&at, 170);
    let (program, mut next) = site(&at);
    next.cookie.clone_from(&visitor.cookie);
    // The last of the minutes is kept, and those before it are missed, which is reported as well.
    let mut messages: Vec<(Delivery, Value)> = Vec::new();
    let ended = loop {
        let delivery = deliveries.recv_timeout(PATIENCE).expect("a webhook is told");
        assert_eq!(delivery.signature, expected(&key, &delivery), "{}", delivery.body);
        assert_eq!(delivery.path, "/hook");
        let message: Value = serde_json::from_str(&delivery.body).expect("JSON");
        messages.push((delivery, message));
        let ended = messages.iter().find(|(_, message)| message["type"] == "run.ended");
        if let Some((_, message)) = ended {
            break message["data"].clone();
        }
    };
    let id = ended["run"].as_str().expect("a run");
    assert_eq!((ended["state"].as_str(), ended["plan"].as_str()), (Some("done"), Some("visit")));
    let missed = messages.iter().filter(|(_, message)| message["type"] == "run.missed");
    assert!(missed.clone().count() >= 1, "the first message at least");
    for (_, message) in missed {
        assert_eq!(message["data"]["why"], "the next run was due before it could start");
    }
    // It is in the history with its baseline, and the message agrees with the site.
    let read = next.token("read");
    let entry: Value =
        serde_json::from_str(&next.api(&read, &format!("/api/v1/records/{id}"))).unwrap();
    assert_eq!(entry["about"]["origin"]["by"], "admin (scheduled)");
    assert_eq!(entry["summary"]["verdict"], ended["verdict"]);
    assert_eq!(entry["summary"]["sentence"], ended["sentence"]);
    assert_eq!(ended["against"]["baseline"], baseline.as_str(), "{ended}");
    let compare = format!("/api/v1/compare?run={baseline}&run={id}");
    let compared: Value = serde_json::from_str(&next.api(&read, &compare)).unwrap();
    assert_eq!(ended["against"]["trusted"], compared["trusted"]);
    // The receiver was busy at first, and receives the same message under the same id later.
    // The page says so once the site has read the receiver's answer.
    let mut page = String::new();
    let is_told = until(PATIENCE, || {
        page = next.ask("GET", "/schedules", "", "").1;
        page.contains(&format!("/runs/{id}")) && page.contains("ci was notified")
    });
    assert!(is_told, "{page}");
    assert!(page.contains("it answered 503 Service Unavailable; it is retried later"), "{page}");
    end(program);
    let file = Connection::open(at.join("brunt.db")).expect("a database");
    file.execute("UPDATE occasion SET due = 0 WHERE due IS NOT NULL", []).expect("one is left");
    drop(file);
    let (program, mut next) = site(&at);
    next.cookie.clone_from(&visitor.cookie);
    let first = &messages[0].0;
    let again = loop {
        let delivery = deliveries.recv_timeout(PATIENCE).expect("it is told again");
        if delivery.id == first.id {
            break delivery;
        }
    };
    assert_eq!(again.signature, expected(&key, &again));
    end(program);
}

#[test]
fn schedule_times_missed_while_down_are_listed_not_run() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (receiver, _deliveries) = receiver(1);
    let (program, visitor) = site(&at);
    furnished(&visitor, &target, receiver);
    end(program);
    let file = Connection::open(at.join("brunt.db")).expect("a database");
    // Every time of these hours is more than ten minutes ago.
    file.execute(
        "UPDATE schedule SET times = strftime('%M', 'now', '-15 minutes') || ' * * * *'",
        [],
    )
    .expect("a schedule");
    drop(file);
    away(&at, 3 * 3_600);
    let (program, mut next) = site(&at);
    next.cookie.clone_from(&visitor.cookie);
    let mut page = String::new();
    let is_listed = until(PATIENCE, || {
        page = next.ask("GET", "/schedules", "", "").1;
        page.matches("the site was not running").count() >= 3
    });
    assert!(is_listed && !page.contains("/live/"), "{page}");
    end(program);
}
