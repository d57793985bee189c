//! The leases of a pool, by place (the index of an address in the pool) and by client.
//!
//! A client keeps its place until another client needs it, even after its lease has ended, so that it gets the same
//! address again. All leases of one state last equally long and so end in the order in which they were made. Each state
//! is therefore a linked list through the table, whose head ends first. Creating, renewing and releasing a lease take
//! constant time, and nothing is allocated for a known client.

use std::hash::BuildHasher as _;
use std::time::Duration;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// How far beyond the places in use a client may ask for one, so that requests cannot fill the memory.
const REACH: usize = 1 << 16;

/// The longest client identity that is stored without an allocation.
const SHORT: usize = 31;

/// The state of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Free, but reserved for the client that had it last while there are others.
    Free,
    /// Offered, and not yet requested.
    Offered,
    /// Leased.
    Bound,
    /// Declined: a client found it in use by another host.
    Declined,
}

const STATES: usize = 4;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The identity of a client.
#[derive(Clone, Debug)]
enum Name {
    Short([u8; SHORT], u8),
    Long(Box<[u8]>),
}

#[derive(Debug)]
struct Slot {
    name: Name,
    until: Duration,
    messages: u32,
    before: u32,
    behind: u32,
    state: State,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

/// The lease of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldLease<'a> {
    pub(super) place: u32,
    pub(super) client: &'a [u8],
    pub(super) state: State,
    /// Since the start of the server.
    pub(super) until: Duration,
    pub(super) messages: u32,
}

/// The leases of one kind.
#[derive(Debug)]
pub(super) struct Leases {
    slots: Vec<Slot>,
    by_client: HashTable<u32>,
    lists: [List; STATES],
    places: u64,
    hasher: RandomState,
}

impl Leases {
    /// A table of `places` places, all free.
    pub(super) fn new(places: u64) -> Self {
        Self {
            slots: Vec::new(),
            by_client: HashTable::new(),
            lists: [List { head: NONE, tail: NONE }; STATES],
            places: places.min(u64::from(NONE)),
            hasher: RandomState::default(),
        }
    }

    /// The place that a client has or had last.
    pub(super) fn of(&self, client: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(client);
        self.by_client.find(hash, |place| self.slot(*place).name.bytes() == client).copied()
    }

    /// Whether a client's lease on a place has not ended.
    pub(super) fn holds(&self, client: &[u8], place: u32, now: Duration) -> bool {
        self.slots.get(place as usize).is_some_and(|slot| {
            slot.state == State::Bound && slot.until > now && slot.name.bytes() == client
        })
    }

    /// Offers a place to a client: the one it had, the one it asks for, or a free one.
    pub(super) fn offer(
        &mut self,
        client: &[u8],
        wanted: Option<u32>,
        now: Duration,
        until: Duration,
    ) -> Option<u32> {
        let place = match self.of(client) {
            Some(place) => place,
            None => wanted.filter(|place| self.is_free(*place, now)).or_else(|| self.spare(now))?,
        };
        let slot = self.slot(place);
        let bound = slot.state == State::Bound && slot.until > now;
        if bound {
            // A client that asks again keeps its lease.
            self.slots[place as usize].messages += 1;
        } else {
            self.give(client, place, State::Offered, until);
        }
        Some(place)
    }

    /// Leases a place to a client. False if another client has it.
    pub(super) fn bind(
        &mut self,
        client: &[u8],
        place: u32,
        now: Duration,
        until: Duration,
    ) -> bool {
        let own = self.of(client);
        if own != Some(place) && !self.is_free(place, now) {
            return false;
        }
        if let Some(other) = own.filter(|own| *own != place) {
            self.forget(other);
        }
        self.give(client, place, State::Bound, until);
        true
    }

    /// Releases a lease. False if there was none.
    pub(super) fn release(&mut self, client: &[u8], place: u32, now: Duration) -> bool {
        let held = self.holds(client, place, now);
        if held {
            self.slots[place as usize].messages += 1;
            self.file(place, State::Free, Duration::ZERO);
        }
        held
    }

    /// Withholds a place until `until`. False if it was not the client's.
    pub(super) fn decline(&mut self, client: &[u8], place: u32, until: Duration) -> bool {
        let given = self.of(client) == Some(place);
        if given {
            self.forget(place);
            self.file(place, State::Declined, until);
        }
        given
    }

    /// Withdraws an offer that the client did not accept.
    pub(super) fn withdraw(&mut self, client: &[u8]) {
        if let Some(place) = self.of(client)
            && self.slot(place).state == State::Offered
        {
            self.file(place, State::Free, Duration::ZERO);
        }
    }

