//! Every lease in memory: [`Index`].
//!
//! Addresses are allocated from pools, so those in use are close together: a page of 128 leases is found by the upper
//! part of an address and read at its lower part. A search then waits for memory once, and neighbours share the wait; a
//! lease far from all others costs a page of its own, of 3 KiB. With Kea's tables, leases are also found by client
//! identifier and hardware address, through hash tables in which leases with equal values are chained, and are sorted
//! by their time of expiry. With the guide's tables there is only the index of addresses, and any other search reads
//! every lease, as it does in a database.

use super::slabs::Slabs;
use crate::leases::{Family, Schema};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use std::collections::BTreeSet;
use std::hash::BuildHasher;

/// No lease.
const NONE: u32 = u32::MAX;
const PAGE: usize = 128;

/// The values of a lease, borrowed from where they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns<'a> {
    pub(super) address: u128,
    pub(super) hardware: &'a [u8],
    pub(super) client_id: &'a [u8],
    pub(super) hostname: &'a [u8],
    pub(super) valid_lifetime: u32,
    pub(super) cltt: i64,
    pub(super) subnet: u32,
}

/// The kind of identity of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Hardware,
    Client,
}

/// What is kept of a lease besides its octets and its address, which follows from its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    cltt: i64,
    valid_lifetime: u32,
    subnet: u32,
    /// The place in the slabs of hardware address, client identifier and host name, in this order.
    place: u32,
    lengths: [u8; 3],
    there: bool,
}

const VACANT: Entry =
    Entry { cltt: 0, valid_lifetime: 0, subnet: 0, place: 0, lengths: [0; 3], there: false };

/// The previous and the next lease with the same identity.
#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    behind: u32,
}

const LOOSE: Link = Link { before: NONE, behind: NONE };

/// Leases by address, and by the other values that are searched. A lease is identified by its place: the number of its
/// page times the page size, plus its place in the page.
pub(super) struct Index {
    /// The number of low bits of an address that are not significant: those below a prefix.
    shift: u32,
    directory: HashMap<u128, u32, RandomState>,
    pages: Vec<[Entry; PAGE]>,
    /// The upper part of the addresses of each page.
    uppers: Vec<u128>,
    slabs: Slabs,
    secondary: Option<Box<Secondary>>,
    count: u64,
}

#[derive(Default)]
struct Secondary {
    hasher: RandomState,
    /// The first of each chain, by hardware address and by client identifier.
    heads: [HashTable<u32>; 2],
    /// The chains, by place.
    links: Vec<[Link; 2]>,
    over: BTreeSet<(i64, u32)>,
}

impl Index {
    pub(super) fn new(schema: Schema, family: Family) -> Self {
        Self {
            shift: if family == Family::Prefix { 64 } else { 0 },
            directory: HashMap::default(),
            pages: Vec::new(),
            uppers: Vec::new(),
            slabs: Slabs::default(),
            secondary: (schema == Schema::Kea).then(Box::default),
            count: 0,
        }
    }

    /// How many leases there are.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The lease of an address.
    pub(super) fn at(&self, address: u128) -> Option<u32> {
        let number = address >> self.shift;
        let page = *self.directory.get(&(number / PAGE as u128))?;
        let place = number as usize % PAGE;
        let there = self.pages[page as usize][place].there;
        there.then_some(page * PAGE as u32 + place as u32)
    }

    /// A lease with this identity, if there is one.
    pub(super) fn with(&self, which: Which, octets: &[u8]) -> Option<u32> {
        match &self.secondary {
            Some(secondary) => {
                let hash = secondary.hasher.hash_one(octets);
                let heads = &secondary.heads[which as usize];
                heads.find(hash, |id| self.identity(*id, which) == octets).copied()
            }
            None => self.all().find(|id| self.identity(*id, which) == octets),
        }
    }

    /// At most `limit` leases that had expired at `now`, the longest expired first.
    pub(super) fn over(&self, now: i64, limit: usize, found: &mut Vec<u32>) {
        found.clear();
        if let Some(secondary) = &self.secondary {
            let over = secondary.over.iter().take_while(|(end, _)| *end < now);
            found.extend(over.take(limit).map(|(_, id)| *id));
        } else {
            found.extend(self.all().filter(|id| self.end(*id) < now));
            found.sort_unstable_by_key(|id| (self.end(*id), *id));
            found.truncate(limit);
        }
    }

