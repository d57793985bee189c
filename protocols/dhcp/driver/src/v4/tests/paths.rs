//! The paths that an exchange can take.

use super::{LOCAL, OFFERED, Play, SERVER, outgoing, seconds};
use crate::v4::{Client, Lease, Retransmission, Role};
use crate::{Anomaly, Dialogue, Ending, Kind, OutgoingMessage, Rejected, Stage, Step};
use brunt_dhcp_wire::dhcp4::{BOOTREQUEST, MessageType, option, patch};
use brunt_exchange::{Class, Outcome};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

fn ok(kind: MessageType, lease: Option<Lease>) -> Step<Lease> {
    let outcome = Outcome::Ok(kind.byte().into());
    Step::Done(Ending { outcome, answered: true, anomaly: None, lease })
}

fn useless(anomaly: Anomaly, answered: bool, lease: Option<Lease>) -> Step<Lease> {
    let outcome = Outcome::Failed(Class::Check, 0);
    Step::Done(Ending { outcome, answered, anomaly: Some(anomaly), lease })
}

fn refused() -> Step<Lease> {
    let outcome = Outcome::Failed(Class::Result, 6);
    Step::Done(Ending { outcome, answered: false, anomaly: Some(Anomaly::Nak), lease: None })
}

fn unanswered(lease: Option<Lease>) -> Step<Lease> {
    let outcome = Outcome::TimedOut;
    Step::Done(Ending { outcome, answered: false, anomaly: None, lease })
}

fn lease_of(play: &mut Play) -> Lease {
    let lease = play.leased(2);
    assert_eq!((lease.address, lease.server, lease.client), (OFFERED, SERVER, 2));
    lease
}

#[test]
fn offer_without_an_address_is_accepted_if_expected() {
    let none = Ipv4Addr::UNSPECIFIED;
    for (no_address, first) in
        [(false, useless(Anomaly::Rejected, true, None)), (true, ok(MessageType::Offer, None))]
    {
        let mut play = Play::with(|setup| {
            setup.first_half = true;
            setup.no_address = no_address;
        });
        play.outgoing(Kind::Acquire, 0, None);
        let offer = play.reply(MessageType::Offer).giving(none).bytes();
        assert_eq!(play.receive(&offer), first);
    }
}

#[test]
fn lease_takes_four_messages() {
    let mut play = Play::plain();
    let discover = play.outgoing(Kind::Acquire, 2, None);
    let first = OutgoingMessage {
        stage: Stage::First,
        xid: 2,
        wait: Some(seconds(1)),
        to: None,
        offered: None,
    };
    assert_eq!(discover, first);
    let offer = play.reply(MessageType::Offer).bytes();
    let request = outgoing(play.receive(&offer));
    let offered = Some(IpAddr::V4(OFFERED));
    let second = OutgoingMessage { stage: Stage::Second, wait: Some(seconds(2)), offered, ..first };
    assert_eq!(request, second);
    assert_eq!(play.receive(&offer), Step::Ignore(Anomaly::Duplicate));
    let ack = play.reply(MessageType::Ack).bytes();
    let lease = Lease {
        client: 2,
        address: OFFERED,
        server: SERVER,
        relay: LOCAL,
        granted: seconds(10),
        lasts: Some(seconds(4_000)),
        renew_after: Some(seconds(900)),
        rebind_after: Some(seconds(1_800)),
    };
    assert_eq!(play.receive(&ack), ok(MessageType::Ack, Some(lease)));
    assert_eq!(play.client.offered(), offered);
    assert_eq!((Client::address(&lease), Client::holder(&lease)), (OFFERED.into(), 2));
}

#[test]
fn first_half_ends_with_the_offer() {
    let mut play = Play::with(|setup| setup.first_half = true);
    play.outgoing(Kind::Acquire, 7, None);
    let offer = play.reply(MessageType::Offer).bytes();
    assert_eq!(play.receive(&offer), ok(MessageType::Offer, None));
    assert_eq!(play.client.offered(), Some(OFFERED.into()));
}

