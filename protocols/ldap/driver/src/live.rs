//! The entries a run has added and not deleted yet, shared by all cores of the process.
//!
//! What an exchange of addrate does depends on what all the others have done, so sessions share a lock here. It is held
//! for some tens of nanoseconds beside an operation that makes the server write to its disk.
//!
//! Only entries that the server confirmed are live. The result of an add or a delete without an answer is unknown:
//! these entries are kept in a separate list for the purge.

use brunt_exchange::Moment;
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Which entry is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeleteMode {
    /// The oldest entry.
    #[default]
    Fifo,
    /// A random entry.
    Random,
    /// None: entries are only added.
    Off,
}

/// When deleting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// While there are more live entries than this.
    Size(u64),
    /// Once the oldest entry is older than this; from then on the number of live entries stays constant.
    Age(Duration),
}

/// What an exchange must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddAction {
    Add(u64),
    Delete(u64),
}

#[derive(Debug)]
pub(super) struct LiveEntries {
    mode: DeleteMode,
    threshold: Threshold,
    /// This node's share of the entry numbers: its index, and how many nodes there are.
    share: (u64, u64),
    /// After how many entries names repeat, if they do.
    names: Option<u64>,
    state: Mutex<State>,
}

/// An entry whose state on the server is not known yet. If this is dropped without an answer, the entry is left to the
/// purge.
pub(super) struct PendingEntry<'a> {
    live: &'a LiveEntries,
    number: u64,
}

#[derive(Debug, Default)]
struct State {
    added: u64,
    entries: VecDeque<(u64, Moment)>,
    /// The size that an age threshold led to.
    settled: Option<u64>,
    uncertain: Vec<u64>,
    collisions: u64,
    /// Names that belong to an entry, or may belong to one until the server answers. Used only where names repeat.
    taken: HashSet<u64>,
}

impl LiveEntries {
    pub(super) fn new(
        mode: DeleteMode,
        threshold: Threshold,
        share: (u64, u64),
        names: Option<u64>,
    ) -> Self {
        Self { mode, threshold, share, names, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides what the next exchange does. `draw` selects the entry in random mode. The entry is in no list until one
    /// of the other calls reports the result.
    pub(super) fn next(&self, now: Moment, draw: u64) -> AddAction {
        let mut state = self.state();
        let size = state.entries.len() as u64;
        if self.mode != DeleteMode::Off && size > 0 && size > state.limit(self.threshold, now) {
            let deleted = match self.mode {
                DeleteMode::Random => state.entries.swap_remove_back((draw % size) as usize),
                _ => state.entries.pop_front(),
            };
            if let Some((number, _)) = deleted {
                return AddAction::Delete(number);
            }
        }
        AddAction::Add(self.untaken(&mut state))
    }

    /// The next entry to add. Where names repeat, a name whose entry still exists is skipped, for example because its
    /// deletion is slow; unless all names are taken.
    fn untaken(&self, state: &mut State) -> u64 {
        let mut number = state.advance(self.share);
        let Some(names) = self.names else { return number };
        for _ in 1..names {
            if !state.taken.contains(&(number % names)) {
                break;
            }
            number = state.advance(self.share);
        }
        state.taken.insert(number % names);
        number
    }

    /// The server no longer has our entry of this name, or never had it.
    pub(super) fn gone(&self, number: u64) {
        if let Some(names) = self.names {
            self.state().taken.remove(&(number % names));
        }
    }

    /// Marks an entry's state as unknown until the server has answered the add or the delete.
    pub(super) const fn open(&self, number: u64) -> PendingEntry<'_> {
        PendingEntry { live: self, number }
    }

    /// Records that the server has the entry.
    pub(super) fn added(&self, number: u64, now: Moment) {
        self.state().entries.push_back((number, now));
    }

    /// Records that another entry had this name before: that entry is not ours to delete.
    pub(super) fn collided(&self, number: u64) {
        self.state().collisions += 1;
        self.gone(number);
    }

    /// Records that the server may or may not have the entry.
    fn uncertain(&self, number: u64) {
        self.state().uncertain.push(number);
    }

    /// Removes and returns all numbers that a purge must delete, and how many entries it must not touch: if names
    /// collided, an entry whose state is unknown may belong to another client.
    pub(super) fn take(&self) -> (Vec<u64>, u64) {
        let mut state = self.state();
        let uncertain = std::mem::take(&mut state.uncertain);
        let mut numbers: Vec<u64> = state.entries.drain(..).map(|(number, _)| number).collect();
        let left = if state.collisions > 0 {
            uncertain.len() as u64
        } else {
            numbers.extend(uncertain);
            0
        };
        numbers.sort_unstable();
        (numbers, left)
    }

    pub(super) fn size(&self) -> u64 {
        self.state().entries.len() as u64
    }
}

impl PendingEntry<'_> {
    /// The server has reported the result.
    pub(super) fn settle(self) {
        std::mem::forget(self);
    }
}

