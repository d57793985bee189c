//! Targets that stand still for a while or for ever: what response times, service times, verdicts and exit codes say.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::Clock as _;
use brunt_ldap_server::Operation;
use brunt_record::{Basis, Histogram, Status};
use brunt_test_program::Ended;
use brunt_testbed::BASE_DN;
use tokio::io::{AsyncReadExt as _, DuplexStream};

use crate::directory::{Directory, measure};
use crate::machine::{Machine, Server};

const SECOND: Duration = Duration::from_secs(1);

/// Searches against a directory that stands still from one second to another.
fn searched(pause: Range<u64>, line: &[&str]) -> (Ended, Directory) {
    let pause = Duration::from_secs(pause.start)..Duration::from_secs(pause.end);
    let (machine, directory) = Directory::paused(20, pause);
    let more = ["-F", "-i", "1", "-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    (measure(&machine, "searchrate", &[line, &more].concat()), directory)
}

/// How many durations are longer than `limit`.
fn longer(times: &Histogram, limit: Duration) -> u64 {
    let limit = limit.as_nanos() as u64;
    times.buckets().filter(|(value, _)| *value > limit).map(|(_, count)| count).sum()
}

#[test]
fn stall_raises_response_time_but_not_service_time() {
    let (ended, directory) = searched(3..5, &["-M", "200", "-d", "10", "-c", "10"]);
    let record = ended.expect(5).record();
    let counts = &record.counts;
    assert_eq!((counts.planned, counts.dropped, counts.ok), (2_000, 0, 2_000));
    assert_eq!(directory.answered(Operation::Search), 2_000);
    let operation = &record.operations[0];
    let [response, service] =
        [&operation.response, &operation.service].map(|it| it.histogram().unwrap());
    // Only what was on the wire took that long: one exchange a connection. What users waited for more than a second
    // is what became due in the first of the two, and the few after it that ten connections had not reached yet.
    assert_eq!(longer(&service, SECOND), 10);
    assert!((200..=212).contains(&longer(&response, SECOND)), "{}", longer(&response, SECOND));
    assert!(service.quantile(0.99).unwrap() < Duration::from_millis(10));
    assert!(response.quantile(0.99).unwrap() > Duration::from_millis(1_500));
    let [away] = &record.away[..] else { panic!("{:?}", record.away) };
    let lasted = away.to_s.expect("it came back") - away.from_s;
    assert!((lasted - 2.0).abs() < 0.1, "{away:?}");
    let reasons = &record.verdict.reasons;
    assert!(reasons.iter().any(|it| it.text.contains("the target stopped responding: away")));
    assert!(reasons.iter().all(|it| it.status != Status::GeneratorLimited), "{reasons:?}");
}

#[test]
fn compat_reports_service_time_like_the_old_tools() {
    let (ended, _) = searched(2..3, &["--compat", "-M", "200", "-d", "3", "-c", "1"]);
    let record = ended.record();
    let operation = &record.operations[0];
    let cells: Vec<&str> = ended.rows().last().unwrap().split([' ', '|']).collect();
    let figures: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
    // One search of 600 took a second; half a second each is what the 200 behind it waited on average.
    let (response, service) =
        (operation.response.mean_us.unwrap() / 1e3, operation.service.mean_us.unwrap() / 1e3);
    assert!(service < 5.0 && response > 100.0, "{ended}");
    assert!((figures[3] - service).abs() < 0.01, "{figures:?}\n{ended}");
    assert_eq!(record.plan.latency_basis, Basis::Service);
}

/// A server that stands still for good: each operation ends when its time is up, and the run with it.
#[test]
fn operation_timeout_limits_the_wait_for_answers() {
    let line = ["-M", "20", "-d", "4", "-c", "25", "--operationTimeout", "1000"];
    let (ended, _) = searched(2..3_600, &line);
    let record = ended.record();
    assert_eq!(ended.code(), 5, "{ended}");
    let counts = &record.counts;
    assert_eq!((counts.planned, counts.ok + counts.timed_out), (80, 80), "{ended}");
    assert!(counts.ok.abs_diff(40) <= 1 && ended.stderr.contains("timed out"), "{ended}");
    // It is looked at in turns.
    let longest = record.operations[0].service.max().unwrap();
    assert!((SECOND..SECOND + SECOND / 10).contains(&longest), "{longest:?}\n{ended}");
}

/// Takes everything and says nothing.
pub(crate) struct Mute;

impl Server for Mute {
    fn serve(self: Arc<Self>, mut connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move { while let Ok(1..) = connection.read(&mut [0; 1_024]).await {} })
    }
}

/// Without a limit of its own, an exchange may take thirty seconds.
#[test]
fn drain_ends_a_run_without_answers() {
    for load in [&["-c", "4"][..], &["-c", "4", "-q", "50"]] {
        let mut machine = Machine::new(7);
        machine.serve("10.0.0.1:80", Arc::new(Mute));
        let began = machine.time().now();
        let line = [&["http", "-z", "1s", "--drain", "3s"], load, &["http://10.0.0.1:80/"]];
        let ended = machine.run(&line.concat()).expect(1);
        let took = machine.time().now() - began;
        assert!((4 * SECOND..5 * SECOND).contains(&took), "{took:?}\n{ended}");
    }
}
