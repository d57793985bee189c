//! The later exchanges of a lease: rebinding, confirming, declining, sending again and giving up.

use super::super::{BaseDuid, Lease, Plan, Setup, Wanted};
use super::{Player, codes, delegates, done, gives, outgoing, plan, refuses};
use crate::{Dialogue, ExchangeRequest, Kind, Population, Rising, Stage, Step};
use brunt_dhcp_wire::dhcp6::{MessageType, Writer, status};
use brunt_exchange::{Class, Outcome};
use std::time::Duration;

const ENDED: Outcome = Outcome::Ok(7);

type Gift = fn(&mut Writer<'_>);

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A client that has a lease and begins an exchange about it.
fn first_message(plan: &Plan, kind: Kind) -> (Player, crate::OutgoingMessage) {
    let mut player = Player::default();
    let lease = player.acquires(plan, 3);
    let outgoing = outgoing(player.begin(plan, kind, 21, Some(lease)));
    assert_eq!(outgoing.xid, 42);
    (player, outgoing)
}

#[test]
fn messages_contain_their_required_options() {
    let plan = plan(|_| {});
    for (kind, stage, message, expected) in [
        (Kind::Renew, Stage::Renew, MessageType::RENEW, &[1, 2, 3][..]),
        (Kind::Release, Stage::Release, MessageType::RELEASE, &[1, 2, 3]),
        (Kind::Rebind, Stage::Rebind, MessageType::REBIND, &[1, 3, 6, 8]),
        (Kind::Reboot, Stage::Reboot, MessageType::CONFIRM, &[1, 3, 8]),
        (Kind::Decline, Stage::Decline, MessageType::DECLINE, &[1, 2, 3, 8]),
        (Kind::Inform, Stage::Inform, MessageType::INFORMATION_REQUEST, &[1, 6, 8]),
    ] {
        let (player, outgoing) = first_message(&plan, kind);
        assert_eq!((outgoing.stage, player.message().kind()), (stage, message));
        assert_eq!(codes(&player.message()), expected, "{kind:?}");
    }
}

#[test]
fn retransmission_adds_elapsed_time_to_every_message() {
    let plan = plan(|setup| setup.retransmit = true);
    for kind in [Kind::Renew, Kind::Release, Kind::Rebind, Kind::Reboot, Kind::Decline] {
        assert_eq!(first_message(&plan, kind).0.message().elapsed(), Ok(Some(0)), "{kind:?}");
    }
}

#[test]
fn exchanges_without_a_lease_are_skipped() {
    let plan = plan(|_| {});
    for kind in Kind::ALL {
        let mut player = Player::default();
        match player.begin(&plan, kind, 1, None) {
            Step::Send(_) => assert!(matches!(kind, Kind::Acquire | Kind::Inform)),
            step => assert_eq!(done(step).outcome, Outcome::Skipped),
        }
    }
}

#[test]
fn replies_keep_change_or_end_the_lease() {
    let plan = plan(|_| {});
    let fine: Gift = |_| {};
    let no_binding: Gift = |writer| refuses(status::NO_BINDING)(writer);
    let later: Gift = |writer| {
        writer.status(status::UNSPEC_FAIL, "later");
    };
    let elsewhere: Gift = |writer| {
        writer.status(status::NOT_ON_LINK, "");
    };
    let check = Outcome::Failed(Class::Check, 0);
    let result = |status: u16| Outcome::Failed(Class::Result, status.into());
    for (kind, gift, outcome, keeps) in [
        (Kind::Renew, gives as Gift, ENDED, true),
        (Kind::Renew, no_binding, result(3), false),
        (Kind::Renew, later, result(1), true),
        (Kind::Renew, fine, check, false),
        (Kind::Rebind, gives, ENDED, true),
        (Kind::Rebind, elsewhere, result(4), false),
        (Kind::Release, fine, ENDED, false),
        (Kind::Release, no_binding, result(3), false),
        (Kind::Decline, fine, ENDED, false),
        (Kind::Decline, later, result(1), false),
        (Kind::Reboot, fine, ENDED, true),
        (Kind::Reboot, elsewhere, result(4), false),
        (Kind::Inform, fine, ENDED, true),
        (Kind::Inform, later, result(1), true),
    ] {
        let (mut player, _) = first_message(&plan, kind);
        let end = done(player.receives(&plan, &player.answer(MessageType::REPLY, gift)));
        assert_eq!((end.outcome, end.answered), (outcome, true), "{kind:?}");
        assert_eq!(end.lease.is_some(), keeps, "{kind:?} {outcome:?}");
        // Without an answer, the client loses only a lease that it was giving up anyway.
        let (mut player, opening) = first_message(&plan, kind);
        let end = done(player.client.expired(&plan, opening.wait.unwrap(), &mut player.out));
        assert_eq!((end.outcome, end.answered), (Outcome::TimedOut, false));
        assert_eq!(end.lease.is_some(), !matches!(kind, Kind::Release | Kind::Decline));
    }
}

#[test]
fn client_with_prefixes_rebinds_instead_of_confirming() {
    let plan = plan(|setup| setup.wanted = Wanted::Prefixes);
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 0, None));
    outgoing(player.receives(&plan, &player.answer(MessageType::ADVERTISE, delegates)));
    let lease = done(player.receives(&plan, &player.answer(MessageType::REPLY, delegates))).lease;
    let opening = outgoing(player.begin(&plan, Kind::Reboot, 1, lease));
    assert_eq!(opening.stage, Stage::Reboot);
    assert_eq!(player.message().kind(), MessageType::REBIND);
    assert_eq!(codes(&player.message()), [1, 6, 8, 25]);
    let end = done(player.receives(&plan, &player.answer(MessageType::REPLY, delegates)));
    assert_eq!(end.outcome, ENDED);
    assert!(end.lease.is_some());
}

