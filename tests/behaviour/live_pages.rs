//! `--web` of every command that makes a run: its page is served during the run. Its content is tested in
//! `tests/browser`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use brunt_test_program::{Targets, brunt, scratch};

/// What the server of a page answers to a request for it.
fn requested(page: &str) -> String {
    let rest = page.strip_prefix("http://").expect("an address");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a limit");
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it takes a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers in text");
    answer
}

#[test]
fn web_page_is_served_by_every_command_that_makes_a_run() {
    let directory = scratch();
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        let mut run = brunt("").args(&line).arg("--web").start();
        let page = run.wait_for_url("web: ") + "/";
        let answer = requested(&page);
        assert!(answer.starts_with("HTTP/1.1 200"), "{name}: {answer}");
        assert!(answer.contains("<title>") && answer.contains("EventSource"), "{name}: {answer}");
        run.wait().expect(0);
    }
}
