//! Tests of the table with invented times: every order of events that a network can produce.

use super::exchange_table::Arrival;
use super::harness::{STEADY, TableHarness};
use super::*;
use crate::captures::CaptureOptions;
use crate::limits::{DropLimit, Limits, Reason};
use crate::tally::Counter;
use crate::toy::{ACK, DISCOVER, NAK, NONE, OFFER, REQUEST, Rules, ToyLease, at, message, setup};
use crate::{Kind, Stage};
use brunt_exchange::{Class, Outcome};
use brunt_net::hub::Table as _;

const NANO: Duration = Duration::from_nanos(1);

#[test]
fn exchange_of_four_messages_has_two_stages() {
    let mut harness = TableHarness::new(1, Rules::default());
    harness.begin(0, 7);
    assert_eq!(harness.send(), [(DISCOVER, 7)]);
    harness.pass(Duration::from_millis(3));
    harness.receive(OFFER, 7, 99);
    harness.pass(Duration::from_millis(1));
    assert_eq!(harness.send(), [(REQUEST, 7)], "a millisecond later, for want of a call");
    assert!(harness.end(0).is_none());
    harness.pass(Duration::from_millis(4));
    harness.receive(ACK, 7, 99);
    let ended = harness.end(0).unwrap();
    assert_eq!((ended.outcome, ended.sent, ended.at), (Outcome::Ok(5), Some(at(5)), at(13)));
    let millis = |n| Duration::from_millis(n);
    assert_eq!(ended.took, [Some((Stage::First, millis(3))), Some((Stage::Second, millis(4)))]);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1)]);
    assert_eq!(harness.counts(Stage::Second), [("sent", 1), ("received", 1)]);
    assert_eq!(harness.overall(), []);
    assert!(harness.end(0).is_none(), "taken notice of once");
}

#[test]
fn drop_time_is_exact_to_the_nanosecond() {
    for (later, outcome, first) in [
        (Duration::ZERO, None, vec![("sent", 1), ("received", 1)]),
        (NANO, Some(Outcome::TimedOut), vec![("sent", 1), ("drops", 1), ("late", 1)]),
    ] {
        let mut harness = TableHarness::new(1, Rules::default());
        harness.begin(0, 7);
        harness.send();
        // The wheel has not reached the drop time when the reply is read.
        harness.pass(Duration::from_secs(1) + later);
        harness.receive(OFFER, 7, 99);
        let ended = harness.end(0);
        assert_eq!(ended.as_ref().map(|ended| ended.outcome), outcome);
        assert!(ended.is_none_or(|ended| ended.at == at(1005)), "it ended when the time was over");
        assert_eq!(harness.counts(Stage::First), first);
    }
}

#[test]
fn timer_wheel_ends_only_unanswered_exchanges() {
    let mut harness = TableHarness::new(2, Rules::default());
    harness.begin(0, 7);
    harness.send();
    harness.pass(Duration::from_secs(1));
    harness.table.tick(harness.now);
    assert_eq!(harness.outcome(0), None, "a reply of this very nanosecond would be in time");
    assert!(
        harness.table.next().is_some_and(|next| next <= harness.now + Duration::from_millis(20))
    );
    harness.pass(Duration::from_millis(30));
    harness.table.tick(harness.now);
    let ended = harness.end(0).unwrap();
    assert_eq!((ended.outcome, ended.at), (Outcome::TimedOut, at(1005)));
    // The wheel does not affect a slot that is reused before the wheel reaches it.
    harness.begin(0, 8);
    harness.send();
    harness.receive(OFFER, 8, 1);
    harness.send();
    harness.pass(Duration::from_millis(900));
    harness.receive(ACK, 8, 1);
    assert_eq!(harness.outcome(0), Some(Outcome::Ok(5)));
    harness.begin(0, 9);
    harness.send();
    harness.pass(Duration::from_millis(990));
    harness.table.tick(harness.now);
    assert_eq!(harness.outcome(0), None);
    harness.pass(Duration::from_millis(30));
    harness.table.tick(harness.now);
    assert_eq!(harness.outcome(0), Some(Outcome::TimedOut));
    harness.assert_nothing_waits();
}

