//! All the ways in which a reply can end an exchange, or not.

use super::super::{Client, Lease, Plan, Wanted};
use super::{
    ADDRESS, PREFIX, Player, SERVER, TOOK, answer, clients, delegates, done, gives, outgoing, plan,
    refuses,
};
use crate::{Anomaly, Dialogue, Kind, Rejected, Stage, Step};
use brunt_dhcp_wire::dhcp6::{IaKind, MessageType, Writer, code, status};
use brunt_exchange::{Class, Outcome};
use std::net::Ipv6Addr;
use std::time::Duration;

const ADVERTISE: MessageType = MessageType::ADVERTISE;
const REPLY: MessageType = MessageType::REPLY;
const CHECK: Outcome = Outcome::Failed(Class::Check, 0);

type Gift = fn(&mut Writer<'_>);

const fn refused(status: u16) -> Outcome {
    Outcome::Failed(Class::Result, status as u32)
}

/// A client that waits for the answer to its SOLICIT, or to its REQUEST.
fn waiting(plan: &Plan, stage: Stage) -> Player {
    let mut player = Player::default();
    outgoing(player.begin(plan, Kind::Acquire, 3, None));
    if stage == Stage::Second {
        let advertise = player.answer(ADVERTISE, |writer| {
            gives(writer);
            delegates(writer);
        });
        outgoing(player.receives(plan, &advertise));
    }
    player
}

fn ignored(step: Step<Lease>) -> Anomaly {
    match step {
        Step::Ignore(anomaly) => anomaly,
        other => panic!("not ignored but {other:?}"),
    }
}

#[test]
fn first_half_ends_with_the_advertise() {
    let plan = plan(|setup| setup.first_half = true);
    let mut player = waiting(&plan, Stage::First);
    let end = done(player.receives(&plan, &player.answer(ADVERTISE, gives)));
    assert_eq!((end.outcome, end.answered, end.anomaly), (Outcome::Ok(2), true, None));
    assert!(end.lease.is_none());
    assert_eq!(player.client.offered(), Some(ADDRESS.into()));
}

#[test]
fn stage_timeouts_are_kept() {
    let plan = plan(|setup| setup.waits = [Duration::from_secs(3), Duration::from_secs(5)]);
    let mut player = Player::default();
    let first = outgoing(player.begin(&plan, Kind::Acquire, 8, None));
    assert_eq!((first.stage, first.xid, first.offered, first.to), (Stage::First, 16, None, None));
    assert_eq!(first.wait, Some(Duration::from_secs(3)));
    let second = outgoing(player.receives(&plan, &player.answer(ADVERTISE, gives)));
    assert_eq!((second.stage, second.xid), (Stage::Second, 17));
    assert_eq!(second.offered, Some(ADDRESS.into()));
    assert_eq!(second.wait, Some(Duration::from_secs(5)));
    let end = done(player.client.expired(&plan, Duration::from_secs(5), &mut player.out));
    assert_eq!((end.outcome, end.answered), (Outcome::TimedOut, false));
}

#[test]
fn answer_without_the_requested_lease_is_rejected() {
    let nothing: Gift = |_| {};
    let empty: Gift = |writer| {
        let open = writer.open_ia(IaKind::Na, 1, 0, 0);
        writer.close(&open);
    };
    let taken_away: Gift = |writer| {
        let open = writer.open_ia(IaKind::Na, 1, 0, 0);
        writer.address(ADDRESS, 0, 0).close(&open);
    };
    let none_left: Gift = |writer| refuses(status::NO_ADDRS_AVAIL)(writer);
    let overall: Gift = |writer| {
        writer.status(status::NOT_ON_LINK, "elsewhere");
        gives(writer);
    };
    let inside: Gift = |writer| {
        let open = writer.open_ia(IaKind::Na, 1, 0, 0);
        let address = writer.open(code::IAADDR);
        writer.encoded(&[0; 24]).status(status::UNSPEC_FAIL, "").close(&address).close(&open);
    };
    let prefix_refused: Gift = |writer| {
        gives(writer);
        let open = writer.open_ia(IaKind::Pd, 1, 0, 0);
        writer.status(status::NO_PREFIX_AVAIL, "").close(&open);
    };
    let (na, pd, both) = (Wanted::Addresses, Wanted::Prefixes, Wanted::Both);
    for (wanted, gift, outcome) in [
        (na, nothing, CHECK),
        (na, empty, CHECK),
        (na, taken_away, CHECK),
        (na, delegates as Gift, CHECK),
        (na, none_left, refused(2)),
        (na, overall, refused(4)),
        (na, inside, refused(1)),
        (pd, gives as Gift, CHECK),
        (both, gives as Gift, CHECK),
        (both, delegates as Gift, CHECK),
        (both, prefix_refused, refused(6)),
    ] {
        let plan = plan(|setup| setup.wanted = wanted);
        for (stage, kind) in [(Stage::First, ADVERTISE), (Stage::Second, REPLY)] {
            let mut player = waiting(&plan, stage);
            let end = done(player.receives(&plan, &player.answer(kind, gift)));
            assert_eq!(end.outcome, outcome, "{wanted:?} {stage:?}");
            assert_eq!((end.answered, end.anomaly), (true, Some(Anomaly::Rejected)));
            assert!(end.lease.is_none());
        }
    }
}

#[test]
fn earliest_times_of_both_associations_count() {
    let plan = plan(|setup| setup.wanted = Wanted::Both);
    let mut player = waiting(&plan, Stage::Second);
    let reply = player.answer(REPLY, |writer| {
        gives(writer);
        delegates(writer);
    });
    let lease = done(player.receives(&plan, &reply)).lease.unwrap();
    // T2 of the prefix is left to the client: four fifths of 2,000 s.
    let times = [lease.t1(), lease.t2(), lease.valid(), lease.given()].map(|time| time.as_secs());
    assert_eq!(times, [900, 1600, 3500, 9]);
    assert_eq!((lease.client(), lease.address()), (0, ADDRESS));
    let prefixes = plan_of_prefixes();
    let mut player = waiting(&prefixes, Stage::Second);
    let lease = done(player.receives(&prefixes, &player.answer(REPLY, delegates))).lease.unwrap();
    assert_eq!((lease.address(), lease.addresses()), (PREFIX, &[][..]));
}

fn plan_of_prefixes() -> Plan {
    plan(|setup| setup.wanted = Wanted::Prefixes)
}

#[test]
fn answer_without_both_identifiers_is_malformed() {
    let plan = plan(|_| {});
    for (stage, kind) in [(Stage::First, ADVERTISE), (Stage::Second, REPLY)] {
        for (client, server) in [(false, true), (true, false), (false, false)] {
            let mut player = waiting(&plan, stage);
            let duid = player.duid();
            let (client, server) = (client.then_some(duid.as_slice()), server.then_some(SERVER));
            let end = done(player.receives(&plan, &answer(kind, 0, client, server, gives)));
            assert_eq!((end.outcome, end.answered), (CHECK, false));
            assert_eq!(end.anomaly, Some(Anomaly::Malformed));
        }
        let mut player = waiting(&plan, stage);
        let other = answer(kind, 0, Some(&[9; 14]), Some(SERVER), gives);
        assert_eq!(ignored(player.receives(&plan, &other)), Anomaly::Unexpected);
        // An address of three bytes.
        let broken = player.answer(kind, |writer| {
            let open = writer.open_ia(IaKind::Na, 1, 0, 0);
            writer.option(code::IAADDR, &[1, 2, 3]).close(&open);
        });
        let end = done(player.receives(&plan, &broken));
        assert_eq!((end.outcome, end.anomaly), (CHECK, Some(Anomaly::Malformed)));
    }
}

#[test]
fn unexpected_answers_are_ignored() {
    let plan = plan(|_| {});
    let mut first = waiting(&plan, Stage::First);
    let reply = first.answer(REPLY, gives);
    assert_eq!(
        ignored(first.receives(&plan, &reply)),
        Anomaly::Unexpected,
        "no rapid commit asked for"
    );
    let mut second = waiting(&plan, Stage::Second);
    let advertise = second.answer(ADVERTISE, gives);
    assert_eq!(ignored(second.receives(&plan, &advertise)), Anomaly::Duplicate);
    let before = second.out.clone();
    let reconfigure = second.answer(MessageType::RECONFIGURE, gives);
    assert_eq!(ignored(second.receives(&plan, &reconfigure)), Anomaly::Unexpected);
    assert_eq!(ignored(second.receives(&plan, &[7, 0, 0])), Anomaly::Malformed);
    assert_eq!(second.out, before, "what may have to be sent again stays");
    assert!(done(second.receives(&plan, &second.answer(REPLY, gives))).lease.is_some());
}

#[test]
fn rapid_commit_ends_with_a_reply_or_continues_after_advertise() {
    let plan = plan(|setup| setup.rapid_commit = true);
    let commits = |writer: &mut Writer<'_>| {
        gives(writer);
        writer.option(code::RAPID_COMMIT, &[]);
    };
    let mut player = waiting(&plan, Stage::First);
    assert!(player.message().rapid_commit());
    let unmarked = player.answer(REPLY, gives);
    assert_eq!(
        ignored(player.receives(&plan, &unmarked)),
        Anomaly::Unexpected,
        "it does not say so"
    );
    let end = done(player.receives(&plan, &player.answer(REPLY, commits)));
    assert_eq!((end.outcome, end.answered), (Outcome::Ok(7), true));
    assert_eq!(end.lease.unwrap().address(), ADDRESS);

    let mut player = waiting(&plan, Stage::First);
    let request = outgoing(player.receives(&plan, &player.answer(ADVERTISE, gives)));
    assert_eq!(request.stage, Stage::Second);
    assert!(!player.message().rapid_commit(), "only a SOLICIT asks for it");
    let end = done(player.receives(&plan, &player.answer(REPLY, gives)));
    assert_eq!(end.outcome, Outcome::Ok(7));

    let refusal = waiting(&plan, Stage::First);
    let mut player = refusal;
    let none = player.answer(REPLY, |writer| {
        refuses(status::NO_ADDRS_AVAIL)(writer);
        writer.option(code::RAPID_COMMIT, &[]);
    });
    assert_eq!(done(player.receives(&plan, &none)).outcome, refused(2));
}

