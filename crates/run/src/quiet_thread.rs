//! A thread beside a run that must not disturb the run: [`spawn`].
//!
//! Workers are pinned to the first available cores. A quiet thread uses the remaining cores; if workers have them all,
//! it has the lowest priority. This module must not depend on what the thread is used for.

use std::io;
use std::thread::{Builder, JoinHandle};

use brunt_engine::cores;
use rustix::process::nice;
use rustix::thread::{CpuSet, sched_setaffinity};

/// The nice value of the thread: the highest there is.
const NICENESS: i32 = 19;

/// Starts a thread beside this number of workers.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    workers: usize,
    act: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let quietly = move || {
        step_aside(workers);
        act()
    };
    Builder::new().name(name.to_owned()).spawn(quietly)
}

/// Moves this thread off the cores of the workers. If the system forbids it, the thread runs like any other.
fn step_aside(workers: usize) {
    let mut left = CpuSet::new();
    let free = cores::allowed().into_iter().skip(workers).filter(|core| *core < CpuSet::MAX_CPU);
    free.for_each(|core| left.set(core));
    if left.count() > 0 {
        let _ = sched_setaffinity(None, &left);
    }
    let _ = nice(NICENESS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn niceness() -> i32 {
        nice(0).unwrap()
    }

    #[test]
    fn quiet_thread_uses_cores_without_workers() {
        let (all, before) = (cores::allowed(), niceness());
        let beside = |workers| {
            spawn("quiet", workers, || (cores::allowed(), niceness())).unwrap().join().unwrap()
        };
        assert_eq!(beside(all.len() - 1).0, all[all.len() - 1..]);
        assert_eq!(beside(all.len()), (all, NICENESS));
        assert_eq!(niceness(), before, "only the quiet thread is");
    }
}
