//! The cores that this process may use, and how a worker is pinned to one of them.
//!
//! A worker that moves between cores loses its caches and its processor-time accounting. Only cores of the allowed set
//! are used, so that a container or `taskset` is obeyed.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The numbers of the cores this process may run on, at least one.
pub fn allowed() -> Vec<usize> {
    let cores = sched_getaffinity(None)
        .map(|set| (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect::<Vec<_>>());
    cores.ok().filter(|cores| !cores.is_empty()).unwrap_or_else(|| vec![0])
}

/// Pins the calling thread to one core. If that is forbidden the thread runs anywhere, which costs only precision, so
/// it is not an error.
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
    fn pinned_thread_has_one_core() {
        let core = *allowed().last().unwrap();
        let left = std::thread::spawn(move || (pin(core), allowed())).join().unwrap();
        assert_eq!(left, (true, vec![core]));
        assert!(!pin(usize::MAX));
    }
}
