//! A brunt that is stopped for six seconds, and a Kea that has ended or answers late: what Kea answered counts as
//! answered. What a server that stands still does to figures is seen in virtual time (`tests/in_memory`).

use std::time::Duration;

use brunt_testbed::{KeaOptions, until};
use rustix::process::Signal;

use crate::brunt::Brunt;
use crate::network::{datagrams_sent, v4};

/// Lets time pass.
fn rest(milliseconds: u64) {
    until(Duration::from_millis(milliseconds), || false);
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
fn killed_kea_is_named() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let line = "-4 -l lan0 -r 100 -R 400 -d 0.5 -d 0.5 -t 0.5 10.77.0.1";
    let run = Brunt::on(&lan).typed(line).start();
    assert!(until(Duration::from_secs(90), || kea.leases().len() > 100), "the run began");
    kea.stop();
    // Silence is reported once it has lasted for a second, in which a hundred are dropped.
    let silent = |line: &str| {
        let drops = line.split_once("; drops: ").and_then(|(_, rest)| rest.split('/').next());
        drops.and_then(|drops| drops.parse::<u64>().ok()).is_some_and(|drops| drops > 100)
    };
    let dropped = || run.printed().lines().any(silent);
    assert!(until(Duration::from_secs(90), dropped), "nothing was dropped");
    run.interrupt();
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