#[test]
fn late_duplicate_and_foreign_replies_are_distinguished() {
    let mut harness = TableHarness::new(1, Rules::default());
    harness.receive(OFFER, 7, 99);
    assert_eq!(harness.overall(), [("foreign", 1)], "nobody has asked yet");
    harness.begin(0, 7);
    harness.receive(OFFER, 7, 99);
    assert_eq!(harness.overall(), [("foreign", 2)], "nor has the message left");
    harness.send();
    harness.receive(OFFER, 7, 99);
    harness.receive(OFFER, 7, 98);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1), ("duplicates", 1)]);
    harness.send();
    harness.receive(OFFER, 7, 97);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1), ("duplicates", 2)]);
    harness.receive(ACK, 7, 99);
    assert_eq!(harness.outcome(0), Some(Outcome::Ok(5)));
    harness.receive(ACK, 7, 99);
    assert_eq!(harness.counts(Stage::Second), [("sent", 1), ("received", 1), ("duplicates", 1)]);
    harness.receive(OFFER, 7, 96);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1), ("duplicates", 3)]);
    harness.begin(0, 8);
    harness.send();
    harness.pass(Duration::from_secs(2));
    harness.table.tick(harness.now);
    assert_eq!(harness.outcome(0), Some(Outcome::TimedOut));
    harness.receive(OFFER, 8, 1);
    let first = [("sent", 2), ("received", 1), ("drops", 1), ("late", 1), ("duplicates", 3)];
    assert_eq!(harness.counts(Stage::First), first);
    assert_eq!(harness.overall(), [("foreign", 2)]);
    assert_eq!(harness.tally().orphans(), 7);
    harness.assert_nothing_waits();
}

#[test]
fn stage_with_its_own_xid_releases_the_previous_one() {
    let mut harness = TableHarness::new(1, Rules { own_xids: true, ..Rules::default() });
    harness.begin(0, 7);
    harness.send();
    harness.receive(OFFER, 14, 99);
    assert_eq!(harness.send(), [(REQUEST, 15)]);
    harness.receive(OFFER, 14, 98);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1), ("duplicates", 1)]);
    harness.receive(ACK, 14, 99);
    assert_eq!(harness.outcome(0), None, "not this transaction's");
    harness.receive(ACK, 15, 99);
    assert_eq!(harness.outcome(0), Some(Outcome::Ok(5)));
}

#[test]
fn invalid_replies_are_counted_by_their_fault() {
    let mut harness = TableHarness::new(1, Rules::default());
    let arrival = Arrival { at: at(5), stamp: None, origin: at(0) };
    harness.table.take_in(b"abc", false, arrival);
    harness.table.take_in(b"abcdefg", false, arrival);
    harness.table.take_in(&message(OFFER, 1, 1), true, arrival);
    harness.receive(DISCOVER, 1, 1);
    assert_eq!(harness.overall(), [("malformed", 2), ("tooshort", 1), ("unexpected", 1)]);
}

#[test]
fn refusals_and_useless_answers_end_their_stage() {
    let mut harness = TableHarness::new(3, Rules::default());
    for slot in 0..3 {
        harness.begin(slot, slot.into());
    }
    harness.send();
    harness.receive(OFFER, 0, NONE);
    assert_eq!(harness.outcome(0), Some(Outcome::Failed(Class::Check, 0)));
    harness.receive(OFFER, 1, 9);
    harness.receive(OFFER, 2, 9);
    harness.send();
    harness.receive(NAK, 1, NONE);
    assert_eq!(harness.outcome(1), Some(Outcome::Failed(Class::Result, 6)));
    harness.receive(ACK, 2, NONE);
    assert_eq!(harness.outcome(2), Some(Outcome::Failed(Class::Check, 0)));
    assert_eq!(harness.counts(Stage::First), [("sent", 3), ("received", 2), ("unusable", 1)]);
    let second = [("sent", 2), ("received", 1), ("naks", 1), ("rejected leases", 1)];
    assert_eq!(harness.counts(Stage::Second), second);
    assert_eq!(harness.overall(), [("malformed", 1)]);
    harness.assert_nothing_waits();
}

