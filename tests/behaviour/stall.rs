//! A server that stands still for two seconds: what its users waited shows it, what it took shows it only in the few
//! exchanges it had already been sent.

use std::time::Duration;

use brunt_record::verdict::LATENESS_FLOOR;
use brunt_record::{Histogram, Reason, Status};
use brunt_testbed::{BASE_DN, until};

use crate::program::{alone, slapd, start};

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
        assert!(own > LATENESS_FLOOR && reason.text.contains(" late "), "{reason:?}\n{ended}");
    }
}
