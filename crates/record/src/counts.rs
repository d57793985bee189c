//! How many exchanges ended in which way, and the arithmetic that no run may violate.

use brunt_exchange::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exchanges counted by how they ended.
///
/// `sent` counts every exchange that a session took, also one that found no connection: it was attempted, so it is
/// accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Exchanges the schedule asked for.
    pub planned: u64,
    /// Exchanges that a session took.
    pub sent: u64,
    /// Exchanges that were given up because no session was free.
    pub dropped: u64,
    /// Exchanges that became due without the data they needed.
    #[serde(default)]
    pub skipped: u64,
    /// Exchanges that succeeded.
    pub ok: u64,
    /// Exchanges that failed, for any reason.
    pub failed: u64,
    /// Exchanges that outlived the operation timeout.
    pub timed_out: u64,
    /// Exchanges in flight when the run ended.
    pub cut_off: u64,
    /// Items that the exchanges returned: entries of a search, rows.
    pub items: u64,
}

/// Counts that do not add up: exchanges were lost or counted twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Imbalance {
    /// Planned is not sent + dropped + skipped.
    #[error(
        "account for every operation: {planned} planned, but {sent} sent, {dropped} dropped and {skipped} skipped"
    )]
    Planned {
        /// Exchanges planned.
        planned: u64,
        /// Exchanges sent.
        sent: u64,
        /// Exchanges dropped.
        dropped: u64,
        /// Exchanges skipped.
        skipped: u64,
    },
    /// Sent is not ok + failed + timed out + cut off.
    #[error(
        "account for every operation: {sent} sent, but {ended} ended (ok, failed, timed out or cut off)"
    )]
    Sent {
        /// Exchanges sent.
        sent: u64,
        /// Exchanges that ended.
        ended: u64,
    },
}

impl Counts {
    /// Counts an exchange that ended, as planned, sent and ended; a skipped one was never sent.
    pub fn record(&mut self, outcome: Outcome) {
        self.planned += 1;
        self.sent += u64::from(outcome != Outcome::Skipped);
        match outcome {
            Outcome::Ok(_) => self.ok += 1,
            Outcome::Failed(..) => self.failed += 1,
            Outcome::TimedOut => self.timed_out += 1,
            Outcome::CutOff => self.cut_off += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    /// Counts the end of an exchange that was already counted as planned.
    #[inline]
    pub fn settle(&mut self, outcome: Outcome, items: u64) {
        self.record(outcome);
        self.planned -= 1;
        self.items += items;
    }

    /// Exchanges that ended by themselves: all that were sent except those cut off.
    pub fn completed(&self) -> u64 {
        self.ok + self.failed + self.timed_out
    }

    /// Exchanges that ended by themselves and were not ok: the original tools call these errors.
    pub fn errors(&self) -> u64 {
        self.failed + self.timed_out
    }

    /// Exchanges that became due and were not skipped.
    pub fn due(&self) -> u64 {
        self.planned - self.skipped.min(self.planned)
    }

    /// Exchanges that were due and did not succeed, for any reason.
    pub fn missed(&self) -> u64 {
        self.failed + self.timed_out + self.cut_off + self.dropped
    }

    /// Adds what another counted.
    pub fn merge(&mut self, other: &Self) {
        self.planned += other.planned;
        self.sent += other.sent;
        self.dropped += other.dropped;
        self.skipped += other.skipped;
        self.ok += other.ok;
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.cut_off += other.cut_off;
        self.items += other.items;
    }

    /// Whether every exchange is accounted for. This holds for a whole run; an interval may contain the end of an
    /// exchange that was planned in the interval before.
    pub fn conserved(&self) -> Result<(), Imbalance> {
        let &Self { planned, sent, dropped, skipped, .. } = self;
        if planned != sent + dropped + skipped {
            return Err(Imbalance::Planned { planned, sent, dropped, skipped });
        }
        let ended = self.completed() + self.cut_off;
        if sent != ended {
            return Err(Imbalance::Sent { sent, ended });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Class;

    #[test]
    fn outcomes_are_counted_once() {
        let mut counts = Counts::default();
        for outcome in [
            Outcome::Ok(0),
            Outcome::Ok(0),
            Outcome::Failed(Class::Result, 49),
            Outcome::TimedOut,
            Outcome::CutOff,
            Outcome::Skipped,
        ] {
            counts.record(outcome);
        }
        assert_eq!((counts.planned, counts.sent, counts.skipped), (6, 5, 1));
        counts.planned += 3;
        counts.dropped += 3;
        assert_eq!((counts.ok, counts.failed, counts.timed_out, counts.cut_off), (2, 1, 1, 1));
        assert_eq!((counts.completed(), counts.errors()), (4, 2));
        assert_eq!(counts.conserved(), Ok(()));
    }

    #[test]
    fn lost_exchange_violates_conservation() {
        let lost = Counts { planned: 10, sent: 8, dropped: 1, ok: 8, ..Counts::default() };
        let imbalance = Imbalance::Planned { planned: 10, sent: 8, dropped: 1, skipped: 0 };
        assert_eq!(lost.conserved(), Err(imbalance));
        let twice = Counts { planned: 8, sent: 8, ok: 8, failed: 1, ..Counts::default() };
        assert_eq!(twice.conserved(), Err(Imbalance::Sent { sent: 8, ended: 9 }));
    }
}
