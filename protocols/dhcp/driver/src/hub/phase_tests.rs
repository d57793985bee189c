//! The table in a run of several phases, and after a stall: which phase each count belongs to, in any order of events.

use super::harness::{STEADY, TableHarness};
use crate::Stage;
use crate::tally::Counter;
use crate::toy::{ACK, DISCOVER, NAK, OFFER, REQUEST, Rules, at};
use brunt_exchange::Outcome;
use brunt_net::hub::{Gap, Table as _};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// In any order of events, every sent message and every started exchange ends exactly once.
#[test]
fn counts_are_conserved_in_any_order_of_events() {
    let mut harness = TableHarness::new(16, Rules { resends: 1, ..Rules::default() });
    harness.phased = true;
    let (mut begun, mut ended, mut cut) = (0, 0, 0);
    let mut left: HashSet<(u8, u32)> = HashSet::new();
    let mut running: HashMap<u32, u64> = HashMap::new();
    for step in 0..200_000_u64 {
        let draw = brunt_net::chance::mix(step);
        let slot = (draw >> 8) as u32 % 16;
        match draw % 9 {
            0 | 1 if !running.contains_key(&slot) => {
                harness.begin(slot, begun);
                running.insert(slot, begun);
                begun += 1;
            }
            2 => left.extend(harness.send()),
            3 => {
                harness.pass(Duration::from_millis((draw >> 16) % 400));
                harness.table.tick(harness.now);
            }
            4 if draw >> 60 == 0 && running.remove(&slot).is_some() => {
                harness.table.call_off(slot);
                cut += 1;
            }
            5 if draw >> 60 == 0 && harness.table.datagrams(1).count() > 0 => {
                harness
                    .table
                    .refused(&std::io::Error::from_raw_os_error(libc::ENOBUFS), harness.now);
            }
            _ => {
                let what = [OFFER, ACK, NAK, OFFER, ACK][(draw >> 20) as usize % 5];
                let xid = begun.saturating_sub((draw >> 32) % 24) as u32;
                harness.receive(what, xid, ((draw >> 40) % 3) as u32);
            }
        }
        for slot in 0..16 {
            if running.contains_key(&slot) && harness.end(slot).is_some() {
                running.remove(&slot);
                ended += 1;
            }
        }
        assert_eq!(begun, ended + cut + running.len() as u64, "step {step}");
    }
    assert!(ended > 1000 && cut > 10, "{ended} ended and {cut} cut off");
    for slot in running.into_keys() {
        harness.table.call_off(slot);
    }
    harness.assert_nothing_waits();
    for phase in 1..=3 {
        for (what, stage) in [(DISCOVER, Stage::First), (REQUEST, Stage::Second)] {
            // The transaction id is the number of the exchange, which determines its phase.
            let of_phase = |(sent, xid): &&(u8, u32)| *sent == what && xid % 3 + 1 == phase;
            let sent = harness.tally().stage_in(phase as u8, stage, Counter::Sent);
            assert_eq!(sent, left.iter().filter(of_phase).count() as u64, "{stage:?} {phase}");
            for counter in [Counter::Received, Counter::Drops, Counter::Late] {
                let count = harness.tally().stage_in(phase as u8, stage, counter);
                assert!(count > 20, "{count} {counter:?} of {stage:?} in phase {phase}");
            }
        }
        assert!(harness.tally().stage_in(phase as u8, Stage::First, Counter::CutOff) > 10);
    }
    assert_eq!(harness.tally().stage_in(0, Stage::First, Counter::Sent), 0);
}

/// The events of an exchange count in the phase in which it was due, however late they happen: its drop, its late
/// answer, its duplicate answer.
#[test]
fn counts_belong_to_the_phase_of_their_exchange() {
    const WARM_UP: u8 = 1;
    let mut harness = TableHarness::new(3, Rules::default());
    harness.phased = true;
    // Numbers divisible by three belong to the warm-up, the next ones to the ramp.
    harness.begin(0, 0);
    harness.begin(1, 3);
    harness.begin(2, 1);
    harness.send();
    harness.receive(OFFER, 3, 9);
    harness.send();
    harness.receive(ACK, 3, 9);
    harness.pass(Duration::from_secs(2));
    harness.table.tick(harness.now);
    harness.end(0);
    harness.end(1);
    harness.end(2);
    harness.begin(0, 2);
    harness.send();
    harness.receive(OFFER, 0, 9);
    harness.receive(ACK, 3, 9);
    harness.receive(OFFER, 3, 9);
    harness.receive(OFFER, 999, 9);
    let of =
        |stage, counter| [1, 2, 3].map(|phase| harness.tally().stage_in(phase, stage, counter));
    assert_eq!(of(Stage::First, Counter::Sent), [2, 1, 1]);
    assert_eq!(of(Stage::First, Counter::Drops), [1, 1, 0]);
    assert_eq!(of(Stage::First, Counter::Late), [1, 0, 0]);
    assert_eq!(of(Stage::First, Counter::Duplicates), [1, 0, 0]);
    assert_eq!(of(Stage::Second, Counter::Duplicates), [1, 0, 0]);
    assert_eq!(harness.overall(), [("foreign", 1)]);
    assert_eq!(harness.tally().waiting_in(WARM_UP, Stage::First), 0);
    assert_eq!(harness.tally().waiting_in(STEADY, Stage::First), 1, "the last one waits");
}

/// The thread stalls from 0.5 s to 9 s: an answer that the kernel received in time counts as an answer, whenever it is
/// read.
#[test]
fn buffered_answers_are_judged_by_their_kernel_timestamp() {
    let mut harness = TableHarness::new(4, Rules::default());
    for slot in 0..4 {
        harness.begin(slot, slot.into());
    }
    harness.send();
    let (looked, now) = (at(500), at(9_000));
    let due = harness.table.next().unwrap();
    harness.table.stood_still(Gap::between(looked, due, now));
    harness.receive_stamped(OFFER, 0, 9, Some(at(600)), now);
    harness.receive_stamped(OFFER, 1, 9, Some(at(1_006)), now);
    harness.receive_stamped(OFFER, 2, 9, None, now);
    harness.now = now;
    harness.table.tick(now);
    assert_eq!(harness.send(), [(REQUEST, 0)], "the first was in time");
    harness.receive_stamped(ACK, 0, 9, None, at(9_001));
    let ended = harness.end(0).unwrap();
    assert_eq!(
        (ended.outcome, ended.took[0]),
        (Outcome::Ok(5), Some((Stage::First, Duration::from_millis(595))),)
    );
    let first = [
        ("sent", 4),
        ("received", 1),
        ("drops", 3),
        ("late", 2),
        ("drops because brunt stood still", 3),
    ];
    assert_eq!(harness.counts(Stage::First), first);
    // Messages sent in the burst after the stall are also attributed to the stall; later drops are normal drops.
    harness.end(1);
    let counted = |harness: &TableHarness| {
        [Counter::Drops, Counter::DropsStalled].map(|it| harness.tally().stage(Stage::First, it))
    };
    for (sent, dropped, expected) in [(9_200, 10_300, [4, 4]), (11_000, 12_100, [5, 4])] {
        harness.begin(1, sent);
        harness.now = at(sent);
        harness.send();
        harness.now = at(dropped);
        harness.table.tick(harness.now);
        harness.end(1);
        assert_eq!(counted(&harness), expected);
    }
}
