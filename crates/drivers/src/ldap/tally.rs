//! What happens beside the exchanges, counted for the whole process.
//!
//! Plain atomic counters: all but those beside the entries are rare, and no thread waits for another.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts what no exchange's outcome shows.
#[derive(Debug, Default)]
pub struct Tally {
    pub(super) opened: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) binds: AtomicU64,
    pub(super) late: AtomicU64,
    pub(super) orphans: AtomicU64,
    pub(super) references: AtomicU64,
    pub(super) intermediates: AtomicU64,
    pub(super) policy_warnings: AtomicU64,
    pub(super) policy_errors: AtomicU64,
    pub(super) left_renamed: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that were opened, with TLS where asked for.
    pub opened: u64,
    /// Connections that ended without our doing.
    pub lost: u64,
    /// Binds sent to open or to refresh a connection; measured binds are exchanges.
    pub binds: u64,
    /// Answers to exchanges that had been given up.
    pub late: u64,
    /// Answers to nothing that was ever asked.
    pub orphans: u64,
    /// Search result references, which are not followed.
    pub references: u64,
    /// Intermediate responses, which are skipped.
    pub intermediates: u64,
    /// Password policy warnings in answers to binds.
    pub policy_warnings: u64,
    /// Password policy errors in answers to binds.
    pub policy_errors: u64,
    /// Entries that were renamed and could not be given their names back.
    pub left_renamed: u64,
}

/// What the counts are called in a record, in the order of [`Counts::named`].
pub const NAMES: [&str; 8] = [
    "connections opened",
    "connections lost",
    "binds beside the operations",
    "references not followed",
    "intermediate responses",
    "password policy warnings",
    "password policy errors",
    "entries left renamed",
];

impl Counts {
    /// What was counted after `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            opened: self.opened - before.opened,
            lost: self.lost - before.lost,
            binds: self.binds - before.binds,
            late: self.late - before.late,
            orphans: self.orphans - before.orphans,
            references: self.references - before.references,
            intermediates: self.intermediates - before.intermediates,
            policy_warnings: self.policy_warnings - before.policy_warnings,
            policy_errors: self.policy_errors - before.policy_errors,
            left_renamed: self.left_renamed - before.left_renamed,
        }
    }

    /// What has no place in a record but among its tallies, in the order of [`NAMES`].
    pub const fn named(&self) -> [u64; NAMES.len()] {
        [
            self.opened,
            self.lost,
            self.binds,
            self.references,
            self.intermediates,
            self.policy_warnings,
            self.policy_errors,
            self.left_renamed,
        ]
    }
}

impl Tally {
    /// The counts so far.
    pub fn counts(&self) -> Counts {
        Counts {
            opened: self.opened.load(Relaxed),
            lost: self.lost.load(Relaxed),
            binds: self.binds.load(Relaxed),
            late: self.late.load(Relaxed),
            orphans: self.orphans.load(Relaxed),
            references: self.references.load(Relaxed),
            intermediates: self.intermediates.load(Relaxed),
            policy_warnings: self.policy_warnings.load(Relaxed),
            policy_errors: self.policy_errors.load(Relaxed),
            left_renamed: self.left_renamed.load(Relaxed),
        }
    }

    pub(super) fn one(counter: &AtomicU64) {
        counter.fetch_add(1, Relaxed);
    }
}
