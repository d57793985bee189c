//! `brunt ab` of real runs: its turns, what it keeps, and its exit codes. What `compare` and `trend` say of runs is
//! seen in the process of the tests (`tests/in_memory`).

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::until;
use rustix::process::Signal;

use brunt_test_program::{RestTarget, Target, ab, binds, scratch};

#[test]
fn ab_alternates_commands_and_keeps_records() {
    let target = Target::start("ldap");
    let port = target.port().parse().unwrap();
    let directory = scratch();
    let kept = directory.path().join("kept");
    let (a, b) = (
        binds(port, 2),
        [binds(port, 2), vec!["--percentile".to_owned(), "99.5".to_owned()]].concat(),
    );
    let keep = kept.to_str().unwrap();
    let ended = ab(&["--runs", "2", "--keep", keep, "--anyway"], &a, &b).run();
    assert!([0, 6].contains(&ended.code()), "{ended}");
    let started = |name: &str| Record::read(&kept.join(name)).unwrap().started;
    let order = ["a/01.json", "b/01.json", "b/02.json", "a/02.json"].map(started);
    assert!(order.is_sorted(), "{order:?}");
    assert!(ended.output().contains("A1: ") && ended.output().contains("B2: "), "{ended}");
    assert!(!ended.stdout.contains("password"), "{ended}");
    // Nothing but records is left, and they are not mixed with those of another trial.
    assert_eq!(fs::read_dir(kept.join("a")).unwrap().count(), 2);
    let again = ab(&["--runs", "2", "--keep", keep], &a, &b).run().expect(2);
    assert!(again.output().contains("already contains files"), "{again}");
}

#[test]
fn ab_interrupt_ends_the_run_and_compares_the_rest() {
    // The first two runs are answered, and the third waits until it is interrupted.
    let script = "[[rule]]\non = ['bind']\nfirst = 801\naction = 'drop'\n";
    let target = Target::scripted("ldap", script);
    let directory = scratch();
    let kept = directory.path().join("kept");
    let keep = ["--runs", "50", "--keep", kept.to_str().unwrap()];
    let words = binds(target.port().parse().unwrap(), 2).join(" ");
    let counted = words.replace(" -d 2 ", " -m 400 --drainTimeout 100 ");
    let words: Vec<String> = counted.split(' ').map(str::to_owned).collect();
    let mut program = ab(&keep, &words, &words).start();
    program.wait_until("two runs", |_, stderr| stderr.contains("B1: "));
    // The third has begun.
    assert!(until(Duration::from_secs(90), || kept.join("b/02.log").exists()));
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    assert!(ended.stdout.contains("Result:"), "{ended}");
    assert!(ended.stdout.contains("1 run of 2.0 s"), "{ended}");
    assert!(!ended.stderr.contains("B2: "), "{ended}");
}

#[test]
fn ab_reports_why_a_command_cannot_run() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ended = ab(&[], &binds(closed, 2), &binds(closed, 2)).run().expect(1);
    assert!(ended.output().contains("a run of command A failed; it said:"), "{ended}");
    assert!(ended.output().contains("refused"), "{ended}");
}

#[test]
fn ab_does_not_compare_when_nothing_succeeded() {
    let target = RestTarget::start();
    let url = format!("{}/none", target.base);
    let line = ["http", "-q", "50", "-z", "1s", "--quiet", &url].map(str::to_owned);
    let ended = ab(&["--runs", "1"], &line, &line).run().expect(1);
    assert!(ended.output().contains("no operation of either command succeeded (404 "), "{ended}");
}
