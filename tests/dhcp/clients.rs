//! The identities of the simulated clients, according to Kea's lease file.

use std::collections::{BTreeMap, BTreeSet};

use brunt_testbed::{Capture, KeaOptions};

use crate::brunt::Brunt;
use crate::network::{v4, v6};
use crate::packets::{decoded_v4, decoded_v6, requested};

#[test]
fn few_clients_take_turns_and_keep_their_addresses() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan)
        .typed("-4 -u --window 4 -l lan0 -r 100 -n 35 -R 10 10.77.0.1")
        .run()
        .went_well();
    let rows = kea.lease_rows();
    assert_eq!((rows.len(), kea.leases().len(), run.count("ok")), (35, 10, 35), "{run}");
    let mut turns = BTreeMap::new();
    for row in rows {
        *turns.entry(row.client[5]).or_insert(0) += 1;
    }
    // 35 exchanges over 10 clients: five of them came four times.
    let expected = (0..10).map(|client| (4 + client, if client < 5 { 4 } else { 3 })).collect();
    assert_eq!(turns, expected);
    // A client that gets its own address again took no other client's, whatever the original tool counts.
    assert_eq!(run.tally("REQUEST-ACK non unique addresses"), 0, "{run}");
}

#[test]
fn single_client_uses_the_base_mac() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan)
        .typed("-4 -b mac=aa:bb:cc:dd:ee:ff --window 1 -l lan0 -r 50 -n 5 10.77.0.1")
        .run();
    let run = run.went_well();
    let (leases, rows) = (kea.leases(), kea.lease_rows());
    assert_eq!((leases.len(), rows.len()), (1, 5), "{rows:?}\n{run}");
    assert_eq!(leases[0].client, [0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]);
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-6 -b duid=000300010a0b0c0d0e0f -l lan0 -r 50 -n 5 --lab all");
    run.run().went_well();
    assert_eq!(kea.leases().len(), 1);
    assert_eq!(kea.leases()[0].client, [0, 3, 0, 1, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f]);
}

#[test]
fn client_macs_count_octet_by_octet_without_carry() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    // What waits in Kea's socket on a busy machine is never more than fits there.
    let run = "-4 -b mac=00:0c:01:02:fe:fc -l lan0 --window 40 -r 300 -n 600 -R 600 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let clients: BTreeSet<Vec<u8>> = kea.leases().into_iter().map(|lease| lease.client).collect();
    let expected = (0_u16..600).map(|client| {
        let [high, low] = client.to_be_bytes();
        vec![0, 0x0c, 1, 2, 0xfe_u8.wrapping_add(high), 0xfc_u8.wrapping_add(low)]
    });
    assert_eq!(clients, expected.collect(), "{run}");
}

#[test]
fn client_macs_come_from_a_list() {
    let macs = ["02:11:22:33:44:01", "02:11:22:33:44:02", "02:11:22:33:44:0a", "02:11:22:33:44:0b"];
    let octets: BTreeSet<Vec<u8>> =
        [1, 2, 0x0a, 0x0b].map(|last| vec![2, 0x11, 0x22, 0x33, 0x44, last]).into();
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let brunt = Brunt::on(&lan);
    let list = brunt.file("macs", &(macs.join("\n") + "\n"));
    let run = brunt
        .typed("-4 --window 1 -l lan0 -r 200 -n 80 -M")
        .arg(&list)
        .arg("10.77.0.1")
        .run()
        .went_well();
    let rows = kea.lease_rows();
    let clients: BTreeSet<Vec<u8>> = rows.iter().map(|lease| lease.client.clone()).collect();
    assert_eq!(clients, octets, "{run}");
    // None of the four is favoured: a fifth and no more than that would be 16 of 80, and half of them 40.
    for mac in &octets {
        let turns = rows.iter().filter(|row| row.client == *mac).count();
        assert!((8..=36).contains(&turns), "{turns} of 80\n{run}");
    }
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let brunt = Brunt::on(&lan);
    let list = brunt.file("macs", &(macs.join("\n") + "\n"));
    brunt.typed("-6 -l lan0 -r 200 -n 80 --lab -M").arg(&list).arg("all").run().went_well();
    let clients: BTreeSet<Vec<u8>> = kea.leases().into_iter().map(|lease| lease.client).collect();
    // DUID-LL, hardware type Ethernet.
    let duids = octets.iter().map(|mac| [&[0, 3, 0, 1], mac.as_slice()].concat()).collect();
    assert_eq!(clients, duids);
}

#[test]
fn user_options_are_in_every_message() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-4 -o 60,6272756e74 -o 12,686f7374 -l lan0 -r 100 -n 5 -R 5 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let messages = capture.stop();
    assert_eq!((requested(&messages).count(), kea.leases().len()), (10, 5), "{run}");
    for message in requested(&messages) {
        use dhcproto::v4::{DhcpOption, OptionCode};
        let decoded = decoded_v4(message);
        let class = decoded.opts().get(OptionCode::ClassIdentifier);
        assert_eq!(class, Some(&DhcpOption::ClassIdentifier(b"brunt".to_vec())));
        let name = decoded.opts().get(OptionCode::Hostname);
        assert_eq!(name, Some(&DhcpOption::Hostname("host".into())));
    }
    let Some((lan, _kea)) = v6(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-6 -o 15,00056272756e74 -l lan0 -r 100 -n 5 -R 5 --lab all";
    Brunt::on(&lan).typed(run).run().went_well();
    let messages = capture.stop();
    assert_eq!(requested(&messages).count(), 10);
    for message in requested(&messages) {
        let decoded = decoded_v6(message);
        assert!(decoded.opts().get(dhcproto::v6::OptionCode::UserClass).is_some());
    }
}

#[test]
fn option_templates_differ_per_client() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-4 --option 12=host-{n} -l lan0 -r 100 -n 6 -R 6 10.77.0.1");
    let run = run.run().went_well();
    let names = |message| match decoded_v4(message).opts().get(dhcproto::v4::OptionCode::Hostname) {
        Some(dhcproto::v4::DhcpOption::Hostname(name)) => name.clone(),
        other => panic!("no host name but {other:?}\n{run}"),
    };
    let names: BTreeSet<String> = requested(&capture.stop()).map(names).collect();
    assert_eq!(names, (0..6).map(|client| format!("host-{client}")).collect());
}