#[test]
fn first_server_gets_all_requests() {
    let requested = |plan: &Plan, number, server: &[u8]| {
        let mut player = Player::default();
        outgoing(player.begin(plan, Kind::Acquire, number, None));
        let duid = player.duid();
        outgoing(player.receives(plan, &answer(ADVERTISE, 0, Some(&duid), Some(server), gives)));
        player.message().server_id().unwrap().to_vec()
    };
    let first = plan(|setup| setup.first_server = true);
    assert_eq!(requested(&first, 0, b"alpha"), b"alpha");
    assert_eq!(requested(&first, 1, b"omega is longer"), b"alpha");
    let each = plan(|_| {});
    assert_eq!(requested(&each, 0, b"alpha"), b"alpha");
    assert_eq!(requested(&each, 1, b"omega is longer"), b"omega is longer");
}

#[test]
fn datagrams_are_classified_first() {
    let plan = Plan::compile(clients(1)).unwrap();
    let open = |datagram: &[u8]| {
        Client::open(&plan, datagram).map(|(xid, message)| (xid, message.to_vec()))
    };
    let reply = answer(REPLY, 0x0a_0b0c, None, None, gives);
    assert_eq!(open(&reply), Ok((0x0a_0b0c, reply.clone())));
    assert_eq!(open(&[]), Err(Rejected::TooShort));
    assert_eq!(open(&[7, 0, 0]), Err(Rejected::TooShort));
    assert_eq!(
        open(&[13, 0, 0, 0]),
        Err(Rejected::Malformed),
        "a relay message has a longer header"
    );
    assert_eq!(open(&reply[..reply.len() - 1]), Err(Rejected::Malformed));
    for kind in [1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 255] {
        assert_eq!(open(&[kind, 0, 0, 0]), Err(Rejected::Unexpected), "{kind}");
    }
}

#[test]
fn request_has_no_elapsed_time_and_keeps_the_offer() {
    let plan = plan(|_| {});
    let mut player = waiting(&plan, Stage::First);
    let long = Ipv6Addr::LOCALHOST;
    let advertise = player.answer(ADVERTISE, |writer| {
        let open = writer.open_ia(IaKind::Na, 1, 7, 8);
        for _ in 0..40 {
            writer.address(long, 100, 200);
        }
        writer.close(&open);
    });
    outgoing(player.receives(&plan, &advertise));
    assert!(TOOK > Duration::ZERO);
    assert_eq!(player.message().elapsed(), Ok(Some(0)));
    let ia = player.message().associations().next().unwrap().unwrap();
    assert_eq!((ia.t1, ia.t2, ia.leases().count()), (7, 8, 40));
    let reply = player.answer(REPLY, |writer| {
        let option = ia.option;
        writer.encoded(option.whole);
    });
    let lease = done(player.receives(&plan, &reply)).lease.unwrap();
    assert_eq!(lease.addresses().len(), 16 + 40 * 28, "a long lease is kept whole");
}
