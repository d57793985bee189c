//! Relays between the clients and the server, one or many, and clients without any.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;

use brunt_testbed::{Capture, KeaOptions, Lan, Message};

use crate::brunt::Brunt;
use crate::network::{v4, v6};
use crate::packets::{answered, decoded_v4, decoded_v6, kind_v4, requested};

#[test]
fn dhcpv4_client_is_relayed_by_default() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 5 -R 5 10.77.0.1").run().went_well();
    for message in requested(&capture.stop()) {
        let decoded = decoded_v4(message);
        assert_eq!((decoded.giaddr(), decoded.hops()), (Lan::CLIENT_V4, 1), "{run}");
        assert_eq!((message.source.port(), message.destination.port()), (67, 67));
    }
    assert_eq!(kea.leases().len(), 5);
}

#[test]
fn dhcpv4_client_option_broadcasts_without_a_relay() {
    let Some((lan, kea)) = v4(&KeaOptions { raw: true, ..KeaOptions::default() }) else { return };
    let capture = Capture::start(&lan);
    let run =
        Brunt::on(&lan).typed("-4 --client --lab -l lan0 -r 100 -n 20 -R 20").run().went_well();
    let messages = capture.stop();
    assert_eq!((run.count("ok"), kea.leases().len()), (20, 20), "{run}");
    assert_eq!(requested(&messages).count(), 40);
    for message in requested(&messages) {
        let decoded = decoded_v4(message);
        assert_eq!((decoded.giaddr(), decoded.hops()), (std::net::Ipv4Addr::UNSPECIFIED, 0));
        assert_eq!((message.source.port(), message.destination.port()), (68, 67));
        assert_eq!(message.destination.ip().to_string(), "255.255.255.255");
    }
}

fn lines(relays: &BTreeSet<String>) -> String {
    relays.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn dhcpv4_relays_many_from_one_host() {
    let options = KeaOptions { answers_to_source: true, ..KeaOptions::default() };
    let Some((lan, kea)) = v4(&options) else { return };
    let relays: BTreeSet<String> = (100..108).map(|host| format!("10.77.0.{host}")).collect();
    let brunt = Brunt::on(&lan);
    let list = brunt.file("relays", &lines(&relays));
    let capture = Capture::start(&lan);
    let run = brunt
        .typed("-4 -l lan0 --window 40 -r 200 -n 100 -R 100 -J")
        .arg(&list)
        .arg("10.77.0.1")
        .run();
    let run = run.went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (100, 100), "{run}");
    let messages = capture.stop();
    let relay = |message: &Message| decoded_v4(message).giaddr().to_string();
    assert_eq!(requested(&messages).map(relay).collect::<BTreeSet<_>>(), relays, "{run}");
    // Both messages of an exchange come by the same relay.
    let by = |kind| -> BTreeSet<(u32, String)> {
        let of_kind = requested(&messages).filter(|message| kind_v4(message) == kind);
        of_kind.map(|message| (decoded_v4(message).xid(), relay(message))).collect()
    };
    assert_eq!(by(1), by(3), "{run}");
}

#[test]
fn dhcpv6_message_is_wrapped_in_a_relay_message() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-6 -A 1 -l 2001:db8:77::2 -r 200 -n 40 -R 40 2001:db8:77::1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let messages = capture.stop();
    assert_eq!((run.count("ok"), kea.leases().len()), (40, 40), "{run}");
    assert_eq!((requested(&messages).count(), answered(&messages).count()), (80, 80));
    for message in requested(&messages) {
        assert_eq!((message.source.port(), message.destination.port()), (547, 547));
        // RELAY-FORW, no hops, and the relay's address twice.
        assert_eq!(message.payload[..2], [12, 0]);
        assert_eq!(message.payload[2..18], Lan::CLIENT_V6.octets());
        assert_eq!(message.payload[18..34], Lan::CLIENT_V6.octets());
        decoded_v6(message);
    }
    assert!(answered(&messages).all(|message| message.payload[0] == 13));
}

/// Hop counts from the outermost relay message inwards.
fn hops(mut bytes: &[u8]) -> Vec<u8> {
    let mut hops = Vec::new();
    while bytes[0] == 12 {
        hops.push(bytes[1]);
        let mut options = &bytes[34..];
        while options[..2] != [0, 9] {
            let length = usize::from(u16::from_be_bytes([options[2], options[3]]));
            options = &options[4 + length..];
        }
        bytes = &options[4..];
    }
    hops
}

#[test]
fn dhcpv6_relays_are_nested() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-6 --relay-levels 3 -l 2001:db8:77::2 -r 200 -n 30 -R 30 -e address-and-prefix \
        2001:db8:77::1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (30, 60), "{run}");
    let messages = capture.stop();
    assert!(requested(&messages).all(|message| hops(&message.payload) == [2, 1, 0]), "{run}");
}

#[test]
fn dhcpv6_relays_many_from_one_host() {
    let options = KeaOptions { answers_to_source: true, ..KeaOptions::default() };
    let Some((lan, kea)) = v6(&options) else { return };
    let relays: BTreeSet<String> = (1..6).map(|host| format!("2001:db8:77::a{host}")).collect();
    let brunt = Brunt::on(&lan);
    let list = brunt.file("relays", &lines(&relays));
    let capture = Capture::start(&lan);
    let run = brunt.typed("-6 -A 1 -l 2001:db8:77::2 -r 200 -n 60 -R 60 -J").arg(&list);
    let run = run.arg("2001:db8:77::1").run().went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (60, 60), "{run}");
    let link = |message: &Message| {
        let octets: [u8; 16] = message.payload[2..18].try_into().expect("16 octets");
        Ipv6Addr::from(octets).to_string()
    };
    assert_eq!(requested(&capture.stop()).map(link).collect::<BTreeSet<_>>(), relays, "{run}");
}

#[test]
fn relay_options_are_added() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    // Interface-Id, which the server has to give back as it is.
    let run = "-6 -A 1 --or 1:18,65746830 -l 2001:db8:77::2 -r 100 -n 6 -R 6 2001:db8:77::1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let interface = [0, 18, 0, 4, b'e', b't', b'h', b'0'];
    let messages = capture.stop();
    assert!(messages.iter().all(|message| message.payload[34..42] == interface), "{run}");
    assert_eq!((messages.len(), kea.leases().len()), (24, 6));
}
