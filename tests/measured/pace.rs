//! Keeping a rate: the planned exchanges follow only from the rate, and all of them are achieved if the machine permits
//! it.

use std::time::Duration;

use brunt_testbed::{BASE_DN, Slapd, measured};

use brunt_test_program::{measure, slapd};

const THE_PACE: &str = "whether the real timer keeps a rate is measured";

const SECONDS: u64 = 3;

/// Runs searches at a rate and prints what the machine allowed.
#[expect(clippy::print_stderr, reason = "what a machine allowed is for whoever reads the log")]
fn paced(slapd: &Slapd, rate: u64, more: &[&str]) -> (f64, Duration) {
    let before = slapd.operations();
    let (requested, seconds) = (rate.to_string(), SECONDS.to_string());
    let line = ["-M", &requested, "-d", &seconds, "-c", "10", "-F", "-b", BASE_DN, "-s", "base"];
    let ended =
        measure("searchrate", slapd.port(), &[&line[..], more, &["(objectClass=*)"]].concat())
            .expect(0);
    let record = ended.record();
    let counts = &record.counts;
    assert_eq!(counts.planned, rate * SECONDS, "{ended}");
    assert_eq!((counts.failed, counts.timed_out, counts.cut_off), (0, 0, 0), "{ended}");
    assert_eq!(slapd.operations().since(&before).searches, counts.sent, "{ended}");
    let tail = |latency: &brunt_record::Latency| {
        latency.histogram().expect("a histogram").quantile(0.99).unwrap_or_default()
    };
    let (achieved, lag) = (record.rates.achieved.expect("a rate"), tail(&record.lag));
    eprintln!(
        "{rate}/s: achieved {achieved:.2}/s, lag p99 {lag:?}, lateness p99 {:?}, {} dropped",
        tail(&record.lateness),
        counts.dropped
    );
    (achieved, lag)
}

#[test]
fn rate_is_achieved() {
    measured(THE_PACE, || {
        let Some(slapd) = slapd(20) else { return };
        for rate in [200, 1_000, 5_000] {
            let (achieved, lag) = paced(&slapd, rate, &[]);
            // A machine that serves others as well may hold up the last answers; then there is nothing to hold it to.
            if lag < Duration::from_millis(2) {
                let missed = (achieved / rate as f64 - 1.0).abs();
                assert!(missed <= 0.001, "{achieved} of {rate} a second");
            }
        }
    });
}

#[test]
fn rate_beyond_the_machine_is_planned_in_full() {
    measured(THE_PACE, || {
        let Some(slapd) = slapd(20) else { return };
        paced(&slapd, 20_000, &["-t", "4"]);
    });
}
