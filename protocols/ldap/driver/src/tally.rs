//! Events outside the exchanges, counted for the whole process.

use brunt_net::counters;

counters! {
    /// Connections that were opened, with TLS where requested.
    opened,
    /// Of these, the ones whose TLS handshake resumed an earlier session.
    resumed,
    /// Connections that ended without brunt closing them.
    lost,
    /// Binds sent to open or to refresh a connection; measured binds count as exchanges.
    binds,
    /// Answers to exchanges that had been abandoned.
    late,
    /// Answers to requests that were never sent.
    orphans,
    /// Search result references, which are not followed.
    references,
    /// Intermediate responses, which are skipped.
    intermediates,
    /// Password policy warnings in answers to binds.
    policy_warnings,
    /// Password policy errors in answers to binds.
    policy_errors,
    /// Entries that were renamed and whose names could not be restored.
    left_renamed,
}

/// The names of the counts in a record, in the order of [`Counts::named`].
pub const NAMES: [&str; 9] = [
    "connections opened",
    "connections lost",
    "TLS sessions resumed",
    "binds beside the operations",
    "references not followed",
    "intermediate responses",
    "password policy warnings",
    "password policy errors",
    "entries left renamed",
];

impl Counts {
    /// The counts that appear in a record only among its tallies, in the order of [`NAMES`].
    pub const fn named(&self) -> [u64; NAMES.len()] {
        [
            self.opened,
            self.lost,
            self.resumed,
            self.binds,
            self.references,
            self.intermediates,
            self.policy_warnings,
            self.policy_errors,
            self.left_renamed,
        ]
    }
}

/// Counts an entry whose name was not restored, even if the session is dropped while it waits for the answer.
pub(crate) struct LeftRenamed<'a>(Option<&'a Tally>);

impl<'a> LeftRenamed<'a> {
    /// It is counted, unless it is restored.
    pub(crate) const fn unless_restored(tally: &'a Tally) -> Self {
        Self(Some(tally))
    }

    /// The name was restored.
    pub(crate) const fn restored(&mut self) {
        self.0 = None;
    }
}

impl Drop for LeftRenamed<'_> {
    fn drop(&mut self) {
        if let Some(tally) = self.0 {
            Tally::one(&tally.left_renamed);
        }
    }
}