    /// The values of a lease.
    pub(super) fn columns(&self, id: u32) -> Columns<'_> {
        self.columns_of(id, self.entry(id))
    }

    /// The values of a lease that may have been removed.
    pub(super) fn columns_of(&self, id: u32, entry: &Entry) -> Columns<'_> {
        let [hardware, client_id, hostname] = self.pieces(entry);
        let (page, place) = (id as usize / PAGE, id as usize % PAGE);
        Columns {
            address: (self.uppers[page] * PAGE as u128 + place as u128) << self.shift,
            hardware,
            client_id,
            hostname,
            valid_lifetime: entry.valid_lifetime,
            cltt: entry.cltt,
            subnet: entry.subnet,
        }
    }

    /// When a lease expires.
    pub(super) fn end(&self, id: u32) -> i64 {
        self.entry(id).end()
    }

    /// Adds a lease whose address is free, and whose octets are at most 255 each; `None` if there are no more numbers
    /// for leases.
    pub(super) fn add(&mut self, lease: &Columns<'_>) -> Option<u32> {
        let number = lease.address >> self.shift;
        let upper = number / PAGE as u128;
        let page = match self.directory.get(&upper) {
            Some(page) => *page,
            None => self.add_page(upper)?,
        };
        let pieces = [lease.hardware, lease.client_id, lease.hostname];
        let entry = Entry {
            cltt: lease.cltt,
            valid_lifetime: lease.valid_lifetime,
            subnet: lease.subnet,
            place: self.slabs.keep(pieces)?,
            lengths: pieces.map(|piece| piece.len() as u8),
            there: true,
        };
        let id = page * PAGE as u32 + (number as usize % PAGE) as u32;
        self.put(id, entry);
        Some(id)
    }

    fn add_page(&mut self, upper: u128) -> Option<u32> {
        let page = self.pages.len();
        let beyond = u32::try_from((page + 1) * PAGE).ok()?;
        debug_assert!(beyond > 0, "a page has places");
        self.pages.push([VACANT; PAGE]);
        self.uppers.push(upper);
        if let Some(secondary) = &mut self.secondary {
            secondary.links.resize(beyond as usize, [LOOSE; 2]);
        }
        self.directory.insert(upper, page as u32);
        Some(page as u32)
    }

    /// Gives a lease another lifetime.
    pub(super) fn renew(&mut self, id: u32, valid_lifetime: u32, cltt: i64) {
        let entry = self.entry_mut(id);
        let before = entry.end();
        (entry.valid_lifetime, entry.cltt) = (valid_lifetime, cltt);
        let end = entry.end();
        if let Some(secondary) = &mut self.secondary {
            secondary.over.remove(&(before, id));
            secondary.over.insert((end, id));
        }
    }

    /// Puts a lease in its place, which is free.
    pub(super) fn put(&mut self, id: u32, entry: Entry) {
        debug_assert!(!self.entry(id).there && entry.there, "one lease in a place");
        *self.entry_mut(id) = entry;
        self.count += 1;
        if let Some(mut secondary) = self.secondary.take() {
            secondary.over.insert((entry.end(), id));
            for which in [Which::Hardware, Which::Client] {
                self.link(&mut secondary, which, id);
            }
            self.secondary = Some(secondary);
        }
    }

    /// Removes a lease from its place. Its octets are kept until [`forget`](Self::forget).
    pub(super) fn take(&mut self, id: u32) -> Entry {
        if let Some(mut secondary) = self.secondary.take() {
            secondary.over.remove(&(self.end(id), id));
            for which in [Which::Hardware, Which::Client] {
                self.unlink(&mut secondary, which, id);
            }
            self.secondary = Some(secondary);
        }
        self.count -= 1;
        std::mem::replace(self.entry_mut(id), VACANT)
    }

    /// Releases the memory of a lease that was removed.
    pub(super) fn forget(&mut self, entry: &Entry) {
        self.slabs.give_back(entry.place, entry.length());
    }

    fn entry(&self, id: u32) -> &Entry {
        &self.pages[id as usize / PAGE][id as usize % PAGE]
    }

    fn entry_mut(&mut self, id: u32) -> &mut Entry {
        &mut self.pages[id as usize / PAGE][id as usize % PAGE]
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        let entries = self.pages.iter().flatten();
        (0..).zip(entries).filter(|(_, entry)| entry.there).map(|(id, _)| id)
    }

    fn pieces(&self, entry: &Entry) -> [&[u8]; 3] {
        let octets = self.slabs.kept(entry.place, entry.length());
        let [hardware, client, _] = entry.lengths.map(usize::from);
        let (hardware, octets) = octets.split_at(hardware);
        let (client, hostname) = octets.split_at(client);
        [hardware, client, hostname]
    }

    fn identity(&self, id: u32, which: Which) -> &[u8] {
        self.pieces(self.entry(id))[which as usize]
    }

    /// Links a lease after the first of those with the same identity, or as the head of a new chain.
    fn link(&self, secondary: &mut Secondary, which: Which, id: u32) {
        let Secondary { hasher, heads, links, .. } = secondary;
        let heads = &mut heads[which as usize];
        let octets = self.identity(id, which);
        let hash = hasher.hash_one(octets);
        if let Some(head) = heads.find(hash, |id| self.identity(*id, which) == octets).copied() {
            let first = &mut links[head as usize][which as usize];
            let behind = std::mem::replace(&mut first.behind, id);
            links[id as usize][which as usize] = Link { before: head, behind };
            if behind != NONE {
                links[behind as usize][which as usize].before = id;
            }
        } else {
            heads.insert_unique(hash, id, |id| hasher.hash_one(self.identity(*id, which)));
        }
    }

    fn unlink(&self, secondary: &mut Secondary, which: Which, id: u32) {
        let Secondary { hasher, heads, links, .. } = secondary;
        let link = std::mem::replace(&mut links[id as usize][which as usize], LOOSE);
        if link.behind != NONE {
            links[link.behind as usize][which as usize].before = link.before;
        }
        if link.before != NONE {
            links[link.before as usize][which as usize].behind = link.behind;
            return;
        }
        let hash = hasher.hash_one(self.identity(id, which));
        if let Ok(mut head) = heads[which as usize].find_entry(hash, |head| *head == id) {
            if link.behind == NONE {
                head.remove();
            } else {
                *head.get_mut() = link.behind;
            }
        }
    }
}

