//! A thread beside a run that must not disturb it: [`spawn`].
//!
//! Workers are pinned to the first of the cores there are. A quiet thread keeps to those that are left; where workers
//! have them all, it is the last to be given one. It must not know what it is for.

use std::io;
use std::thread::{Builder, JoinHandle};

use brunt_engine::cores;
use rustix::process::nice;
use rustix::thread::{CpuSet, sched_setaffinity};

/// How willing it is to wait: as willing as can be.
const NICENESS: i32 = 19;

/// Starts a thread beside so many workers.
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

/// Leaves the cores of the workers to them. Where the system forbids it the thread is as any other.
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
    fn it_keeps_to_the_cores_that_workers_leave() {
        let all = cores::allowed();
        let beside = |workers| {
            spawn("quiet", workers, || (cores::allowed(), niceness())).unwrap().join().unwrap()
        };
        assert_eq!(beside(all.len() - 1).0, all[all.len() - 1..]);
        assert_eq!(beside(all.len()), (all, NICENESS));
        assert_ne!(niceness(), NICENESS, "only the quiet thread is");
    }
}
