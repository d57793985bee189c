//! Rows under any order, duplication and delay: they contain what was measured, once, in order.

use super::{NodeRows, Receipt, Row, Rows};
use crate::{Interval, Own, Phase};
use brunt_exchange::{Moment, Outcome, Stamps};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// An interval with one exchange for each number of microseconds.
fn interval(index: u64, phase: Phase, took: &[u16]) -> Interval {
    let mut made = Interval::new(1, 0);
    made.reset(index, phase, Duration::from_secs(index));
    made.to = Duration::from_secs(index + 1);
    for took in took {
        made.plan();
        let due = Moment::from_nanos(index * SECOND);
        let ended = due + Duration::from_micros((*took).into());
        let stamps = Stamps { due, free: due, sent: due, ended };
        made.record(0, Outcome::Ok(0), &stamps, 1, Own::default());
    }
    made
}

fn steady(index: u64, planned: usize) -> Interval {
    interval(index, Phase::Steady, &vec![7; planned])
}

fn drained(rows: &mut Rows, now: Duration) -> Vec<(u64, u64, Vec<usize>)> {
    let summary = |row: Row| (row.interval.index, row.interval.planned, row.missing);
    std::iter::from_fn(|| rows.next(now)).map(summary).collect()
}

#[test]
fn row_waits_for_every_source_until_its_patience_ends() {
    let mut rows = Rows::new(3, Duration::from_secs(2));
    assert_eq!((rows.wait(at(0)), rows.next(at(0))), (None, None));
    for (source, index) in [(0, 1), (1, 1), (0, 2), (1, 2)] {
        assert_eq!(rows.lay(source, steady(index, 1), at(100 * index)).is_some(), source == 1);
        rows.reached(source, index, Phase::Drain);
    }
    assert_eq!(rows.wait(at(600)), Some(Duration::from_millis(1_500)));
    assert_eq!(drained(&mut rows, at(2_099)), []);
    assert_eq!(drained(&mut rows, at(2_100)), [(1, 2, vec![2])]);
    // Source 2 wakes up: its late interval is in the next row, the other one in its own.
    rows.lay(2, steady(1, 10), at(2_150));
    rows.lay(2, steady(2, 100), at(2_150));
    rows.reached(2, 2, Phase::Drain);
    assert_eq!(drained(&mut rows, at(2_150)), [(2, 112, vec![])]);
    rows.lay(2, steady(3, 5), at(3_000));
    rows.over(0);
    rows.over(1);
    assert_eq!(drained(&mut rows, at(3_000)), []);
    rows.over(2);
    assert_eq!((drained(&mut rows, at(3_000)), rows.is_over()), (vec![(3, 5, vec![])], true));
}

#[test]
fn late_interval_changes_no_bounds_or_levels() {
    let mut rows = Rows::new(2, Duration::ZERO);
    let next = |rows: &mut Rows| {
        let Row { interval, .. } = rows.next(at(9_000)).expect("patience is nothing");
        (interval.index, interval.from.as_secs(), interval.to.as_secs(), interval.in_flight)
    };
    rows.lay(0, steady(4, 1), at(0));
    assert_eq!(next(&mut rows), (4, 4, 5, 0));
    let flying = |index, in_flight| Interval { in_flight, ..steady(index, 1) };
    rows.lay(1, flying(2, 3), at(0));
    rows.lay(1, flying(3, 3), at(0));
    rows.lay(0, flying(5, 4), at(0));
    rows.lay(1, flying(5, 1), at(0));
    assert_eq!(next(&mut rows), (5, 5, 6, 5));
    // By itself it has no bounds of its own, and no row goes back in time.
    rows.lay(1, flying(1, 3), at(0));
    assert_eq!(next(&mut rows), (6, 6, 6, 0));
}

