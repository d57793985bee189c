//! The memory kept for a run does not grow with its length: the allocator counts the octets in use in an hour of steps.
//!
//! This test is a separate binary because the allocator applies to the whole process. Steps are short, so the series is
//! full after twenty minutes, and is merged from then on. Its histograms fill a little more each time, up to a bound.

use brunt_exchange::{Class, Moment, Outcome, Part, Stamps};
use brunt_record::{Interval, Measured, Own, Phase, Sample, Series};
use brunt_testbed::{CountingAllocator, allocations};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const STEP: Duration = Duration::from_millis(600);
/// As many as perfdhcp has; a run without renewals uses one of them.
const OPERATIONS: usize = 7;
const PARTS: usize = 3;
const EACH_STEP: u64 = 60;

/// Numbers that look random, the same in every run.
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A step in which most answers take a fifth of a millisecond, a few take ten times as long, and some exchanges fail
/// with a text.
fn step(draw: u64) -> Interval {
    let mut step = Interval::new(OPERATIONS, PARTS);
    for number in 0..EACH_STEP {
        let drawn = mix(draw * EACH_STEP + number);
        let tail = if drawn.is_multiple_of(50) { 10 } else { 1 };
        let took = (100_000 + drawn % 200_000) * tail;
        let late = mix(drawn) % 50_000;
        let moment = Moment::from_nanos;
        let (due, sent) = (moment(1_000), moment(1_000 + late));
        let stamps = Stamps { due, free: due, sent, ended: moment(1_000 + late + took) };
        step.plan();
        step.record(0, Outcome::Ok(5), &stamps, 0, Own::default());
        step.part(Part(0), Duration::from_nanos(took / 2));
    }
    let (outcome, at) = (Outcome::Failed(Class::Check, 0), Duration::ZERO);
    step.samples.push(Sample {
        operation: 0,
        outcome,
        at,
        text: "no".repeat(100),
        unreached: None,
        sent: None,
        answer: None,
    });
    step.tallies = vec![draw; 80];
    step
}

/// The most octets in use in each minute of a run of this many minutes.
fn held_in_minutes(minutes: u64) -> Vec<i64> {
    let mut steps: Vec<Interval> = (0..32).map(step).collect();
    let before = allocations::bytes_held();
    let mut measured = Measured::default();
    let a_minute = (60_000 / STEP.as_millis()) as u64;
    let minute = |minute: u64| {
        let mut most = 0;
        for index in minute * a_minute..(minute + 1) * a_minute {
            let step = &mut steps[(mix(index) % 32) as usize];
            (step.index, step.phase) = (index, Phase::Steady);
            (step.from, step.to) = (STEP * index as u32, STEP * (index as u32 + 1));
            measured.absorb(step);
            most = most.max(allocations::bytes_held() - before);
        }
        most
    };
    (0..minutes).map(minute).collect()
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_run() {
    let held = held_in_minutes(60);
    println!("{held:?}");
    let most = |minutes: &[i64]| minutes.iter().copied().max().unwrap_or_default();
    let (first, second) = held.split_at(30);
    assert!(most(second) * 4 <= most(first) * 5, "{} became {}", most(first), most(second));
    // Operations that do not occur in a run take almost no memory.
    assert!(most(&held) <= Series::BYTES_MAX.cast_signed() as i64, "{}", most(&held));
}
