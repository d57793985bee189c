//! The machine resources that a thread used: [`Usage`].

use crate::machine::{Delay, current_delay};
use brunt_record::WorkerLoad;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What a thread has used since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Its processor time.
    cpu: Duration,
    /// The scheduler's counters of it.
    delay: Delay,
}

impl Usage {
    /// What the calling thread has used.
    pub(super) fn of_thread() -> Self {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        let cpu =
            Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0));
        Self { cpu, delay: current_delay().unwrap_or_default() }
    }

    /// What it has used since `earlier`; zero if that was another thread.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            delay: Delay {
                waited: self.delay.waited.saturating_sub(earlier.delay.waited),
                runs: self.delay.runs.saturating_sub(earlier.delay.runs),
            },
        }
    }

    /// The same as the load of a worker.
    pub(super) fn load(&self, worker: usize, wall: Duration) -> WorkerLoad {
        WorkerLoad {
            node: 0,
            worker: u16::try_from(worker).unwrap_or(u16::MAX),
            cpu: self.cpu,
            wall,
            waited: self.delay.waited,
            runs: self.delay.runs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_shows() {
        let before = Usage::of_thread();
        let mut sum = 0_u64;
        while Usage::of_thread().since(&before).cpu < Duration::from_millis(5) {
            sum = std::hint::black_box(sum + 1);
        }
        assert_eq!(before.since(&Usage::of_thread()), Usage::default());
    }
}
