//! The [`Limits`] that end a run from within: messages of the second stage, drops, and a machine that cannot send.
//!
//! The workers of a run share them, and check them only when an event occurs that they limit. The first limit reached
//! is kept as the [`Reason`], and the caller of the engine is asked to halt. Drops are exchanges without an answer
//! within the drop time, in any phase of the run; exchanges still in flight do not count. It must not depend on how a
//! run is halted.

use super::Stage;
use super::tally::{Counter, Tally};
use brunt_exchange::Moment;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Why a run was halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The requested number of messages of the second stage was sent.
    Requests,
    /// The maximum number of exchanges of this stage was dropped.
    Drops(Stage),
    /// The maximum share of the exchanges of this stage was dropped.
    DropsShare(Stage),
    /// Nothing could be sent for [`UNSENT_MAX`], with this error of the operating system.
    Unsent(i32),
}

/// How long a run continues while this machine cannot send: longer than an interface that is configured anew needs.
pub const UNSENT_MAX: Duration = Duration::from_secs(10);

/// How many drops of one stage end the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DropLimit {
    /// At this number of drops. 0 and 1 both mean the first.
    pub count: Option<u64>,
    /// At this percentage of the exchanges that were answered or dropped, once there are more than
    /// [`DropLimit::DECIDED_MIN`] of them.
    pub percent: Option<f64>,
}

impl DropLimit {
    /// Below this number of answered or dropped exchanges, a percentage is not meaningful.
    pub const DECIDED_MIN: u64 = 10;

    fn reached(&self, stage: Stage, dropped: u64, decided: u64) -> Option<Reason> {
        if self.count.is_some_and(|limit| dropped >= limit.max(1)) {
            return Some(Reason::Drops(stage));
        }
        let share = 100.0 * dropped as f64 / decided.max(1) as f64;
        let reached =
            decided > Self::DECIDED_MIN && self.percent.is_some_and(|limit| share >= limit);
        reached.then_some(Reason::DropsShare(stage))
    }
}

/// Requests the end of a run.
pub type Halt = Arc<dyn Fn(Reason) + Send + Sync>;

/// The limits of a run, and how much of each has been used.
pub struct Limits {
    requests: Option<u64>,
    taken: AtomicU64,
    drops: [DropLimit; 2],
    /// Since when no worker could send, in nanoseconds of the run's clock; 0 while one can.
    unsent_since: AtomicU64,
    reason: OnceLock<Reason>,
    halt: Option<Halt>,
}

impl Limits {
    /// Creates limits that never end a run.
    pub fn none() -> Self {
        Self::new(None, [DropLimit::default(); 2], None)
    }

    /// Creates limits of `requests` messages of the second stage, and of drops in the first and in the second stage;
    /// `halt` is called once, from the thread of a worker.
    pub fn new(requests: Option<u64>, drops: [DropLimit; 2], halt: Option<Halt>) -> Self {
        let (taken, unsent_since) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { requests, taken, drops, unsent_since, reason: OnceLock::new(), halt }
    }

    /// Why the run was halted, if it was.
    pub fn reason(&self) -> Option<Reason> {
        self.reason.get().copied()
    }

    /// How many exchanges ended before their second stage because the limit on its messages was reached.
    pub fn kept_back(&self) -> u64 {
        let taken = self.taken.load(Ordering::Relaxed);
        self.requests.map_or(0, |limit| taken.saturating_sub(limit))
    }

    /// Takes one message of the second stage from the budget. Returns whether there was one left.
    pub(super) fn take_request(&self) -> bool {
        let Some(limit) = self.requests else { return true };
        let before = self.taken.fetch_add(1, Ordering::Relaxed);
        if before + 1 >= limit {
            self.halt(Reason::Requests);
        }
        before < limit
    }

    /// Checks whether the last drop of this stage exceeded a limit, using the counts of all workers.
    pub(super) fn dropped(&self, stage: Stage, tallies: &[Arc<Tally>]) {
        let Some(limit) = self.drops.get(stage as usize) else { return };
        if *limit == DropLimit::default() {
            return;
        }
        let sum = |counter| tallies.iter().map(|tally| tally.stage(stage, counter)).sum::<u64>();
        let dropped = sum(Counter::Drops);
        let decided = dropped + sum(Counter::Received);
        if let Some(reason) = limit.reached(stage, dropped, decided) {
            self.halt(reason);
        }
    }

    /// Records that a worker could send.
    pub(super) fn sent(&self) {
        if self.unsent_since.load(Ordering::Relaxed) != 0 {
            self.unsent_since.store(0, Ordering::Relaxed);
        }
    }

