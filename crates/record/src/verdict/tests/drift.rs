//! When throughput has not settled.

use super::*;

#[test]
fn throughput_drift_makes_the_run_unstable() {
    let text = only_reason(&run(|second| 100 + 10 * second, prompt)).1;
    assert!(text.contains("drifted from 110.0/s"), "{text}");
    assert_eq!(judge(&run(|second| 100 + second % 2, prompt)).status, Status::Valid);
    // However certain, two in a hundred do not matter; a difference that scatter explains is none.
    assert_eq!(judge(&run(|second| 100 + second / 3, prompt)).status, Status::Valid);
    let scattered = [40, 200, 60, 100, 100, 100, 100, 90, 210, 60];
    let rate = |second| scattered.get(second as usize).copied().unwrap_or(100);
    assert_eq!(judge(&run(rate, prompt)).status, Status::Valid);
    let mut meant = run(|second| 100 + 10 * second, prompt);
    meant.plan.constant = false;
    assert_eq!(judge(&meant).status, Status::Valid);
}