#[test]
fn later_phase_of_a_step_is_a_separate_row() {
    let mut rows = Rows::new(2, Duration::from_secs(2));
    rows.lay(0, interval(3, Phase::WarmUp, &[1]), at(0));
    rows.lay(0, interval(3, Phase::Steady, &[1, 1]), at(0));
    rows.reached(0, 3, Phase::Steady);
    rows.lay(1, interval(3, Phase::Steady, &[1]), at(0));
    rows.reached(1, 3, Phase::Steady);
    let phases = |row: Row| (row.interval.phase, row.interval.planned);
    let mut next = |now| rows.next(now).map(phases);
    assert_eq!(next(at(0)), Some((Phase::WarmUp, 1)));
    assert_eq!(next(at(0)), Some((Phase::Steady, 3)));
}

#[test]
fn open_rows_are_limited() {
    let mut rows = Rows::new(2, Duration::MAX);
    let most = Rows::OPEN_MAX as u64;
    (0..most + 3).for_each(|index| drop(rows.lay(0, steady(index, 1), at(0))));
    let indices = drained(&mut rows, at(0)).into_iter().map(|(index, ..)| index);
    assert_eq!(indices.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn messages_count_once_and_gaps_are_known() {
    let mut rows = NodeRows::new(2);
    let now = at(0);
    assert_eq!(rows.take(0, 0, steady(0, 1), now), Receipt::Taken);
    assert_eq!(rows.take(0, 0, steady(0, 1), now), Receipt::Known);
    assert_eq!(rows.take(0, 3, steady(3, 1), now), Receipt::Taken);
    assert_eq!(rows.take(0, 3, steady(3, 1), now), Receipt::Known);
    assert_eq!(rows.take(2, 0, steady(0, 1), now), Receipt::Refused, "there is no node 2");
    let far = NodeRows::STEPS_AHEAD_MAX + 1;
    assert_eq!(rows.take(0, 4, steady(far, 1), now), Receipt::Refused);
    rows.sent(0, 6);
    let missing = rows.missing();
    assert_eq!((missing[0].node, &missing[0].gaps[..]), (0, &[1..3, 4..6][..]));
    assert!(missing[0].ended && !missing[1].ended && missing[1].gaps.is_empty());
    rows.lost(1);
    (1..6).for_each(|seq| {
        rows.take(0, seq, steady(seq, 1), now);
    });
    assert!(rows.is_over() && rows.missing().iter().all(|missing| missing.node == 1));
    let planned: u64 = std::iter::from_fn(|| rows.next(now)).map(|row| row.interval.planned).sum();
    assert_eq!(planned, 6);
    // Numbers that no node has must not cause a panic or an allocation.
    assert_eq!(rows.take(1, u64::MAX, steady(9, 1), now), Receipt::Taken);
    rows.sent(1, u64::MAX);
    let gaps = &rows.missing()[0].gaps;
    assert_eq!((gaps.len(), gaps[0].start, gaps[0].end), (1, 0, u64::MAX));
}

#[test]
fn missing_message_holds_back_its_node() {
    let mut rows = NodeRows::new(2);
    for (node, seq) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)] {
        assert_eq!(rows.take(node, seq, steady(seq, 1), at(0)), Receipt::Taken);
    }
    let next = |rows: &mut NodeRows, now| {
        let summary = |row: super::NodeRow| (row.interval.index, row.interval.planned, row.missing);
        std::iter::from_fn(|| rows.next(now)).map(summary).collect::<Vec<_>>()
    };
    assert_eq!(next(&mut rows, at(1_000)), [(0, 2, vec![])]);
    assert_eq!(rows.take(1, 1, steady(1, 1), at(1_500)), Receipt::Taken);
    assert_eq!(next(&mut rows, at(1_500)), [(1, 2, vec![]), (2, 2, vec![])]);
}

/// What a node measures: in each of its steps one phase, or two.
fn of_node() -> impl Strategy<Value = Vec<Interval>> {
    let step = (prop::collection::vec(1_u16..2_000, 0..6), any::<bool>());
    prop::collection::vec(step, 1..8).prop_map(|steps| {
        let steps = (0..).zip(steps).flat_map(|(index, (took, two))| {
            let phase = if index < 3 { Phase::WarmUp } else { Phase::Steady };
            let late = two.then(|| interval(index, Phase::Drain, &took[..took.len() / 2]));
            [Some(interval(index, phase, &took)), late].into_iter().flatten()
        });
        steps.collect()
    })
}

