//! A target that accepts connections and never answers: the run ends on time, after a drain that it reports.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use brunt_test_program::run;
use brunt_testbed::measured;

/// Without a limit of its own, an exchange may take thirty seconds.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long a program ran is no latency")]
fn a_run_ends_when_it_was_to_end_plus_a_drain_that_is_told() {
    measured("the time after which a program ends is measured", || {
        let mute = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let url = format!("http://{}/", mute.local_addr().expect("it is bound"));
        for load in [&["-c", "4"][..], &["-c", "4", "-q", "50"]] {
            let began = Instant::now();
            let line = [&["http", "-z", "1s", "--drain", "3s"], load, &[&url]].concat();
            let ended = run(&line).expect(1);
            let took = began.elapsed();
            assert!(ended.stderr.contains("the time is over; waiting up to"), "{ended}");
            // It starts, waits a second and three more, and measures this machine's timer before that.
            let expected = Duration::from_millis(3_900)..Duration::from_secs(8);
            assert!(expected.contains(&took), "{took:?}\n{ended}");
        }
    });
}
