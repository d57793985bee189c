//! Time in a run: nanoseconds since the run's origin, read from a [`Clock`].
//!
//! It is a trait and not a function, because every timing guarantee of brunt is tested in virtual
//! time. A [`Moment`] is one integer, so moments are compared and subtracted without branches.

use std::ops::{Add, Sub};
use std::pin::Pin;
use std::time::{Duration, Instant};

/// A point in time, in nanoseconds since the origin of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The origin of the run.
    pub const ZERO: Self = Self(0);

    /// The moment `nanos` nanoseconds after the origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time from the origin to this moment.
    pub const fn since_origin(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, later: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(later.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Moment {
    type Output = Duration;

    /// The time from `earlier` to this moment; zero if `earlier` is actually later.
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// A wait for a moment.
pub type Wait = Pin<Box<dyn Future<Output = ()>>>;

/// A source of time for a run.
pub trait Clock {
    /// The time since the origin of the run. Never goes backwards.
    fn now(&self) -> Moment;

    /// Waits until this moment, for code that otherwise uses the timers of the runtime. `None` if these follow this
    /// clock, as they do that of the machine.
    fn wait(&self, at: Moment) -> Option<Wait> {
        let _ = at;
        None
    }
}

/// The machine's monotonic clock, counted from the moment it was created.
///
/// Copies share the origin, so all workers of a run read the same time.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    origin: Instant,
}

impl Monotonic {
    /// A clock whose origin is now.
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    #[expect(clippy::new_without_default, reason = "two clocks made by default would not agree")]
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Clock for Monotonic {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Moment {
        let since = Instant::now().saturating_duration_since(self.origin);
        // 584 years fit, and no 128-bit arithmetic is needed.
        Moment(
            since
                .as_secs()
                .wrapping_mul(1_000_000_000)
                .wrapping_add(u64::from(since.subsec_nanos())),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_subtraction_never_wraps() {
        let early = Moment::from_nanos(3);
        let late = Moment::from_nanos(10);
        assert_eq!(late - early, Duration::from_nanos(7));
        assert_eq!(early - late, Duration::ZERO);
    }

    #[test]
    fn clock_copies_share_their_origin() {
        let clock = Monotonic::new();
        let copy = clock;
        let first = clock.now();
        let second = copy.now();
        assert!(second >= first);
        assert!(second - first < Duration::from_secs(5));
    }
}
