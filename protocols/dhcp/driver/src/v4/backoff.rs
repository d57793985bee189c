//! How long a client waits before it sends a message again (RFC 2131 section 4.1).
//!
//! The wait is a function of the seed, the exchange and the attempt, so that a run repeats.

use crate::Stage;
use brunt_net::chance::mix;
use std::time::Duration;

/// The wait after a message was sent for the `attempt`th time, counted from 0: 4, 8, 16, 32 and from then on 64
/// seconds, each up to a second longer or shorter.
pub(super) fn doubling(seed: u64, number: u64, stage: Stage, attempt: u32) -> Duration {
    let chance = mix(mix(seed ^ mix(number)) ^ (u64::from(attempt) << 8 | stage as u64));
    let jitter = ((u128::from(chance) * (2 * SECOND + 1)) >> 64) as u64;
    Duration::from_secs((4 << attempt.min(4)) - 1) + Duration::from_nanos(jitter)
}

const SECOND: u128 = 1_000_000_000;

/// The wait of a client that renews or rebinds: half of the remaining time, but at least a minute, and never more than
/// the remaining time (RFC 2131 section 4.4.5).
pub(super) fn halving(left: Duration) -> Duration {
    (left / 2).max(Duration::from_secs(60)).min(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_64_seconds() {
        for number in 0..1_000 {
            for (attempt, seconds) in [(0, 4), (1, 8), (2, 16), (3, 32), (4, 64), (5, 64), (99, 64)]
            {
                let wait = doubling(7, number, Stage::First, attempt);
                let off = wait.abs_diff(Duration::from_secs(seconds));
                assert!(off <= Duration::from_secs(1), "attempt {attempt} waits {wait:?}");
                assert_eq!(wait, doubling(7, number, Stage::First, attempt));
            }
        }
    }

    #[test]
    fn backoff_is_randomized() {
        let waits =
            |seed| (0..2_000).map(move |n| doubling(seed, n, Stage::First, 0).as_secs_f64());
        let mean = waits(1).sum::<f64>() / 2_000.0;
        // Five standard errors of a uniform distribution two seconds wide.
        assert!((mean - 4.0).abs() < 5.0 * (2.0 / 12f64.sqrt()) / 2_000f64.sqrt(), "{mean}");
        assert!(waits(1).any(|wait| wait < 3.1) && waits(1).any(|wait| wait > 4.9));
        assert!(waits(1).zip(waits(2)).any(|(one, other)| (one - other).abs() > 0.1));
        let other_stage = doubling(1, 0, Stage::Second, 0);
        assert_ne!(doubling(1, 0, Stage::First, 0), other_stage);
    }

    #[test]
    fn renewal_retry_halves_the_remaining_time() {
        let seconds = Duration::from_secs;
        assert_eq!(halving(seconds(1_000)), seconds(500));
        assert_eq!(halving(seconds(100)), seconds(60));
        assert_eq!(halving(seconds(20)), seconds(20));
        assert_eq!(halving(Duration::ZERO), Duration::ZERO);
    }
}