#[test]
fn rapid_commit_ends_with_the_ack_unless_offered() {
    let mut play = Play::with(|setup| setup.rapid_commit = true);
    play.outgoing(Kind::Acquire, 1, None);
    assert!(play.packet().rapid_commit());
    let slow = play.reply(MessageType::Ack);
    let rapid = slow.clone().with(option::RAPID_COMMIT, &[]);
    // RFC 4039 section 3: without the option it is not an answer to a DISCOVER.
    assert_eq!(play.receive(&slow.bytes()), Step::Ignore(Anomaly::Unexpected));
    let Step::Done(ending) = play.receive(&rapid.bytes()) else { panic!("the ACK ends it") };
    assert_eq!((ending.outcome, ending.answered), (Outcome::Ok(5), true));
    assert_eq!(ending.lease.unwrap().address, OFFERED);

    play.outgoing(Kind::Acquire, 4, None);
    let request = outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    assert_eq!(request.stage, Stage::Second);
    assert!(!play.packet().rapid_commit());

    let mut plain = Play::plain();
    plain.outgoing(Kind::Acquire, 1, None);
    assert_eq!(plain.receive(&rapid.bytes()), Step::Ignore(Anomaly::Unexpected));
    assert_eq!(Client::answers(&rapid.bytes()), Some(Stage::First));
    assert_eq!(Client::answers(&slow.bytes()), None);
}

#[test]
fn nak_is_a_separate_outcome() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(
        play.receive(&play.reply(MessageType::Nak).bytes()),
        Step::Ignore(Anomaly::Unexpected)
    );
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    assert_eq!(play.receive(&play.reply(MessageType::Nak).bytes()), refused());
    let lease = lease_of(&mut play);
    for kind in [Kind::Renew, Kind::Rebind, Kind::Reboot] {
        play.outgoing(kind, 5, Some(lease));
        assert_eq!(play.receive(&play.reply(MessageType::Nak).bytes()), refused(), "{kind:?}");
    }
}

#[test]
fn answers_without_the_requested_data_end_the_exchange() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    let offer = play.reply(MessageType::Offer);
    let nameless = offer.clone().without(option::SERVER_ID).bytes();
    assert_eq!(play.receive(&nameless), useless(Anomaly::Malformed, false, None));
    play.outgoing(Kind::Acquire, 2, None);
    let empty = offer.giving(Ipv4Addr::UNSPECIFIED).bytes();
    assert_eq!(play.receive(&empty), useless(Anomaly::Rejected, true, None));
    play.outgoing(Kind::Acquire, 2, None);
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    let empty = play.reply(MessageType::Ack).giving(Ipv4Addr::UNSPECIFIED).bytes();
    assert_eq!(play.receive(&empty), useless(Anomaly::Rejected, true, None));

    // The client keeps a lease that it renews when the answer contains another address.
    let lease = lease_of(&mut play);
    play.outgoing(Kind::Renew, 5, Some(lease));
    let other = play.reply(MessageType::Ack).giving(Ipv4Addr::new(10, 9, 1, 3)).bytes();
    assert_eq!(play.receive(&other), useless(Anomaly::Rejected, true, Some(lease)));

    // An ACK that does not name its server is from the server that was asked.
    play.outgoing(Kind::Acquire, 2, None);
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    let nameless = play.reply(MessageType::Ack).without(option::SERVER_ID).bytes();
    let Step::Done(ending) = play.receive(&nameless) else { panic!("the ACK ends it") };
    assert_eq!(ending.lease.unwrap().server, SERVER);
}

#[test]
fn leases_are_renewed_rebound_and_confirmed() {
    let mut play = Play::plain();
    let lease = lease_of(&mut play);
    for (kind, stage) in
        [(Kind::Renew, Stage::Renew), (Kind::Rebind, Stage::Rebind), (Kind::Reboot, Stage::Reboot)]
    {
        let sent = play.outgoing(kind, 77, Some(lease));
        assert_eq!((sent.stage, sent.xid, sent.wait), (stage, 77, Some(seconds(2))));
        assert_eq!(
            play.receive(&play.reply(MessageType::Offer).bytes()),
            Step::Ignore(Anomaly::Unexpected)
        );
        let ack = play.reply(MessageType::Ack).without(option::SERVER_ID).bytes();
        let Step::Done(ending) = play.receive_after(&ack, seconds(1)) else { panic!("it ends") };
        assert_eq!((ending.outcome, ending.answered), (Outcome::Ok(5), true));
        assert_eq!(ending.lease, Some(lease));
        play.outgoing(kind, 78, Some(lease));
        assert_eq!(play.expire(seconds(2)), unanswered(Some(lease)));
    }
}

