//! Which messages of a node were received, by their numbers: each is taken once, and gaps are known.

use super::Key;
use std::collections::BTreeMap;
use std::ops::Range;

/// What has arrived from one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    /// All messages before this number have arrived.
    next: u64,
    /// The messages that arrived after a gap, and the row each belongs to.
    ahead: BTreeMap<u64, Key>,
    /// The last row of those before the first gap.
    pub(super) past: Option<Key>,
    /// How many it sent in all, once it has reported that.
    sent: Option<u64>,
}

impl Received {
    /// The most messages that are tracked beyond a gap.
    const AHEAD_MAX: usize = 4_096;

    /// Whether this message has arrived before.
    pub(super) fn has(&self, seq: u64) -> bool {
        seq < self.next || self.ahead.contains_key(&seq)
    }

    /// Whether there is room to track this message.
    pub(super) fn has_room(&self, seq: u64) -> bool {
        seq == self.next || self.ahead.len() < Self::AHEAD_MAX
    }

    /// Notes a message that belongs to this row.
    pub(super) fn note(&mut self, seq: u64, key: Key) {
        self.ahead.insert(seq, key);
        while let Some(key) = self.ahead.remove(&self.next) {
            self.past = self.past.max(Some(key));
            self.next = self.next.saturating_add(1);
        }
    }

    /// Notes how many messages it sent in all.
    pub(super) fn sent(&mut self, count: u64) {
        self.sent = Some(count);
    }

    /// Whether it has reported how many it sent, and all of them have arrived.
    pub(super) fn is_whole(&self) -> bool {
        self.sent.is_some_and(|sent| self.next >= sent)
    }

    /// Whether it has reported how many it sent.
    pub(super) fn has_ended(&self) -> bool {
        self.sent.is_some()
    }

    /// The numbers that are missing before the last known message.
    pub(super) fn gaps(&self) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut from = self.next;
        for seq in self.ahead.keys() {
            if *seq > from {
                gaps.push(from..*seq);
            }
            from = seq.saturating_add(1);
        }
        if let Some(sent) = self.sent.filter(|sent| *sent > from) {
            gaps.push(from..sent);
        }
        gaps
    }
}
