//! What a thread used of the machine: [`Usage`].

use brunt_record::WorkerLoad;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What a thread has used since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Its processor time.
    cpu: Duration,
    /// How long it could have run and had no core.
    waited: Duration,
    /// How many times it was given a core.
    runs: u64,
}

impl Usage {
    /// What the calling thread has used.
    pub(super) fn of_thread() -> Self {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        let cpu =
            Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0));
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let (waited, runs) = schedstat(&text).unwrap_or_default();
        Self { cpu, waited, runs }
    }

    /// What it has used since `earlier`; nothing where that was another thread.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            waited: self.waited.saturating_sub(earlier.waited),
            runs: self.runs.saturating_sub(earlier.runs),
        }
    }

    /// The same as the load of a worker.
    pub(super) fn load(&self, worker: usize, wall: Duration) -> WorkerLoad {
        WorkerLoad {
            worker: u16::try_from(worker).unwrap_or(u16::MAX),
            cpu: self.cpu,
            wall,
            waited: self.waited,
            runs: self.runs,
        }
    }
}

/// The run-queue delay and the number of time slices, from the kernel's three numbers: nanoseconds on a core,
/// nanoseconds waited for one, slices (Documentation/scheduler/sched-stats.rst).
fn schedstat(text: &str) -> Option<(Duration, u64)> {
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let _on_core = numbers.next()?.ok()?;
    let (waited, runs) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((Duration::from_nanos(waited), runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_numbers_are_read() {
        assert_eq!(schedstat("917034 1500000 12\n"), Some((Duration::from_micros(1_500), 12)));
        assert_eq!(schedstat(""), None);
        assert_eq!(schedstat("1 2"), None);
    }

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
