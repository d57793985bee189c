//! The effect of ^C and SIGTERM, in every phase: the first ends a run in good order, the second at once.

use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use brunt_record::{Phase, Status};
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, Slapd, until, user_dn};
use rustix::process::Signal;

use brunt_test_program::{Ended, Program, RestTarget, at, brunt, scratch, slapd, start};

/// Searches at a rate, for longer than any test.
fn searching(slapd: &Slapd, more: &[&str]) -> Program {
    let line = ["-c", "4", "-F", "-i", "1", "-M", "100", "-b", BASE_DN, "-s", "base"];
    start("searchrate", slapd.port(), &[&line[..], more, &["(objectClass=*)"]].concat())
}

/// What holds for every run that was ended early: a last row, a summary, a record, and each operation accounted for. A
/// run without an end of its own that is asked once to end is whole.
fn check(ended: &Ended, name: &str, whole: bool) {
    let record = ended.record();
    let reason = format!("ended by {name} after ");
    let cut_short = record
        .verdict
        .reasons
        .iter()
        .any(|r| r.status == Status::Partial && r.text.contains(&reason));
    let noted = record.verdict.notes.iter().any(|note| note.starts_with(&reason));
    assert_eq!((cut_short, noted), (!whole, whole), "{ended}");
    assert!(ended.output().contains(&reason), "{ended}");
    assert!(ended.stderr.contains("Outcomes"), "{ended}");
}

/// Waits until slapd has seen so many more searches.
fn searched(slapd: &Slapd, count: u64) {
    let before = slapd.operations();
    let come =
        until(Duration::from_secs(90), || slapd.operations().since(&before).searches >= count);
    assert!(come, "{count} searches did not come");
}

#[test]
fn first_signal_ends_a_run_cleanly() {
    let Some(slapd) = slapd(20) else { return };
    for (signal, name, code) in [(Signal::INT, "SIGINT", 130), (Signal::TERM, "SIGTERM", 143)] {
        let before = slapd.operations();
        let mut run = searching(&slapd, &[]);
        run.wait_for_lines(7);
        // Between two rows, so that the last one has something to show.
        searched(&slapd, 10);
        run.signal(signal);
        let ended = run.wait().expect(code);
        check(&ended, name, true);
        let record = ended.record();
        assert_eq!(record.counts.cut_off, 0, "{ended}");
        assert_eq!(slapd.operations().since(&before).searches, record.counts.ok, "{ended}");
        assert!(ended.rows().len() >= 3, "no last row\n{ended}");
    }
}

#[test]
fn second_signal_does_not_wait_for_answers() {
    let Some(slapd) = slapd(20) else { return };
    let mut run = searching(&slapd, &["--drainTimeout", "60000"]);
    run.wait_for_lines(6);
    slapd.pause();
    // Long enough for an operation to be on a connection, if not on each of the four.
    until(Duration::from_millis(500), || false);
    run.signal(Signal::INT);
    run.wait_until("an answer to the first signal", |_, stderr| stderr.contains("press ^C again"));
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    slapd.resume();
    check(&ended, "SIGINT", false);
    let counts = ended.record().counts;
    assert!((1..=4).contains(&counts.cut_off), "{ended}");
    assert_eq!(counts.sent - counts.ok, counts.cut_off, "{ended}");
}

#[test]
fn signal_during_warm_up_leaves_nothing_measured() {
    let Some(slapd) = slapd(20) else { return };
    let mut run = searching(&slapd, &["-B", "60"]);
    run.wait_until("the warm-up", |stdout, _| stdout.contains("Warming up"));
    searched(&slapd, 100);
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    check(&ended, "SIGINT", false);
    let record = ended.record();
    assert_eq!((record.counts.planned, record.operations[0].response.count), (0, 0), "{ended}");
    let warm_up = record.phases.iter().find(|phase| phase.name == Phase::WarmUp).unwrap();
    assert!(warm_up.counts.ok > 0, "{ended}");
    assert_eq!(slapd.operations().searches, warm_up.counts.ok, "{ended}");
}

