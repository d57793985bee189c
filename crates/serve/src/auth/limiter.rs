//! [`Limiter`]: how often a password may be tried.
//!
//! Failures are counted for a name at an address, for a name at all addresses, and for an address with all names. Five
//! failures of a name at an address, and fifty of the others, are allowed for typing errors; after them each further
//! failure doubles the wait, up to an hour. So guessing from one address locks out neither others behind it nor the
//! owner of a name elsewhere, and guessing from many addresses locks the name only at addresses that its owner never
//! used. The table is bounded: the oldest entry is dropped first.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The time without a failure after which the count starts again, in seconds.
const FORGIVEN: i64 = 60;
/// The first wait, in seconds, and the longest.
const WAIT_MIN: i64 = 30;
const WAIT_MAX: i64 = 3_600;
/// How many keys are remembered.
const KNOWN_MAX: usize = 10_000;
/// The most characters of a name that are kept.
const NAME_MAX: usize = 60;

/// What failures are counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tried {
    /// A name at an address.
    Both(String, IpAddr),
    /// A name, from anywhere.
    Name(String),
    /// An address, with any name.
    Address(IpAddr),
    /// The current password, by a user who is signed in.
    Current(i64),
}

impl Tried {
    /// A name at an address; then the name, and the address, by themselves.
    pub(crate) fn all(name: &str, from: IpAddr) -> [Self; 3] {
        let name: String = name.to_lowercase().chars().take(NAME_MAX).collect();
        [Self::Both(name.clone(), from), Self::Name(name), Self::Address(from)]
    }

    /// What a lock is of; none if it is of nothing.
    pub(crate) fn new(name: Option<String>, from: Option<IpAddr>) -> Option<Self> {
        match (name, from) {
            (Some(name), Some(from)) => Some(Self::Both(name.to_lowercase(), from)),
            (Some(name), None) => Some(Self::Name(name.to_lowercase())),
            (None, Some(from)) => Some(Self::Address(from)),
            (None, None) => None,
        }
    }

    /// How many failures cause no wait.
    const fn free(&self) -> u32 {
        match self {
            Self::Both(..) | Self::Current(_) => 5,
            Self::Name(_) | Self::Address(_) => 50,
        }
    }
}

/// A name or an address, or both, that has to wait before it may sign in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lock {
    /// The name in small letters; none if it is of every name.
    pub(crate) name: Option<String>,
    /// Where; none if it is from anywhere.
    pub(crate) from: Option<IpAddr>,
    /// For how many seconds more.
    pub(crate) wait: i64,
}

/// What is known about one key.
#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    count: u32,
    last: i64,
    until: i64,
}

/// Counts failures.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<HashMap<Tried, Failures>>);

impl Limiter {
    /// How many seconds must pass before another try by any of these; `None` if a try is allowed now.
    pub(crate) fn wait(&self, tried: &[Tried], now: i64) -> Option<i64> {
        let known = self.known();
        let waits =
            tried.iter().filter_map(|key| known.get(key)).map(|failures| failures.until - now);
        waits.max().filter(|wait| *wait > 0)
    }

    /// Records a failure.
    pub(crate) fn failed(&self, tried: &[Tried], now: i64) {
        let mut known = self.known();
        for key in tried {
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
            if let Some(beyond) = failures.count.checked_sub(key.free()) {
                let wait = (WAIT_MIN << beyond.min(10)).min(WAIT_MAX);
                failures.until = now + wait;
            }
        }
    }

    /// Drops the failures of these, because a password was correct or an administrator lifts a lock.
    pub(crate) fn forget(&self, tried: &[Tried]) {
        let mut known = self.known();
        for key in tried {
            known.remove(key);
        }
    }

    /// All that have to wait, in order.
    pub(crate) fn locks(&self, now: i64) -> Vec<Lock> {
        let known = self.known();
        let waiting = known.iter().filter(|(_, failures)| failures.until > now);
        let locks = waiting.filter_map(|(tried, failures)| {
            let (name, from) = match tried {
                Tried::Both(name, from) => (Some(name.clone()), Some(*from)),
                Tried::Name(name) => (Some(name.clone()), None),
                Tried::Address(from) => (None, Some(*from)),
                // A user who is signed in waits for nothing else.
                Tried::Current(_) => return None,
            };
            Some(Lock { name, from, wait: failures.until - now })
        });
        let mut locks: Vec<Lock> = locks.collect();
        locks.sort();
        locks
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Tried, Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn five_attempts_are_free_and_then_the_wait_doubles() {
        let limiter = Limiter::default();
        let ada = Tried::all("Ada", address(1));
        for _ in 0..4 {
            limiter.failed(&ada, 100);
            assert_eq!(limiter.wait(&ada, 100), None);
        }
        let mut now = 100;
        for expected in [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
            limiter.failed(&ada, now);
            assert_eq!(limiter.wait(&Tried::all("ADA", address(1)), now), Some(expected));
            assert_eq!(limiter.wait(&Tried::all("bob", address(1)), now), None);
            assert_eq!(limiter.wait(&Tried::all("ada", address(2)), now), None);
            now += expected;
            assert_eq!(limiter.wait(&ada, now), None);
        }
        limiter.forget(&ada[..1]);
        limiter.failed(&ada[..1], now);
        assert_eq!(limiter.wait(&ada[..1], now), None);
    }

    #[test]
    fn name_and_address_wait_after_fifty_failures() {
        let limiter = Limiter::default();
        for number in 0..50 {
            limiter.failed(&Tried::all("ada", address(number)), 100);
        }
        assert_eq!(limiter.wait(&Tried::all("ada", address(99)), 100), Some(30));
        assert_eq!(limiter.wait(&Tried::all("bob", address(1)), 100), None);
        let locks = limiter.locks(100);
        assert_eq!(locks, [Lock { name: Some("ada".to_owned()), from: None, wait: 30 }]);
        limiter.forget(&[Tried::new(locks[0].name.clone(), locks[0].from).unwrap()]);
        assert_eq!(
            (limiter.locks(100), limiter.wait(&Tried::all("ada", address(99)), 100)),
            (vec![], None)
        );
        for number in 0..50 {
            limiter.failed(&Tried::all(&number.to_string(), address(200)), 100);
        }
        assert_eq!(limiter.wait(&Tried::all("bob", address(200)), 100), Some(30));
    }

    #[test]
    fn oldest_entries_are_forgotten_first() {
        let limiter = Limiter::default();
        let name = |number: i64| Tried::Name(number.to_string());
        for number in (0_i64..).take(KNOWN_MAX + 10) {
            limiter.failed(&[name(number)], number);
        }
        let known = limiter.known();
        assert_eq!(known.len(), KNOWN_MAX);
        assert!(!known.contains_key(&name(0)) && known.contains_key(&name(10)));
    }
}
