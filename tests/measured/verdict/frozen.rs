//! [`Watch`]: notices when this machine as a whole stands still beside a trial. brunt then stands still as well, and is
//! right to say so, though nothing was done to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::Timestamp;

/// How long the thread sleeps at a time.
const PERIOD: Duration = Duration::from_millis(10);
/// brunt reports 50 ms or more. Of the same freeze, a thread that had just fallen asleep sees one period less.
const LATE_MIN_S: f64 = 0.04;

/// A thread that does nothing but sleep, and notes when it wakes up late.
pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Freezes>,
}

/// When this machine stood still: from and to, in seconds of the calendar.
#[derive(Debug, Default)]
pub(crate) struct Freezes(Vec<(f64, f64)>);

impl Watch {
    /// Watches from now on.
    pub(crate) fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&over);
        Self { over, thread: thread::spawn(move || watch(&end)) }
    }

    /// Ends it and gives what it has seen.
    pub(crate) fn stop(self) -> Freezes {
        self.over.store(true, Ordering::Release);
        self.thread.join().expect("the machine was watched")
    }
}

impl Freezes {
    /// Whether the machine stood still for most of this time.
    pub(crate) fn explain(&self, from_s: f64, lasted_s: f64) -> bool {
        let to_s = from_s + lasted_s;
        let within = self.0.iter().map(|(from, to)| (to.min(to_s) - from.max(from_s)).max(0.0));
        within.sum::<f64>() >= lasted_s / 2.0
    }
}

fn watch(over: &AtomicBool) -> Freezes {
    let mut freezes = Vec::new();
    while !over.load(Ordering::Acquire) {
        let deadline = seconds(Timestamp::now()) + PERIOD.as_secs_f64();
        thread::park_timeout(PERIOD);
        let woke = seconds(Timestamp::now());
        if woke - deadline >= LATE_MIN_S {
            freezes.push((deadline, woke));
        }
    }
    Freezes(freezes)
}

/// Seconds of the calendar. brunt's record says in them when its run began.
pub(crate) fn seconds(at: Timestamp) -> f64 {
    at.as_nanosecond() as f64 / 1e9
}

#[test]
fn freeze_must_cover_most_of_a_stall_to_explain_it() {
    let freezes = Freezes(vec![(10.0, 10.06), (20.0, 21.0)]);
    assert!(freezes.explain(9.99, 0.06));
    assert!(freezes.explain(20.5, 0.9));
    assert!(!freezes.explain(10.0, 3.0));
    assert!(!freezes.explain(15.0, 0.1));
    assert!(!Freezes::default().explain(10.0, 0.06));
}