/// The server takes the connection and never answers, so the check of the parameters waits for its time limit.
#[test]
fn signal_while_connecting_ends_the_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let run = brunt("searchrate --connectTimeout 60000 -D cn=a -w b").args(at(port));
        let run = run.args(["-b", "", "(a=b)"]).start();
        let held = listener.accept().unwrap();
        run.signal(signal);
        let ended = run.wait().expect(code);
        assert_eq!(ended.stdout, "", "{ended}");
        drop(held);
    }
}

/// Adds people at a rate, for longer than any test.
fn adding(slapd: &Slapd, directory: &Path) -> Program {
    let template = directory.join("people.template");
    let text = format!(
        "define suffix={PEOPLE_DN}\n\nbranch: [suffix]\nsubordinateTemplate: person\n\n\
         template: person\nrdnAttr: uid\nobjectClass: top\nobjectClass: person\n\
         objectClass: organizationalPerson\nobjectClass: inetOrgPerson\nuid: added.<sequential:0>\n\
         cn: Added\nsn: <random:numeric:5>\n"
    );
    std::fs::write(&template, text).expect("a directory to write to");
    let line = ["-D", ADMIN_DN, "-w", PASSWORD, "-F", "-c", "4", "-i", "1", "-M", "500"];
    let line = [&line[..], &[template.to_str().expect("a plain path")]].concat();
    start("addrate", slapd.port(), &line)
}

#[test]
fn addrate_purges_added_entries_after_a_signal() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let before = slapd.entries_below(BASE_DN);
    let mut run = adding(&slapd, directory.path());
    run.wait_for_lines(7);
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    check(&ended, "SIGINT", true);
    let added = ended.record().counts.ok;
    assert!(added > 200, "{ended}");
    assert!(ended.stderr.contains("Purge phase...\n"), "{ended}");
    assert!(ended.stderr.contains(&format!("{added} entries have been successfully purged")));
    let seen = slapd.operations();
    assert_eq!((seen.adds, seen.deletes), (added, added), "{ended}");
    assert_eq!(slapd.entries_below(BASE_DN), before);
}

/// A purge that a server delays must not delay a user who has asked twice.
#[test]
fn second_signal_ends_the_purge() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let mut run = adding(&slapd, directory.path());
    run.wait_for_lines(6);
    run.signal(Signal::INT);
    run.wait_until("the purge", |_, stderr| stderr.contains("Purge phase..."));
    slapd.pause();
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    slapd.resume();
    let added = ended.record().counts.ok;
    let deleted = slapd.operations().deletes;
    assert!(deleted < added, "{ended}");
    assert!(ended.stderr.contains(&format!("of {added} added entries still exist")), "{ended}");
}

#[test]
fn signal_drains_a_run_with_churning_connections() {
    let Some(slapd) = slapd(20) else { return };
    let dn = user_dn(2);
    let line = ["-D", &dn, "-w", PASSWORD, "-c", "4", "-i", "1"];
    let mut run = start("authrate", slapd.port(), &line);
    run.wait_for_lines(6);
    run.signal(Signal::TERM);
    let ended = run.wait().expect(143);
    check(&ended, "SIGTERM", true);
    assert_eq!(ended.record().counts.errors(), 0, "{ended}");
    assert_eq!(slapd.operations().binds, ended.record().counts.ok, "{ended}");
}

/// The events go into a pipe that is full and is not read: the thread that writes them waits.
#[test]
fn second_signal_ends_a_hanging_program() {
    let target = RestTarget::start();
    let directory = scratch();
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("coreutils");
    assert!(made.success());
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut options = std::fs::OpenOptions::new();
    let mut held =
        options.read(true).write(true).custom_flags(nonblocking).open(&pipe).expect("it is ours");
    while held.write(&[b'x'; 4096]).is_ok() {}
    let url = format!("{}/xml", target.base);
    let run = brunt("http -z 10m -c 1 -q 10 --events").arg(&pipe).arg(url);
    let mut run = run.start();
    let opened = || {
        let files = std::fs::read_dir(format!("/proc/{}/fd", run.id())).into_iter().flatten();
        files.flatten().any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == pipe))
    };
    assert!(until(Duration::from_secs(90), opened), "it does not open the pipe");
    run.signal(Signal::TERM);
    run.wait_until("an answer to the first signal", |_, stderr| stderr.contains("press ^C again"));
    run.signal(Signal::TERM);
    // Only the second signal can end it before its ten minutes are over.
    run.wait().expect(143);
    drop(held);
}
