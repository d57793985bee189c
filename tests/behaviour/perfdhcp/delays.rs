//! Answers that take as long as a script says: every time, in every text, is that delay and little more.

use std::time::Duration;

use brunt_dhcp_server::Answer;
use brunt_record::{Latency, Record};
use brunt_test_program::Ended;

use super::server::{Counted as _, Server};

const FIRST: Duration = Duration::from_millis(20);
const SECOND: Duration = Duration::from_millis(50);
/// How much longer half of the answers may take on a machine with other things to do.
const SLACK: Duration = Duration::from_millis(15);
/// How much longer than both its stages half of the exchanges may take: the time from an offer to its request.
const BETWEEN: Duration = Duration::from_millis(10);
/// How far the kernel's stamps, which are of another clock, may lie from our own.
const APART: Duration = Duration::from_millis(1);
const SCRIPT: &str = "
    [[rule]]
    on = ['discover']
    action = { delay = '20ms' }
    [[rule]]
    on = ['request']
    action = { delay = '50ms' }
";

/// The figure on a line of a stage's block, in milliseconds.
fn millis(ended: &Ended, stage: &str, line: &str) -> f64 {
    let block = ended.stdout.split(&format!("***Statistics for: {stage}***")).nth(1);
    let found = block.and_then(|block| {
        block
            .lines()
            .find_map(|text| text.strip_prefix(line)?.strip_prefix(": ")?.strip_suffix(" ms"))
    });
    let text = found.unwrap_or_else(|| panic!("no {line} of {stage}\n{ended}"));
    text.parse().unwrap_or_else(|error| panic!("{line}: {text}: {error}"))
}

/// What half of them took at most.
fn median(took: &Latency) -> Duration {
    let times = took.histogram().expect("it is a histogram");
    times.quantile(0.5).expect("something was measured")
}

/// What took so long took at least the time of the script, and half of them not much more. A machine that is busy may
/// take the processor away between sending a few of them and the look at the clock.
fn near(what: &str, took: &Latency, expected: Duration, ended: &Ended) {
    let times = took.histogram().expect("it is a histogram");
    let median = median(took);
    let least = expected.saturating_sub(APART);
    let nearly_all = times.quantile(0.05).expect("something was measured");
    assert!(nearly_all >= least, "{what}: {nearly_all:?}\n{ended}");
    assert!(median >= least && median < expected + SLACK, "{what}: {median:?}\n{ended}");
}

/// The four lines of delays are what the record holds: mean and deviation are its sums over its count.
fn lines(ended: &Ended, record: &Record, stage: &str) {
    let part = record.parts.iter().find(|part| part.name == stage).expect("it is a part");
    let ms = |ns: u64| ns as f64 / 1e6;
    let mean = ms(part.took.sum_ns) / part.took.count as f64;
    let times = part.took.histogram().expect("it is a histogram");
    // Buckets are less than a thousandth wide, so the deviation from them is good to that.
    let squares = times.buckets().map(|(ns, count)| count as f64 * (ms(ns) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / part.took.count as f64).sqrt();
    for (line, expected, slack) in [
        ("min delay", ms(part.took.min_ns.expect("there is a least")), 0.001),
        ("avg delay", mean, 0.001),
        ("max delay", ms(part.took.max_ns.expect("there is a greatest")), 0.001),
        ("std deviation", deviation, 0.1),
    ] {
        let printed = millis(ended, stage, line);
        assert!((printed - expected).abs() <= slack, "{stage} {line}: {expected}\n{ended}");
    }
}

fn delayed(server: &Server, stages: [&str; 2], more: &str) {
    let ended = server.run(&format!("-r 100 -p 1 -R 100 {more}")).expect(0);
    let record = ended.balanced();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (100, 100), "{ended}");
    for (stage, expected) in stages.into_iter().zip([FIRST, SECOND]) {
        let part = record.parts.iter().find(|part| part.name == stage).expect("it is a part");
        assert_eq!(part.took.count, 100, "{ended}");
        near(stage, &part.took, expected, &ended);
        lines(&ended, &record, stage);
        assert_eq!(ended.line(stage, "sent packets"), 100, "{ended}");
        assert_eq!(ended.line(stage, "received packets"), 100, "{ended}");
        assert_eq!(ended.line(stage, "collected packets"), 0, "{ended}");
    }
    let whole = &record.operations[0];
    near("response", &whole.response, FIRST + SECOND, &ended);
    near("service", &whole.service, FIRST + SECOND, &ended);
    // What a client waited is what the server took and what this machine was late: sums, so exact to a nanosecond.
    let (response, service, lag) = (whole.response.sum_ns, whole.service.sum_ns, record.lag.sum_ns);
    assert!(response.abs_diff(service + lag) <= 100, "{response} {service} {lag}\n{ended}");
    // The second message leaves when the first was answered, and hardly later: of medians, since a single one is as
    // late as brunt itself may be.
    let stages: u64 = record.parts.iter().map(|part| part.took.sum_ns).sum();
    assert!(stages <= service, "{stages} {service}\n{ended}");
    let parts = record.parts.iter().filter(|part| part.took.count > 0);
    let apart: Duration = parts.map(|part| median(&part.took)).sum();
    let together = median(&whole.service);
    assert!(together < apart + BETWEEN, "{apart:?} {together:?}\n{ended}");
}

#[test]
fn every_stage_takes_its_time_in_both_protocols_and_in_both_texts() {
    delayed(&Server::v4(SCRIPT), ["DISCOVER-OFFER", "REQUEST-ACK"], "");
    let six = ["SOLICIT-ADVERTISE", "REQUEST-REPLY"];
    delayed(&Server::v6(SCRIPT), six, "--report 2012 --kernel-stamps");
}

#[test]
fn percentiles_are_told_apart() {
    // Every tenth offer is late by more than the others take on any machine.
    let script = "
        [[rule]]
        on = ['discover']
        every = 10
        action = { delay = '400ms' }
    ";
    let ended = Server::v4(script).run("-r 200 -n 200 -R 200").expect(0);
    let record = ended.balanced();
    let first = &record.parts[0];
    let at = |percentile: f64| {
        let found = first
            .took
            .percentiles
            .iter()
            .find(|found| (found.percentile - percentile).abs() < 1e-9);
        found.unwrap_or_else(|| panic!("{percentile}")).us
    };
    assert!(at(75.0) < 200_000.0 && at(95.0) >= 399_000.0, "{ended}");
    let times = first.took.histogram().expect("it is a histogram");
    let late: u64 =
        times.buckets().filter(|(ns, _)| *ns >= 399_000_000).map(|(_, count)| count).sum();
    assert_eq!(late, 20, "{ended}");
    assert!(record.parts[1].took.percentiles.iter().all(|p| p.us < 200_000.0), "{ended}");
}
