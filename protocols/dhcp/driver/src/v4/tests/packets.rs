//! The contents of the messages.

use super::{BASE, LOCAL, OFFERED, Play, SERVER, captured, outgoing, seconds, setup};
use crate::population::Population;
use crate::v4::{Lease, Plan, Role, Setup, VariedOption};
use crate::varied::Pattern;
use crate::{Kind, Rising, Stage, Step};
use brunt_dhcp_wire::dhcp4::{MessageType, option, relay};
use std::collections::HashSet;
use std::net::Ipv4Addr;
use std::time::Duration;

fn wrong(change: impl FnOnce(&mut Setup)) -> String {
    let mut setup = setup();
    change(&mut setup);
    Plan::compile(setup).unwrap_err().to_string()
}

/// The codes of a packet's options, in order.
fn codes(play: &Play) -> Vec<u8> {
    play.packet().options().map(|each| each.unwrap().code).collect()
}

fn varied(code: u8, sub: Option<u8>, text: &str) -> VariedOption {
    VariedOption { code, sub, value: Pattern::parse(text).unwrap() }
}

#[test]
fn packets_equal_the_original_tool() {
    let (sent, answers) = (captured(">"), captured("<"));
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(play.out, sent[0]);
    outgoing(play.receive(&answers[0]));
    assert_eq!(play.out, sent[1]);
    let Step::Done(ending) = play.receive(&answers[1]) else { panic!("the ACK ends it") };
    let lease = ending.lease.unwrap();
    assert_eq!(lease.address, OFFERED);
    let other = Lease { client: 0, address: Ipv4Addr::new(10, 9, 1, 0), ..lease };
    play.outgoing(Kind::Renew, 8, Some(other));
    assert_eq!(play.out, sent[2]);
    let Step::Done(ending) = play.receive(&answers[2]) else { panic!("the ACK ends it") };
    assert_eq!(ending.lease.map(|lease| lease.address), Some(other.address));
    play.outgoing(Kind::Release, 9, Some(lease));
    assert_eq!(play.out, sent[3]);
}

#[test]
fn messages_have_the_fields_of_rfc_2131() {
    // Section 4.4.1, table 5: ciaddr, requested address and server identifier.
    let mut play = Play::plain();
    let lease = play.leased(2);
    let (none, held) = (Ipv4Addr::UNSPECIFIED, lease.address);
    for (kind, message, ciaddr, requested, server) in [
        (Kind::Renew, MessageType::Request, held, None, None),
        (Kind::Rebind, MessageType::Request, held, None, None),
        (Kind::Reboot, MessageType::Request, none, Some(held), None),
        // Behind a relay, which must receive the answer in place of the client.
        (Kind::Inform, MessageType::Inform, none, None, None),
        (Kind::Release, MessageType::Release, held, None, Some(SERVER)),
        (Kind::Decline, MessageType::Decline, none, Some(held), Some(SERVER)),
    ] {
        play.outgoing(kind, 11, Some(lease));
        let packet = play.packet();
        assert_eq!(packet.message_type(), Some(message), "{kind:?}");
        assert_eq!(
            (packet.ciaddr(), packet.giaddr(), packet.xid()),
            (ciaddr, LOCAL, 11),
            "{kind:?}"
        );
        assert_eq!(
            (packet.requested_address(), packet.server_id()),
            (requested, server),
            "{kind:?}"
        );
        assert_eq!(packet.chaddr(), [0x00, 0x0c, 0x01, 0x02, 0x03, 0x06]);
        assert_eq!(packet.client_id().unwrap()[1..], *packet.chaddr());
    }
}

#[test]
fn packets_are_unique_per_client() {
    let mut play = Play::with(|setup| setup.population = Population::cycle(BASE, 1_000));
    let mut seen = HashSet::new();
    for number in 0..1_000 {
        play.outgoing(Kind::Acquire, number, None);
        assert_eq!(play.packet().xid(), number as u32);
        assert!(seen.insert(play.packet().client_id().unwrap().to_vec()));
    }
    play.outgoing(Kind::Acquire, 0x1_0000_0005, None);
    assert_eq!(play.packet().xid(), 5, "transaction ids begin again after 2^32");
}

#[test]
fn relay_is_chosen_per_exchange_and_kept_by_its_lease() {
    let addresses: Vec<_> = (1..=9).map(|n| Ipv4Addr::new(10, n, 0, 1)).collect();
    let mut play =
        Play::with(|setup| setup.role = Role::Relay { addresses: addresses.clone(), hops: 3 });
    let mut seen = HashSet::new();
    for number in 0..300 {
        play.outgoing(Kind::Acquire, number, None);
        let relay = play.packet().giaddr();
        outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
        assert_eq!((play.packet().giaddr(), play.packet().hops()), (relay, 3));
        let lease = play.leased(number);
        assert_eq!(lease.relay, relay, "the same number picks the same relay");
        play.outgoing(Kind::Renew, number + 1_000, Some(lease));
        assert_eq!(play.packet().giaddr(), relay);
        seen.insert(relay);
    }
    assert_eq!(seen, addresses.into_iter().collect());
}

#[test]
fn request_seconds_are_those_since_the_discover() {
    let mut play = Play::plain();
    for (millis, expected) in [(0, 0), (999, 0), (1_000, 1), (3_500, 3), (99_999_000, u16::MAX)] {
        play.outgoing(Kind::Acquire, 2, None);
        assert_eq!(play.packet().secs(), 0);
        let offer = play.reply(MessageType::Offer).bytes();
        outgoing(play.receive_after(&offer, Duration::from_millis(millis)));
        assert_eq!(play.packet().secs(), expected);
    }
}

