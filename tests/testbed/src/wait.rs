//! Waiting for something outside this process, with a limit.

use std::thread;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(5);

/// Asks `come` again and again until it says yes; false once `limit` has gone by.
#[expect(
    clippy::disallowed_methods,
    reason = "what is waited for is another process, in real time"
)]
pub fn until(limit: Duration, mut come: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if come() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        thread::sleep(PAUSE);
    }
}
