//! Every exchange that a run counts is a lease in Kea's file, and every lease in Kea's file was counted.

use std::collections::BTreeSet;

use brunt_testbed::{Capture, Kea, KeaOptions, Lease, LeaseState};

use crate::brunt::Brunt;
use crate::network::{v4, v6};
use crate::packets::{answered, decoded_v6, kind_v4, requested};

/// The clients that hold leases.
fn holders(leases: &[Lease]) -> BTreeSet<Vec<u8>> {
    leases.iter().map(|lease| lease.client.clone()).collect()
}

/// How many of the leases are addresses, and how many prefixes.
fn addresses_and_prefixes(kea: &Kea) -> (usize, usize) {
    let leases = kea.leases();
    let addresses = leases.iter().filter(|lease| lease.length == 128).count();
    let delegated = leases.iter().filter(|lease| lease.length == Kea::DELEGATED.2).count();
    assert_eq!(addresses + delegated, leases.len());
    (addresses, delegated)
}

#[test]
fn dora_equals_the_lease_file() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 200 -n 60 -R 60 10.77.0.1").run().went_well();
    assert_eq!(run.count("ok"), 60, "{run}");
    let leases = kea.leases();
    assert_eq!((leases.len(), kea.lease_rows().len()), (60, 60), "{run}");
    assert!(leases.iter().all(|lease| lease.state == LeaseState::Assigned));
    let clients = (0..60).map(|client| vec![0, 0x0c, 1, 2, 3, 4 + client]).collect();
    assert_eq!(holders(&leases), clients);
    for (statistic, title, word) in [
        ("pkt4-discover-received", "DISCOVER-OFFER", "sent"),
        ("pkt4-offer-sent", "DISCOVER-OFFER", "received"),
        ("pkt4-request-received", "REQUEST-ACK", "sent"),
        ("pkt4-ack-sent", "REQUEST-ACK", "received"),
    ] {
        assert_eq!(kea.statistic(statistic), 60, "{statistic}");
        assert_eq!(run.tally(&format!("{title} {word}")), 60, "{run}");
        assert_eq!(run.line(title, &format!("{word} packets")), 60, "{run}");
    }
}

#[test]
fn sarr_equals_the_lease_file() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-6 -l lan0 -r 200 -n 60 -R 60 --lab all").run().went_well();
    assert_eq!(run.count("ok"), 60, "{run}");
    let leases = kea.leases();
    assert_eq!((leases.len(), kea.lease_rows().len(), holders(&leases).len()), (60, 60, 60));
    assert_eq!(addresses_and_prefixes(&kea), (60, 0));
    let last_octets: BTreeSet<u8> =
        leases.iter().filter_map(|lease| lease.client.last().copied()).collect();
    assert_eq!(last_octets, (4..64).collect());
    for (statistic, title, word) in [
        ("pkt6-solicit-received", "SOLICIT-ADVERTISE", "sent"),
        ("pkt6-advertise-sent", "SOLICIT-ADVERTISE", "received"),
        ("pkt6-request-received", "REQUEST-REPLY", "sent"),
        ("pkt6-reply-sent", "REQUEST-REPLY", "received"),
    ] {
        assert_eq!(kea.statistic(statistic), 60, "{statistic}");
        assert_eq!(run.tally(&format!("{title} {word}")), 60, "{run}");
        assert_eq!(run.line(title, &format!("{word} packets")), 60, "{run}");
    }
}

#[test]
fn first_half_only_leaves_no_lease() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -i -l lan0 -r 200 -n 20 -R 20 10.77.0.1").run().went_well();
    assert_eq!((run.count("ok"), kea.lease_rows().len()), (20, 0), "{run}");
    assert_eq!((kea.statistic("pkt4-offer-sent"), kea.statistic("pkt4-request-received")), (20, 0));
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-6 -i -l lan0 -r 200 -n 20 -R 20 --lab all").run().went_well();
    assert_eq!((run.count("ok"), kea.lease_rows().len()), (20, 0), "{run}");
    assert_eq!(
        (kea.statistic("pkt6-advertise-sent"), kea.statistic("pkt6-request-received")),
        (20, 0)
    );
}

#[test]
fn lease_type_delegates_prefixes_alone_or_with_addresses() {
    for (kind, expected) in
        [("address-only", (25, 0)), ("prefix-only", (0, 25)), ("address-and-prefix", (25, 25))]
    {
        let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
        let run = Brunt::on(&lan).typed("-6 -l lan0 -r 200 -n 25 -R 25 --lab -e").arg(kind);
        let run = run.arg("all").run().went_well();
        assert_eq!(run.count("ok"), 25, "{run}");
        assert_eq!(addresses_and_prefixes(&kea), expected, "{kind} {run}");
    }
}

#[test]
fn rapid_commit_of_dhcpv6_is_the_whole_exchange() {
    let Some((lan, kea)) = v6(&KeaOptions { rapid_commit: true, ..KeaOptions::default() }) else {
        return;
    };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-6 -i -c -l lan0 -r 200 -n 30 -R 30 --lab all").run();
    let run = run.went_well();
    let messages = capture.stop();
    assert_eq!((run.count("ok"), addresses_and_prefixes(&kea)), (30, (30, 0)), "{run}");
    assert_eq!((requested(&messages).count(), answered(&messages).count()), (30, 30));
    for message in requested(&messages) {
        use dhcproto::v6::{MessageType, OptionCode};
        let solicit = decoded_v6(message);
        assert_eq!(solicit.msg_type(), MessageType::Solicit);
        assert!(solicit.opts().get(OptionCode::RapidCommit).is_some());
    }
    assert_eq!(kea.statistic("pkt6-reply-sent"), 30);
    assert_eq!(run.ends(), [(("ok".into(), 7), 30)].into(), "{run}");
}

