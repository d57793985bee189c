//! The cores this process may use, and how a worker stays on one of them.
//!
//! A worker that wanders between cores takes its caches and its processor-time accounting with it.
//! Only cores of the allowed set are used, so that a container or `taskset` is obeyed.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How much less a thread that can wait gets of a core that others want, too.
const LATER: i32 = 10;

/// The numbers of the cores this process may run on, at least one.
pub fn allowed() -> Vec<usize> {
    let cores = sched_getaffinity(None)
        .map(|set| (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect::<Vec<_>>());
    cores.ok().filter(|cores| !cores.is_empty()).unwrap_or_else(|| vec![0])
}

/// Keeps the calling thread off the cores to which so many pinned workers are bound, if that leaves any. Wherever it
/// runs, others go first: what it does can wait.
pub fn keep_off(workers: usize) {
    let cores = allowed();
    let mut left = CpuSet::new();
    let free = cores.iter().skip(workers).filter(|core| **core < CpuSet::MAX_CPU);
    free.for_each(|core| left.set(*core));
    if left.count() > 0 {
        // Where that is forbidden, it runs anywhere.
        let _ = sched_setaffinity(None, &left);
    }
    let _ = rustix::process::nice(LATER);
}

/// Keeps the calling thread on one core. Where that is forbidden the thread runs anywhere, which
/// costs precision and nothing else, so it is not an error.
pub(crate) fn pin(core: usize) -> bool {
    if core >= CpuSet::MAX_CPU {
        return false;
    }
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(None, &only).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_one_core_left() {
        let core = *allowed().last().unwrap();
        let left = std::thread::spawn(move || (pin(core), allowed())).join().unwrap();
        assert_eq!(left, (true, vec![core]));
        assert!(!pin(usize::MAX));
    }

    #[test]
    fn a_thread_that_can_wait_keeps_off_the_cores_of_workers_where_others_are_left() {
        let cores = allowed();
        for workers in 0..=cores.len() {
            let left = std::thread::spawn(move || {
                keep_off(workers);
                allowed()
            });
            let expected = if workers < cores.len() { &cores[workers..] } else { &cores[..] };
            assert_eq!(left.join().unwrap(), expected, "{workers} workers");
        }
    }
}
