//! Waiting for something outside this process, with a limit.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// The pause at first, and the one of what takes long.
const PAUSE: Duration = Duration::from_millis(5);
const SLOWEST: Duration = Duration::from_millis(25);
/// The longest pause, and how many times as long as an answer took it is: what reads a log or asks a client of a
/// database would otherwise keep a core busy while it waits.
const PAUSE_MAX: Duration = Duration::from_millis(100);
const TIMES: u32 = 8;

/// Waits for the end of a process; false once `limit` has gone by. The kernel says when it ends, so that a test that
/// waits takes nothing from those that work.
pub fn ends_within(child: &mut Child, limit: Duration) -> bool {
    // Nobody may ask the kernel for the number of a child whose end is known: another process may have it.
    if child.try_wait().expect("a child of ours").is_some() {
        return true;
    }
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).expect("a child of ours");
    let limit = Timespec::try_from(limit).expect("a time that the kernel knows");
    let mut ends = [PollFd::new(&process, PollFlags::IN)];
    loop {
        match poll(&mut ends, Some(&limit)) {
            Ok(count) => return count > 0,
            Err(Errno::INTR) => {}
            Err(error) => panic!("failed to wait for a process: {error}"),
        }
    }
}

/// Asks `come` again and again until it says yes; false once `limit` has gone by.
#[expect(
    clippy::disallowed_methods,
    reason = "what is waited for is another process, in real time"
)]
pub fn until(limit: Duration, mut come: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    let mut pause = PAUSE;
    loop {
        let requested = Instant::now();
        if come() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        thread::sleep((TIMES * requested.elapsed()).clamp(pause, PAUSE_MAX));
        pause = SLOWEST.min(pause * 9 / 8);
    }
}
