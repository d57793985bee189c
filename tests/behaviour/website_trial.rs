//! The website for a user who tries brunt: one command, an address that signs in, plans that run against servers in
//! memory, and an end that leaves nothing behind, or only what was requested.

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_testbed::until;
use rustix::process::Signal;

use crate::website::{Visitor, address, between, end, site};
use brunt_test_program::{Ended, Program, brunt, run, scratch};

const PATIENCE: Duration = Duration::from_secs(90);

/// Starts a trial whose temporary files are in a directory, and signs in by the address that it prints.
fn trial(scratch: &Path, more: &[&str]) -> (Program, Visitor) {
    let serve = brunt("serve --trial --listen 127.0.0.1:0").args(more);
    let mut program = serve.env("TMPDIR", scratch).env("XDG_RUNTIME_DIR", scratch).start();
    let output = address(&mut program);
    let (at, link) = output.split_once("/welcome#").expect("an address that signs in");
    let mut visitor = Visitor { at: at.to_owned(), cookie: String::new() };
    let (head, body) = visitor.ask("POST", "/welcome", "", &format!("link={link}"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    between(&head, "set-cookie: ", ";").clone_into(&mut visitor.cookie);
    let (head, body) = visitor.ask("POST", "/welcome", "", &format!("link={link}"));
    assert!(head.starts_with("HTTP/1.1 403") && body.contains("already used"), "{head}\n{body}");
    (program, visitor)
}

/// Begins a run of a plan, and returns the path of its page.
fn begin(visitor: &Visitor, plan: u32, duration: &str) -> String {
    let page = format!("/plans/{plan}");
    let (_, shown) = visitor.ask("GET", &page, "", "");
    let target = between(&shown, "<option value=\"", "\"").to_owned();
    let fields = format!("target={target}&duration={duration}");
    let (head, body) = visitor.send(&page, &format!("{page}/run"), &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    between(&head, "location: ", "\r\n").to_owned()
}

fn interrupted(program: Program) -> Ended {
    program.signal(Signal::INT);
    program.wait().expect(0)
}

#[test]
fn trial_runs_its_examples_and_leaves_nothing() {
    let scratch = scratch();
    let (mut program, visitor) = trial(scratch.path(), &[]);
    let (_, start) = visitor.ask("GET", "/", "", "");
    assert!(start.contains("removed when the trial ends"), "{start}");
    assert_eq!(start.matches("#run\">").count(), 3, "{start}");
    for plan in 1..=3 {
        let (_, page) = visitor.ask("GET", &format!("/plans/{plan}"), "", "");
        assert!(page.contains("The plan can be run.") && page.contains("Objectives: "), "{page}");
    }
    let live = begin(&visitor, 1, "3s");
    let page = live.replace("/live/", "/runs/");
    let mut shown = String::new();
    let done = until(PATIENCE, || {
        // Whoever looks has it put into the list.
        visitor.ask("GET", &live, "", "");
        shown = visitor.ask("GET", &page, "", "").1;
        shown.contains("class=\"tiles four\"")
    });
    assert!(done && shown.contains("None of "), "{shown}");
    // Nothing else can be loaded.
    let fields = "name=x&allow=127.0.0.1:1&users=1&seconds=1&days=1";
    let (head, body) = visitor.send("/account", "/targets", fields);
    assert!(head.starts_with("HTTP/1.1 403") && body.contains("This is a trial"), "{head}\n{body}");
    // Another browser comes in by the next address.
    let mut next = String::new();
    program.wait_until("the next address", |_, notes| {
        let link = notes.split("/welcome#").nth(2).and_then(|rest| rest.split_once('\n'));
        link.is_some_and(|(link, _)| {
            link.clone_into(&mut next);
            true
        })
    });
    let (head, _) = visitor.ask("POST", "/welcome", "", &format!("link={next}"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    // A run in progress ends with it.
    let live = begin(&visitor, 3, "");
    let going = until(PATIENCE, || visitor.ask("GET", &live, "", "").1.contains("data-live"));
    assert!(going);
    let ended = interrupted(program);
    assert!(ended.output().contains("2 runs, is removed"), "{ended}");
    let left = fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with("brunt-trial")), "{left:?}");
}

#[test]
fn trial_dir_keeps_runs_and_refuses_a_regular_site() {
    let scratch = scratch();
    let at = scratch.path().join("kept");
    let words = ["--dir", at.to_str().unwrap()];
    let (program, visitor) = trial(scratch.path(), &words);
    let live = begin(&visitor, 2, "3s");
    let over = until(PATIENCE, || !visitor.ask("GET", "/", "", "").1.contains(&live));
    assert!(over);
    let ended = interrupted(program);
    assert!(ended.output().contains("has one run"), "{ended}");
    let record = at.join("runs").join(live.trim_start_matches("/live/")).join("record.json.gz");
    run(["report", record.to_str().unwrap()]).expect(0);
    // It continues as a trial, and then as a site.
    let (program, visitor) = trial(scratch.path(), &words);
    let (_, start) = visitor.ask("GET", "/", "", "");
    assert!(start.contains("Look people up in a directory"), "{start}");
    interrupted(program);
    let (program, visitor) = site(&at);
    let (_, start) = visitor.ask("GET", "/", "", "");
    assert!(start.contains("Look people up") && !start.contains("Trial."), "{start}");
    let (_, targets) = visitor.ask("GET", "/targets", "", "");
    assert!(targets.contains("There are no targets yet"), "its servers are gone: {targets}");
    end(program);
    let ended = run(["serve", "--trial", words[0], words[1]]);
    assert!(ended.code() == 1 && ended.output().contains("a site that is not a trial"), "{ended}");
}

#[test]
fn trial_refuses_to_listen_beyond_localhost() {
    for more in [&["--listen", "0.0.0.0:0"][..], &["--host", "x.example"], &["--link", "ada"]] {
        let ended = run([&["serve", "--trial"], more].concat());
        assert_eq!(ended.code(), 2, "{ended}");
    }
}
