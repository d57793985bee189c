//! [`Limiter`]: how often a person may try to sign in.
//!
//! Five failures a minute are allowed for typing errors. After them each further failure doubles the wait, up to an
//! hour, for the name that was tried and for the address that tried it. The table is bounded: the oldest entry is
//! dropped first.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Failures that cause no wait.
const FREE: u32 = 5;
/// The time without a failure after which the count starts again, in seconds.
const FORGIVEN: i64 = 60;
/// The first wait, in seconds, and the longest.
const WAIT_MIN: i64 = 30;
const WAIT_MAX: i64 = 3_600;
/// How many names and addresses are remembered.
const KNOWN_MAX: usize = 10_000;

/// What is known about one name or address.
#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    count: u32,
    last: i64,
    until: i64,
}

/// Counts failures.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<HashMap<String, Failures>>);

impl Limiter {
    /// How many seconds must pass before another try by any of these; `None` if a try is allowed now.
    pub(crate) fn wait(&self, keys: &[String], now: i64) -> Option<i64> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits =
            keys.iter().filter_map(|key| known.get(key)).map(|failures| failures.until - now);
        waits.max().filter(|wait| *wait > 0)
    }

    /// Records a failure.
    pub(crate) fn failed(&self, keys: &[String], now: i64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys {
            if known.len() >= KNOWN_MAX && !known.contains_key(key) {
                let oldest =
                    known.iter().min_by_key(|(_, failures)| failures.last.max(failures.until));
                let oldest = oldest.map(|(key, _)| key.clone());
                oldest.map(|oldest| known.remove(&oldest));
            }
            let failures = known.entry(key.clone()).or_default();
            if now - failures.last.max(failures.until)
                >= FORGIVEN.max(failures.until - failures.last)
            {
                *failures = Failures::default();
            }
            failures.count += 1;
            failures.last = now;
            if let Some(beyond) = failures.count.checked_sub(FREE) {
                let wait = (WAIT_MIN << beyond.min(10)).min(WAIT_MAX);
                failures.until = now + wait;
            }
        }
    }

    /// Drops the failures of a name whose password was correct.
    pub(crate) fn succeeded(&self, key: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_are_free_and_then_waits_double() {
        let limiter = Limiter::default();
        let keys = ["name ada".to_owned(), "from 192.0.2.1".to_owned()];
        for _ in 0..4 {
            limiter.failed(&keys, 100);
            assert_eq!(limiter.wait(&keys, 100), None);
        }
        let mut now = 100;
        for expected in [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
            limiter.failed(&keys, now);
            assert_eq!(limiter.wait(&keys[..1], now), Some(expected));
            assert_eq!(limiter.wait(&keys[1..], now), Some(expected));
            assert_eq!(limiter.wait(&["name bob".to_owned()], now), None);
            now += expected;
            assert_eq!(limiter.wait(&keys, now), None);
        }
        limiter.succeeded(&keys[0]);
        limiter.failed(&keys[..1], now);
        assert_eq!(limiter.wait(&keys[..1], now), None);
    }

    #[test]
    fn who_came_longest_ago_is_forgotten_first() {
        let limiter = Limiter::default();
        for number in (0_i64..).take(KNOWN_MAX + 10) {
            limiter.failed(&[number.to_string()], number);
        }
        let known = limiter.0.lock().unwrap();
        assert_eq!(known.len(), KNOWN_MAX);
        assert!(!known.contains_key("0") && known.contains_key("10"));
    }
}
