//! How often the pacer checks whether something must end: [`Ticks`].
//!
//! A wake-up costs some 40 us, and a run pays for those whatever its load. So while nothing is in flight, which is most
//! of the time at a low rate, the pacer sleeps longer: it then checks only whether the run must end.

use super::{TICK, TICK_MIN};
use brunt_exchange::Moment;
use std::cell::Cell;
use std::time::Duration;

/// The most time from one check to the next while nothing is in flight.
const IDLE: Duration = Duration::from_millis(250);

/// The times of a worker's checks.
pub(super) struct Ticks {
    /// The time from one check to the next while exchanges are in flight.
    busy: Cell<Duration>,
    /// Whether nothing was in flight at the last check, and no exchange has begun since.
    idle: Cell<bool>,
    /// When the last check was.
    last: Cell<Moment>,
}

impl Ticks {
    /// Ticks so that exchanges which exceed this timeout are noticed within a twentieth of it.
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        let (busy, idle, last) = (Cell::new(TICK), Cell::new(false), Cell::new(Moment::ZERO));
        let ticks = Self { busy, idle, last };
        if let Some(timeout) = timeout {
            ticks.notice(timeout);
        }
        ticks
    }

    /// Shortens the ticks so that an exchange which exceeds this timeout is noticed within a twentieth of it.
    pub(super) fn notice(&self, timeout: Duration) {
        let tick = (timeout / 20).clamp(TICK_MIN, TICK);
        self.busy.set(self.busy.get().min(tick));
    }

    /// When to check again after a check.
    pub(super) fn checked(&self, now: Moment, idle: bool) -> Moment {
        self.idle.set(idle);
        self.last.set(now);
        self.tick_after(if idle { IDLE.saturating_sub(self.busy.get()) } else { Duration::ZERO })
    }

    /// When to check next, if that was planned for `at`: earlier if an exchange has begun since.
    pub(super) fn next(&self, at: Moment, now: Moment) -> Moment {
        if self.idle.get() { at } else { at.min(self.tick_after(now - self.last.get())) }
    }

    /// The tick at which this time has passed since the last check. Ticks of an idle worker are left out and not moved:
    /// which exchanges are found to take too long must not depend on others.
    fn tick_after(&self, time: Duration) -> Moment {
        let busy = self.busy.get();
        let number = time.as_nanos() as u64 / busy.as_nanos() as u64 + 1;
        self.last.get() + busy * number as u32
    }

    /// Something is in flight or waits for a session; whether the pacer does not know that yet.
    #[inline]
    pub(super) fn stirred(&self) -> bool {
        self.idle.replace(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn ticks_are_rare_until_an_exchange_begins() {
        let ticks = Ticks::new(Some(Duration::from_secs(30)));
        assert_eq!(ticks.checked(at(1_000), false), at(1_050));
        assert!(!ticks.stirred());
        assert_eq!(ticks.next(at(1_050), at(1_020)), at(1_050), "no wake-up delays a check");
        let next = ticks.checked(at(1_050), true);
        assert_eq!(next, at(1_300));
        assert_eq!(ticks.next(next, at(1_100)), at(1_300));
        assert!(ticks.stirred());
        assert_eq!(ticks.next(next, at(1_100)), at(1_150));
        assert_eq!(ticks.next(next, at(1_149)), at(1_150));
        assert_eq!(ticks.next(at(1_150), at(1_160)), at(1_150), "it is overdue");
        assert!(!ticks.stirred(), "the pacer knows");
    }

    #[test]
    fn ticks_notice_short_timeouts() {
        let ticks = Ticks::new(None);
        ticks.notice(Duration::from_millis(200));
        assert_eq!(ticks.checked(at(0), false), at(10));
        ticks.notice(Duration::from_secs(5));
        assert_eq!(ticks.checked(at(0), false), at(10));
        ticks.notice(Duration::ZERO);
        assert_eq!(ticks.checked(at(0), false), at(1));
    }
}
