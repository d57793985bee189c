//! [`MachineWatch`]: collects what the machine does during a run, and notices when the process stands still.
//!
//! A thread named `watchdog` wakes up forty times a second; by a late wake-up a process notices that it was stopped.
//! The thread is pinned to no core, so that only something that keeps the process from all its cores keeps the watchdog
//! from waking. The kernel's counters are cumulative, so they are read only when figures are requested.

use super::counters::{self, MachineCounters};
use super::delay::Schedstat;
use super::gap::{PERIOD, WakeUp};
use crate::worker::blocking::Wait as _;
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Machine, Stall};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The most stalls that are kept; after these the last one kept is lengthened.
const PENDING_MAX: usize = 256;

/// What the machine does during a run. Dropping it ends the watchdog.
#[derive(Debug)]
pub struct MachineWatch {
    shared: Arc<Shared>,
    watchdog: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    clock: Monotonic,
    origin: Arc<OnceLock<Moment>>,
    seen: Mutex<Observations>,
    over: AtomicBool,
}

#[derive(Debug)]
struct Observations {
    counters: MachineCounters,
    /// Whether the origin has passed, from which everything counts.
    begun: bool,
    stalls: Vec<Stall>,
}

impl MachineWatch {
    /// Starts the watchdog. Only what happens after the moment stored in `origin` counts; it may be stored at any time.
    /// Must be called by a thread that is not pinned to a core.
    pub fn start(clock: Monotonic, origin: Arc<OnceLock<Moment>>) -> Self {
        let counters = MachineCounters::new(clock.now());
        let seen = Mutex::new(Observations { counters, begun: false, stalls: Vec::new() });
        let shared = Arc::new(Shared { clock, origin, seen, over: AtomicBool::new(false) });
        let watched = Arc::clone(&shared);
        let watchdog = thread::Builder::new().name("watchdog".to_owned());
        // If the machine cannot start another thread, no stalls are reported, but the other figures are.
        Self { watchdog: watchdog.spawn(move || watched.watch()).ok(), shared }
    }

    /// What was measured since the last call, or since the origin. Reads the kernel's counters now.
    pub fn take(&self) -> (Machine, Vec<Stall>) {
        self.shared.take()
    }

    /// Ends the watchdog, which takes at most one of its periods, and returns what has not been taken yet.
    pub fn stop(mut self) -> (Machine, Vec<Stall>) {
        self.end();
        self.shared.take()
    }

    fn end(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(watchdog) = self.watchdog.take() {
            // A watchdog that panicked has printed its message, and the stalls that it found are kept.
            let _ = watchdog.join();
        }
    }
}

impl Drop for MachineWatch {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn watch(&self) {
        let mut schedstat = Schedstat::of_thread();
        let (mut used, mut waited) = (counters::own(), schedstat.read());
        let mut usual = Duration::ZERO;
        let mut deadline = self.clock.now() + PERIOD;
        while !self.over.load(Ordering::Relaxed) {
            self.begin();
            let in_time = self.clock.now() < deadline;
            let woke = self.sleep_until(deadline);
            let (used_now, waited_now) = (counters::own(), schedstat.read());
            let wake_up = WakeUp {
                late: woke - deadline,
                used: used_now.saturating_sub(used),
                usual,
                waited: waited_now
                    .zip(waited)
                    .filter(|_| in_time)
                    .map(|(now, then)| now.waited.saturating_sub(then.waited)),
            };
            if wake_up.stood_still() {
                self.stalled(deadline, woke);
            } else {
                usual = wake_up.used;
            }
            (used, waited) = (used_now, waited_now);
            deadline = if woke - deadline < PERIOD { deadline } else { woke } + PERIOD;
        }
    }

    fn sleep_until(&self, deadline: Moment) -> Moment {
        loop {
            let now = self.clock.now();
            if now >= deadline {
                return now;
            }
            self.clock.wait_until(deadline);
        }
    }

    /// Notes that the process stood still, as far as that was after the origin.
    fn stalled(&self, from: Moment, to: Moment) {
        let Some(origin) = self.origin.get().copied().filter(|origin| *origin < to) else { return };
        let stall = Stall { node: 0, from: from - origin, lasted: to - from.max(origin) };
        let mut seen = self.seen();
        if seen.stalls.len() < PENDING_MAX {
            seen.stalls.push(stall);
        } else if let Some(last) = seen.stalls.last_mut() {
            last.lasted += stall.lasted;
        }
    }

    /// Begins to count once the origin has passed.
    fn begin(&self) {
        let now = self.clock.now();
        if self.origin.get().is_none_or(|origin| *origin > now) {
            return;
        }
        let mut seen = self.seen();
        if !seen.begun {
            seen.begun = true;
            seen.counters.restart(now);
        }
    }

    fn take(&self) -> (Machine, Vec<Stall>) {
        self.begin();
        let now = self.clock.now();
        let mut seen = self.seen();
        if !seen.begun {
            return (Machine::default(), Vec::new());
        }
        (seen.counters.take(now), std::mem::take(&mut seen.stalls))
    }

