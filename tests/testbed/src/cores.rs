//! [`Cores`]: as many permits as this machine has cores, for tests that keep a core busy.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, PoisonError};

/// As many permits as this machine has cores. Most tests wait nearly all the time, so `./test` runs more of them at a
/// time than there are cores; those that need a core take a permit first.
#[derive(Debug, Default)]
pub struct Cores {
    taken: Mutex<usize>,
    released: Condvar,
}

/// A permit, which ends when it is dropped.
#[derive(Debug)]
pub struct Core<'a> {
    cores: &'a Cores,
}

impl Cores {
    /// Permits of which none is taken.
    pub const fn new() -> Self {
        Self { taken: Mutex::new(0), released: Condvar::new() }
    }

    /// Waits until fewer permits are taken than there are cores, and takes one.
    pub fn take(&self) -> Core<'_> {
        let all = std::thread::available_parallelism().map_or(1, NonZero::get);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = self
            .released
            .wait_while(taken, |taken| *taken >= all)
            .unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Core { cores: self }
    }
}

impl Drop for Core<'_> {
    fn drop(&mut self) {
        *self.cores.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.cores.released.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::until;

    #[test]
    fn no_more_hold_a_permit_than_there_are_cores_and_everybody_gets_one() {
        let (cores, held, most) = (Cores::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        let all = thread::available_parallelism().unwrap().get();
        thread::scope(|scope| {
            for _ in 0..all * 3 {
                scope.spawn(|| {
                    let _core = cores.take();
                    most.fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    until(Duration::from_millis(20), || false);
                    held.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!((most.into_inner(), held.into_inner()), (all, 0));
    }
}
