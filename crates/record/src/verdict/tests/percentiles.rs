//! Which percentiles are judged, and what is said of the others.

use super::*;

#[test]
fn percentile_of_few_exchanges_is_not_judged() {
    // One cold start among thirty exchanges decides the p99 and does not describe the run.
    let mut few = run(|_| 3, |n| if n == 0 { ([0, 0, 30, 31], 30) } else { prompt(n) });
    few.generator.waited_share_max = Some(0.2);
    let verdict = judge(&few);
    assert_eq!((verdict.status, verdict.reasons.len()), (Status::Valid, 0), "{verdict:?}");
    assert_eq!(
        verdict.notes,
        [
            "the bind response time p99 is 31.0 ms with and 1.0 ms without the delay added by brunt, and 30 samples \
          are too few to judge it"
        ]
    );
    assert!(verdict.own.iter().all(|part| !part.ours && part.too_few == Some(30)), "{verdict:?}");
    // What the timer explains needs no word.
    let mut slight = run(|_| 3, |n| if n == 0 { ([0, 0, 1, 2], 1) } else { prompt(n) });
    slight.generator.timer.p99_us = 1_500.0;
    assert_eq!(judge(&slight), Verdict::default());
}

#[test]
fn percentile_of_an_objective_is_judged_too() {
    // One in two hundred is 30 ms late: neither the median nor p99 shows it.
    let mut rare = run(|_| 1_000, |n| if n % 200 == 0 { ([0, 0, 30, 31], 30) } else { prompt(n) });
    rare.generator.waited_share_max = Some(0.2);
    assert_eq!(judge(&rare).status, Status::Valid);
    rare.requested = vec![99.9];
    assert_eq!(judge(&rare).status, Status::GeneratorLimited);
}

#[test]
fn percentile_of_few_exchanges_is_judged_during_a_stall() {
    // One in ten of 300: fewer than five lie beyond the 99th percentile.
    let stopped =
        |n: u64| if n.is_multiple_of(10) { ([0, 0, 3_000, 3_001], 3_000) } else { prompt(n) };
    let mut few = run(|_| 30, stopped);
    few.generator.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 3.0 }];
    assert_eq!(judge(&few).status, Status::Valid);
    few.measured.operations[0].tainted.ok = 30;
    assert!(only_reason(&few).1.contains("was paused for 3.0 s"));
}

#[test]
fn timer_never_seen_undisturbed_excuses_nothing() {
    let mut limited = run(|_| 100, late);
    limited.generator.timer = TimerRecord { disturbed: 40, ..TimerRecord::default() };
    let (status, why) = only_reason(&limited);
    assert_eq!(status, Status::GeneratorLimited);
    assert!(why.contains("disturbed each of 40 wake-ups of its timer before the run"), "{why}");
    // A cause that was observed during the run is named instead.
    limited.generator.machine.throttled_share = Some(0.4);
    assert!(only_reason(&limited).1.contains("CPU quota"));
    // One sample is enough to know what the timer does, and simulated time has no timer.
    for timer in [
        TimerRecord { samples: 1, disturbed: 40, ..TimerRecord::default() },
        TimerRecord::default(),
    ] {
        let mut known = run(|_| 100, late);
        known.generator.timer = timer;
        assert_eq!(judge(&known).status, Status::Valid);
    }
    // Without an effect nothing is to be excused.
    let mut quiet = run(|_| 100, prompt);
    quiet.generator.timer = TimerRecord { disturbed: 40, ..TimerRecord::default() };
    assert_eq!(judge(&quiet), Verdict::default());
}

#[test]
fn lateness_without_a_cause_is_noted_with_its_size() {
    let mut run = run(|_| 100, late);
    let verdict = judge(&run);
    assert_eq!(verdict.status, Status::Valid);
    let told = "p99 up to 30.0 ms too high because of the delay added by brunt, more than this machine's timer \
                explains (late by at most 0.90 ms while nothing disturbed it): no cause was observed";
    assert_eq!(verdict.notes, [told]);
    run.generator.timer.max_us = 40_000.0;
    let verdict = judge(&run);
    assert_eq!(verdict.status, Status::Valid);
    let told =
        "p99 up to 30.0 ms too high by this machine's timer (p99 of its own lateness 0.40 ms)";
    assert_eq!(verdict.notes, [told]);
    assert!(verdict.own.iter().any(|part| part.ours && part.percentile > 98.0), "{verdict:?}");
}
