//! What `brunt find-max` finds of a server whose limit follows from a script, with shortened seconds.

use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::Collection;
use brunt_test_program::{CLIFF, RestTarget, number_after, run, scratch, searched};
use brunt_testbed::measured;

const RATES_ARE_FOUND: &str = "a server of a real rate is searched by real steps";

/// A line that is served at a constant speed refuses what finds no room. With Poisson arrivals that is a percent of
/// all a little below its speed: the line is M/D/1 with room for 40, which holds as many as come until nearly all of
/// its time is used, and above its speed refuses the rest.
#[test]
#[ignore = "slow: .ci/slow runs it"]
fn find_max_finds_a_cliff_just_below_its_edge() {
    measured(RATES_ARE_FOUND, || {
        let target = RestTarget::scripted(CLIFF);
        let directory = scratch();
        let file = directory.path().join("found.json");
        let path = file.display().to_string();
        let url = format!("{}/bytes/10", target.base);
        let ended = searched(
            &["--slo", "errors<1%", "--from", "400/s", "--record", &path, "--seed", "7"],
            &["-c", "100", &url],
        );
        let ended = ended.expect(0);
        let claim = number_after(&ended.stdout, "Sustains");
        assert!((1_500.0..2_040.0).contains(&claim), "{claim}\n{ended}");
        let text = std::fs::read_to_string(&file).expect("the record is there");
        let found: Collection = serde_json::from_str(&text).expect("it is a collection");
        assert_eq!(found.subject, "find-max");
        let recorded = found.figures["claim"];
        assert!((recorded - claim).abs() <= 0.5 + recorded / 1_000.0, "{recorded} and {claim}");
        // The numbering of exchanges continues from record to record, so that no two steps have an exchange in common.
        let mut next = 0;
        for cell in &found.cells {
            let Some(record) = &cell.record else { continue };
            assert!(record.plan.first_exchange >= next, "{:?}", cell.labels);
            next = record.plan.first_exchange + record.conservation.counts.planned;
        }
        assert!(next > 1_000, "{next}");
    });
}

/// Thirty seconds are its five minutes.
#[test]
#[ignore = "slow: .ci/slow runs it"]
fn find_max_quick_ends_in_time_and_states_its_limits() {
    measured(RATES_ARE_FOUND, || {
        let target = RestTarget::scripted(CLIFF);
        let url = format!("{}/bytes/10", target.base);
        let quick =
            ["find-max", "--second", "100ms", "--quick", "--slo", "errors<1%", "--seed", "7"];
        let load = ["--from", "400/s", "--", "http", "-c", "100", &url];
        let clock = Monotonic::new();
        let ended = run([&quick[..], &load].concat());
        let took = clock.now().since_origin();
        assert!(took < Duration::from_secs(60), "{took:?}\n{ended}");
        let output = ended.output();
        assert!(output.contains("at most 5 minutes"), "{ended}");
        let unseen = "held for 60 s: events less often than every 6 s can be missed";
        assert!(output.contains(unseen), "{ended}");
        let last: Vec<&str> =
            ended.stdout.lines().rev().take_while(|line| !line.is_empty()).collect();
        assert!(last.iter().any(|line| line.starts_with("Result: ")), "{ended}");
        assert!(last.iter().any(|line| line.starts_with("Trust: ")), "{ended}");
        // On a busy machine the generator may be in the way, or nothing may be held for so long.
        if ended.code() == 0 {
            let claim = number_after(&ended.stdout, "Sustains");
            assert!((1_000.0..2_040.0).contains(&claim), "{claim}\n{ended}");
        } else {
            assert!([4, 9].contains(&ended.code()), "{ended}");
        }
        // What is given beside it counts, and has its time.
        let longer = run([&quick[..], &["--confirm", "3m", "--to", "400/s"], &load].concat());
        let output = longer.output();
        assert!(
            output.contains("at most 7 minutes") && output.contains("held for 180 s"),
            "{longer}"
        );
        let shorter = run([&quick[..], &["--budget", "1m"], &load].concat());
        assert!(shorter.output().contains("at most a minute"), "{shorter}");
    });
}

/// Ten connections to a server that takes 20 ms for each answer sustain 500 a second, which is their limit and not the
/// server's.
#[test]
fn find_max_with_busy_connections_reports_a_lower_bound() {
    measured(RATES_ARE_FOUND, || {
        let target = RestTarget::scripted("[[rule]]\naction = { delay = \"20ms\" }\n");
        let url = format!("{}/bytes/10", target.base);
        let ended = searched(&["--slo", "p95<300ms", "--from", "100/s"], &["-c", "10", &url]);
        assert_eq!(ended.code(), 4, "{ended}");
        assert!(ended.stdout.contains("connections"), "{ended}");
    });
}