#[test]
fn release_and_decline_need_a_lease_and_get_no_answer() {
    let mut play = Play::plain();
    let lease = lease_of(&mut play);
    for (kind, stage) in [(Kind::Release, Stage::Release), (Kind::Decline, Stage::Decline)] {
        let sent = play.outgoing(kind, 9, Some(lease));
        let expected = OutgoingMessage { stage, xid: 9, wait: None, to: None, offered: None };
        assert_eq!(sent, expected);
    }
    for kind in [Kind::Renew, Kind::Release, Kind::Rebind, Kind::Reboot, Kind::Decline] {
        let skipped =
            Ending { outcome: Outcome::Skipped, answered: false, anomaly: None, lease: None };
        assert_eq!(play.begin(kind, 9, None), Step::Done(skipped), "{kind:?}");
    }
}

#[test]
fn inform_works_with_and_without_a_lease() {
    let mut play = Play::plain();
    let lease = lease_of(&mut play);
    for held in [None, Some(lease)] {
        let sent = play.outgoing(Kind::Inform, 6, held);
        assert_eq!((sent.stage, sent.wait), (Stage::Inform, Some(seconds(2))));
        // A server would send the answer to the client there, where the relay does not listen.
        assert_eq!(play.packet().ciaddr(), Ipv4Addr::UNSPECIFIED);
        let nak = play.reply(MessageType::Nak).bytes();
        assert_eq!(play.receive(&nak), Step::Ignore(Anomaly::Unexpected));
        let ack = play.reply(MessageType::Ack).giving(Ipv4Addr::UNSPECIFIED).bytes();
        assert_eq!(play.receive(&ack), ok(MessageType::Ack, held));
    }
}

#[test]
fn retransmission_is_off_by_default() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    assert_eq!(play.expire(seconds(1)), unanswered(None));
    play.outgoing(Kind::Acquire, 5, None);
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    assert_eq!(play.expire(seconds(2)), unanswered(None));
}

#[test]
fn retransmission_waits_double() {
    let mut play =
        Play::with(|setup| setup.retransmission = Some(Retransmission { tries: Some(7) }));
    let mut wait = play.outgoing(Kind::Acquire, 2, None).wait.unwrap();
    let sent = play.out.clone();
    let mut since = Duration::ZERO;
    for expected in [4, 8, 16, 32, 64, 64] {
        assert!(wait.abs_diff(seconds(expected)) <= seconds(1), "{wait:?} is not {expected} s");
        since += wait;
        let Step::Again(next) = play.expire(since) else { panic!("it is sent again") };
        let mut again = sent.clone();
        patch::secs(&mut again, since.as_secs() as u16);
        assert_eq!(play.out, again, "only the seconds differ");
        wait = next;
    }
    assert_eq!(play.expire(since + wait), unanswered(None));

    // The REQUEST starts with its own timer, and claims the seconds since the DISCOVER was first
    // sent.
    play.outgoing(Kind::Acquire, 2, None);
    play.expire(seconds(4));
    let offer = play.reply(MessageType::Offer).bytes();
    let request = outgoing(play.receive_after(&offer, Duration::from_millis(5_900)));
    assert!(request.wait.unwrap().abs_diff(seconds(4)) <= seconds(1));
    assert_eq!(play.packet().secs(), 5);
    let Step::Again(_) = play.expire(seconds(3)) else { panic!("it is sent again") };
    assert_eq!(play.packet().secs(), 8);
}

#[test]
fn retransmission_without_a_limit_continues() {
    let mut play = Play::with(|setup| setup.retransmission = Some(Retransmission::default()));
    play.outgoing(Kind::Acquire, 2, None);
    for attempt in 1..2_000 {
        let Step::Again(wait) = play.expire(seconds(64 * attempt)) else { panic!("again") };
        assert!(wait <= seconds(65));
    }
    assert_eq!(play.packet().secs(), u16::MAX, "the seconds stay at their end");
}

#[test]
fn retransmission_of_a_renewal_ends_at_t2() {
    let mut play = Play::with(|setup| setup.retransmission = Some(Retransmission::default()));
    let lease = lease_of(&mut play);
    // Granted at second 10 of the run with T2 after 1,800 s, and requested again at second 10.
    let mut wait = play.outgoing(Kind::Renew, 5, Some(lease)).wait.unwrap();
    let mut since = Duration::ZERO;
    let mut waits = Vec::new();
    loop {
        waits.push(wait.as_secs());
        since += wait;
        match play.expire(since) {
            Step::Again(next) => wait = next,
            other => break assert_eq!(other, unanswered(Some(lease))),
        }
    }
    assert_eq!(waits, [900, 450, 225, 112, 60, 52]);
    assert_eq!(since, seconds(1_800));
    // Rebinding continues until the lease expires.
    let wait = play.outgoing(Kind::Rebind, 6, Some(lease)).wait.unwrap();
    assert_eq!(wait, seconds(2_000));
    // A renewal that is too late waits like any other message, and is not sent twice.
    let late = Lease { rebind_after: Some(Duration::ZERO), ..lease };
    let wait = play.outgoing(Kind::Renew, 7, Some(late)).wait.unwrap();
    assert!(wait.abs_diff(seconds(4)) <= seconds(1));
    assert_eq!(play.expire(wait), unanswered(Some(late)));
}

