//! A server that stalls for two seconds: the waiting time of its users shows it; its service time shows it only in the
//! few exchanges that had already been sent. Other pauses are virtual (`tests/in_memory`).

use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::{Histogram, Reason, Record, Status};
use brunt_testbed::{BASE_DN, measured, until};

use brunt_test_program::{slapd, start};

const A_STALL: &str = "a real server is stopped for a while";

const RATE: u64 = 200;
const SECONDS: u64 = 10;
const CONNECTIONS: u64 = 10;
const STALL: Duration = Duration::from_secs(2);

/// How many durations are longer than `limit`.
fn longer(times: &Histogram, limit: Duration) -> u64 {
    let limit = limit.as_nanos() as u64;
    times.buckets().filter(|(value, _)| *value > limit).map(|(_, count)| count).sum()
}

/// Whether the record has what a reason against the generator says: it waited for a core, stood still, or ran on a
/// machine whose host gave it no time. It may not have stood still for as long as the server did: that would be the
/// server's stall.
fn explained(reason: &Reason, record: &Record) -> bool {
    let generator = &record.generator;
    let stood = generator.stalled_s;
    let stole = generator.machine.steal_share.is_some_and(|share| share > 0.0);
    let says = |words: &str| reason.text.contains(words);
    says("was runnable but not scheduled")
        || (says("brunt was paused") && stood > 0.0 && stood < STALL.as_secs_f64() / 2.0)
        || (says("(steal)") && stole)
}

#[test]
fn stall_raises_response_time_but_not_service_time() {
    measured(A_STALL, || {
        let Some(slapd) = slapd(20) else { return };
        let planned = RATE * SECONDS;
        let (rate, seconds, connections) =
            (RATE.to_string(), SECONDS.to_string(), CONNECTIONS.to_string());
        let line =
            ["-M", &rate, "-d", &seconds, "-c", &connections, "-F", "-i", "1", "-b", BASE_DN];
        let mut run = start(
            "searchrate",
            slapd.port(),
            &[&line[..], &["-s", "base", "(objectClass=*)"]].concat(),
        );
        // Five lines of header, then three rows of a second each.
        run.wait_for_lines(8);
        let clock = Monotonic::new();
        slapd.pause();
        until(STALL, || false);
        slapd.resume();
        let paused = clock.now().since_origin().as_secs_f64();
        let ended = run.wait().expect(5);
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
        // Only what was on the wire when the server stopped took that long: one exchange a connection, half a percent
        // of all. What users waited for more than a second is what became due in the stall, more than a second before
        // its end.
        let second = Duration::from_secs(1);
        assert!((1..=CONNECTIONS).contains(&longer(&service, second)), "{ended}");
        let waited = longer(&response, second);
        let due = RATE as f64 * (paused - second.as_secs_f64());
        let as_many = 0.8 * due..=1.5 * due;
        assert!(as_many.contains(&(waited as f64)), "{waited} of {due} waited long\n{ended}");

        // A busy machine may make the generator late by some hundred milliseconds, and the verdict says so. What it
        // must not do is take the wait for the server for its own, which would be more than a second.
        let own = record.lateness.histogram().unwrap().quantile(0.99).unwrap();
        assert!(own < Duration::from_millis(500), "{ended}");
        let blamed = |reason: &&Reason| reason.status == Status::GeneratorLimited;
        for reason in record.verdict.reasons.iter().filter(blamed) {
            // Something else may have the cores: then that is the cause, and nothing about the server's stall.
            assert!(explained(reason, &record), "{reason:?}\n{ended}");
        }
        let away = &record.away[0];
        let lasted = away.to_s.expect("it came back") - away.from_s;
        let as_long = (lasted - paused).abs() < 0.4;
        assert!(as_long && record.away.len() == 1, "{paused} s: {away:?}\n{ended}");
        assert!(
            record
                .verdict
                .reasons
                .iter()
                .any(|reason| reason.text.contains("the target stopped responding: away")),
            "{ended}"
        );
    });
}
