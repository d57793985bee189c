//! Clients with lives: what they do between getting a lease and leaving is in Kea's file.

use std::collections::BTreeSet;
use std::time::Duration;

use brunt_testbed::{Kea, KeaOptions, LeaseState, until};

use crate::brunt::{Brunt, Run};
use crate::network::{v4, v6};

/// A lease is renewed after half its time, which is 2,000 s, and a thousand times sooner here.
const FLEET: &str = "--scenario fleet -l lan0 --births 80 --time-scale 1000";

const PATIENCE: Duration = Duration::from_secs(60);

fn holders(kea: &Kea) -> BTreeSet<Vec<u8>> {
    kea.leases().into_iter().map(|lease| lease.client).collect()
}

/// Panics unless Kea's lease file has a row for everything the run says was granted, renewed and given back.
fn in_the_books(kea: &Kea, run: &Run, answered: &[&str]) {
    let counted: u64 = answered.iter().map(|name| run.tally(name)).sum();
    assert_eq!(kea.lease_rows().len() as u64, counted, "{run}");
}

#[test]
fn dhcpv4_clients_renew_at_t1() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed(FLEET).typed("-4 -R 40 -p 5 10.77.0.1").run().expect(0);
    assert_eq!(holders(&kea).len(), 40, "{run}");
    // Born within half a second: at most two renewals of each client. That most make them is seen in virtual time
    // (`tests/in_memory`).
    let renewed = run.tally("REQUEST-ACK (renewal) received");
    assert!((1..=80).contains(&renewed), "{run}");
    in_the_books(&kea, &run, &["REQUEST-ACK received", "REQUEST-ACK (renewal) received"]);
}

#[test]
fn dhcpv6_clients_renew_at_t1() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed(FLEET).typed("-6 -R 40 -p 5 --lab all").run().expect(0);
    assert_eq!(holders(&kea).len(), 40, "{run}");
    let renewed = run.tally("RENEW-REPLY received");
    assert!((1..=80).contains(&renewed), "{run}");
    assert_eq!(kea.statistic("pkt6-renew-received"), renewed, "{run}");
    in_the_books(&kea, &run, &["REQUEST-REPLY received", "RENEW-REPLY received"]);
}

#[test]
fn unanswered_client_rebinds_at_t2() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    // T1 is after 2 s, T2 after 3.2 s, and the lease is over after 4 s. Kea answers nothing from before the first on.
    let run = Brunt::on(&lan).typed(FLEET).typed("-4 -R 20 -p 6 10.77.0.1").start();
    let everybody = || kea.leases().len() == 20;
    assert!(until(Duration::from_secs(60), everybody));
    kea.pause();
    let run = run.wait();
    assert!(run.tally("REQUEST-ACK (rebinding) sent") > 0, "{run}");
    assert!(run.tally("REQUEST-ACK (renewal) sent") >= 20, "{run}");
    let code = run.code();
    run.expect(code);
}

#[test]
fn inform_share_and_release_share_shape_client_lives() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 -R 30 --inform-share 1 --release-share 1 -p 8 10.77.0.1";
    let run = Brunt::on(&lan).typed(FLEET).typed(run).run().expect(0);
    assert!(run.tally("INFORM-ACK received") >= 30, "{run}");
    assert_eq!(kea.statistic("pkt4-inform-received"), run.tally("INFORM-ACK sent"), "{run}");
    assert!(kea.comes_to_count("pkt4-release-received", run.tally("RELEASE unasked")), "{run}");
}

#[test]
fn decline_share_declines_addresses() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 -R 30 --decline-share 0.5 -p 3 10.77.0.1";
    let run = Brunt::on(&lan).typed(FLEET).typed(run).run().expect(0);
    let declined = run.tally("DECLINE unasked");
    assert!(declined > 5, "{run}");
    assert!(kea.comes_to_count("pkt4-decline-received", declined), "{run}");
    let held =
        || kea.leases().iter().filter(|lease| lease.state == LeaseState::Declined).count() as u64;
    assert!(until(PATIENCE, || held() >= declined) && held() == declined, "{run}");
}