#[test]
fn cancelled_exchange_is_cut_off_and_its_answer_late() {
    let mut harness = TableHarness::new(2, Rules::default());
    harness.begin(0, 1);
    harness.table.call_off(0);
    assert_eq!(harness.send(), [], "it never left");
    harness.begin(0, 2);
    harness.begin(1, 3);
    assert_eq!(harness.send(), [(DISCOVER, 2), (DISCOVER, 3)]);
    harness.table.call_off(0);
    harness.receive(OFFER, 2, 9);
    assert_eq!(harness.counts(Stage::First), [("sent", 2), ("cut off", 1), ("late", 1)]);
    harness.receive(OFFER, 3, 9);
    harness.table.call_off(1);
    assert_eq!(harness.send(), []);
    assert_eq!(harness.counts(Stage::Second), [], "the REQUEST had not left");
    harness.begin(1, 4);
    harness.begin(0, 5);
    assert_eq!(harness.send(), [(DISCOVER, 4), (DISCOVER, 5)], "in the order of their beginning");
    harness.table.call_off(0);
    harness.table.call_off(1);
    harness.assert_nothing_waits();
}

#[test]
fn retransmission_repeats_as_often_as_the_dialogue_wants() {
    let mut harness = TableHarness::new(1, Rules { resends: 2, ..Rules::default() });
    harness.begin(0, 7);
    harness.send();
    let second = Duration::from_millis(1010);
    harness.pass(second);
    harness.table.tick(harness.now);
    assert_eq!(harness.send(), [(DISCOVER, 7)]);
    harness.pass(second * 2);
    harness.table.tick(harness.now);
    // The reply to the second message arrives before the third has been sent.
    harness.receive(OFFER, 7, 9);
    assert_eq!(harness.send(), [(REQUEST, 7)]);
    harness.pass(Duration::from_secs(1) + NANO);
    harness.receive(ACK, 7, 9);
    let ended = harness.end(0).unwrap();
    assert_eq!(ended.outcome, Outcome::Ok(5), "past its time and waiting to be sent again");
    assert_eq!(ended.took[0], Some((Stage::First, second * 3)), "from the first time it was sent");
    let first = [("sent", 1), ("resent", 1), ("received", 1), ("retried", 1)];
    assert_eq!(harness.counts(Stage::First), first);
    assert_eq!(harness.counts(Stage::Second), [("sent", 1), ("received", 1)]);
    assert_eq!(harness.send(), [], "nothing is sent again that was answered");
    harness.begin(0, 8);
    harness.send();
    for wait in [1, 2, 4] {
        harness.pass(Duration::from_secs(wait) + Duration::from_millis(10));
        harness.table.tick(harness.now);
        harness.send();
    }
    assert_eq!(harness.outcome(0), Some(Outcome::TimedOut));
    // The second exchange was sent twice again, and counts once as retried.
    let first = [("sent", 2), ("resent", 3), ("received", 1), ("drops", 1), ("retried", 2)];
    assert_eq!(harness.counts(Stage::First), first);
    harness.assert_nothing_waits();
}

#[test]
fn retransmission_may_end_by_timeout_or_cut_off() {
    for (outcome, first) in [
        (Outcome::TimedOut, [("sent", 1), ("resent", 1), ("drops", 1), ("retried", 1)]),
        (Outcome::CutOff, [("sent", 1), ("resent", 1), ("cut off", 1), ("retried", 1)]),
    ] {
        let mut harness = TableHarness::new(1, Rules { resends: 9, ..Rules::default() });
        let (kind, client, lease) = (Kind::Acquire, 1, None);
        let request = ExchangeRequest { kind, number: 1, client, lease, at: Duration::ZERO };
        let terms = Terms { phase: STEADY, until: Some((at(2500), outcome)) };
        harness.table.begin(0, request, terms, harness.now);
        harness.send();
        harness.pass(Duration::from_millis(1100));
        harness.table.tick(harness.now);
        harness.send();
        harness.pass(Duration::from_millis(1400));
        harness.table.tick(harness.now);
        let ended = harness.end(0).unwrap();
        assert_eq!((ended.outcome, ended.at), (outcome, at(2500)));
        assert_eq!(harness.counts(Stage::First), first);
        harness.assert_nothing_waits();
    }
}

