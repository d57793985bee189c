//! [`RunClock`]: the time of day for a run, and the origin of the time that it counts.
//!
//! The time of day stamps a record and names when a run begins; everything else is counted from an origin. Both come
//! from one value, so that a program that carries a run out can set the time.

use std::time::SystemTime;

use brunt_exchange::{Clock as _, Monotonic};

/// The time of day for a run: by default that of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunClock {
    /// A time of day, and a clock that counts from it; without one it stands still.
    shown: Option<(SystemTime, Option<Monotonic>)>,
}

impl RunClock {
    /// A clock that shows this time of day now, and goes on from there as fast as the machine's.
    pub fn showing(now: SystemTime) -> Self {
        Self { shown: Some((now, Some(Monotonic::new()))) }
    }

    /// A clock that shows this time of day all the time, so that two runs in virtual time have the same.
    #[cfg(feature = "virtual-time")]
    pub fn standing(at: SystemTime) -> Self {
        Self { shown: Some((at, None)) }
    }

    /// The time of day.
    pub fn now(&self) -> SystemTime {
        match &self.shown {
            Some((at, Some(since))) => *at + since.now().since_origin(),
            Some((at, None)) => *at,
            None => machine(),
        }
    }
}

fn machine() -> SystemTime {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn run_clock_continues_from_the_given_time() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let clock = RunClock::showing(at);
        let copy = clock;
        let (first, second) = (clock.now(), copy.now());
        assert!(at <= first && first <= second, "{first:?} {second:?}");
        assert!(RunClock::default().now() > second + Duration::from_secs(86_400));
    }
}
