//! How long a thread was ready to run but had no core: its run-queue delay, as the scheduler counts it.

use super::counter_file::CounterFile;
use std::time::Duration;

/// The scheduler's counters of a thread since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delay {
    /// How long it was ready to run but had no core.
    pub(crate) waited: Duration,
    /// How many times it was given a core.
    pub(crate) runs: u64,
}

/// The counters of the thread that opened them.
#[derive(Debug)]
pub(crate) struct Schedstat(Option<CounterFile>);

impl Schedstat {
    /// The counters of the calling thread.
    pub(crate) fn of_thread() -> Self {
        Self(CounterFile::open("/proc/thread-self/schedstat"))
    }

    /// The current counters; `None` if the kernel does not provide them.
    pub(crate) fn read(&mut self) -> Option<Delay> {
        parse(self.0.as_mut()?.read()?)
    }
}

/// The current counters of the calling thread; `None` if the kernel does not provide them.
pub(crate) fn current() -> Option<Delay> {
    Schedstat::of_thread().read()
}

/// Parses the three numbers of a `schedstat`: time on a core, time waited for one, turns (the kernel's sched-stats
/// page).
fn parse(schedstat: &str) -> Option<Delay> {
    let mut fields = schedstat.split_whitespace().map(str::parse::<u64>);
    let (ran, waited, runs) = (fields.next()?.ok()?, fields.next()?.ok()?, fields.next()?.ok()?);
    // A kernel that keeps no such statistics shows zeros. A thread that reads a file has run.
    (ran > 0).then_some(Delay { waited: Duration::from_nanos(waited), runs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores;

    #[test]
    fn schedstat_is_parsed() {
        let delay = Delay { waited: Duration::from_nanos(4711), runs: 12 };
        assert_eq!(parse("328822 4711 12\n"), Some(delay));
        assert_eq!(parse("0 0 0\n"), None);
        assert_eq!(parse("328822\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn two_threads_on_one_core_wait_for_each_other() {
        if current().is_none() {
            eprintln!("skipped: this kernel counts no run-queue delay");
            return;
        }
        let core = cores::allowed()[0];
        let spin = move || {
            cores::pin(core);
            let mut schedstat = Schedstat::of_thread();
            let mut waited = || schedstat.read().unwrap_or_default().waited;
            let before = waited();
            let clock = brunt_exchange::Monotonic::new();
            let until = Duration::from_millis(300);
            while brunt_exchange::Clock::now(&clock).since_origin() < until {}
            waited().saturating_sub(before)
        };
        let waited = std::thread::scope(|scope| {
            let threads = [scope.spawn(spin), scope.spawn(spin)];
            threads.map(|thread| thread.join().unwrap()).iter().sum::<Duration>()
        });
        // Of 600 ms of work, a core that is shared evenly gives 300; a busy machine makes the wait longer.
        assert!(waited > Duration::from_millis(150), "{waited:?}");
    }
}