#[test]
fn send_errors_count_as_not_sent() {
    let mut harness = TableHarness::new(2, Rules { resends: 1, ..Rules::default() });
    harness.begin(0, 1);
    harness.begin(1, 2);
    assert_eq!(harness.table.datagrams(64).count(), 2);
    harness.table.refused(&io::Error::from_raw_os_error(libc::ENETUNREACH), harness.now);
    let failed = Outcome::Failed(Class::Unsent, libc::ENETUNREACH.cast_unsigned());
    assert_eq!(harness.outcome(0), Some(failed));
    assert_eq!(harness.send(), [(DISCOVER, 2)]);
    harness.pass(Duration::from_millis(1010));
    harness.table.tick(harness.now);
    assert_eq!(harness.table.datagrams(64).count(), 1);
    harness.table.refused(&io::Error::from_raw_os_error(libc::ENOBUFS), harness.now);
    harness.receive(OFFER, 2, 9);
    assert_eq!(harness.send(), [(REQUEST, 2)], "the first had left, and was answered");
    assert_eq!(harness.overall(), [("locallimit", 2)]);
    assert_eq!(harness.counts(Stage::First), [("sent", 1), ("received", 1)]);
    harness.table.call_off(1);
    harness.assert_nothing_waits();
}

#[test]
fn release_without_answer_ends_when_sent() {
    let mut harness = TableHarness::new(1, Rules::default());
    let lease = ToyLease { client: 4, address: 77 };
    harness.begin_kind(0, 7, Kind::Release, Some(lease));
    assert_eq!(harness.outcome(0), None);
    harness.send();
    let ended = harness.end(0).unwrap();
    assert_eq!((ended.outcome, ended.sent), (Outcome::Ok(0), Some(at(5))));
    assert_eq!(harness.counts(Stage::Release), [("sent", 1), ("unasked", 1)]);
    harness.assert_nothing_waits();
}

#[test]
fn request_limit_cuts_off_later_exchanges() {
    let mut setup = setup(Rules::default());
    setup.limits = Arc::new(Limits::new(Some(1), [DropLimit::default(); 2], None));
    let mut harness = TableHarness::with(2, setup);
    harness.begin(0, 1);
    harness.begin(1, 2);
    harness.send();
    harness.receive(OFFER, 1, 1);
    harness.receive(OFFER, 2, 2);
    assert_eq!(harness.send(), [(REQUEST, 1)]);
    assert_eq!(harness.outcome(1), Some(Outcome::CutOff));
    assert_eq!(harness.shared.limits.reason(), Some(Reason::Requests));
    assert_eq!(harness.counts(Stage::First), [("sent", 2), ("received", 2)]);
    harness.receive(ACK, 1, 1);
    assert_eq!(harness.outcome(0), Some(Outcome::Ok(5)));
    harness.assert_nothing_waits();
}

#[test]
fn drop_limit_halts_the_run() {
    let mut setup = setup(Rules::default());
    let limit = DropLimit { count: Some(2), percent: None };
    setup.limits = Arc::new(Limits::new(None, [limit, DropLimit::default()], None));
    let mut harness = TableHarness::with(2, setup);
    for (slot, reason) in [(0, None), (1, Some(Reason::Drops(Stage::First)))] {
        harness.begin(slot, slot.into());
        harness.send();
        harness.pass(Duration::from_secs(2));
        harness.table.tick(harness.now);
        assert_eq!(harness.shared.limits.reason(), reason);
    }
}

#[test]
fn unique_check_counts_an_address_of_two_clients() {
    let mut setup = setup(Rules::default());
    setup.unique = true;
    let mut harness = TableHarness::with(1, setup);
    let acquire = |harness: &mut TableHarness, number, offered, given| {
        harness.begin(0, number);
        harness.send();
        harness.receive(OFFER, number as u32, offered);
        harness.send();
        harness.receive(ACK, number as u32, given);
        assert_eq!(harness.outcome(0), Some(Outcome::Ok(5)));
    };
    let counted = |harness: &TableHarness| {
        [Stage::First, Stage::Second].map(|stage| harness.tally().stage(stage, Counter::NonUnique))
    };
    acquire(&mut harness, 1, 100, 100);
    assert_eq!(counted(&harness), [0, 0]);
    acquire(&mut harness, 2, 100, 101);
    assert_eq!(counted(&harness), [1, 0]);
    acquire(&mut harness, 3, 103, 101);
    assert_eq!(counted(&harness), [1, 1]);
    harness.begin_kind(0, 4, Kind::Release, Some(ToyLease { client: 2, address: 101 }));
    harness.send();
    assert_eq!(harness.outcome(0), Some(Outcome::Ok(0)));
    acquire(&mut harness, 5, 105, 101);
    assert_eq!(counted(&harness), [1, 1], "it was given back before");
}

