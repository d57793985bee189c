//! The machine resources that a thread used: [`Usage`].

use crate::machine::{Delay, ThreadUse, current_delay};
use brunt_record::WorkerLoad;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What a thread has used since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Its processor time.
    cpu: Duration,
    /// The scheduler's counters of it; absent if they cannot be read.
    delay: Option<Delay>,
}

impl Usage {
    /// What the calling thread has used.
    pub(super) fn of_thread() -> Self {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        let cpu =
            Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0));
        Self { cpu, delay: current_delay() }
    }

    /// What a simulated thread has used.
    pub(super) fn simulated(used: ThreadUse) -> Self {
        let ThreadUse { cpu, waited, runs } = used;
        Self { cpu, delay: Some(Delay { waited, runs }) }
    }

    /// What it has used since `earlier`; zero if that was another thread.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            delay: self.delay.zip(earlier.delay).map(|(now, then)| Delay {
                waited: now.waited.saturating_sub(then.waited),
                runs: now.runs.saturating_sub(then.runs),
            }),
        }
    }

    /// The same as the load of a worker.
    pub(super) fn load(&self, worker: usize, wall: Duration) -> WorkerLoad {
        let delay = self.delay.unwrap_or_default();
        WorkerLoad {
            node: 0,
            worker: u16::try_from(worker).unwrap_or(u16::MAX),
            cpu: self.cpu,
            wall,
            waited: delay.waited,
            runs: delay.runs,
            unseen: self.delay.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_counters_are_not_zero() {
        let of = |delay| Usage { cpu: Duration::from_secs(1), delay };
        let wall = Duration::from_secs(2);
        let known = of(Some(Delay::default()));
        assert_eq!(known.since(&known).load(0, wall).waited_share(), Some(0.0));
        for (now, then) in [(of(None), known), (known, of(None)), (of(None), of(None))] {
            let load = now.since(&then).load(0, wall);
            assert!(load.unseen && load.waited_share().is_none(), "{load:?}");
        }
    }

    #[test]
    fn waited_share_is_at_most_the_whole_time() {
        let delay = Delay { waited: Duration::from_millis(1_010), runs: 1 };
        let used = Usage { cpu: Duration::ZERO, delay: Some(delay) };
        let none = Usage { cpu: Duration::ZERO, delay: Some(Delay::default()) };
        let load = used.since(&none).load(0, Duration::from_secs(1));
        assert_eq!((load.waited, load.waited_share()), (delay.waited, Some(1.0)));
    }

    #[test]
    fn cpu_use_is_measured() {
        let before = Usage::of_thread();
        let mut sum = 0_u64;
        while Usage::of_thread().since(&before).cpu < Duration::from_millis(5) {
            sum = std::hint::black_box(sum + 1);
        }
        let backwards = before.since(&Usage::of_thread());
        assert_eq!(backwards.cpu, Duration::ZERO);
        assert_eq!(backwards.delay.unwrap_or_default(), Delay::default());
    }
}