impl Entry {
    fn end(&self) -> i64 {
        self.cltt.saturating_add(i64::from(self.valid_lifetime))
    }

    fn length(&self) -> usize {
        self.lengths.iter().map(|length| usize::from(*length)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(address: u128, client_id: &[u8], cltt: i64) -> Columns<'_> {
        Columns {
            address,
            hardware: b"hw",
            client_id,
            hostname: b"foo",
            valid_lifetime: 10,
            cltt,
            subnet: 1,
        }
    }

    #[test]
    fn index_finds_equal_keys_in_any_order_of_removal() {
        for schema in [Schema::Guide, Schema::Kea] {
            for gone in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
                let mut index = Index::new(schema, Family::V4);
                let ids = [7, 300, 9].map(|at| index.add(&columns(at, b"same", 0)).unwrap());
                for (place, left) in gone.into_iter().zip([2, 1, 0]) {
                    assert!(index.with(Which::Client, b"same").is_some());
                    let taken = index.take(ids[place]);
                    index.forget(&taken);
                    assert_eq!(index.count(), left);
                    assert_eq!(index.with(Which::Hardware, b"hw").is_some(), left > 0);
                }
                assert_eq!(index.with(Which::Client, b"same"), None);
                assert_eq!(index.at(300), None);
            }
        }
    }

    #[test]
    fn index_lists_the_longest_expired_first() {
        for schema in [Schema::Guide, Schema::Kea] {
            let mut index = Index::new(schema, Family::V6);
            for (address, cltt) in [(1, 50), (2, 10), (3, 30), (4, 500)] {
                index.add(&columns(address, &[address as u8], cltt)).unwrap();
            }
            let late = index.at(2).unwrap();
            index.renew(late, 10, 40);
            let mut found = Vec::new();
            index.over(61, 10, &mut found);
            let addresses: Vec<_> = found.iter().map(|id| index.columns(*id).address).collect();
            assert_eq!(addresses, [3, 2, 1]);
            index.over(60, 10, &mut found);
            assert_eq!(found.len(), 2, "at 60 the lease until 60 is not over");
            index.over(61, 1, &mut found);
            assert_eq!(index.columns(found[0]).address, 3);
        }
    }
}
