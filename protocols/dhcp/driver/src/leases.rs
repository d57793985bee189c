//! The [`Leases`] that a worker keeps: a bounded store from which any lease can be taken at the
//! same cost.
//!
//! A renewal takes a lease at random, a full store discards its oldest lease, and a client that is
//! granted another lease loses its previous one. Each lease is therefore in three places: a list
//! without gaps to draw from, a chain ordered by age, and a map by client. All memory is reserved
//! when the first lease arrives. It must not depend on the contents of a lease, only on its client.

use std::collections::HashMap;

const NOBODY: u32 = u32::MAX;

struct HeldLease<L> {
    lease: L,
    client: u64,
    older: u32,
    newer: u32,
}

/// A bounded number of leases.
pub struct Leases<L> {
    capacity: usize,
    held: Vec<HeldLease<L>>,
    by_client: HashMap<u64, u32>,
    oldest: u32,
    newest: u32,
}

impl<L> Leases<L> {
    /// Creates a store with this capacity; it keeps nothing if the capacity is 0.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.min(NOBODY as usize),
            held: Vec::new(),
            by_client: HashMap::new(),
            oldest: NOBODY,
            newest: NOBODY,
        }
    }

    /// Whether the capacity is more than 0.
    pub const fn is_kept(&self) -> bool {
        self.capacity > 0
    }

    /// How many leases are kept.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether no lease is kept.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Keeps a client's lease in place of its previous one. Returns the other client whose lease
    /// had to be discarded for it, if any.
    pub fn keep(&mut self, client: u64, lease: L) -> Option<L> {
        if self.capacity == 0 {
            return Some(lease);
        }
        if self.held.capacity() == 0 {
            // The reserved memory will be used: a run that keeps one lease keeps many.
            self.held.reserve_exact(self.capacity.min(1 << 16));
            self.by_client.reserve(self.capacity.min(1 << 16));
        }
        let replaced = self.by_client.get(&client).copied();
        if let Some(place) = replaced {
            self.remove(place);
        }
        let forgotten =
            (self.held.len() >= self.capacity).then(|| self.remove(self.oldest)).flatten();
        let place = self.held.len() as u32;
        self.held.push(HeldLease { lease, client, older: self.newest, newer: NOBODY });
        self.by_client.insert(client, place);
        if self.newest == NOBODY {
            self.oldest = place;
        } else {
            self.held[self.newest as usize].newer = place;
        }
        self.newest = place;
        forgotten
    }

    /// Removes and returns the lease that `draw`, any number, selects.
    pub fn take(&mut self, draw: u64) -> Option<L> {
        let count = self.held.len() as u64;
        if count == 0 {
            return None;
        }
        self.remove((draw % count) as u32)
    }

    /// Removes and returns all leases, oldest first.
    pub fn drain(&mut self) -> Vec<L> {
        let mut all = Vec::with_capacity(self.held.len());
        while let Some(lease) = self.remove(self.oldest) {
            all.push(lease);
        }
        all
    }

    fn remove(&mut self, place: u32) -> Option<L> {
        let &HeldLease { client, older, newer, .. } = self.held.get(place as usize)?;
        self.by_client.remove(&client);
        self.join(older, newer);
        let removed = self.held.swap_remove(place as usize);
        // The last entry of the list has moved to the freed place.
        if let Some(&HeldLease { client, older, newer, .. }) = self.held.get(place as usize) {
            self.by_client.insert(client, place);
            self.relink(older, newer, place);
        }
        Some(removed.lease)
    }

    /// Links the two neighbours of a removed entry with each other.
    fn join(&mut self, older: u32, newer: u32) {
        match self.held.get_mut(older as usize) {
            Some(held) => held.newer = newer,
            None => self.oldest = newer,
        }
        match self.held.get_mut(newer as usize) {
            Some(held) => held.older = older,
            None => self.newest = older,
        }
    }

    /// Updates the links to a lease in its neighbours with its current place.
    fn relink(&mut self, older: u32, newer: u32, place: u32) {
        match self.held.get_mut(older as usize) {
            Some(held) => held.newer = place,
            None => self.oldest = place,
        }
        match self.held.get_mut(newer as usize) {
            Some(held) => held.older = place,
            None => self.newest = place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_net::chance::mix;

    #[test]
    fn lease_store_forgets_its_oldest() {
        let mut leases = Leases::new(3);
        for client in 0..3 {
            assert_eq!(leases.keep(client, client * 10), None);
        }
        assert_eq!(leases.keep(3, 30), Some(0));
        assert_eq!(leases.keep(1, 11), None, "a client's own lease is replaced, not forgotten");
        assert_eq!(leases.keep(4, 40), Some(20), "and has become the newest");
        assert_eq!(leases.drain(), [30, 11, 40]);
        assert!(leases.is_empty());
    }

    #[test]
    fn lease_store_without_room_keeps_nothing() {
        let mut leases = Leases::new(0);
        assert_eq!(leases.keep(1, 'a'), Some('a'));
        assert_eq!((leases.len(), leases.take(5)), (0, None));
    }

    /// Compares it with a list kept in order, using draws from a random number generator.
    #[test]
    fn lease_store_keeps_the_order_of_the_rest() {
        let mut leases = Leases::new(50);
        let mut plain: Vec<(u64, u64)> = Vec::new();
        for step in 0..50_000 {
            let draw = mix(step);
            let client = (draw >> 8) % 80;
            if draw.is_multiple_of(3) {
                let taken = leases.take(draw >> 16);
                assert_eq!(taken.is_some(), !plain.is_empty());
                plain.retain(|(_, lease)| Some(*lease) != taken);
            } else {
                plain.retain(|(other, _)| *other != client);
                let oldest = (plain.len() == 50).then(|| plain.remove(0).1);
                plain.push((client, step));
                assert_eq!(leases.keep(client, step), oldest, "step {step}");
            }
            assert_eq!(leases.len(), plain.len());
        }
        let rest: Vec<u64> = plain.iter().map(|(_, lease)| *lease).collect();
        assert!(rest.len() > 10);
        assert_eq!(leases.drain(), rest);
    }

    #[test]
    fn lease_store_draws_reach_every_lease() {
        let mut seen = std::collections::HashSet::new();
        for number in 0..200 {
            let mut leases = Leases::new(10);
            (0..10).for_each(|client| assert_eq!(leases.keep(client, client), None));
            seen.extend(leases.take(mix(number)));
        }
        assert_eq!(seen.len(), 10);
    }
}
