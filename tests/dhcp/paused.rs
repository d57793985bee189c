//! A Kea that is stopped for a second at a fixed rate: response times show it, and abandoned exchanges are counted as
//! dropped. And a brunt that is stopped for six seconds, or whose Kea has ended: what Kea answered counts as
//! answered.

use std::time::{Duration, Instant};

use brunt_testbed::{Kea, KeaOptions, until};
use rustix::process::Signal;

use crate::brunt::{Brunt, Program, Run};
use crate::network::{datagrams_sent, v4};

/// Lets time pass.
fn rest(milliseconds: u64) {
    until(Duration::from_millis(milliseconds), || false);
}

/// Stops Kea for a second once the run has been under way for one. Also gives how long it stood still at least and at
/// most, in seconds: on a busy machine that is longer than a second.
#[expect(clippy::disallowed_methods, reason = "how long another process was stopped is no latency")]
fn stall(kea: &Kea, run: Program) -> (Run, (f64, f64)) {
    assert!(until(Duration::from_secs(90), || !kea.leases().is_empty()), "the run began");
    rest(1_000);
    let before = Instant::now();
    kea.pause();
    let least = Instant::now();
    rest(1_000);
    let least = least.elapsed();
    kea.resume();
    let most = before.elapsed();
    (run.wait(), (least.as_secs_f64(), most.as_secs_f64()))
}

/// A percentile of the response time of all exchanges, in milliseconds.
fn response(run: &Run, percentile: f64) -> f64 {
    let response = &run.json()["operations"][0]["response"];
    let values = response["percentiles"].as_array().into_iter().flatten();
    let mut near = values.filter(|value| value["percentile"].as_f64() == Some(percentile));
    let value = near.next().and_then(|value| value["us"].as_f64());
    value.unwrap_or_else(|| panic!("no such percentile in {response}\n{run}")) / 1_000.0
}

#[test]
fn stall_of_a_second_is_visible_in_response_times() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -p 4 -R 400 -d 3 -d 3 10.77.0.1").start();
    let (run, (least, most)) = stall(&kea, run);
    let run = run.went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (400, 400), "{run}");
    // A hundred exchanges became due in each second that Kea stood still, and waited from all of that time down to
    // nothing. So 40 of the 400 waited 0.4 s less than it lasted, or longer, and 4 waited 0.04 s less.
    let (half, tenth, longest) = (response(&run, 50.0), response(&run, 90.0), response(&run, 99.0));
    assert!(half < 1_000.0 * (most - 0.9), "{half} ms\n{run}");
    let near = |less: f64| 1_000.0 * (least - less - 0.15)..1_000.0 * (most - less + 0.35);
    assert!(near(0.4).contains(&tenth), "{tenth} ms\n{run}");
    assert!(near(0.04).contains(&longest), "{longest} ms\n{run}");
}

#[test]
fn stall_late_answers_and_drops_add_up() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 -l lan0 -r 100 -p 4 -R 400 -d 0.4 -d 0.4 10.77.0.1";
    let (run, (least, most)) = stall(&kea, Brunt::on(&lan).typed(run).start());
    let run = run.expect(3);
    let tally = |word: &str| {
        run.tally(&format!("DISCOVER-OFFER {word}")) + run.tally(&format!("REQUEST-ACK {word}"))
    };
    let drops = tally("drops");
    assert_eq!(run.count("planned"), 400, "{run}");
    assert_eq!(run.count("ok") + drops, 400, "{run}");
    assert_eq!(run.count("timed_out"), drops, "{run}");
    // Those of the silence but its last 0.4 s: a hundred a second.
    let given_up = 100.0 * (least - 0.4) - 40.0..100.0 * (most - 0.4) + 40.0;
    assert!(given_up.contains(&(drops as f64)), "{drops} drops\n{run}");
    // Kea had them all in its socket, and answered each in the end: nothing was lost, and nothing is counted twice.
    assert_eq!((tally("late"), tally("duplicates")), (drops, 0), "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "drops") + run.line("REQUEST-ACK", "drops"), drops);
    assert_eq!(run.line("DISCOVER-OFFER", "orphans") + run.line("REQUEST-ACK", "orphans"), drops);
    assert_eq!(kea.statistic("pkt4-discover-received"), 400);
}