#[test]
fn rapid_commit_falls_back_to_four_messages() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-6 -i -c -l lan0 -r 200 -n 10 -R 10 --lab all").run();
    let run = run.went_well();
    // An ADVERTISE is all that the first half has.
    assert_eq!((run.tally("SOLICIT-ADVERTISE received"), kea.leases().len()), (10, 0), "{run}");
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 --rapid-commit -l lan0 -r 200 -n 10 -R 10 10.77.0.1").run();
    let run = run.went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (10, 10), "{run}");
    assert_eq!(run.tally("REQUEST-ACK received"), 10, "{run}");
}

#[test]
fn dhcpv4_renew_and_release_equal_the_lease_file() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -f 40 -F 25 -p 2 -R 5000 10.77.0.1").run();
    let run = run.expect(0);
    let messages = capture.stop();
    let (granted, renewed, released) = (
        run.tally("REQUEST-ACK received"),
        run.tally("REQUEST-ACK (renewal) received"),
        run.tally("RELEASE unasked"),
    );
    assert!(renewed > 40 && released > 25, "{run}");
    assert!(kea.comes_to_rows(granted + renewed + released), "{run}");
    assert_eq!(kea.leases().len() as u64, granted - released, "{run}");
    let rows = kea.lease_rows();
    let given_back = rows.iter().filter(|row| row.lifetime == 0).count() as u64;
    assert_eq!((rows.len() as u64, given_back), (granted + renewed + released, released), "{run}");
    let kinds =
        |wanted| requested(&messages).filter(|message| kind_v4(message) == wanted).count() as u64;
    assert_eq!((kinds(1), kinds(3), kinds(7)), (granted, granted + renewed, released), "{run}");
    // No server answers a release, so a missing answer is not an error.
    assert_eq!((run.tally("RELEASE drops"), run.count("ok")), (0, granted + renewed + released));
}

#[test]
fn dhcpv6_renew_and_release_equal_the_lease_file() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = "-6 -l lan0 -e address-and-prefix -r 100 -f 40 -F 25 -p 2 -R 5000 --lab all";
    let run = Brunt::on(&lan).typed(run).run().expect(0);
    let (granted, renewed, released) = (
        run.tally("REQUEST-REPLY received"),
        run.tally("RENEW-REPLY received"),
        run.tally("RELEASE-REPLY received"),
    );
    assert!(renewed > 40 && released > 25, "{run}");
    assert_eq!(kea.statistic("pkt6-renew-received"), renewed);
    assert_eq!(kea.statistic("pkt6-release-received"), released);
    let held = (granted - released) as usize;
    assert_eq!(addresses_and_prefixes(&kea), (held, held), "{run}");
    // Each of them is about an address and a prefix.
    assert_eq!(kea.lease_rows().len() as u64, 2 * (granted + renewed + released), "{run}");
}

#[test]
fn release_on_exit_returns_all_leases() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 200 -n 40 -R 40 --release-on-exit 10.77.0.1");
    let run = run.run().expect(0);
    assert!(kea.comes_to_rows(80) && kea.leases().is_empty(), "{run}");
    assert_eq!(kea.statistic("pkt4-release-received"), 40);
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = "-6 -l lan0 -r 200 -n 40 -R 40 -e address-and-prefix --lab --release-on-exit all";
    let run = Brunt::on(&lan).typed(run).run().expect(0);
    assert_eq!((kea.leases(), kea.lease_rows().len()), (Vec::new(), 160), "{run}");
    assert_eq!(kea.statistic("pkt6-release-received"), 40);
}

#[test]
fn exhausted_pool_is_distinguished_from_a_silent_server() {
    let few = KeaOptions { addresses: Some(4), ..KeaOptions::default() };
    // One exchange at a time: an offered address is not yet reserved for any client.
    let Some((lan, kea)) = v6(&few) else { return };
    let run =
        Brunt::on(&lan).typed("-6 -l lan0 --window 1 -r 100 -n 10 -R 10 --lab all").run().expect(3);
    assert_eq!((run.count("ok"), kea.leases().len()), (4, 4), "{run}");
    // NoAddrsAvail, and not a drop.
    assert_eq!(run.ends()[&("result".into(), 2)], 6, "{run}");
    assert_eq!(run.tally("SOLICIT-ADVERTISE rejected leases"), 6, "{run}");
    assert_eq!((run.tally("SOLICIT-ADVERTISE drops"), run.count("timed_out")), (0, 0), "{run}");
    // In DHCPv4 this server sends no answer at all.
    let Some((lan, kea)) = v4(&few) else { return };
    let run =
        Brunt::on(&lan).typed("-4 -l lan0 --window 1 -r 1 -n 10 -R 10 -d 0.8 10.77.0.1").run();
    let run = run.expect(3);
    assert_eq!((run.count("ok"), kea.leases().len()), (4, 4), "{run}");
    assert_eq!((run.tally("DISCOVER-OFFER drops"), run.count("timed_out")), (6, 6), "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "drops"), 6, "{run}");
}