    fn seen(&self) -> MutexGuard<'_, Observations> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores;
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    fn started_at_once() -> (Monotonic, MachineWatch) {
        let clock = Monotonic::new();
        (clock, MachineWatch::start(clock, Arc::new(OnceLock::from(Moment::ZERO))))
    }

    #[test]
    fn busy_other_process_is_seen() {
        let (clock, watch) = started_at_once();
        let spin = "while :; do :; done";
        let mut child = Command::new("sh").args(["-c", spin]).spawn().unwrap();
        let first = watch.take().0;
        clock.wait_until(clock.now() + Duration::from_millis(600));
        let (burnt, _) = watch.take();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(first.cores as usize, cores::allowed().len());
        assert!(burnt.wall >= Duration::from_millis(590), "{burnt:?}");
        // Half of what a core of its own would give it, since the machine may be busy.
        assert!(burnt.others >= Duration::from_millis(200), "{burnt:?}");
        assert!(burnt.others <= burnt.wall * burnt.cores * 2, "{burnt:?}");
    }

    #[test]
    fn own_cpu_time_is_not_that_of_others() {
        let (_, watch) = started_at_once();
        let cores = cores::allowed().len() as u32;
        watch.take();
        let before = counters::own();
        let spun = || counters::own().saturating_sub(before);
        let enough = Duration::from_millis(200) * cores;
        thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| while spun() < enough {});
            }
        });
        // Other processes can only have used the time that we did not use.
        let (machine, _) = watch.take();
        let left = (machine.wall * cores).saturating_sub(spun());
        let rounding = Duration::from_millis(50) * cores;
        assert!(machine.others < left + rounding, "{machine:?}, {left:?} left");
    }

    /// The process that [`stopped_process_notices_its_stall`] stops.
    #[test]
    fn stopped_from_outside() {
        if std::env::var_os("BRUNT_TEST_STOPPED").is_none() {
            return;
        }
        let (clock, watch) = started_at_once();
        let mut stalls = Vec::new();
        eprintln!("watching");
        while clock.now() < Moment::ZERO + Duration::from_secs(10) {
            clock.wait_until(clock.now() + Duration::from_millis(20));
            stalls.extend(watch.take().1);
            let long = stalls.iter().any(|stall| stall.lasted > Duration::from_millis(300));
            if long {
                return;
            }
        }
        panic!("no stall of 300 ms and more was seen: {stalls:?}");
    }

    #[test]
    fn stopped_process_notices_its_stall() {
        let other_half = "machine::watch::tests::stopped_from_outside";
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", other_half, "--nocapture"])
            .env("BRUNT_TEST_STOPPED", "1")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "watching"));
        let clock = Monotonic::new();
        let id = Pid::from_child(&child);
        clock.wait_until(clock.now() + Duration::from_millis(100));
        kill_process(id, Signal::STOP).unwrap();
        clock.wait_until(clock.now() + Duration::from_millis(500));
        kill_process(id, Signal::CONT).unwrap();
        let rest: Vec<_> = lines.collect();
        assert!(child.wait().unwrap().success(), "{rest:#?}");
    }

    #[test]
    fn time_before_the_origin_is_ignored() {
        let (clock, origin) = (Monotonic::new(), Arc::default());
        let watch = MachineWatch::start(clock, Arc::clone(&origin));
        let ms = Duration::from_millis;
        let at = |millis| Moment::ZERO + ms(millis);
        watch.shared.stalled(at(0), at(500));
        clock.wait_until(clock.now() + ms(60));
        assert_eq!(watch.take(), (Machine::default(), Vec::new()));
        let now = clock.now();
        origin.set(now).unwrap();
        watch.shared.stalled(at(0), now);
        let earlier = Moment::ZERO + (now.since_origin() / 2);
        watch.shared.stalled(earlier, now + ms(70));
        watch.shared.stalled(now + ms(100), now + ms(200));
        clock.wait_until(clock.now() + ms(90));
        let (machine, stalls) = watch.stop();
        let stall = |from, lasted| Stall { node: 0, from: ms(from), lasted: ms(lasted) };
        // After these, a busy machine may really have stalled us.
        assert_eq!(stalls[..2], [stall(0, 70), stall(100, 100)]);
        assert!(machine.wall >= ms(40) && machine.wall <= clock.now() - now, "{machine:?}");
    }

    #[test]
    fn stall_list_is_bounded_but_its_sum_is_complete() {
        let (_, watch) = started_at_once();
        let ms = Duration::from_millis;
        for _ in 0..PENDING_MAX + 10 {
            watch.shared.stalled(Moment::ZERO + ms(100), Moment::ZERO + ms(200));
        }
        let (_, stalls) = watch.take();
        assert_eq!(stalls.len(), PENDING_MAX);
        let sum: Duration = stalls.iter().map(|stall| stall.lasted).sum();
        assert!(sum >= ms(100) * (PENDING_MAX as u32 + 10), "{sum:?}");
    }
}
