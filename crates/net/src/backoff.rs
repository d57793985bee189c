//! How long a session waits before it tries to connect again.
//!
//! The wait doubles from 10 ms to 1 s and is spread over its upper half, so that a thousand sessions that lost one
//! server do not reconnect at the same moments. The spread is a pure function of the seed, the session and the attempt,
//! so runs repeat. It must not depend on why the attempt failed.

use crate::chance::mix;
use crate::within::pause;
use brunt_exchange::Clock;
use std::time::Duration;

/// The wait after the first failed attempt, before the spread.
pub const FIRST: Duration = Duration::from_millis(10);
/// The longest wait.
pub const LONGEST: Duration = Duration::from_secs(1);

/// The wait after failed attempt number `attempt`, counted from 0: between half and the whole of
/// the doubled wait.
pub(crate) fn delay(seed: u64, session: u32, attempt: u32) -> Duration {
    let whole =
        FIRST.saturating_mul(1_u32.checked_shl(attempt.min(16)).unwrap_or(u32::MAX)).min(LONGEST);
    let half = whole / 2;
    let draw = mix(mix(seed ^ u64::from(session)) ^ u64::from(attempt));
    let spread = half.as_nanos() as u64;
    half + Duration::from_nanos(draw % (spread + 1))
}

/// The attempt, counted from 0, after which a session waits that failed to connect this often in a row, or had this
/// many connections in a row that ended without an answer. The first of those may have been opened long before it was
/// needed and have been closed while it was idle, so nothing waits after it.
pub(crate) fn attempt(failures: u32, unanswered: u32) -> Option<u32> {
    failures.max(unanswered.saturating_sub(1)).checked_sub(1)
}

/// Waits [`delay`].
pub async fn wait(seed: u64, session: u32, attempt: u32, clock: &dyn Clock) {
    pause(delay(seed, session, attempt), clock).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_a_second() {
        let wholes = [10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000];
        for (attempt, whole) in wholes.into_iter().enumerate() {
            for session in 0..200 {
                let wait = delay(7, session, attempt as u32);
                assert!(wait >= Duration::from_millis(whole) / 2, "{attempt}: {wait:?}");
                assert!(wait <= Duration::from_millis(whole), "{attempt}: {wait:?}");
            }
        }
        assert!(delay(7, 0, u32::MAX) <= LONGEST);
    }

    #[test]
    fn backoff_begins_with_failures_or_unanswered_connections() {
        assert_eq!(
            [0, 1, 2, 9].map(|failures| attempt(failures, 0)),
            [None, Some(0), Some(1), Some(8)]
        );
        assert_eq!([1, 2, 3, 9].map(|ended| attempt(0, ended)), [None, Some(0), Some(1), Some(7)]);
        assert_eq!(attempt(4, 2), Some(3));
    }

    #[test]
    fn backoff_spreads_sessions_and_repeats_with_the_seed() {
        let waits: Vec<_> = (0..1000).map(|session| delay(1, session, 7)).collect();
        let again: Vec<_> = (0..1000).map(|session| delay(1, session, 7)).collect();
        assert_eq!(waits, again);
        // Uniform over 500 ms: each tenth of the span should contain about 100 of the 1000 waits.
        let mut tenths = [0; 10];
        for wait in &waits {
            tenths[((wait.as_millis() as usize - 500) / 50).min(9)] += 1;
        }
        assert!(tenths.iter().all(|count| (60..=140).contains(count)), "{tenths:?}");
        assert_ne!(delay(2, 0, 7), delay(1, 0, 7));
    }
}
