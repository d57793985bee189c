//! Equality indexes: from a value of an attribute to the entries that have it.
//!
//! There is an index for each attribute by which people are looked up. `objectClass` has none on purpose: nearly every
//! entry has the same classes, and walking the tree is as fast as walking that list.

use std::collections::HashMap;

use super::entry::{Entry, Id, Operational};
use super::matching::folded;

/// The attributes that have an index.
const INDEXED: [&str; 6] = ["uid", "cn", "sn", "mail", "employeeNumber", "entryUUID"];

/// The indexes of a directory.
#[derive(Debug)]
pub(super) struct Indexes {
    maps: [HashMap<Vec<u8>, Posting>; INDEXED.len()],
}

/// The entries with one value; most often there is one.
#[derive(Debug)]
enum Posting {
    One(Id),
    Many(Vec<Id>),
}

impl Indexes {
    pub(super) fn new() -> Self {
        Self { maps: std::array::from_fn(|_| HashMap::new()) }
    }

    /// The entries with this value, or `None` if the attribute has no index.
    pub(super) fn find(&self, attribute: &[u8], value: &[u8]) -> Option<&[Id]> {
        let number =
            INDEXED.iter().position(|name| name.as_bytes().eq_ignore_ascii_case(attribute))?;
        Some(match self.maps[number].get(&folded(value)) {
            Some(Posting::One(id)) => std::slice::from_ref(id),
            Some(Posting::Many(ids)) => ids,
            None => &[],
        })
    }

    pub(super) fn insert(&mut self, id: Id, entry: &Entry) {
        self.each(entry, |map, value| match map.entry(value) {
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(Posting::One(id));
            }
            std::collections::hash_map::Entry::Occupied(mut there) => there.get_mut().add(id),
        });
    }

    pub(super) fn remove(&mut self, id: Id, entry: &Entry) {
        self.each(entry, |map, value| {
            if map.get_mut(&value).is_some_and(|posting| posting.take(id)) {
                map.remove(&value);
            }
        });
    }

    fn each(
        &mut self,
        entry: &Entry,
        mut act: impl FnMut(&mut HashMap<Vec<u8>, Posting>, Vec<u8>),
    ) {
        for (map, name) in self.maps.iter_mut().zip(INDEXED) {
            for attribute in
                entry.attributes.iter().filter(|attribute| attribute.is(name.as_bytes()))
            {
                attribute.values().for_each(|value| act(map, folded(value)));
            }
            if let Some(operational) = Operational::named(name.as_bytes()) {
                act(map, operational.value(entry).into_bytes());
            }
        }
    }
}

/// Whether a change of this attribute changes an index.
pub(crate) fn is_indexed(description: &[u8]) -> bool {
    let name = description.split(|byte| *byte == b';').next().unwrap_or_default();
    INDEXED.iter().any(|indexed| indexed.as_bytes().eq_ignore_ascii_case(name))
}

impl Posting {
    fn add(&mut self, id: Id) {
        match self {
            Self::One(first) if *first == id => {}
            Self::One(first) => *self = Self::Many(vec![*first, id]),
            Self::Many(ids) if ids.last() == Some(&id) => {}
            Self::Many(ids) => ids.push(id),
        }
    }

    /// Removes an entry and returns whether none is left.
    fn take(&mut self, id: Id) -> bool {
        match self {
            Self::One(only) => *only == id,
            Self::Many(ids) => {
                ids.retain(|other| *other != id);
                ids.is_empty()
            }
        }
    }
}
