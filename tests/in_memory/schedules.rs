//! Changing rates: the number of planned exchanges is the integral of the rate over time, and the server receives them.

use std::fs;

use brunt_ldap_server::Operation;
use brunt_record::{Phase, Record};
use brunt_test_program::{Ended, scratch};
use brunt_testbed::BASE_DN;

use crate::directory::{Directory, measure};

fn planned(record: &Record) -> u64 {
    record.conservation.counts.planned
}

/// Runs searches by a schedule. Everything that was sent was seen by the server.
fn scheduled(line: &[&str]) -> (Ended, Record) {
    let (machine, directory) = Directory::with(5);
    let more = ["-c", "5", "-F", "-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    let ended = measure(&machine, "searchrate", &[line, &more].concat()).expect(0);
    let record = ended.record();
    let whole = &record.conservation.counts;
    assert_eq!(directory.answered(Operation::Search), whole.sent, "{ended}");
    assert_eq!(whole.dropped, 0, "{ended}");
    (ended, record)
}

#[test]
fn stages_send_the_integral_of_the_rate() {
    for (stages, expected) in [
        ("200/s for 1s, 50/s for 1s", 250),
        // A ramp does on average what it does in its middle.
        ("100/s for 1s, ramp 100..500 over 1s, 500/s for 1s", 100 + 300 + 500),
        // A whole period of a sine swings as far above its mean as below it.
        ("sine 200±100 every 1s for 2s", 400),
    ] {
        let (ended, record) = scheduled(&["--stages", stages]);
        assert_eq!(planned(&record), expected, "{stages}\n{ended}");
    }
}

#[test]
fn stages_change_the_rate_at_the_right_second() {
    let (ended, record) = scheduled(&["--stages", "50/s for 2s, 300/s for 2s"]);
    let steps: Vec<u64> = (record.series.iter().filter(|step| step.phase == Phase::Steady))
        .map(|step| step.due.planned)
        .collect();
    assert_eq!(steps, [50, 50, 300, 300], "{ended}");
}

#[test]
fn poisson_arrivals_average_the_rate_and_repeat_with_the_seed() {
    let line = ["-M", "300", "--arrival", "poisson", "-d", "2"];
    let run = |seed: &str| planned(&scheduled(&[&line[..], &["--seed", seed]].concat()).1);
    let first = run("7");
    // 600 expected, with a standard deviation of 24.5.
    assert!((480..=720).contains(&first), "{first}");
    assert_eq!(run("7"), first);
    let others = [run("8"), run("9")];
    assert!(others.iter().any(|count| *count != first), "{others:?} are all {first}");
}

#[test]
fn rate_file_is_followed() {
    let directory = scratch();
    let path = directory.path().join("rates.txt");
    let text = "# Two rates of their own and one of the base.\n\
                format=rate-and-duration\ndefault-duration=1s\n\nEND HEADER\n\
                100\n2.5X\n300,500ms\n";
    fs::write(&path, text).unwrap();
    let file = path.to_str().unwrap();
    let (ended, record) = scheduled(&["--variableRateData", file, "-M", "80"]);
    assert_eq!(planned(&record), 100 + 200 + 150, "{ended}");
}

#[test]
fn rate_file_sample_can_be_read() {
    let directory = scratch();
    let path = directory.path().join("sample.txt");
    let file = path.to_str().unwrap();
    Directory::with(0).0.run(&["modrate", "--generateSampleRateFile", file]).expect(0);
    let line = ["--variableRateData", file, "-M", "20", "-d", "1"];
    let (ended, record) = scheduled(&line);
    assert!(planned(&record) > 0, "{ended}");
}

#[test]
fn trace_replays_offsets_from_a_file() {
    let directory = scratch();
    let path = directory.path().join("offsets.txt");
    fs::write(&path, "0\n0.1\n0.15\n0.9\n1.2\n").unwrap();
    let stages = format!("trace {}", path.display());
    let (ended, record) = scheduled(&["--stages", &stages]);
    assert_eq!(planned(&record), 5, "{ended}");
}

#[test]
fn think_reduces_the_rate_of_users() {
    // Five users who are answered after 2 ms and think for 100 ms.
    let (ended, record) = scheduled(&["--think", "100ms", "-d", "2"]);
    assert_eq!(record.counts.sent, 5 * 20, "{ended}");
}
