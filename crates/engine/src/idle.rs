//! Runs with little to do, in virtual time: how often a worker wakes up, and what it notices nevertheless.

use crate::session_factory::{DriverCounts, SessionFactory};
use crate::simulation::{ScriptedSessions, ms, open, pass, simulate_with};
use crate::stop::Stop;
use crate::worker::Ended;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the checks of a worker, at each of which it takes the counts of its driver.
struct CountedChecks {
    sessions: ScriptedSessions,
    checks: AtomicU64,
}

impl SessionFactory for CountedChecks {
    type Session = <ScriptedSessions as SessionFactory>::Session;

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Self::Session> {
        self.sessions.sessions(worker, numbers)
    }

    fn counts(&self, _: usize, _: &mut DriverCounts) {
        self.checks.fetch_add(1, Ordering::Relaxed);
    }
}

/// The checks of ten seconds with an exchange a second that takes this long.
fn checks(millis: u64) -> u64 {
    let sessions = ScriptedSessions::answering_after(ms(millis));
    let counted = CountedChecks { sessions, checks: AtomicU64::new(0) };
    let run = simulate_with(open(1, 10, 1), &counted, &Stop::new(), async {});
    assert_eq!(run.finished.counts.ok, 10);
    counted.checks.into_inner()
}

#[test]
fn idle_worker_checks_four_times_a_second() {
    // 50 ms after the exchange began, and then every 250 ms until the next. The run begins and ends with one as well.
    assert!((40..=42).contains(&checks(1)), "{}", checks(1));
    // Every 50 ms for 500 ms, and then at 750 ms and at the next exchange.
    assert!((110..=122).contains(&checks(499)), "{}", checks(499));
}

#[test]
fn idle_worker_notices_a_stop() {
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(1_400)).await;
        handle.request();
    };
    let sessions = ScriptedSessions::answering_after(ms(10));
    let run = simulate_with(open(1, 60, 1), &sessions, &stop, meddle);
    assert_eq!((run.finished.ended, run.finished.counts.planned), (Ended::Stopped, 2));
    let lasted = run.finished.lasted;
    // The run began 5 ms after the clock, when its session was ready.
    assert!((ms(1_395)..=ms(1_645)).contains(&lasted), "{lasted:?}");
}
