//! The entries of a directory: a tree, a table of names, and equality indexes.
//!
//! Everything that an operation needs is found in a few steps, whatever the number of entries. This module does not
//! know messages or connections.

mod attributes;
mod entry;
mod index;
mod matching;

use std::collections::HashMap;

use brunt_ldap_wire::code;
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::request::Scope;

pub(super) use attributes::{Attributes, write};
pub(super) use entry::{Entry, Id, Operational, is_password};
pub(super) use index::is_indexed;
pub(super) use matching::{equal, integer, matches};

use super::refusal::Refusal;
use brunt_embedded::script::mix;
use index::Indexes;

/// The entries.
#[derive(Debug)]
pub(super) struct Directory {
    entries: Vec<Option<Box<Entry>>>,
    free: Vec<Id>,
    by_name: HashMap<Vec<u8>, Id>,
    indexes: Indexes,
    /// The number of changes. Tags and UUIDs are derived from it.
    changes: u64,
}

impl Directory {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            by_name: HashMap::new(),
            indexes: Indexes::new(),
            changes: 0,
        }
    }

    /// The entry of this normalized name.
    pub(super) fn find(&self, normal: &[u8]) -> Option<Id> {
        self.by_name.get(normal).copied()
    }

    /// The entry of this normalized name, or a refusal that contains the part of the name that exists.
    pub(super) fn demand(&self, normal: &[u8]) -> Result<Id, Refusal> {
        self.find(normal).ok_or_else(|| Refusal::no_such_object(self.matched(normal)))
    }

    pub(super) fn entry(&self, id: Id) -> Option<&Entry> {
        self.entries.get(id as usize)?.as_deref()
    }

    /// The only entry with this `uid`.
    pub(super) fn with_uid(&self, uid: &[u8]) -> Option<&Entry> {
        match self.indexes.find(b"uid", uid)? {
            [only] => self.entry(*only),
            _ => None,
        }
    }

    /// The DN of the nearest existing entry above this name.
    pub(super) fn matched(&self, normal: &[u8]) -> &[u8] {
        let mut name = normal;
        while let Some(above) = parent_name(name) {
            if let Some(entry) = self.find(above).and_then(|id| self.entry(id)) {
                return &entry.dn;
            }
            name = above;
        }
        b""
    }

    /// Adds an entry to the tree. Its parent must exist, unless it is a root.
    pub(super) fn add(&mut self, mut entry: Entry, root: bool) -> Result<Id, Refusal> {
        if self.by_name.contains_key(&entry.normal) {
            return Err(Refusal::new(code::ENTRY_ALREADY_EXISTS, "the entry exists already"));
        }
        let parent = parent_name(&entry.normal).and_then(|name| self.find(name));
        if parent.is_none() && !root {
            return Err(Refusal::no_such_object(self.matched(&entry.normal)));
        }
        self.changes += 1;
        entry.etag = mix(self.changes);
        entry.uuid = version_four(self.changes);
        entry.attributes.shrink();
        let id = self.free.pop().unwrap_or(self.entries.len() as Id);
        self.attach(id, &mut entry, parent);
        self.by_name.insert(entry.normal.clone(), id);
        self.indexes.insert(id, &entry);
        let entry = Some(Box::new(entry));
        match self.entries.get_mut(id as usize) {
            Some(place) => *place = entry,
            None => self.entries.push(entry),
        }
        Ok(id)
    }

    /// Removes a leaf from the tree.
    pub(super) fn delete(&mut self, id: Id) -> Result<Entry, Refusal> {
        if self.entry(id).is_some_and(|entry| !entry.children.is_empty()) {
            return Err(Refusal::new(
                code::NOT_ALLOWED_ON_NON_LEAF,
                "the entry has entries below it",
            ));
        }
        let Some(entry) = self.entries.get_mut(id as usize).and_then(Option::take) else {
            return Err(Refusal::no_such_object(b""));
        };
        self.detach(&entry);
        self.by_name.remove(&entry.normal);
        self.indexes.remove(id, &entry);
        self.free.push(id);
        self.changes += 1;
        Ok(*entry)
    }

    /// Deletes an entry and all below it.
    pub(super) fn delete_tree(&mut self, id: Id) -> Result<(), Refusal> {
        let mut below = Vec::new();
        self.walk(id, &mut |id, _| {
            below.push(id);
            true
        });
        // Parents come before their children, so the leaves are at the end.
        for id in below.into_iter().rev() {
            self.delete(id)?;
        }
        Ok(())
    }

    /// Changes an entry with `change`, which leaves it unchanged if it refuses. `indexed` says whether an attribute
    /// with an index may change.
    pub(super) fn modify(
        &mut self,
        id: Id,
        indexed: bool,
        change: impl FnOnce(&mut Entry) -> Result<(), Refusal>,
    ) -> Result<&Entry, Refusal> {
        let Some(entry) = self.entries.get_mut(id as usize).and_then(Option::as_mut) else {
            return Err(Refusal::no_such_object(b""));
        };
        if indexed {
            self.indexes.remove(id, entry);
        }
        let changed = change(entry);
        if indexed {
            self.indexes.insert(id, entry);
        }
        changed?;
        self.changes += 1;
        entry.etag = mix(self.changes);
        Ok(entry)
    }

    /// Gives an entry another name and another parent, and renames all entries below it accordingly.
    pub(super) fn rename(&mut self, id: Id, dn: &[u8], normal: &[u8]) -> Result<(), Refusal> {
        let parent = parent_name(normal).and_then(|name| self.find(name));
        let Some(entry) = self.entry(id) else { return Err(Refusal::no_such_object(b"")) };
        let old_normal = entry.normal.len();
        let mut below = Vec::new();
        self.walk(id, &mut |id, _| {
            below.push(id);
            true
        });
        for each in below {
            let Some(mut entry) = self.entries.get_mut(each as usize).and_then(Option::take) else {
                continue;
            };
            self.by_name.remove(&entry.normal);
            let keep = entry.normal.len().saturating_sub(old_normal);
            entry.normal.truncate(keep);
            let depth = rdns(&entry.normal);
            entry.normal.extend_from_slice(normal);
            // The parent name may be spelled differently than in the parent entry, so RDNs are counted.
            let keep = first_rdns(&entry.dn, depth);
            entry.dn.truncate(keep);
            entry.dn.extend_from_slice(dn);
            if each == id {
                self.detach(&entry);
                self.attach(id, &mut entry, parent);
            }
            self.by_name.insert(entry.normal.clone(), each);
            self.entries[each as usize] = Some(entry);
        }
        self.changes += 1;
        Ok(())
    }

    /// Calls `visit` with every entry within the scope that may match, until it returns false.
    pub(super) fn search(
        &self,
        base: Id,
        scope: Scope,
        filter: &Filter<&[u8]>,
        visit: &mut dyn FnMut(Id, &Entry) -> bool,
    ) {
        if scope == Scope::Base {
            if let Some(entry) = self.entry(base) {
                visit(base, entry);
            }
            return;
        }
        if let Some(candidates) = self.candidates(filter) {
            for &id in candidates {
                if let Some(entry) = self.entry(id)
                    && self.in_scope(id, entry, base, scope)
                    && !visit(id, entry)
                {
                    return;
                }
            }
            return;
        }
        match scope {
            Scope::One => {
                let children =
                    self.entry(base).map(|entry| entry.children.as_slice()).unwrap_or_default();
                for &id in children {
                    if self.entry(id).is_some_and(|entry| !visit(id, entry)) {
                        return;
                    }
                }
            }
            Scope::Subordinate => self.walk(base, &mut |id, entry| id == base || visit(id, entry)),
            _ => self.walk(base, visit),
        }
    }

    /// The fewest entries an index can narrow the filter to.
    fn candidates(&self, filter: &Filter<&[u8]>) -> Option<&[Id]> {
        match filter {
            Filter::Equality { attribute, value } => self.indexes.find(attribute, value),
            Filter::And(filters) => filters
                .iter()
                .filter_map(|filter| self.candidates(filter))
                .min_by_key(|ids| ids.len()),
            _ => None,
        }
    }

    fn in_scope(&self, id: Id, entry: &Entry, base: Id, scope: Scope) -> bool {
        if scope == Scope::One {
            return entry.parent == Some(base);
        }
        if id == base {
            return scope == Scope::Subtree;
        }
        let mut above = entry.parent;
        while let Some(id) = above {
            if id == base {
                return true;
            }
            above = self.entry(id).and_then(|entry| entry.parent);
        }
        false
    }

    /// Visits an entry and all below it, parents before their children.
    fn walk(&self, from: Id, visit: &mut dyn FnMut(Id, &Entry) -> bool) {
        let mut next = vec![from];
        while let Some(id) = next.pop() {
            let Some(entry) = self.entry(id) else { continue };
            if !visit(id, entry) {
                return;
            }
            next.extend(entry.children.iter().rev());
        }
    }

    fn attach(&mut self, id: Id, entry: &mut Entry, parent: Option<Id>) {
        entry.parent = parent;
        if let Some(above) =
            parent.and_then(|parent| self.entries.get_mut(parent as usize)?.as_mut())
        {
            entry.place = above.children.len();
            above.children.push(id);
        }
    }

    fn detach(&mut self, entry: &Entry) {
        let Some(above) =
            entry.parent.and_then(|parent| self.entries.get_mut(parent as usize)?.as_mut())
        else {
            return;
        };
        above.children.swap_remove(entry.place);
        let moved = above.children.get(entry.place).copied();
        if let Some(moved) = moved.and_then(|id| self.entries.get_mut(id as usize)?.as_mut()) {
            moved.place = entry.place;
        }
    }
}

