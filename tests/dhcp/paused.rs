//! A Kea that stands still for a second at a fixed rate: response times show it, and what is given up is counted as
//! what it is.

use std::time::Duration;

use brunt_testbed::{Kea, KeaOptions, until};

use crate::brunt::{Brunt, Run, Running};
use crate::network::v4;

/// Lets time pass.
fn rest(milliseconds: u64) {
    until(Duration::from_millis(milliseconds), || false);
}

/// Stops Kea for a second once the run has been under way for one.
fn stall(kea: &Kea, run: Running) -> Run {
    assert!(until(Duration::from_secs(10), || !kea.leases().is_empty()), "the run began");
    rest(1_000);
    kea.pause();
    rest(1_000);
    kea.resume();
    run.wait()
}

/// A percentile of the response time of all exchanges, in milliseconds.
fn response(run: &Run, percentile: f64) -> f64 {
    let response = &run.record()["operations"][0]["response"];
    let values = response["percentiles"].as_array().into_iter().flatten();
    let mut near = values.filter(|value| value["percentile"].as_f64() == Some(percentile));
    let value = near.next().and_then(|value| value["us"].as_f64());
    value.unwrap_or_else(|| panic!("no such percentile in {response}\n{run}")) / 1_000.0
}

#[test]
fn response_times_show_a_second_of_silence() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -p 4 -R 400 -d 3 -d 3 10.77.0.1").start();
    let run = stall(&kea, run).went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (400, 400), "{run}");
    // A quarter of all exchanges fell due while Kea stood still and waited from a second down to nothing, so every
    // percentile from the 75th on is on that line: the 90th waited 0.6 s, the 99th 0.96 s.
    let (half, most, nearly_all) =
        (response(&run, 50.0), response(&run, 90.0), response(&run, 99.0));
    assert!(half < 100.0, "{half} ms\n{run}");
    assert!((450.0..800.0).contains(&most), "{most} ms\n{run}");
    assert!((850.0..1_300.0).contains(&nearly_all), "{nearly_all} ms\n{run}");
}

#[test]
fn what_was_given_up_comes_late_and_adds_up() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 -l lan0 -r 100 -p 4 -R 400 -d 0.4 -d 0.4 10.77.0.1";
    let run = stall(&kea, Brunt::on(&lan).typed(run).start()).ended_with(3);
    let tally = |word: &str| {
        run.tally(&format!("DISCOVER-OFFER {word}")) + run.tally(&format!("REQUEST-ACK {word}"))
    };
    let drops = tally("drops");
    assert_eq!(run.count("planned"), 400, "{run}");
    assert_eq!(run.count("ok") + drops, 400, "{run}");
    assert_eq!(run.count("timed_out"), drops, "{run}");
    // Those of the first 0.6 s of the silence.
    assert!((40..80).contains(&drops), "{drops} drops\n{run}");
    // Kea had them all in its socket, and answered each in the end: nothing was lost, and nothing is counted twice.
    assert_eq!((tally("late"), tally("duplicates")), (drops, 0), "{run}");
    assert_eq!(run.printed("DISCOVER-OFFER", "drops") + run.printed("REQUEST-ACK", "drops"), drops);
    assert_eq!(
        run.printed("DISCOVER-OFFER", "orphans") + run.printed("REQUEST-ACK", "orphans"),
        drops
    );
    assert_eq!(kea.statistic("pkt4-discover-received"), 400);
}

#[test]
fn an_avalanche_is_over_once_everybody_has_a_lease() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    kea.pause();
    let run = Brunt::on(&lan).typed("-4 --scenario avalanche -l lan0 -R 100 10.77.0.1").start();
    // RFC 2131 section 4.1: each asks again after four seconds, give or take one, and then after eight.
    rest(6_000);
    kea.resume();
    let run = run.wait().ended_with(0);
    assert_eq!((run.count("ok"), kea.leases().len()), (100, 100), "{run}");
    assert_eq!(run.tally("DISCOVER-OFFER resent"), 100, "{run}");
    let resent = 100 + run.tally("REQUEST-ACK resent");
    for line in [
        "to provision 100 clients.".to_owned(),
        format!("Requests sent + resent: {}", 200 + resent),
        format!("Requests resent: {resent}"),
        "Responses received: 200".to_owned(),
    ] {
        assert!(run.report.contains(&line), "{line}\n{run}");
    }
}
