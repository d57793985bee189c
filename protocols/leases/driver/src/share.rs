//! The private state of a session of a mixed workload: its [`Share`] of the pool, and which leases of it are held.
//!
//! Numbers are removed before the store is called and put back once it has answered. So a number without an answer is
//! in neither list, and a session that replaces a hanging one does not rely on an unknown state.

use super::workload::{Mix, below};

/// The numbers of the pool that one session works on.
#[derive(Debug)]
pub(super) struct Share {
    held: Vec<u64>,
    free: Vec<u64>,
}

impl Share {
    /// The numbers of the pool whose remainder is `session` when divided by `sessions`.
    pub(super) fn new(mix: &Mix, session: u32, sessions: u32) -> Self {
        let numbers = |from: u64, to: u64| {
            let step = u64::from(sessions.max(1));
            let first = from + (u64::from(session) + step - from % step) % step;
            (first..to).step_by(step as usize)
        };
        let held = mix.held.min(mix.pool);
        let capacity = (mix.pool / u64::from(sessions.max(1)) + 1) as usize;
        let mut share =
            Self { held: Vec::with_capacity(capacity), free: Vec::with_capacity(capacity) };
        share.held.extend(numbers(0, held));
        share.free.extend(numbers(held, mix.pool));
        share
    }

    /// Removes and returns a number whose lease is held; it is then in neither list.
    pub(super) fn take_held(&mut self, draw: u64) -> Option<u64> {
        take(&mut self.held, draw)
    }

    /// Removes and returns a number whose lease is not held; it is then in neither list.
    pub(super) fn take_free(&mut self, draw: u64) -> Option<u64> {
        take(&mut self.free, draw)
    }

    /// Puts a number back as held or as free.
    pub(super) fn put(&mut self, number: u64, held: bool) {
        if held { &mut self.held } else { &mut self.free }.push(number);
    }

    /// How many are held, and how many are free.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.held.len(), self.free.len())
    }
}

fn take(list: &mut Vec<u64>, draw: u64) -> Option<u64> {
    (!list.is_empty()).then(|| list.swap_remove(below(draw, list.len() as u64) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;

    fn mix(pool: u64, held: u64) -> Mix {
        Mix {
            allocate: 1,
            renew: 1,
            release: 1,
            expire: 1,
            search: 1,
            by: By::Address,
            pool,
            held,
            reclaim: 1,
        }
    }

    #[test]
    fn shares_make_up_the_pool() {
        for (pool, held, sessions) in [(100, 37, 7), (10, 0, 3), (5, 5, 8), (64, 63, 1)] {
            let shares: Vec<_> =
                (0..sessions).map(|n| Share::new(&mix(pool, held), n, sessions)).collect();
            let mut all_held: Vec<u64> = shares.iter().flat_map(|s| s.held.clone()).collect();
            let mut all_free: Vec<u64> = shares.iter().flat_map(|s| s.free.clone()).collect();
            all_held.sort_unstable();
            all_free.sort_unstable();
            assert!(all_held.into_iter().eq(0..held));
            assert!(all_free.into_iter().eq(held..pool));
        }
    }

    #[test]
    fn taken_lease_is_in_neither_list() {
        let mut share = Share::new(&mix(4, 2), 0, 1);
        let taken = share.take_held(u64::MAX).unwrap();
        assert_eq!((taken, share.counts()), (1, (1, 2)));
        assert_eq!(share.take_held(0), Some(0));
        assert_eq!(share.take_held(0), None);
        share.put(taken, false);
        assert_eq!(share.counts(), (0, 3));
    }
}