/// The part after the first comma that is not escaped.
pub(super) fn parent_name(normal: &[u8]) -> Option<&[u8]> {
    Some(&normal[first_comma(normal)? + 1..])
}

fn first_comma(name: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        match byte {
            b'\\' => at += 1,
            b',' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The number of RDNs that end in a comma.
fn rdns(name: &[u8]) -> usize {
    std::iter::successors(parent_name(name), |above| parent_name(above)).count()
}

/// How many bytes the first `count` RDNs take, their commas included.
fn first_rdns(dn: &[u8], count: usize) -> usize {
    let mut end = 0;
    for _ in 0..count {
        end += dn.get(end..).and_then(first_comma).map_or(0, |comma| comma + 1);
    }
    end
}

/// A UUID of version 4 (RFC 4122 section 4.4), its bits from a counter.
fn version_four(number: u64) -> u128 {
    let bits = (u128::from(mix(number)) << 64) | u128::from(mix(!number));
    (bits & !(0xf000 << 64) & !(0xc000_u128 << 48)) | (0x4000 << 64) | (0x8000_u128 << 48)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(dn: &str) -> Entry {
        let mut normal = Vec::new();
        brunt_ldap_wire::dn::normalize(dn.as_bytes(), &mut normal).unwrap();
        let mut entry = Entry::new(dn.as_bytes(), normal);
        entry.attributes.push(b"objectClass", [&b"top"[..]]);
        let uid = dn.split(',').next().unwrap().split('=').nth(1).unwrap();
        entry.attributes.push(b"uid", [uid.as_bytes()]);
        entry
    }

    fn tree() -> Directory {
        let mut directory = Directory::new();
        directory.add(entry("dc=X"), true).unwrap();
        for dn in [
            "ou=a,dc=x",
            "ou=b,dc=x",
            "uid=1,ou=A, dc=x",
            "uid=2,ou=a,dc=x",
            "uid=3,uid=2,ou=a,dc=x",
        ] {
            directory.add(entry(dn), false).unwrap();
        }
        directory
    }

    fn found(
        directory: &Directory,
        base: &str,
        scope: Scope,
        filter: &Filter<&[u8]>,
    ) -> Vec<String> {
        let mut names = Vec::new();
        let base = directory.find(base.as_bytes()).unwrap();
        directory.search(base, scope, filter, &mut |_, entry| {
            if matches(entry, filter) == Some(true) {
                names.push(String::from_utf8(entry.dn.clone()).unwrap());
            }
            true
        });
        names.sort();
        names
    }

    #[test]
    fn scopes_agree_with_and_without_an_index() {
        let directory = tree();
        let by_index = |value: &'static [u8]| Filter::Equality { attribute: &b"uid"[..], value };
        let all = Filter::Present(&b"objectClass"[..]);
        let count = |base, scope| found(&directory, base, scope, &all).len();
        assert_eq!(count("dc=x", Scope::Base), 1);
        assert_eq!(count("dc=x", Scope::One), 2);
        assert_eq!(count("dc=x", Scope::Subtree), 6);
        assert_eq!(count("dc=x", Scope::Subordinate), 5);
        assert_eq!(count("uid=2,ou=a,dc=x", Scope::Subtree), 2);
        assert_eq!(
            found(&directory, "ou=a,dc=x", Scope::Subtree, &by_index(b"3")),
            ["uid=3,uid=2,ou=a,dc=x"]
        );
        for (base, scope) in [("ou=b,dc=x", Scope::Subtree), ("ou=a,dc=x", Scope::One)] {
            assert!(found(&directory, base, scope, &by_index(b"3")).is_empty(), "{base} {scope:?}");
        }
        let itself = "uid=3,uid=2,ou=a,dc=x";
        assert_eq!(found(&directory, itself, Scope::Subtree, &by_index(b"3")).len(), 1);
        assert!(found(&directory, itself, Scope::Subordinate, &by_index(b"3")).is_empty());
    }

    #[test]
    fn rename_moves_the_subtree() {
        let mut directory = tree();
        let id = directory.find(b"uid=2,ou=a,dc=x").unwrap();
        directory.rename(id, b"uid=Two,ou=b,dc=X", b"uid=two,ou=b,dc=x").unwrap();
        assert!(directory.find(b"uid=3,uid=2,ou=a,dc=x").is_none());
        let below = directory.find(b"uid=3,uid=two,ou=b,dc=x").unwrap();
        assert_eq!(directory.entry(below).unwrap().dn, b"uid=3,uid=Two,ou=b,dc=X");
        let all = Filter::Present(&b"objectClass"[..]);
        assert_eq!(found(&directory, "ou=b,dc=x", Scope::Subtree, &all).len(), 3);
        assert_eq!(found(&directory, "ou=a,dc=x", Scope::Subtree, &all).len(), 2);
    }

    #[test]
    fn delete_removes_all_references_and_frees_the_id() {
        let mut directory = tree();
        let id = directory.find(b"uid=2,ou=a,dc=x").unwrap();
        let refused = directory.delete(id).unwrap_err();
        assert_eq!(refused.code, code::NOT_ALLOWED_ON_NON_LEAF);
        directory.delete_tree(id).unwrap();
        assert!(
            directory.find(b"uid=3,uid=2,ou=a,dc=x").is_none()
                && directory.with_uid(b"3").is_none()
        );
        let missing = directory.demand(b"uid=9,uid=2,ou=a,dc=x").unwrap_err();
        assert_eq!(
            (missing.code, missing.matched_dn),
            (code::NO_SUCH_OBJECT, b"ou=a,dc=x".to_vec())
        );
        let orphan = directory.add(entry("uid=9,uid=2,ou=a,dc=x"), false).unwrap_err();
        assert_eq!(orphan.code, code::NO_SUCH_OBJECT);
        let before = directory.entries.len();
        directory.add(entry("uid=4,ou=a,dc=x"), false).unwrap();
        assert_eq!(directory.entries.len(), before);
        assert_eq!(
            directory.add(entry("UID=4, ou=a,dc=x"), false).unwrap_err().code,
            code::ENTRY_ALREADY_EXISTS
        );
        // The children that are left still know their positions.
        for uid in ["uid=1,ou=a,dc=x", "uid=4,ou=a,dc=x", "ou=a,dc=x"] {
            let id = directory.find(uid.as_bytes()).unwrap();
            directory.delete(id).unwrap();
        }
        assert_eq!(directory.by_name.len(), 2);
    }

    #[test]
    fn failed_change_changes_nothing() {
        let mut directory = tree();
        let id = directory.find(b"uid=1,ou=a,dc=x").unwrap();
        let etag = directory.entry(id).unwrap().etag;
        let refusal = || Refusal::new(code::OTHER, "no");
        assert!(directory.modify(id, true, |_| Err(refusal())).is_err());
        assert_eq!(directory.entry(id).unwrap().etag, etag);
        assert!(directory.with_uid(b"1").is_some());
        directory.modify(id, false, |_| Ok(())).unwrap();
        assert_ne!(directory.entry(id).unwrap().etag, etag);
    }
}