#[test]
fn power_cut_brings_all_clients_back() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run =
        Brunt::on(&lan).typed("-4 --scenario fleet -l lan0 --births 100 -R 50 -p 5 --power-cut");
    let run = run.arg("at 2s within 1s").arg("10.77.0.1").run().expect(0);
    // Each remembers its lease and asks whether it still holds.
    assert_eq!(run.tally("REQUEST-ACK received"), 50, "{run}");
    assert_eq!(run.tally("REQUEST-ACK (INIT-REBOOT) received"), 50, "{run}");
    assert_eq!((holders(&kea).len(), kea.leases().len()), (50, 50), "{run}");
    // The return of the last client is reported, and no client came before the power was back.
    assert_eq!(run.tally("clients back after the power cut"), 50, "{run}");
    let output =
        run.stderr.split("all 50 clients that lost power at 2.0 s had a lease again by ").nth(1);
    let back = output.and_then(|output| output.split(' ').next()?.parse::<f64>().ok());
    // How soon that is at most is seen in virtual time (`tests/in_memory`).
    assert!(back.is_some_and(|back| back >= 2.3), "{run}");
    assert!(run.stderr.contains("all 50 clients had had a lease by "), "{run}");
}

#[test]
fn dhcpv6_clients_inform_confirm_decline_and_release() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = "-6 -R 60 --births 120 --inform-share 0.3 --reboot-share 0.5 --decline-share 0.1 \
        --release-share 0.5 -p 12 --lab all";
    let run = Brunt::on(&lan).typed(&FLEET.replace("--births 80 ", "")).typed(run).run();
    let code = run.code();
    let run = run.expect(code);
    for (statistic, stage) in [
        ("pkt6-solicit-received", "SOLICIT-ADVERTISE"),
        ("pkt6-request-received", "REQUEST-REPLY"),
        ("pkt6-renew-received", "RENEW-REPLY"),
        ("pkt6-infrequest-received", "INFORMATION-REQUEST-REPLY"),
        ("pkt6-decline-received", "DECLINE-REPLY"),
        ("pkt6-release-received", "RELEASE-REPLY"),
        ("pkt6-confirm-received", "CONFIRM-REPLY"),
    ] {
        let tally = |word: &str| run.tally(&format!("{stage} {word}"));
        assert_eq!(kea.statistic(statistic), tally("sent") + tally("resent"), "{statistic}\n{run}");
        assert!(tally("received") > 0, "{stage}\n{run}");
    }
    let declined = kea.leases().iter().filter(|lease| lease.state == LeaseState::Declined).count();
    assert_eq!(declined as u64, run.tally("DECLINE-REPLY received"), "{run}");
}

#[test]
fn clients_without_a_relay_have_the_same_lives() {
    let Some((lan, kea)) = v4(&KeaOptions { raw: true, ..KeaOptions::default() }) else { return };
    let run = "-4 --client --lab -R 30 --release-share 0.5 --inform-share 0.3 -p 8";
    let run = Brunt::on(&lan).typed(FLEET).typed(run).run().expect(0);
    assert!(kea.comes_to_count("pkt4-release-received", run.tally("RELEASE unasked")), "{run}");
    let renewed = run.tally("REQUEST-ACK (renewal) received");
    assert!(renewed > 20 && run.tally("INFORM-ACK received") > 0, "{run}");
    assert!(run.tally("RELEASE unasked") > 0, "{run}");
}

#[test]
fn node_shares_the_clients_of_a_fleet() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let node = |rank: u32| {
        let run = format!("-4 -R 82 --node {rank}/2 -p 3 10.77.0.1");
        let fleet = FLEET.replace("lan0", &format!("10.77.0.{}", rank + 2));
        Brunt::on(&lan).typed(&fleet).typed(&run).start()
    };
    let (first, second) = (node(0), node(1));
    let (first, second) = (first.wait().expect(0), second.wait().expect(0));
    let macs: BTreeSet<u8> = holders(&kea).iter().map(|mac| mac[5]).collect();
    assert_eq!(macs, (4..4 + 82).collect(), "{first}\n{second}");
}
