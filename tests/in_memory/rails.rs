//! Safeguards against harmful load: conditions that end a run, canaries that keep it from beginning, the address policy
//! and the file of targets.

use std::fs;

use brunt_record::Status;
use brunt_test_program::{Ended, scratch};

use crate::machine::{Machine, run};
use crate::planned::Plan;
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

/// What connects or sends in its own way is compared with the address policy before the run all the same: no result is
/// printed.
#[test]
fn address_policy_stops_runs_of_every_protocol() {
    let plan = Plan::from_text(
        "[run]\nusers = 1\niterations = { each = 1 }\n[dhcp]\nserver = \"10.0.3.1:9\"\nlocal = \"10.0.3.9:67\"\n\
         [[scenario]]\n[[scenario.steps]]\nname = \"lease\"\ndhcp = \"acquire\"\n",
    );
    let plan = plan.path().display().to_string();
    let names = ["--keys", "1-9", "--through", "ldap", "--url", "ldap://10.0.3.1:9", "-n", "3"];
    for line in [&["run", &plan][..], &[&["names", "lookup"], &names[..]].concat()] {
        let ended = run(&[line, &["--allow", "192.0.2.0/24"]].concat()).expect(8);
        assert!(ended.output().contains("10.0.3.1:9 is not an address"), "{ended}");
        assert_eq!(ended.stdout, "", "{ended}");
    }
}

#[test]
fn targets_file_limits_every_run_before_it_begins() {
    let (machine, target) = answering("200");
    let directory = scratch();
    let path = directory.path().join("targets.toml");
    let file = "[[target]]\naddress = \"10.0.0.0/8\"\nrate = \"50/s\"\nconnections = 2\nduration = \"10s\"\n\
                note = \"ask us first\"\n";
    fs::write(&path, file).expect("a file can be written");
    let line = ["http", "--targets", path.to_str().expect("a plain path")];
    let limited = |options: &[&str]| machine.run(&[&line[..], options, &[URL]].concat());
    for (options, named) in [
        (&["-c", "2", "-q", "51", "-z", "5s"][..], "at most 50/s"),
        (&["-c", "2", "-z", "5s"], "nothing limits the rate"),
        (&["-c", "2", "-q", "50", "-z", "11s"], "at most 10s"),
        (&["-q", "50", "-z", "5s", "-c", "3"], "at most 2 connections"),
    ] {
        let ended = limited(options).expect(8);
        let output = ended.output();
        assert!(output.contains(named) && output.contains("ask us first"), "{ended}");
        assert_eq!(ended.stdout, "", "{ended}");
    }
    limited(&["-c", "2", "-q", "50", "-n", "10"]).expect(0);
    assert_eq!(target.requested(), 10, "the others sent nothing");
}

#[test]
fn targets_file_of_the_system_applies_to_every_run() {
    let directory = scratch();
    let place = directory.path().join("brunt");
    fs::create_dir(&place).expect("a directory can be made");
    let limited = "[[target]]\naddress = \"10.0.0.1\"\nrate = \"1/s\"\n";
    for name in ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"] {
        let (mut machine, target) = answering("200");
        machine.set(name, directory.path().to_str().expect("a plain path"));
        let with = |file: &str| {
            fs::write(place.join("targets.toml"), file).expect("a file can be written");
            machine.run(&["http", "-n", "5", "-c", "1", URL])
        };
        let output = with(limited).expect(8).output();
        assert!(output.contains("brunt/targets.toml allows 10.0.0.1 at most 1/s"), "{output}");
        with("[[target]]\naddress = \"10.0.0.1\"\n").expect(0);
        let wrong = with("[[target]]\naddress = \"10.0.0.1\"\nmax = 1\n").expect(2).output();
        assert!(wrong.contains("targets.toml") && wrong.contains("line 3"), "{wrong}");
        assert_eq!(target.requested(), 5);
    }
}