#[test]
fn generator_stop_still_counts_the_answers_of_kea() {
    for line in [
        "-4 -l lan0 --window 50 -p 4 -R 20000 -d 5 -d 5 10.77.0.1",
        // Across the end of the run.
        "-4 -l lan0 -r 200 -p 2 -R 20000 -d 5 -d 5 10.77.0.1",
    ] {
        let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
        let run = Brunt::on(&lan).typed(line).start();
        assert!(until(Duration::from_secs(90), || kea.leases().len() > 50), "the run began");
        run.signal(Signal::STOP);
        rest(6_000);
        run.signal(Signal::CONT);
        let run = run.wait();
        let run = if line.contains("--window") { run.went_well() } else { run };
        let tally = |word: &str| {
            run.tally(&format!("DISCOVER-OFFER {word}")) + run.tally(&format!("REQUEST-ACK {word}"))
        };
        // What the schedule asked for meanwhile leaves all at once, and may be more than Kea's queue holds: our fault.
        assert_eq!(tally("drops"), tally("drops because brunt stood still"), "{run}");
        assert_eq!((tally("late"), tally("cut off")), (0, 0), "{run}");
        assert!(
            !run.stdout.contains("by it or on the wire: ")
                || run.stdout.contains("on the wire: 0\n")
        );
        let answered = kea.statistic("pkt4-offer-sent") + kea.statistic("pkt4-ack-sent");
        assert_eq!(tally("received"), answered, "{run}");
    }
}

#[test]
fn warm_up_drops_stay_in_the_warm_up() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let line = "-4 -l lan0 -r 100 --warm-up 6 -p 2 -R 800 -d 1.5 -d 1.5 10.77.0.1";
    let run = Brunt::on(&lan).typed(line).start();
    assert!(until(Duration::from_secs(90), || kea.leases().len() > 20), "the run began");
    kea.pause();
    rest(2_000);
    kea.resume();
    let run = run.wait().expect(3);
    // What Kea did not answer in time became due in the warm-up, whenever that was found out.
    assert_eq!(
        (run.count("planned"), run.count("ok"), run.count("timed_out")),
        (200, 200, 0),
        "{run}"
    );
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        let of = |word: &str| run.tally(&format!("{stage} {word}"));
        assert_eq!(
            (of("sent"), of("received"), of("drops"), of("late")),
            (200, 200, 0, 0),
            "{run}"
        );
    }
}

#[test]
fn killed_kea_is_named() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let line = "-4 -l lan0 -r 100 -p 4 -R 400 -d 0.5 -d 0.5 10.77.0.1";
    let run = Brunt::on(&lan).typed(line).start();
    assert!(until(Duration::from_secs(90), || kea.leases().len() > 100), "the run began");
    kea.stop();
    let run = run.wait().expect(3);
    assert!(run.stderr.contains("note: no answer from 10.77.0.1:67 from "), "{run}");
    assert!(run.stderr.contains(" were rejected because nothing listens there"), "{run}");
    assert!(run.tally("refused (ICMP port unreachable)") > 0, "{run}");
}

#[test]
fn dhcpv4_avalanche_ends_when_every_client_has_a_lease() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    kea.pause();
    let run = Brunt::on(&lan).typed("-4 --scenario avalanche -l lan0 -R 100 10.77.0.1").start();
    // RFC 2131 section 4.1: each asks again after four seconds, give or take one, and then after eight.
    let again = until(Duration::from_secs(90), || datagrams_sent(&lan) >= 200);
    assert!(again, "{} of 200 were sent", datagrams_sent(&lan));
    kea.resume();
    let run = run.wait().expect(0);
    assert_eq!((run.count("ok"), kea.leases().len()), (100, 100), "{run}");
    assert_eq!(run.tally("DISCOVER-OFFER resent"), 100, "{run}");
    let resent = 100 + run.tally("REQUEST-ACK resent");
    for line in [
        "to provision 100 clients.".to_owned(),
        format!("Requests sent + resent: {}", 200 + resent),
        format!("Requests resent: {resent}"),
        "Responses received: 200".to_owned(),
    ] {
        assert!(run.stdout.contains(&line), "{line}\n{run}");
    }
}
