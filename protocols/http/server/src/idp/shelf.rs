//! What a provider remembers for a while, under texts that it hands out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::tokens::Seal;

/// Things that are kept for the same time each, under numbers in their order. Their number is limited: the oldest is
/// dropped as if it had expired.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    seal: Seal,
    lasts: Duration,
    most: usize,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    last: u64,
    things: BTreeMap<u64, (Duration, T)>,
}

impl<T> Shelf<T> {
    pub(super) const fn new(secret: u64, most: usize, lasts: Duration) -> Self {
        let kept = Mutex::new(Kept { last: 0, things: BTreeMap::new() });
        Self { seal: Seal::new(secret), lasts, most, kept }
    }

    /// Keeps something. Returns its number.
    pub(super) fn put(&self, now: Duration, thing: T) -> u64 {
        let mut kept = self.lock();
        while let Some(oldest) = kept.things.first_entry() {
            if oldest.get().0 > now {
                break;
            }
            oldest.remove();
        }
        if kept.things.len() >= self.most {
            kept.things.pop_first();
        }
        kept.last += 1;
        let number = kept.last;
        kept.things.insert(number, (now.saturating_add(self.lasts), thing));
        number
    }

    /// Keeps something. Returns the text it is kept under.
    pub(super) fn issue(&self, now: Duration, thing: T) -> String {
        self.seal.write(self.put(now, thing))
    }

    /// The text of a number.
    pub(super) fn text(&self, number: u64) -> String {
        self.seal.write(number)
    }

    /// The number of a text, whether or not anything is still kept under it.
    pub(super) fn number(&self, text: &str) -> Option<u64> {
        self.seal.read(text)
    }

    /// Uses what is kept under a number, if it has not expired.
    pub(super) fn with<R>(
        &self,
        number: u64,
        now: Duration,
        using: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let mut kept = self.lock();
        let (until, thing) = kept.things.get_mut(&number)?;
        (now < *until).then(|| using(thing))
    }

    /// Takes what is kept under a number away, if it has not expired.
    pub(super) fn take(&self, number: u64, now: Duration) -> Option<T> {
        let (until, thing) = self.lock().things.remove(&number)?;
        (now < until).then_some(thing)
    }

    /// How long a thing is kept.
    pub(super) const fn lasts(&self) -> Duration {
        self.lasts
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn shelf_keeps_an_item_until_taken_or_expired() {
        let shelf = Shelf::new(7, 10, SECOND * 5);
        let text = shelf.issue(SECOND, "a");
        let number = shelf.number(&text).unwrap();
        assert_eq!(shelf.with(number, SECOND * 5, |thing| *thing), Some("a"));
        assert_eq!(shelf.with(number, SECOND * 6, |thing| *thing), None);
        assert_eq!(shelf.take(number, SECOND * 5), Some("a"));
        assert_eq!(shelf.take(number, SECOND * 5), None);
        assert_eq!(Shelf::<()>::new(8, 1, SECOND).number(&text), None);
    }

    #[test]
    fn shelf_is_limited_and_drops_expired_items() {
        let shelf = Shelf::new(7, 3, SECOND * 5);
        let numbers: Vec<_> = (0..5).map(|n| shelf.put(SECOND, n)).collect();
        let with = |n: &u64, at| shelf.with(*n, at, |thing| *thing);
        let kept = |at| numbers.iter().filter_map(|n| with(n, at)).collect::<Vec<i32>>();
        assert_eq!(kept(SECOND), [2, 3, 4]);
        shelf.put(SECOND * 6, 9);
        assert_eq!(shelf.lock().things.len(), 1);
        assert!(kept(SECOND).is_empty());
    }
}