#[test]
fn discover_seconds_may_claim_a_wait() {
    let rising = Rising { after: seconds(8), lasting: seconds(5) };
    let mut play = Play::with(|setup| setup.rising = Some(rising));
    // Exchanges here begin at second 10 of the run.
    let lease = play.leased(2);
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(play.packet().secs(), 3);
    play.outgoing(Kind::Renew, 3, Some(lease));
    assert_eq!(play.packet().secs(), 0);
}

#[test]
fn custom_options_are_in_every_message() {
    let mut play = Play::with(|setup| {
        setup.options = vec![(60, b"phone".to_vec()), (55, vec![66, 67]), (82, vec![1, 1, 9])];
    });
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(codes(&play), [53, 55, 60, 61, 82]);
    let parameters = play.packet().option(option::PARAMETER_REQUEST_LIST);
    assert_eq!(parameters, Some(&[1, 28, 2, 3, 15, 6, 12, 66, 67][..]));
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    assert_eq!(codes(&play), [53, 50, 54, 55, 60, 61, 82]);
    let lease = play.leased(2);
    for (kind, expected) in [
        (Kind::Renew, vec![53, 55, 60, 61, 82]),
        (Kind::Release, vec![53, 54, 55, 60, 61, 82]),
        (Kind::Inform, vec![53, 55, 60, 61, 82]),
    ] {
        play.outgoing(kind, 9, Some(lease));
        assert_eq!(codes(&play), expected);
    }
}

#[test]
fn custom_options_already_present_are_refused() {
    let reported = wrong(|setup| setup.options = vec![(61, vec![1])]);
    assert!(
        reported.starts_with("add option 61 to the DISCOVER: ")
            && reported.contains("already present"),
        "{reported}"
    );
    let reported = wrong(|setup| setup.options = vec![(54, vec![10, 0, 0, 1])]);
    assert!(reported.starts_with("add option 54 to the REQUEST: "), "{reported}");
    let reported = wrong(|setup| setup.options = vec![(60, vec![1]), (60, vec![2])]);
    assert!(reported.contains("option 60"), "{reported}");
    for code in [0, 255] {
        assert!(wrong(|setup| setup.options = vec![(code, vec![1])]).contains("has no value"));
    }
    let rapid = |setup: &mut Setup| {
        setup.rapid_commit = true;
        setup.options = vec![(80, Vec::new())];
    };
    assert!(wrong(rapid).contains("option 80"));
}

#[test]
fn varied_options_differ_per_client() {
    let mut play = Play::with(|setup| {
        setup.population = Population::cycle(BASE, 1_000_000);
        setup.varied = vec![
            varied(77, None, "class-{n}"),
            varied(82, Some(2), "remote {n}"),
            varied(82, Some(1), "{n}/eth0"),
            varied(60, None, "vendor"),
        ];
    });
    for number in [0, 7, 123_456] {
        play.outgoing(Kind::Acquire, number, None);
        assert_eq!(codes(&play), [53, 55, 60, 61, 77, 82]);
        let packet = play.packet();
        let mac = play.plan.population().mac(number);
        assert_eq!(
            (packet.client_id().unwrap(), packet.chaddr()),
            (&[&[1], &mac[..]].concat()[..], &mac[..])
        );
        assert_eq!(packet.option(option::USER_CLASS), Some(format!("class-{number}").as_bytes()));
        let info = relay::sub_options(packet.relay_info().unwrap()).map(|each| each.unwrap());
        let info: Vec<_> =
            info.map(|each| (each.code, String::from_utf8(each.value.to_vec()).unwrap())).collect();
        assert_eq!(info, [(1, format!("{number}/eth0")), (2, format!("remote {number}"))]);
    }
    let mut play = Play::with(|setup| setup.varied = vec![varied(61, None, "client {n}")]);
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(
        (play.packet().client_id(), codes(&play)),
        (Some(&b"client 2"[..]), vec![53, 55, 61])
    );
}

#[test]
fn varied_options_that_cannot_vary_are_refused() {
    let reported = wrong(|setup| setup.varied = vec![varied(82, None, "{n}")]);
    assert!(reported.contains("consists of sub-options"), "{reported}");
    assert!(wrong(|setup| setup.varied = vec![varied(60, Some(1), "{n}")]).contains("sub-options"));
    assert!(wrong(|setup| setup.varied = vec![varied(0, None, "{n}")]).contains("has no value"));
    let reported = wrong(|setup| {
        setup.varied =
            vec![varied(60, None, &"x".repeat(240)), varied(77, None, &"{n}".repeat(13))];
    });
    assert!(
        reported.contains("option 77") && reported.contains("260 bytes, and 255 fit"),
        "{reported}"
    );
    let twice =
        |setup: &mut Setup| setup.varied = vec![varied(60, None, "a"), varied(60, None, "b")];
    assert!(wrong(twice).contains("option 60"));
    assert!(
        wrong(|setup| setup.varied = vec![varied(55, None, "a")])
            .contains("option 55 to the DISCOVER")
    );
    let both = |setup: &mut Setup| {
        setup.varied = vec![varied(60, None, "a")];
        setup.options = vec![(60, b"b".to_vec())];
    };
    assert!(wrong(both).contains("option 60 to the DISCOVER"));
}

#[test]
fn field_offsets_equal_the_original_tool() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    let offsets = play.plan.offsets(Stage::First, &play.out);
    assert_eq!((offsets.xid, offsets.identity, offsets.elapsed), (Some(4), Some(33), Some(8)));
    assert_eq!((offsets.server_id, offsets.lease), (None, None));
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    let offsets = play.plan.offsets(Stage::Second, &play.out);
    assert_eq!((offsets.lease, offsets.server_id), (Some(243), Some(249)));
}
