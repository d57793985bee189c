//! A server that stalls for two seconds: the waiting time of its users shows it; its service time shows it only in the
//! few exchanges that had already been sent.

use std::time::Duration;

use brunt_record::{Basis, Histogram, Reason, Status};
use brunt_testbed::{BASE_DN, until};

use crate::program::{alone, among_others, slapd, start};

const RATE: u64 = 200;
const SECONDS: u64 = 10;
const CONNECTIONS: u64 = 10;
const STALL: Duration = Duration::from_secs(2);

/// How many durations are longer than `limit`.
fn longer(times: &Histogram, limit: Duration) -> u64 {
    let limit = limit.as_nanos() as u64;
    times.buckets().filter(|(value, _)| *value > limit).map(|(_, count)| count).sum()
}

#[test]
fn a_paused_server_is_seen_in_response_times_and_not_in_service_times() {
    let _quiet = alone();
    let Some(slapd) = slapd(20) else { return };
    let planned = RATE * SECONDS;
    let (rate, seconds, connections) =
        (RATE.to_string(), SECONDS.to_string(), CONNECTIONS.to_string());
    let line = ["-M", &rate, "-d", &seconds, "-c", &connections, "-F", "-i", "1", "-b", BASE_DN];
    let mut run = start(
        "searchrate",
        slapd.port(),
        &[&line[..], &["-s", "base", "(objectClass=*)"]].concat(),
    );
    // Five lines of header, then three rows of a second each.
    run.wait_for_lines(8);
    slapd.pause();
    until(STALL, || false);
    slapd.resume();
    let ended = run.wait().expect(0);
    let record = ended.record();

    let counts = &record.counts;
    assert_eq!((counts.planned, counts.dropped), (planned, 0), "{ended}");
    assert_eq!((counts.ok, counts.failed, counts.timed_out), (planned, 0, 0), "{ended}");
    assert_eq!(slapd.operations().searches, planned);

    let operation = &record.operations[0];
    let (response, service) =
        (operation.response.histogram().unwrap(), operation.service.histogram().unwrap());
    assert!(response.quantile(0.99).unwrap() > Duration::from_millis(1_500), "{ended}");
    assert!(service.quantile(0.99).unwrap() < Duration::from_millis(500), "{ended}");
    // Only what was on the wire when the server stopped took that long: one exchange a connection, half a percent of
    // all. What users waited for more than a second is what fell due in the first second of the stall.
    let second = Duration::from_secs(1);
    assert!((1..=CONNECTIONS).contains(&longer(&service, second)), "{ended}");
    let waited = longer(&response, second);
    assert!((RATE * 8 / 10..=RATE * 3 / 2).contains(&waited), "{waited} waited long\n{ended}");

    // A busy machine may make the generator late by some milliseconds, and the verdict says so. What it must not do is
    // take the wait for the server for its own.
    let own = record.lateness.histogram().unwrap().quantile(0.99).unwrap();
    assert!(own < Duration::from_millis(100), "{ended}");
    let blamed = |reason: &&Reason| reason.status == Status::GeneratorLimited;
    for reason in record.verdict.reasons.iter().filter(blamed) {
        // Another test may have the cores: then that is the cause, and nothing about the server's stall.
        assert!(reason.text.contains("waited for a core"), "{reason:?}\n{ended}");
    }
    let away = &record.away[0];
    let lasted = away.to_s.expect("it came back") - away.from_s;
    assert!((1.7..=2.6).contains(&lasted) && record.away.len() == 1, "{away:?}\n{ended}");
    assert!(
        record
            .verdict
            .reasons
            .iter()
            .any(|reason| reason.text.contains("the target was away: away")),
        "{ended}"
    );
}

#[test]
fn compat_shows_what_the_old_tools_would() {
    let _quiet = alone();
    let Some(slapd) = slapd(20) else { return };
    let line = ["--compat", "-M", "200", "-d", "3", "-c", "1", "-F", "-i", "1", "-b", BASE_DN];
    let mut run = start(
        "searchrate",
        slapd.port(),
        &[&line[..], &["-s", "base", "(objectClass=*)"]].concat(),
    );
    run.wait_for_lines(6);
    slapd.pause();
    until(Duration::from_secs(1), || false);
    slapd.resume();
    let ended = run.wait().expect(0);
    let operation = &ended.record().operations[0];
    let cells: Vec<&str> = ended.rows().last().unwrap().split([' ', '|']).collect();
    let figures: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
    // One search of 600 took a second; half a second each is what the 200 behind it waited on average.
    let (response, service) =
        (operation.response.mean_us.unwrap() / 1e3, operation.service.mean_us.unwrap() / 1e3);
    assert!(service < 20.0 && response > 100.0, "{ended}");
    assert!((figures[3] - service).abs() < 0.01 + service / 50.0, "{figures:?}\n{ended}");
    assert_eq!(ended.record().plan.latency_basis, Basis::Service);
}

/// A server that is paused for good: each operation ends when its time is up, and the run with it.
#[test]
fn a_server_that_never_answers_is_waited_for_no_longer_than_asked() {
    let _among = among_others();
    let Some(slapd) = slapd(20) else { return };
    let line = ["-M", "20", "-d", "4", "-c", "4", "-F", "-i", "1", "--operationTimeout", "300"];
    let more = ["-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    let mut run = start("searchrate", slapd.port(), &[&line[..], &more].concat());
    run.wait_for_lines(6);
    slapd.pause();
    let ended = run.wait();
    slapd.resume();
    let record = ended.record();
    assert_eq!(record.counts.planned, 80, "{ended}");
    assert!(record.counts.ok >= 20 && record.counts.timed_out > 0, "{ended}");
    assert!(ended.stderr.contains("timed out"), "{ended}");
    let longest = record.operations[0].service.max().unwrap();
    assert!(longest < Duration::from_secs(1), "{longest:?}\n{ended}");
}