impl Drop for PendingEntry<'_> {
    fn drop(&mut self) {
        self.live.uncertain(self.number);
    }
}

impl State {
    fn advance(&mut self, (index, nodes): (u64, u64)) -> u64 {
        let number = self.added * nodes + index;
        self.added += 1;
        number
    }

    fn limit(&mut self, threshold: Threshold, now: Moment) -> u64 {
        match threshold {
            Threshold::Size(size) => size,
            Threshold::Age(age) => {
                let aged = self.entries.front().is_some_and(|(_, added)| now - *added > age);
                if self.settled.is_none() && aged {
                    self.settled = Some(self.entries.len() as u64 - 1);
                }
                self.settled.unwrap_or(u64::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::ZERO;

    fn turns(live: &LiveEntries, count: u64, at: impl Fn(u64) -> Moment) -> Vec<AddAction> {
        let turn = |n| {
            let turn = live.next(at(n), n * 7);
            if let AddAction::Add(number) = turn {
                live.added(number, at(n));
            }
            turn
        };
        (0..count).map(turn).collect()
    }

    #[test]
    fn size_threshold_alternates_adds_and_oldest_deletes() {
        use AddAction::{Add, Delete};
        let live = LiveEntries::new(DeleteMode::Fifo, Threshold::Size(2), (0, 1), None);
        assert_eq!(
            turns(&live, 7, |_| START),
            [Add(0), Add(1), Add(2), Delete(0), Add(3), Delete(1), Add(4)]
        );
        assert_eq!(live.size(), 3);
        assert_eq!(live.take(), (vec![2, 3, 4], 0));
    }

    #[test]
    fn random_mode_deletes_each_entry_once() {
        let live = LiveEntries::new(DeleteMode::Random, Threshold::Size(50), (0, 1), None);
        let mut deleted = Vec::new();
        for turn in turns(&live, 1000, |_| START) {
            if let AddAction::Delete(number) = turn {
                deleted.push(number);
            }
        }
        let (mut all, _) = live.take();
        all.extend(&deleted);
        all.sort_unstable();
        assert_eq!(all, (0..all.len() as u64).collect::<Vec<_>>());
        assert!(!deleted.is_sorted(), "in no order");
    }

    #[test]
    fn age_threshold_keeps_the_number_reached() {
        let live = LiveEntries::new(
            DeleteMode::Fifo,
            Threshold::Age(Duration::from_secs(1)),
            (0, 1),
            None,
        );
        let all = turns(&live, 200, |n| Moment::from_nanos(n * 100_000_000));
        let first = all.iter().position(|turn| matches!(turn, AddAction::Delete(_))).unwrap();
        assert_eq!(first, 11, "the first entry is older than a second after eleven tenths");
        assert!(live.size().abs_diff(11) <= 1, "{}", live.size());
    }

    #[test]
    fn delete_mode_off_never_deletes_and_nodes_share_numbers() {
        let live = LiveEntries::new(DeleteMode::Off, Threshold::Size(1), (1, 3), None);
        assert_eq!(
            turns(&live, 3, |_| START),
            [AddAction::Add(1), AddAction::Add(4), AddAction::Add(7)]
        );
    }

    #[test]
    fn entry_name_is_reused_after_its_delete() {
        use AddAction::{Add, Delete};
        let live = LiveEntries::new(DeleteMode::Fifo, Threshold::Size(1), (0, 1), Some(3));
        assert_eq!(turns(&live, 3, |_| START), [Add(0), Add(1), Delete(0)]);
        assert_eq!(turns(&live, 2, |_| START), [Add(2), Delete(1)]);
        // The deletions of 0 and 1 are in progress; 2 is live. All names are taken, so one of them must be tried.
        live.gone(1);
        assert_eq!(live.next(START, 0), Add(4), "number 3 would have the name of 0");
        live.gone(0);
        assert_eq!(live.next(START, 0), Add(6), "number 5 would have the name of 2");
        assert!(matches!(live.next(START, 0), Add(_)), "rather than none at all");
    }

    #[test]
    fn uncertain_entries_are_purged_but_collisions_kept() {
        let live = LiveEntries::new(DeleteMode::Fifo, Threshold::Size(9), (0, 1), None);
        live.uncertain(7);
        assert_eq!(live.take(), (vec![7], 0));
        live.uncertain(8);
        live.collided(8);
        assert_eq!(live.take(), (vec![], 1));
    }
}
