//! The limits of a verdict, on both of their sides.

use super::*;

/// A load of a hundred a second on a machine whose core was busy.
fn busy() -> Run {
    let mut busy = run(|_| 100, prompt);
    busy.generator.cpu_share_max = Some(0.97);
    busy
}

#[test]
fn loss_share_is_a_thousandth_of_what_was_due() {
    let judged = |lost| {
        let mut drops = run(|_| 100, prompt);
        drops.measured.health.socket_drops = lost;
        judge(&drops).status
    };
    // Of a thousand.
    assert_eq!([1, 2].map(judged), [Status::Valid, Status::GeneratorLimited]);
}

#[test]
fn made_share_is_99_hundredths_of_what_was_offered() {
    let judged = |achieved| {
        let mut short = busy();
        short.rates.achieved = Some(achieved);
        judge(&short).status
    };
    assert_eq!([99.0, 98.9].map(judged), [Status::Valid, Status::GeneratorLimited]);
}

#[test]
fn dropped_exchanges_count_as_load_not_made() {
    let mut short = busy();
    assert_eq!(judge(&short).status, Status::Valid);
    short.measured.dropped = 1;
    assert_eq!(judge(&short).status, Status::GeneratorLimited);
    // Unless the target was away, which drops exchanges as well.
    short.away = vec![Away::default()];
    assert_ne!(judge(&short).status, Status::GeneratorLimited);
}

#[test]
fn ceiling_is_named_beyond_four_fifths_of_it() {
    let told = |ratio| {
        let mut close = run(|_| 100, prompt);
        (close.generator.ceiling, close.generator.ceiling_ratio) = (Some(125.0), Some(ratio));
        judge(&close).notes.len()
    };
    assert_eq!([0.8, 0.81].map(told), [0, 1]);
}