    /// The leases of all places that a client has or had.
    pub(super) fn held(&self) -> impl Iterator<Item = HeldLease<'_>> {
        let named = (0..).zip(&self.slots).filter(|(_, slot)| !slot.name.bytes().is_empty());
        named.map(|(place, slot)| HeldLease {
            place,
            client: slot.name.bytes(),
            state: slot.state,
            until: slot.until,
            messages: slot.messages,
        })
    }

    fn slot(&self, place: u32) -> &Slot {
        &self.slots[place as usize]
    }

    /// Whether a place is free for any client. Adds it to the table if it was never used.
    fn is_free(&mut self, place: u32, now: Duration) -> bool {
        if u64::from(place) >= self.places || place as usize >= self.slots.len() + REACH {
            return false;
        }
        while self.slots.len() <= place as usize {
            self.grow();
        }
        let slot = self.slot(place);
        slot.state == State::Free || slot.until <= now
    }

    /// A place for a new client: one never used, or the one that has been free for longest.
    fn spare(&mut self, now: Duration) -> Option<u32> {
        let free = self.lists[State::Free as usize].head;
        let untouched = |slot: &Slot| slot.name.bytes().is_empty();
        if self.slots.get(free as usize).is_some_and(untouched) {
            return Some(free);
        }
        if (self.slots.len() as u64) < self.places {
            return Some(self.grow());
        }
        let ended = [State::Free, State::Offered, State::Bound, State::Declined]
            .map(|state| self.lists[state as usize].head);
        let has_ended = |head: &u32| {
            self.slots
                .get(*head as usize)
                .is_some_and(|slot| slot.state == State::Free || slot.until <= now)
        };
        ended.into_iter().find(has_ended)
    }

    fn grow(&mut self) -> u32 {
        let place = self.slots.len() as u32;
        self.slots.push(Slot {
            name: Name::new(&[]),
            until: Duration::ZERO,
            messages: 0,
            before: NONE,
            behind: NONE,
            state: State::Free,
        });
        self.push(place);
        place
    }

    /// Assigns a place to a client.
    fn give(&mut self, client: &[u8], place: u32, state: State, until: Duration) {
        if self.slot(place).name.bytes() != client {
            self.forget(place);
            let slot = &mut self.slots[place as usize];
            slot.name = Name::new(client);
            slot.messages = 0;
            let (slots, hasher) = (&self.slots, &self.hasher);
            let hash = |place: &u32| hasher.hash_one(slots[*place as usize].name.bytes());
            self.by_client.insert_unique(self.hasher.hash_one(client), place, hash);
        }
        self.slots[place as usize].messages += 1;
        self.file(place, state, until);
    }

    /// Removes a place from its client.
    fn forget(&mut self, place: u32) {
        let name = self.slots[place as usize].name.bytes();
        if !name.is_empty() {
            let hash = self.hasher.hash_one(name);
            if let Ok(entry) = self.by_client.find_entry(hash, |other| *other == place) {
                entry.remove();
            }
            self.slots[place as usize].name = Name::new(&[]);
        }
        self.file(place, State::Free, Duration::ZERO);
    }

    /// Moves a place to the end of a state's list.
    fn file(&mut self, place: u32, state: State, until: Duration) {
        self.unlink(place);
        let slot = &mut self.slots[place as usize];
        slot.state = state;
        slot.until = until;
        self.push(place);
    }

    fn push(&mut self, place: u32) {
        let state = self.slot(place).state as usize;
        // Places without a client go first, so that clients keep theirs for as long as possible.
        let first = self.slot(place).name.bytes().is_empty() && state == State::Free as usize;
        let List { head, tail } = self.lists[state];
        let (before, behind) = if first { (NONE, head) } else { (tail, NONE) };
        self.slots[place as usize].before = before;
        self.slots[place as usize].behind = behind;
        self.join(state, before, place);
        self.join_back(state, behind, place);
    }

    fn unlink(&mut self, place: u32) {
        let slot = self.slot(place);
        let (state, before, behind) = (slot.state as usize, slot.before, slot.behind);
        self.join(state, before, behind);
        self.join_back(state, behind, before);
    }

    /// Lets `behind` follow `before`.
    fn join(&mut self, state: usize, before: u32, behind: u32) {
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.behind = behind,
            None => self.lists[state].head = behind,
        }
    }

    /// Lets `before` precede `behind`.
    fn join_back(&mut self, state: usize, behind: u32, before: u32) {
        match self.slots.get_mut(behind as usize) {
            Some(slot) => slot.before = before,
            None => self.lists[state].tail = before,
        }
    }
}

