//! [`Cache`]: a cache of results that take long to compute, by a hash of their inputs.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The results that were made last, at most so many, each by a hash of what it was made from.
#[derive(Debug)]
pub(crate) struct Cache<T, const MOST: usize>(Mutex<VecDeque<(u64, T)>>);

impl<T, const MOST: usize> Default for Cache<T, MOST> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone, const MOST: usize> Cache<T, MOST> {
    /// The result for this hash, which is computed if it is not in the cache. Other calls do not wait for it.
    pub(crate) fn of<E>(&self, key: u64, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all().iter().find(|(one, _)| *one == key).map(|(_, found)| found.clone());
        if let Some(found) = known {
            return Ok(found);
        }
        let result = make()?;
        let mut all = all();
        all.truncate(MOST.saturating_sub(1));
        all.push_front((key, result.clone()));
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_keeps_successes_and_not_failures() {
        let kept = Cache::<u32, 2>::default();
        let fails = || -> Result<u32, ()> { Err(()) };
        let of = |key: u64, value: u32| kept.of(key, || Ok::<u32, ()>(value));
        assert_eq!(kept.of(1, fails), Err(()));
        assert_eq!([of(1, 10), of(1, 11), of(2, 20)], [Ok(10), Ok(10), Ok(20)]);
        // The one that was made first is forgotten.
        assert_eq!([of(3, 30), of(2, 21), of(1, 12)], [Ok(30), Ok(20), Ok(12)]);
    }
}
