//! The [`Transactions`] of a worker: which slot has a transaction id, and the results of those that ended.
//!
//! Two tables of fixed size, so that memory does not grow in any overload. Those in flight are found by open addressing
//! with linear probing, at most a quarter full, and removed by moving back what follows, so the table never has to be
//! rebuilt. Those that ended are kept in a table where each id has one place, which the next id with the same place
//! overwrites: ids are consecutive numbers, which multiplication by the golden ratio spreads so evenly that about as
//! many of the last ids are known as the table has places. It must not depend on what a message is, nor on what is
//! remembered about a transaction.

/// How many ended transactions are known at least.
const ENDED_MIN: usize = 1 << 17;
/// How many at most, if many are sent before the run.
const ENDED_MAX: usize = 1 << 22;
const FREE: u32 = u32::MAX;
/// 2^32 divided by the golden ratio.
const GOLDEN: u32 = 0x9e37_79b9;

#[derive(Clone, Copy)]
struct LiveTransaction {
    xid: u32,
    slot: u32,
}

#[derive(Clone, Copy)]
struct EndedTransaction<P> {
    xid: u32,
    what: Option<P>,
}

/// The transactions in flight by their ids, and the latest that ended.
pub struct Transactions<P> {
    live: Box<[LiveTransaction]>,
    ended: Box<[EndedTransaction<P>]>,
}

impl<P: Copy> Transactions<P> {
    /// Tables for `slots` slots, each with one transaction at a time, and for `preload` transactions before the run.
    pub fn new(slots: usize, preload: u64) -> Self {
        let live = (slots.max(1) * 4).next_power_of_two();
        let preload = usize::try_from(preload).unwrap_or(ENDED_MAX).min(ENDED_MAX / 2);
        let ended = (preload * 2).next_power_of_two().max(ENDED_MIN);
        Self {
            live: vec![LiveTransaction { xid: 0, slot: FREE }; live].into_boxed_slice(),
            ended: vec![EndedTransaction { xid: 0, what: None }; ended].into_boxed_slice(),
        }
    }

    /// The slot that has the transaction.
    pub fn slot(&self, xid: u32) -> Option<u32> {
        let mut place = home(xid, self.live.len());
        loop {
            let live = self.live[place];
            if live.slot == FREE {
                return None;
            }
            if live.xid == xid {
                return Some(live.slot);
            }
            place = (place + 1) % self.live.len();
        }
    }

    /// Assigns the transaction to a slot, in place of the one that had it before.
    pub fn begin(&mut self, xid: u32, slot: u32) {
        let mut place = home(xid, self.live.len());
        while self.live[place].slot != FREE && self.live[place].xid != xid {
            place = (place + 1) % self.live.len();
        }
        self.live[place] = LiveTransaction { xid, slot };
    }

    /// Ends the transaction, if this slot still has it, and remembers its result.
    pub fn end(&mut self, xid: u32, slot: u32, past: P) {
        let mut place = home(xid, self.live.len());
        loop {
            let live = self.live[place];
            if live.slot == FREE || live.xid == xid && live.slot != slot {
                return;
            }
            if live.xid == xid {
                break;
            }
            place = (place + 1) % self.live.len();
        }
        self.vacate(place);
        self.remember(xid, past);
    }

    /// Remembers a transaction that no slot has.
    pub fn remember(&mut self, xid: u32, past: P) {
        let place = home(xid, self.ended.len());
        self.ended[place] = EndedTransaction { xid, what: Some(past) };
    }

    /// The result of a transaction that no slot has any more; `None` if it was never begun or has been forgotten.
    pub fn past(&self, xid: u32) -> Option<P> {
        let ended = self.ended[home(xid, self.ended.len())];
        ended.what.filter(|_| ended.xid == xid)
    }

    /// How many may be in flight at once.
    pub fn size(&self) -> usize {
        self.live.len() + self.ended.len()
    }

    /// Frees a place and moves back the entries that were placed further on because of it.
    fn vacate(&mut self, mut hole: usize) {
        let length = self.live.len();
        let mut place = hole;
        loop {
            place = (place + 1) % length;
            let live = self.live[place];
            if live.slot == FREE {
                break;
            }
            let strayed = (place + length - home(live.xid, length)) % length;
            if strayed >= (place + length - hole) % length {
                self.live[hole] = live;
                hole = place;
            }
        }
        self.live[hole].slot = FREE;
    }
}

/// The place of a transaction in a table whose length is a power of two.
fn home(xid: u32, length: usize) -> usize {
    let spread = xid.wrapping_mul(GOLDEN);
    ((u64::from(spread) * length as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::mix;
    use std::collections::HashMap;

    /// Compares with the standard library's map, in a pseudorandom order, with ids from a range so small that they
    /// collide.
    #[test]
    fn transactions_equal_a_map() {
        let mut tables = Transactions::new(64, 0);
        let mut plain: HashMap<u32, u32> = HashMap::new();
        let mut held = [None::<u32>; 64];
        for step in 0..100_000 {
            let draw = mix(step);
            let (slot, xid) = ((draw % 64) as u32, (draw >> 8) as u32 % 500);
            if let Some(before) = held[slot as usize].take() {
                tables.end(before, slot, step as u8);
                if plain.get(&before) == Some(&slot) {
                    plain.remove(&before);
                    assert_eq!(tables.past(before), Some(step as u8));
                }
            }
            if draw >> 63 == 0 {
                tables.begin(xid, slot);
                plain.insert(xid, slot);
                held[slot as usize] = Some(xid);
            }
            let requested = (draw >> 32) as u32 % 500;
            assert_eq!(tables.slot(requested), plain.get(&requested).copied(), "step {step}");
        }
        assert!(plain.len() > 10);
    }

    #[test]
    fn transactions_remember_the_last_consecutive_ids() {
        for step in [1_u32, 2, 3, 16] {
            let mut tables = Transactions::new(1, 0);
            let count = 50_000_u32;
            for n in 0..10 * count {
                tables.remember(n.wrapping_mul(step), ());
            }
            let known = (9 * count..10 * count)
                .filter(|n| tables.past(n.wrapping_mul(step)).is_some())
                .count();
            assert!(known * 100 >= count as usize * 95, "{known} of {count} at step {step}");
            assert_eq!(tables.past(u32::MAX), None);
        }
    }

    #[test]
    fn transactions_sizes_follow_the_requested_ones() {
        let tables = Transactions::<()>::new(1000, 100_000_000);
        assert_eq!((tables.live.len(), tables.ended.len()), (4096, ENDED_MAX));
        let tables = Transactions::<()>::new(0, 0);
        assert_eq!((tables.live.len(), tables.ended.len()), (4, ENDED_MIN));
    }
}