/// Sends a message again until it is abandoned. Returns how long each wait was.
fn waits(plan: &Plan, player: &mut Player, first: Duration) -> Vec<Duration> {
    let mut all = vec![first];
    let mut since = first;
    loop {
        let before = player.out.clone();
        match player.client.expired(plan, since, &mut player.out) {
            Step::Again(wait) => {
                let elapsed = u16::try_from(since.as_millis() / 10).unwrap_or(u16::MAX);
                assert_eq!(player.message().elapsed(), Ok(Some(elapsed)));
                let changed = before.iter().zip(&player.out).filter(|(old, new)| old != new);
                assert!(changed.count() <= 2, "nothing but the elapsed time changes");
                all.push(wait);
                since += wait;
            }
            step => {
                assert_eq!(done(step).outcome, Outcome::TimedOut);
                return all;
            }
        }
        if all.len() == 40 {
            return all;
        }
    }
}

fn total(waits: &[Duration]) -> Duration {
    waits.iter().sum()
}

#[test]
fn retransmission_happens_at_the_times_of_the_rfc() {
    let plan = plan(|setup| (setup.retransmit, setup.seed) = (true, 99));
    let mut player = Player::default();
    let first = outgoing(player.begin(&plan, Kind::Acquire, 3, None)).wait.unwrap();
    assert!(first > secs(1) && first <= Duration::from_millis(1100));
    let solicit = waits(&plan, &mut player, first);
    assert_eq!(solicit.len(), 40, "a SOLICIT is never given up");
    for (before, after) in solicit.iter().zip(&solicit[1..]).take(8) {
        let ratio = after.as_secs_f64() / before.as_secs_f64();
        assert!((1.9..=2.1).contains(&ratio), "{ratio}");
    }
    let longest = solicit.iter().max().unwrap();
    assert!((secs(3240)..=secs(3960)).contains(longest), "SOL_MAX_RT");

    outgoing(player.begin(&plan, Kind::Acquire, 3, None));
    let request = outgoing(player.receives(&plan, &player.answer(MessageType::ADVERTISE, gives)));
    let request = waits(&plan, &mut player, request.wait.unwrap());
    assert_eq!(request.len(), 10, "REQ_MAX_RC");

    // The lease was granted at 9 s of the run and the request is made at 0 s, so its T1 of 1,000 s
    // and T2 of 2,000 s limit the time: 1,000 s for a RENEW, 2,000 s for a REBIND.
    for (kind, count, sum) in [
        (Kind::Renew, None, Some(1000.0)),
        (Kind::Rebind, None, Some(2000.0)),
        (Kind::Reboot, None, Some(10.0)),
        (Kind::Release, Some(4), None),
        (Kind::Decline, Some(4), None),
    ] {
        let (mut player, opening) = first_message(&plan, kind);
        let all = waits(&plan, &mut player, opening.wait.unwrap());
        assert!(count.is_none_or(|count| count == all.len()), "{kind:?} {all:?}");
        let took = total(&all).as_secs_f64();
        assert!(sum.is_none_or(|sum: f64| (sum - took).abs() < 1e-3), "{kind:?} {took}");
    }
}