#[test]
fn first_server_is_named_by_all_requests() {
    let mut play = Play::with(|setup| setup.first_server = true);
    assert_eq!(play.plan.first_server(), None);
    let lease = lease_of(&mut play);
    assert_eq!(play.plan.first_server(), Some(SERVER));
    let other = Ipv4Addr::new(10, 9, 0, 77);
    for (play, named) in [(&mut play, SERVER), (&mut Play::plain(), other)] {
        play.outgoing(Kind::Acquire, 5, None);
        let offer = play.reply(MessageType::Offer).without(option::SERVER_ID);
        outgoing(play.receive(&offer.with(option::SERVER_ID, &other.octets()).bytes()));
        assert_eq!(play.packet().server_id(), Some(named));
    }
    let elsewhere = Lease { server: other, ..lease };
    play.outgoing(Kind::Release, 9, Some(elsewhere));
    assert_eq!(play.packet().server_id(), Some(SERVER));
}

#[test]
fn client_without_a_relay_talks_to_its_server() {
    let mut play = Play::with(|setup| {
        setup.role = Role::Client { server_port: 6767 };
        setup.broadcast = true;
    });
    let lease = {
        let sent = play.outgoing(Kind::Acquire, 2, None);
        assert_eq!((sent.to, play.packet().flags()), (None, 0x8000));
        assert_eq!((play.packet().hops(), play.packet().giaddr()), (0, Ipv4Addr::UNSPECIFIED));
        lease_of(&mut play)
    };
    let server = Some((SERVER, 6767).into());
    for (kind, to, flags) in [
        (Kind::Renew, server, 0),
        (Kind::Release, server, 0),
        (Kind::Rebind, None, 0),
        (Kind::Reboot, None, 0x8000),
        (Kind::Decline, None, 0),
        (Kind::Inform, None, 0),
    ] {
        assert_eq!(play.outgoing(kind, 5, Some(lease)).to, to, "{kind:?}");
        if kind == Kind::Inform {
            assert_eq!(play.packet().ciaddr(), lease.address);
            play.outgoing(kind, 5, None);
            assert_eq!(play.packet().ciaddr(), LOCAL);
        }
        assert_eq!(play.packet().flags(), flags, "{kind:?}");
        assert_eq!((play.packet().hops(), play.packet().giaddr()), (0, Ipv4Addr::UNSPECIFIED));
    }
}

#[test]
fn answers_to_others_are_ignored() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 2, None);
    let mut offer = play.reply(MessageType::Offer);
    offer.header.chaddr[5] ^= 1;
    assert_eq!(play.receive(&offer.bytes()), Step::Ignore(Anomaly::Unexpected));
    offer.header.chaddr[5] ^= 1;
    offer.header.op = BOOTREQUEST;
    assert_eq!(play.receive(&offer.bytes()), Step::Ignore(Anomaly::Unexpected));
    assert_eq!(play.receive(b"no message at all"), Step::Ignore(Anomaly::Malformed));
}

#[test]
fn datagrams_are_classified_before_dispatch() {
    let mut play = Play::plain();
    play.outgoing(Kind::Acquire, 0x0102_0304, None);
    let open = |bytes: &[u8]| Client::open(&play.plan, bytes).map(|(xid, _)| xid);
    let offer = play.reply(MessageType::Offer).bytes();
    assert_eq!(open(&offer), Ok(0x0102_0304));
    assert_eq!(Client::server(&offer), Some(&SERVER.octets()[..]));
    assert_eq!(Client::answers(&offer), Some(Stage::First));
    assert_eq!(open(&offer[..239]), Err(Rejected::TooShort));
    assert_eq!(open(&[0; 300]), Err(Rejected::Malformed));
    assert_eq!(open(&offer[..offer.len() - 2]), Err(Rejected::Malformed));
    assert_eq!(open(&play.out), Err(Rejected::Unexpected));
    assert_eq!(open(&play.reply(MessageType::ForceRenew).bytes()), Err(Rejected::Unexpected));
}
