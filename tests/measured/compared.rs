//! What `brunt ab` sees of a server that is a little slower.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use brunt_test_program::{ab, binds, slapd};
use brunt_testbed::measured;
use serde_json::Value;

const A_REAL_DELAY: &str = "a real server is compared with itself behind a real delay";

/// A proxy before a server that holds up whatever a client says.
fn delaying(server: u16, delay: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let pass = |mut from: TcpStream, mut to: TcpStream, delay: Duration| {
        thread::spawn(move || {
            let mut buffer = [0; 16384];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                #[expect(clippy::disallowed_methods, reason = "a server that is slow by so much")]
                thread::sleep(delay);
                if to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Write);
        });
    };
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { return };
            for stream in [&client, &server] {
                let _ = stream.set_nodelay(true);
            }
            let [from, to] = [&client, &server].map(|it| it.try_clone().expect("a socket"));
            pass(from, to, delay);
            pass(server, client, Duration::ZERO);
        }
    });
    port
}

#[test]
fn ab_detects_a_delay_of_one_millisecond_and_no_false_one() {
    measured(A_REAL_DELAY, || {
        let Some(slapd) = slapd(50) else { return };
        let direct = delaying(slapd.port(), Duration::ZERO);
        let trial = |b: u16, runs: usize| {
            let runs = runs.to_string();
            let options = ["--runs", &runs, "--anyway", "--format", "json"];
            let ended = ab(&options, &binds(direct, 1), &binds(b, 1)).run();
            let document: Value = serde_json::from_str(&ended.stdout).unwrap();
            (ended, document["pairs"][0].clone())
        };
        // By chance, one of twenty such trials reports a difference: the confidence is 95 %.
        let equal = (0..3).any(|_| {
            let (ended, pair) = trial(direct, 5);
            pair["result"] == "same" && ended.code() == 0
        });
        assert!(equal, "three trials of the same server reported a difference");
        // Where other work makes the runs differ from each other, it takes more of them, or a longer delay.
        let seen = [(1, 5), (1, 15), (4, 15)].into_iter().any(|(milliseconds, runs)| {
            let (ended, pair) =
                trial(delaying(slapd.port(), Duration::from_millis(milliseconds)), runs);
            let figures = pair["figures"].as_array().unwrap();
            let median = figures.iter().find(|it| it["figure"] == "p50").unwrap();
            // Seen or not, the interval has room for about the change that the delay makes, which on a busy
            // machine is more than asked.
            let change = milliseconds as f64 * 1_000.0 / median["baseline"].as_f64().unwrap();
            let [low, high] = [0, 1].map(|end| median["interval"][end].as_f64().unwrap());
            assert!(
                low < change * 3.0 && high > change / 2.0,
                "{milliseconds} ms is {change:.2}: {ended}"
            );
            let worse = median["result"] == "worse";
            assert!(!worse || low > 0.0 && ended.code() == 6, "{ended}");
            worse
        });
        assert!(seen, "no delay was seen");
    });
}
