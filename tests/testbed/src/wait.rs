//! Waiting for something outside this process, with a limit.

use std::thread;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(5);
/// The longest pause, and how many times as long as an answer took it is: what reads a log or asks a client of a
/// database would otherwise keep a core busy while it waits.
const PAUSE_MAX: Duration = Duration::from_millis(100);
const TIMES: u32 = 8;

/// Asks `come` again and again until it says yes; false once `limit` has gone by.
#[expect(
    clippy::disallowed_methods,
    reason = "what is waited for is another process, in real time"
)]
pub fn until(limit: Duration, mut come: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        let asked = Instant::now();
        if come() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        thread::sleep((TIMES * asked.elapsed()).clamp(PAUSE, PAUSE_MAX));
    }
}
