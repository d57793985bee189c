//! `Presence`: when the clients of a fleet had leases: when all had their first one, and when all had one again.
//!
//! After a power cut the question is not how long an exchange took but when the last client had recovered. Sessions
//! report the changes of their clients; any thread may read them. It must not depend on a client's lifecycle.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A change of a client's state, and its time, counted from the beginning of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It has its first lease.
    Up(Duration),
    /// It loses power. This may be reported before it happens.
    Lost,
    /// It has a lease again for the first time since it lost power.
    Back(Duration),
}

/// The changes of all clients so far.
#[derive(Debug, Default)]
pub(super) struct Presence {
    up: Group,
    back: Group,
    lost: AtomicU64,
}

/// How many clients have arrived so far, and when the last of them did.
#[derive(Debug, Default)]
struct Group {
    count: AtomicU64,
    last: AtomicU64,
}

/// A summary of the changes of a fleet's clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FleetChanges {
    /// Clients that have had a lease, and when the last of them got its first.
    pub up: (u64, Duration),
    /// Clients that lost power.
    pub lost: u64,
    /// Those of them that got a lease again, and when the last of them did.
    pub back: (u64, Duration),
}

impl Presence {
    pub(super) fn note(&self, change: Change) {
        match change {
            Change::Up(at) => self.up.add(at),
            Change::Back(at) => self.back.add(at),
            Change::Lost => {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn attendance(&self) -> FleetChanges {
        let lost = self.lost.load(Ordering::Relaxed);
        FleetChanges { up: self.up.so_far(), lost, back: self.back.so_far() }
    }
}

impl Group {
    fn add(&self, at: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let at = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX);
        self.last.fetch_max(at, Ordering::Relaxed);
    }

    fn so_far(&self) -> (u64, Duration) {
        let last = Duration::from_nanos(self.last.load(Ordering::Relaxed));
        (self.count.load(Ordering::Relaxed), last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attendance_keeps_the_last_of_each_moment() {
        let (presence, seconds) = (Presence::default(), Duration::from_secs);
        for change in [Change::Up(seconds(3)), Change::Up(seconds(2)), Change::Lost, Change::Lost] {
            presence.note(change);
        }
        presence.note(Change::Back(seconds(9)));
        let expected = FleetChanges { up: (2, seconds(3)), lost: 2, back: (1, seconds(9)) };
        assert_eq!(presence.attendance(), expected);
    }
}