#[test]
fn unique_check_includes_offers() {
    let mut setup = setup(Rules { first_only: true, ..Rules::default() });
    setup.unique = true;
    let mut harness = TableHarness::with(1, setup);
    for number in 0..3 {
        harness.begin(0, number);
        harness.send();
        harness.receive(OFFER, number as u32, 100);
        assert_eq!(harness.outcome(0), Some(Outcome::Ok(2)));
    }
    assert_eq!(harness.tally().stage(Stage::First, Counter::NonUnique), 2);
}

#[test]
fn leases_are_kept_up_to_their_limit() {
    let mut setup = setup(Rules::default());
    setup.leases_max = 3;
    let mut harness = TableHarness::with(1, setup);
    for number in 0..5_u32 {
        harness.begin(0, number.into());
        harness.send();
        harness.receive(OFFER, number, number + 1);
        harness.send();
        harness.receive(ACK, number, number + 1);
        harness.outcome(0);
    }
    assert_eq!(harness.overall(), [("leases forgotten", 2)]);
    let lease = harness.table.take_lease(0).unwrap();
    assert_eq!(lease.address, lease.client as u32 + 1);
    harness.table.close(harness.now);
    let held = harness.shared.take_leases();
    assert_eq!(held.len(), 2);
    assert!(!held.contains(&lease));
}

#[test]
fn captures_requested_are_kept() {
    let mut setup = setup(Rules::default());
    setup.capture = CaptureOptions { messages: true, server: true, stamps: true };
    let mut harness = TableHarness::with(1, setup);
    for number in 0..2 {
        harness.begin(0, number);
        harness.send();
        harness.pass(Duration::from_millis(1));
        harness.receive(OFFER, number as u32, 100);
        harness.send();
        harness.pass(Duration::from_secs(2));
        harness.table.tick(harness.now);
        harness.outcome(0);
    }
    let captures = &harness.shared.captures;
    let first = captures.pair(Stage::First);
    assert_eq!(first.sent.as_deref(), Some(&message(DISCOVER, 0, NONE)[..]));
    assert_eq!(first.received.as_deref(), Some(&message(OFFER, 0, 100)[..]));
    let second = captures.pair(Stage::Second);
    assert_eq!((second.sent.is_some(), second.received), (true, None));
    assert_eq!(captures.server().as_deref(), Some(&100_u32.to_be_bytes()[..]));
    let stamps: Vec<_> = captures
        .take_stamps()
        .into_iter()
        .map(|it| (it.stage, it.xid, it.sent, it.received))
        .collect();
    let expected = [
        (Stage::First, 0, at(5), Some(at(6))),
        (Stage::Second, 0, at(6), None),
        (Stage::First, 1, at(2006), Some(at(2007))),
        (Stage::Second, 1, at(2007), None),
    ];
    assert_eq!(stamps, expected);
}

/// Runs a million unanswered exchanges, at 100,000 a second with a window of 2,000. For one in a hundred, a reply
/// arrives after the exchange has ended. Afterwards no table has grown.
#[test]
fn memory_stays_constant_in_an_overload() {
    const SLOTS: u32 = 2000;
    let mut harness = TableHarness::new(
        SLOTS as usize,
        Rules { wait: Duration::from_millis(20), ..Rules::default() },
    );
    let mut number = 0;
    let mut sizes = None;
    while number < 1_000_000 {
        for slot in 0..SLOTS {
            harness.begin(slot, number);
            number += 1;
        }
        let count = harness.table.datagrams(usize::MAX).count();
        harness.table.sent(count, harness.now);
        if sizes.is_none() {
            sizes = Some(harness.table.sizes());
        }
        harness.pass(Duration::from_millis(31));
        harness.table.tick(harness.now);
        for slot in 0..SLOTS {
            assert_eq!(harness.outcome(slot), Some(Outcome::TimedOut));
        }
        for back in 0..u64::from(SLOTS) / 100 {
            harness.receive(OFFER, (number - 1 - back * 100) as u32, 1);
        }
        assert_eq!(Some(harness.table.sizes()), sizes);
    }
    let first = [("sent", 1_000_000), ("drops", 1_000_000), ("late", 10_000)];
    assert_eq!(harness.counts(Stage::First), first);
    assert_eq!(harness.overall(), []);
}