#[test]
fn retransmission_jitter_depends_on_seed_and_number() {
    let first = |seed, number| {
        let plan = plan(|setup| (setup.retransmit, setup.seed) = (true, seed));
        outgoing(Player::default().begin(&plan, Kind::Acquire, number, None)).wait.unwrap()
    };
    assert_eq!(first(1, 5), first(1, 5));
    assert_ne!(first(1, 5), first(1, 6));
    assert_ne!(first(1, 5), first(2, 5));
}

#[test]
fn retransmission_for_a_short_lease_ends_early() {
    let plan = plan(|setup| (setup.retransmit, setup.lease_seconds) = (true, 500.0));
    let (mut player, opening) = first_message(&plan, Kind::Renew);
    let all = waits(&plan, &mut player, opening.wait.unwrap());
    assert!((total(&all).as_secs_f64() - 2.0).abs() < 1e-6, "1,000 s at 500 in a second");
    // It was granted at 9 s; at 11.5 s, 1,250 s of it have passed, and 750 s are left until T2.
    let lease = Player::default().acquires(&plan, 3);
    let at = Duration::from_millis(11_500);
    let request =
        ExchangeRequest { kind: Kind::Renew, number: 4, client: 0, lease: Some(lease), at };
    let mut player = Player::default();
    let opening = outgoing(Dialogue::begin(&mut player.client, &plan, request, &mut player.out));
    let all = waits(&plan, &mut player, opening.wait.unwrap());
    assert!((total(&all).as_secs_f64() - 1.5).abs() < 1e-6, "{all:?}");
}

#[test]
fn elapsed_time_claims_rise_for_a_period() {
    let plan = plan(|setup| {
        setup.rising = Some(Rising { after: secs(1), lasting: secs(3) });
    });
    let elapsed = |millis| {
        let mut player = Player::default();
        let at = Duration::from_millis(millis);
        let request =
            ExchangeRequest { kind: Kind::Acquire, number: 1, client: 0, lease: None, at };
        outgoing(Dialogue::begin(&mut player.client, &plan, request, &mut player.out));
        player.message().elapsed().unwrap().unwrap()
    };
    // The values that perfdhcp 2.2.0 -r 4 -p 6 -Y 1 -y 3 was observed to send.
    let seen = [(0, 0), (999, 0), (1000, 100), (1750, 100), (2000, 200), (2750, 200), (3000, 300)];
    for (millis, expected) in seen.into_iter().chain([(3999, 300), (4000, 0), (5750, 0)]) {
        assert_eq!(elapsed(millis), expected, "{millis}");
    }
}

#[test]
fn exchanges_leave_no_memory_behind() {
    let plan =
        Plan::compile(Setup::new(Population::cycle([0; 6], 1 << 20), BaseDuid::Time(1))).unwrap();
    let mut player = Player::default();
    let _: Lease = player.acquires(&plan, 0);
    let capacity = player.out.capacity();
    for number in 1..2_000 {
        player.acquires(&plan, number);
    }
    assert_eq!(player.out.capacity(), capacity);
}
