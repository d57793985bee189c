//! A [`Translation`]: converts stamps of the kernel, which use the wall clock, to the moments of a run.
//!
//! Both clocks are read once per batch, so a step of the wall clock affects at most the batch that waits at that
//! instant. This is not used for a schedule: the result is always a moment that the run's clock has passed.

use brunt_exchange::{Clock, Moment};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The largest difference between two readings that count as one instant.
const CLOSE: Duration = Duration::from_micros(2);
/// How many times the readings are repeated to get closer ones.
const ATTEMPTS: u32 = 4;

/// The two clocks at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    wall: Duration,
    run: Moment,
}

impl Translation {
    /// Reads both clocks. If the thread is preempted between two readings, they are not one instant, so the wall clock
    /// is read between two readings of the run's clock, and again if these differ too much.
    pub fn now(clock: &dyn Clock) -> Self {
        let mut before = clock.now();
        let (mut best, mut narrowest) = (Self { wall: Duration::ZERO, run: before }, Duration::MAX);
        for _ in 0..ATTEMPTS {
            // With a wall clock before 1970 nothing can be translated: every stamp then becomes the present moment.
            let wall = Duration::try_from(clock_gettime(ClockId::Realtime)).unwrap_or_default();
            let after = clock.now();
            let apart = after - before;
            if apart < narrowest {
                (best, narrowest) = (Self { wall, run: before + apart / 2 }, apart);
            }
            if narrowest < CLOSE {
                break;
            }
            before = after;
        }
        best
    }

    /// The moment of a stamp. A stamp in the future becomes the present moment.
    pub fn moment(self, stamp: Duration) -> Moment {
        let ago = self.wall.saturating_sub(stamp);
        Moment::from_nanos(self.run.as_nanos().saturating_sub(ago.as_nanos() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A clock that jumps at some readings, as if its thread had been preempted.
    struct Jumping(Cell<u64>, &'static [u64]);

    impl Clock for Jumping {
        fn now(&self) -> Moment {
            let reading = self.0.get();
            self.0.set(reading + 1);
            let jumps = self.1.iter().filter(|it| **it <= reading).count() as u64;
            Moment::from_nanos(reading * 100 + jumps * 50_000_000)
        }
    }

    #[test]
    fn clock_readings_far_apart_are_repeated() {
        assert_eq!(Translation::now(&Jumping(Cell::new(0), &[])).run.as_nanos(), 50);
        assert_eq!(Translation::now(&Jumping(Cell::new(0), &[1])).run.as_nanos(), 50_000_150);
        let all = Translation::now(&Jumping(Cell::new(0), &[1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(all.run.as_nanos(), 25_000_050, "it does not try for ever");
    }

    #[test]
    fn kernel_timestamp_is_translated_to_the_run_clock() {
        let both = Translation { wall: Duration::from_secs(1000), run: Moment::from_nanos(5_000) };
        let at = |before: u64| both.moment(Duration::from_nanos(1_000_000_000_000 - before));
        assert_eq!(at(0), Moment::from_nanos(5_000));
        assert_eq!(at(4_999), Moment::from_nanos(1));
        assert_eq!(at(6_000), Moment::ZERO, "before the run");
        assert_eq!(both.moment(Duration::from_secs(1001)), Moment::from_nanos(5_000), "ahead");
    }
}
