//! Safeguards against harmful load: conditions that end a run, and canaries that keep it from beginning.

use std::fs;

use brunt_record::Status;
use brunt_test_program::{Ended, scratch};

use crate::machine::Machine;
use crate::scripted::{URL, answering};

/// A run of `http` that would last a minute, with its record.
fn minute(machine: &Machine, options: &[&str]) -> Ended {
    let line = ["http", "-z", "60s", "-q", "200", "-c", "2", "--seed", "7"];
    machine.measure(&[&line[..], options, &[URL]].concat())
}

#[test]
fn abort_on_ends_the_run_when_the_condition_lasts() {
    let (machine, target) = answering("503");
    let ended = minute(&machine, &["--abort-on", "ok.p99>1us", "--abort-on", "errors>50% for 2s"]);
    let ended = ended.expect(10);
    let condition = "--abort-on errors>50% for 2s";
    let output = format!("{condition}: in the last interval it was 100.0%");
    assert!(ended.output().contains(&output), "{ended}");
    let record = ended.record();
    let whole = &record.conservation.counts;
    // Two seconds and the interval in which they were over, of sixty; and all that was sent had come to its end.
    assert!((400..=600).contains(&whole.planned) && whole.cut_off == 0, "{ended}");
    assert_eq!(target.requested(), whole.sent, "{ended}");
    let mut reasons = record.verdict.reasons.iter();
    let says = reasons.any(|it| it.status == Status::Partial && it.text.contains(condition));
    assert!(says, "{ended}");
    assert_eq!(record.verdict.status, Status::Partial, "{ended}");
}

#[test]
fn abort_on_leaves_a_healthy_run_alone() {
    let (machine, target) = answering("200");
    let line = ["http", "-z", "3s", "-q", "50", "-c", "2", "--abort-on", "errors>1%", URL];
    machine.run(&line).expect(0);
    let wrong = machine.run(&["http", "-n", "1", "--abort-on", "errors>1% for ever", URL]);
    assert!(wrong.expect(2).output().contains("for 10s"));
    let wrong = machine.run(&["http", "-n", "1", "--abort-on", "bind.errors>1%", URL]);
    assert!(wrong.expect(2).output().contains("no operation \"bind\""));
    assert_eq!(target.requested(), 150, "the wrong ones sent nothing");
}

#[test]
fn abort_on_can_be_set_in_a_plan() {
    let (machine, _) = answering("503");
    let directory = scratch();
    let file = directory.path().join("plan.toml");
    let path = file.to_str().expect("a plain path");
    let plan = |condition: &str| {
        format!(
            "abort-on = [\"{condition}\"]\n[run]\nusers = 2\nrate = \"50/s\"\nduration = \"60s\"\n\
             [http]\nbase = \"http://10.0.0.1:80\"\n[[scenario]]\n[[scenario.steps]]\nname = \"get\"\n\
             get = \"/n/1\"\n"
        )
    };
    fs::write(&file, plan("get.errors>=1%")).expect("a file can be written");
    let ended = machine.run(&["run", path]).expect(10);
    assert!(ended.output().contains("get.errors>=1%"), "{ended}");
    fs::write(&file, plan("put.errors>1%")).expect("a file can be written");
    let wrong = machine.run(&["run", path]).expect(2);
    assert!(wrong.output().contains("abort-on") && wrong.output().contains("put"), "{wrong}");
}

#[test]
fn canary_failure_stops_the_run() {
    let (machine, target) = answering("503");
    let ended = minute(&machine, &["--canary", "5", "--slo", "goodput>1/s"]).expect(10);
    let counts = ended.record().conservation.counts;
    assert_eq!((counts.planned, counts.failed), (5, 5), "{ended}");
    assert!(ended.stdout.contains("the run did not begin, because its canary failed"), "{ended}");
    assert_eq!(target.requested(), 5);
}

#[test]
fn canary_counts_among_the_exchanges() {
    let (machine, target) = answering("200");
    let line = ["http", "-n", "20", "-c", "4", "--canary", "5"];
    machine.run(&[&line[..], &["--slo", "p99<1us", URL]].concat()).expect(10);
    assert_eq!(target.requested(), 5);
    let ended = machine.measure(&[&line[..], &["--slo", "p99<10s", URL]].concat()).expect(0);
    assert!(ended.output().contains("the canary's 5 requests succeeded"), "{ended}");
    assert!(ended.record().plan.first_exchange >= 5, "{ended}");
    assert_eq!(target.requested(), 5 + 20, "five, and five of twenty");
}