    /// Records that a worker could not send, and ends the run if none could for long.
    pub(super) fn unsent(&self, errno: i32, now: Moment) {
        let now = now.as_nanos().max(1);
        let since =
            self.unsent_since.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        let since = since.err().unwrap_or(now);
        if Duration::from_nanos(now.saturating_sub(since)) >= UNSENT_MAX {
            self.halt(Reason::Unsent(errno));
        }
    }

    fn halt(&self, reason: Reason) {
        if self.reason.set(reason).is_ok()
            && let Some(halt) = &self.halt
        {
            halt(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A list of halts, and limits that add to it.
    fn limits(requests: Option<u64>, drops: [DropLimit; 2]) -> (Arc<Mutex<Vec<Reason>>>, Limits) {
        let halted = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&halted);
        let halt: Halt = Arc::new(move |reason| kept.lock().unwrap().push(reason));
        (halted, Limits::new(requests, drops, Some(halt)))
    }

    #[test]
    fn request_limit_ends_the_run_with_its_last_message() {
        let (halted, limits) = limits(Some(3), [DropLimit::default(); 2]);
        assert!(limits.take_request() && limits.take_request());
        assert_eq!(limits.reason(), None);
        assert!(limits.take_request());
        assert_eq!(limits.reason(), Some(Reason::Requests));
        assert_eq!(limits.kept_back(), 0);
        assert!(!limits.take_request());
        assert_eq!(limits.kept_back(), 1);
        assert_eq!(*halted.lock().unwrap(), [Reason::Requests], "asked once");
        let none = Limits::none();
        assert!((0..1000).all(|_| none.take_request()));
    }

    #[test]
    fn send_errors_for_long_end_the_run() {
        let (halted, limits) = limits(None, [DropLimit::default(); 2]);
        let at = |seconds: u64| Moment::from_nanos(seconds * 1_000_000_000);
        limits.unsent(libc::ENETUNREACH, at(0));
        limits.unsent(libc::ENETUNREACH, at(9));
        limits.sent();
        limits.unsent(libc::ENETDOWN, at(12));
        limits.unsent(libc::ENETDOWN, at(21));
        assert!(halted.lock().unwrap().is_empty(), "another worker could send");
        limits.unsent(libc::ENETDOWN, at(22));
        limits.unsent(libc::ENETDOWN, at(40));
        assert_eq!(*halted.lock().unwrap(), [Reason::Unsent(libc::ENETDOWN)]);
    }

    #[test]
    fn drop_limit_counts_all_workers_per_stage() {
        let second = DropLimit { count: Some(3), percent: None };
        let (halted, limits) = limits(None, [DropLimit::default(), second]);
        let tallies = [Arc::new(Tally::default()), Arc::new(Tally::default())];
        let drop = |stage, worker: usize| {
            tallies[worker].count(worker as u8 + 2, stage, Counter::Drops);
            limits.dropped(stage, &tallies);
        };
        (0..10).for_each(|n| drop(Stage::First, n % 2));
        drop(Stage::Second, 0);
        drop(Stage::Second, 1);
        drop(Stage::Renew, 1);
        assert!(halted.lock().unwrap().is_empty());
        drop(Stage::Second, 0);
        assert_eq!(*halted.lock().unwrap(), [Reason::Drops(Stage::Second)]);
    }

    #[test]
    fn drop_share_needs_more_than_ten_exchanges() {
        let first = DropLimit { count: None, percent: Some(5.0) };
        let (_, limits) = limits(None, [first, DropLimit::default()]);
        let tallies = [Arc::new(Tally::default())];
        tallies[0].count(3, Stage::First, Counter::Drops);
        (0..9).for_each(|_| tallies[0].count(3, Stage::First, Counter::Received));
        limits.dropped(Stage::First, &tallies);
        assert_eq!(limits.reason(), None, "one of ten");
        tallies[0].count(3, Stage::First, Counter::Received);
        limits.dropped(Stage::First, &tallies);
        assert_eq!(limits.reason(), Some(Reason::DropsShare(Stage::First)), "one of eleven");
    }

    #[test]
    fn drop_limit_of_zero_is_reached_by_the_first() {
        let limit = DropLimit { count: Some(0), percent: None };
        assert_eq!(limit.reached(Stage::First, 0, 5), None);
        assert_eq!(limit.reached(Stage::First, 1, 1), Some(Reason::Drops(Stage::First)));
    }
}
