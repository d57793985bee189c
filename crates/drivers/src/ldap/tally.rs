//! What happens beside the exchanges, counted for the whole process.

use crate::counters::counters;

counters! {
    /// Connections that were opened, with TLS where asked for.
    opened,
    /// Connections that ended without our doing.
    lost,
    /// Binds sent to open or to refresh a connection; measured binds are exchanges.
    binds,
    /// Answers to exchanges that had been given up.
    late,
    /// Answers to nothing that was ever asked.
    orphans,
    /// Search result references, which are not followed.
    references,
    /// Intermediate responses, which are skipped.
    intermediates,
    /// Password policy warnings in answers to binds.
    policy_warnings,
    /// Password policy errors in answers to binds.
    policy_errors,
    /// Entries that were renamed and could not be given their names back.
    left_renamed,
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