impl Name {
    fn new(bytes: &[u8]) -> Self {
        let mut short = [0; SHORT];
        match short.get_mut(..bytes.len()) {
            Some(room) => {
                room.copy_from_slice(bytes);
                Self::Short(short, bytes.len() as u8)
            }
            None => Self::Long(bytes.into()),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(bytes, length) => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn client_keeps_its_address_until_another_needs_it() {
        let mut leases = Leases::new(3);
        let a = leases.offer(b"a", None, at(0), at(10)).unwrap();
        assert_eq!(leases.offer(b"a", None, at(1), at(11)), Some(a));
        assert!(leases.bind(b"a", a, at(2), at(100)));
        assert!(leases.holds(b"a", a, at(99)) && !leases.holds(b"a", a, at(100)));
        assert!(leases.release(b"a", a, at(50)) && !leases.release(b"a", a, at(51)));
        let b = leases.offer(b"b", None, at(52), at(60)).unwrap();
        assert_ne!(a, b, "there are places that were nobody's");
        assert_eq!(leases.offer(b"a", None, at(53), at(60)), Some(a));
    }

    #[test]
    fn exhausted_pool_reuses_expired_leases() {
        let mut leases = Leases::new(2);
        let a = leases.offer(b"a", None, at(0), at(10)).unwrap();
        let b = leases.offer(b"b", None, at(0), at(10)).unwrap();
        assert!(leases.bind(b"b", b, at(1), at(20)));
        assert_eq!(leases.offer(b"c", None, at(9), at(19)), None);
        assert_eq!(leases.offer(b"c", None, at(10), at(20)), Some(a), "the offer was not taken");
        assert!(leases.bind(b"c", a, at(11), at(31)));
        assert_eq!(leases.offer(b"d", None, at(19), at(29)), None);
        assert_eq!(leases.offer(b"d", None, at(20), at(30)), Some(b), "the lease has ended");
        assert!(!leases.bind(b"b", b, at(21), at(41)), "it is another's now");
        assert_eq!(leases.of(b"b"), None);
    }

    #[test]
    fn requested_address_is_granted_if_free() {
        let mut leases = Leases::new(1 << 20);
        assert_eq!(leases.offer(b"a", Some(1000), at(0), at(10)), Some(1000));
        assert_ne!(leases.offer(b"b", Some(1000), at(0), at(10)), Some(1000));
        assert_ne!(leases.offer(b"c", Some(1 << 19), at(0), at(10)), Some(1 << 19), "too far");
        assert_ne!(
            leases.offer(b"d", Some(1 << 20), at(0), at(10)),
            Some(1 << 20),
            "no such place"
        );
        assert!(leases.bind(b"e", 7, at(0), at(10)), "a server may forget, a client need not");
        assert!(leases.bind(b"e", 8, at(0), at(10)));
        assert!(!leases.holds(b"e", 7, at(1)) && leases.holds(b"e", 8, at(1)));
    }

    #[test]
    fn declined_address_is_withheld_for_a_while() {
        let mut leases = Leases::new(1);
        let place = leases.offer(b"a", None, at(0), at(10)).unwrap();
        assert!(!leases.decline(b"b", place, at(60)));
        assert!(leases.decline(b"a", place, at(60)));
        assert_eq!(leases.offer(b"a", None, at(1), at(10)), None);
        assert_eq!(leases.offer(b"a", None, at(60), at(70)), Some(place));
    }

    #[test]
    fn client_identifiers_differ_in_the_last_byte() {
        let mut leases = Leases::new(10);
        let (mut one, mut other) = (vec![7; 255], vec![7; 255]);
        (one[254], other[254]) = (1, 2);
        let place = leases.offer(&one, None, at(0), at(10));
        assert_ne!(leases.offer(&other, None, at(0), at(10)), place);
        assert_eq!(leases.of(&one), place);
        let messages: Vec<_> =
            leases.held().map(|held| (held.client.to_vec(), held.messages)).collect();
        assert_eq!(messages, [(one, 1), (other, 1)]);
    }

    proptest! {
        /// Compares with a table of clients and places that is searched from end to end.
        #[test]
        fn address_is_never_held_by_two_clients(
            steps in prop::collection::vec((0_u8..6, 0_u8..12, 0_u32..10, 0_u64..4), 1..200),
        ) {
            let mut leases = Leases::new(8);
            let mut bound: BTreeMap<u32, (u8, Duration)> = BTreeMap::new();
            let mut now = at(0);
            for (act, client, place, pause) in steps {
                now += at(pause);
                bound.retain(|_, (_, until)| *until > now);
                let name = [client, 1];
                match act {
                    0 => {
                        let offered = leases.offer(&name, Some(place), now, now + at(3));
                        if let Some(place) = offered {
                            prop_assert!(bound.get(&place).is_none_or(|(holder, _)| *holder == client));
                        }
                    }
                    1..=3 => {
                        if leases.bind(&name, place, now, now + at(9)) {
                            let before = bound.insert(place, (client, now + at(9)));
                            prop_assert!(before.is_none_or(|(holder, _)| holder == client));
                            bound.retain(|other, (holder, _)| *holder != client || *other == place);
                        }
                    }
                    4 => {
                        let held = bound.get(&place).is_some_and(|(holder, _)| *holder == client);
                        prop_assert_eq!(leases.release(&name, place, now), held);
                        if held {
                            bound.remove(&place);
                        }
                    }
                    _ => {
                        if leases.decline(&name, place, now + at(20)) {
                            bound.remove(&place);
                        }
                    }
                }
                for (place, (holder, _)) in &bound {
                    prop_assert!(leases.holds(&[*holder, 1], *place, now));
                }
                let held = leases.held().filter(|it| it.state == State::Bound && it.until > now);
                prop_assert_eq!(held.count(), bound.len());
                prop_assert_eq!(leases.by_client.len(), leases.held().count());
            }
        }
    }
}
