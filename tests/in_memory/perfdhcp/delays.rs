//! Answers that take as long as a script says: every time, in every text, is that delay and the way back.

use std::time::Duration;

use brunt_dhcp_server::Answer;
use brunt_record::Latency;
use brunt_test_program::Ended;

use super::server::Server;
use crate::dhcp::WAY;

const DELAYS: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(50)];
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

/// Each of a hundred took exactly this long.
fn each(took: &Latency, expected: Duration, ended: &Ended) {
    let nanos = expected.as_nanos() as u64;
    let of = (took.count, took.min_ns, took.max_ns, took.sum_ns);
    assert_eq!(of, (100, Some(nanos), Some(nanos), 100 * nanos), "{ended}");
}

fn delayed(server: &Server, stages: [&str; 2], more: &str) {
    let ended = server.run(&format!("-r 100 -p 1 -R 100 {more}")).expect(0);
    let record = ended.record();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (100, 100), "{ended}");
    for (stage, delay) in stages.into_iter().zip(DELAYS) {
        let part = record.parts.iter().find(|part| part.name == stage).expect("it is a part");
        each(&part.took, delay + WAY, &ended);
        let expected = (delay + WAY).as_secs_f64() * 1e3;
        for (line, expected) in [
            ("min delay", expected),
            ("avg delay", expected),
            ("max delay", expected),
            ("std deviation", 0.0),
        ] {
            let printed = millis(&ended, stage, line);
            assert!((printed - expected).abs() < 0.001, "{stage} {line}: {expected}\n{ended}");
        }
        assert_eq!(ended.line(stage, "sent packets"), 100, "{ended}");
        assert_eq!(ended.line(stage, "received packets"), 100, "{ended}");
        assert_eq!(ended.line(stage, "collected packets"), 0, "{ended}");
    }
    // The second message leaves when the first was answered, and nothing is late.
    let whole = &record.operations[0];
    let together = DELAYS.iter().sum::<Duration>() + 2 * WAY;
    each(&whole.response, together, &ended);
    each(&whole.service, together, &ended);
    each(&record.lag, Duration::ZERO, &ended);
}

#[test]
fn delays_of_every_stage_are_reported_in_both_formats() {
    delayed(&Server::v4(SCRIPT), ["DISCOVER-OFFER", "REQUEST-ACK"], "");
    let six = ["SOLICIT-ADVERTISE", "REQUEST-REPLY"];
    delayed(&Server::v6(SCRIPT), six, "--report 2012");
}

#[test]
fn delays_of_a_tenth_are_visible_in_percentiles() {
    // Every tenth offer is late.
    let script = "
        [[rule]]
        on = ['discover']
        every = 10
        action = { delay = '400ms' }
    ";
    let ended = Server::v4(script).run("-r 200 -n 200 -R 200").expect(0);
    let record = ended.record();
    let first = &record.parts[0].took;
    let at = |percentile: f64| {
        let found = first.percentiles.iter().find(|it| (it.percentile - percentile).abs() < 1e-9);
        found.unwrap_or_else(|| panic!("{percentile}")).us
    };
    // A histogram is good to three digits.
    assert!((at(75.0) - 1e3).abs() <= 1.0 && (at(95.0) - 401e3).abs() <= 401.0, "{ended}");
    assert_eq!(first.sum_ns, 200 * 1_000_000 + 20 * 400_000_000, "{ended}");
    assert_eq!(record.parts[1].took.max_ns, Some(1_000_000), "{ended}");
}
