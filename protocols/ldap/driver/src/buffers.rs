//! The buffers of one core, borrowed within a poll and never across one. So thousands of idle connections share one
//! receive buffer.
//!
//! They depend on the shape of a request, but not on the plan it comes from.

use super::entries::Entry;
use super::sasl::KeyCache;
use brunt_feed::Row;
use brunt_ldap_wire::Skeleton;
use brunt_ldap_wire::ber::Values;
use std::cell::RefCell;

/// Room for the result of one read: a page of entries, or the answers to many requests.
const INPUT: usize = 64 * 1024;

pub(super) struct Buffers {
    pub(super) input: RefCell<Box<[u8]>>,
    pub(super) scratch: RefCell<Scratch>,
    pub(super) keys: RefCell<KeyCache>,
}

impl Buffers {
    pub(super) fn new() -> Self {
        Self {
            input: RefCell::new(vec![0; INPUT].into_boxed_slice()),
            scratch: RefCell::default(),
            keys: RefCell::default(),
        }
    }
}

/// The buffers in which requests are built.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) rows: Vec<Row>,
    pub(super) arena: Arena,
    pub(super) text: Vec<u8>,
    pub(super) entry: Entry,
    /// The request whose filter was parsed after its values were filled in.
    pub(super) late: Option<Skeleton>,
}

/// Values, stored end to end in one buffer.
#[derive(Default)]
pub(super) struct Arena {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Arena {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends the value that `write` writes.
    pub(super) fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn push(&mut self, value: &[u8]) {
        self.push_with(|bytes| bytes.extend_from_slice(value));
    }
}

impl Values for Arena {
    fn value(&self, slot: usize) -> &[u8] {
        let start = match slot {
            0 => 0,
            _ => self.ends.get(slot - 1).copied().unwrap_or(0),
        };
        self.ends.get(slot).and_then(|end| self.bytes.get(start..*end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arena_values_are_separate() {
        let mut arena = Arena::default();
        arena.push(b"one");
        arena.push(b"");
        arena.push_with(|bytes| bytes.extend_from_slice(b"three"));
        assert_eq!(
            [arena.value(0), arena.value(1), arena.value(2), arena.value(3)],
            [&b"one"[..], b"", b"three", b""]
        );
        arena.clear();
        arena.push(b"3");
        assert_eq!([arena.value(0), arena.value(1)], [&b"3"[..], b""]);
    }
}