/// When a message arrives, in milliseconds, its node, and its number.
type Delivery = (u64, usize, usize);

/// Nodes, and the order in which their messages arrive: some twice, each later than it was sent.
fn deliveries() -> impl Strategy<Value = (Vec<Vec<Interval>>, Vec<Delivery>)> {
    let seeds = prop::collection::vec((0_u64..6_000, any::<bool>(), 0_u64..6_000), 256);
    (prop::collection::vec(of_node(), 1..6), seeds).prop_map(|(nodes, seeds)| {
        let mut seeds = seeds.into_iter().cycle();
        let mut deliveries = Vec::new();
        for (node, intervals) in nodes.iter().enumerate() {
            for (seq, interval) in intervals.iter().enumerate() {
                let (delay, twice, again) = seeds.next().unwrap_or_default();
                let sent = 1_000 * (interval.index + 1);
                deliveries.push((sent + delay, node, seq));
                deliveries.extend(twice.then_some((sent + again, node, seq)));
            }
        }
        deliveries.sort_unstable();
        (nodes, deliveries)
    })
}

/// The sum of intervals by phase.
fn totals<'a>(intervals: impl Iterator<Item = &'a Interval>) -> BTreeMap<Phase, Interval> {
    let mut totals: BTreeMap<Phase, Interval> = BTreeMap::new();
    for interval in intervals {
        let mut interval = interval.clone();
        // The index and the times of an interval are not part of the sum.
        (interval.index, interval.from, interval.to) = (0, Duration::ZERO, Duration::ZERO);
        interval.health.reset();
        match totals.get_mut(&interval.phase) {
            Some(total) => total.merge(&interval),
            None => drop(totals.insert(interval.phase, interval)),
        }
    }
    totals
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rows_are_ordered_timely_and_complete((nodes, deliveries) in deliveries()) {
        let mut rows = NodeRows::new(nodes.len());
        let (mut handed, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
        let mut oldest: Option<u64> = None;
        for (millis, node, seq) in deliveries {
            // The clock is read at intervals, and rows are returned before the next message is taken.
            if let Some(since) = oldest.filter(|since| since + 2_000 <= millis) {
                let now = at(since + 2_000);
                handed.extend(std::iter::from_fn(|| rows.next(now)));
                prop_assert_eq!(rows.wait(now).filter(Duration::is_zero), None);
            }
            let receipt = rows.take(node, seq as u64, nodes[node][seq].clone(), at(millis));
            let expected = if seen.insert((node, seq)) { Receipt::Taken } else { Receipt::Known };
            prop_assert_eq!(receipt, expected);
            handed.extend(std::iter::from_fn(|| rows.next(at(millis))));
            oldest = rows.wait(at(millis)).map(|left| millis + left.as_millis() as u64 - 2_000);
        }
        (0..nodes.len()).for_each(|node| rows.sent(node, nodes[node].len() as u64));
        prop_assert!(rows.is_over() && rows.missing().is_empty());
        handed.extend(std::iter::from_fn(|| rows.next(at(0))));
        let keys: Vec<_> =
            handed.iter().map(|row| (row.interval.index, row.interval.phase)).collect();
        prop_assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", keys);
        let measured = totals(nodes.iter().flatten());
        prop_assert_eq!(totals(handed.iter().map(|row| &row.interval)), measured);
    }

    #[test]
    fn rows_do_not_depend_on_the_order_of_arrival((nodes, mut deliveries) in deliveries()) {
        let merged = |deliveries: &[Delivery]| {
            let mut rows = NodeRows::new(nodes.len());
            for (_, node, seq) in deliveries {
                rows.take(*node, *seq as u64, nodes[*node][*seq].clone(), at(0));
            }
            (0..nodes.len()).for_each(|node| rows.sent(node, nodes[node].len() as u64));
            std::iter::from_fn(|| rows.next(at(0))).collect::<Vec<_>>()
        };
        let forwards = merged(&deliveries);
        prop_assert!(forwards.iter().all(|row| row.missing.is_empty()));
        deliveries.reverse();
        prop_assert_eq!(merged(&deliveries), forwards);
    }
}
