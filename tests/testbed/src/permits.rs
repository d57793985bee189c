//! Permits that hold for the whole machine: to run [among others](among_others()), to keep a [core](core()) busy, or to
//! be [alone].
//!
//! They are locks of the kernel (flock) on files of this user, so that they hold between the processes of a test run,
//! between test runs of two checkouts, and end with the process that holds them, however it ends.

use crate::runtime::runtime_directory;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What this process holds of the machine.
static HELD: Mutex<Held> = Mutex::new(Held::Nothing);
/// Threads of one process share what it holds, so of these only one is alone at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[derive(Debug)]
enum Held {
    Nothing,
    Shared { _machine: OwnedFd },
    Alone,
}

/// Keeps tests that measure time from starting, until this process ends. All programs under test are started through
/// this.
pub fn among_others() {
    let mut held = held();
    if matches!(*held, Held::Nothing) {
        // Whoever wants to be alone holds the gate while it waits, so that it does not wait for ever.
        let gate = locked("gate", FlockOperation::LockShared);
        *held = Held::Shared { _machine: locked("machine", FlockOperation::LockShared) };
        drop(gate);
    }
}

/// Waits until no other test runs on this machine, and keeps others from starting, until the permit is dropped.
pub fn alone() -> Alone {
    let thread = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // What this process itself shares would keep it from being alone.
    *held() = Held::Alone;
    let gate = locked("gate", FlockOperation::LockExclusive);
    let machine = locked("machine", FlockOperation::LockExclusive);
    Alone { _machine: machine, _gate: gate, _thread: thread }
}

/// The permit of a test that is alone.
#[derive(Debug)]
pub struct Alone {
    _machine: OwnedFd,
    _gate: OwnedFd,
    _thread: MutexGuard<'static, ()>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        *held() = Held::Nothing;
    }
}

/// Waits for one of as many permits as this machine has cores. Most tests wait nearly all the time, so more of them run
/// at a time than there are cores; those that keep a core busy take a permit first.
pub fn core() -> Core {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let files: Vec<OwnedFd> = (0..cores).map(|core| opened(&format!("core-{core}"))).collect();
    loop {
        for file in &files {
            if flock(file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let file = file.try_clone().expect("a descriptor can be doubled");
                return Core { _core: file };
            }
        }
        thread::park_timeout(Duration::from_millis(20));
    }
}

/// A permit to keep a core busy.
#[derive(Debug)]
pub struct Core {
    _core: OwnedFd,
}

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn opened(name: &str) -> OwnedFd {
    let path = runtime_directory().join(format!("{name}.lock"));
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC;
    open(&path, flags, Mode::RUSR | Mode::WUSR)
        .unwrap_or_else(|error| panic!("failed to open {}: {error}", path.display()))
}

fn locked(name: &str, how: FlockOperation) -> OwnedFd {
    let file = opened(name);
    loop {
        match flock(&file, how) {
            Ok(()) => return file,
            Err(Errno::INTR) => {}
            Err(error) => panic!("failed to lock the file of {name}: {error}"),
        }
    }
}

#[cfg(test)]
mod tests;
