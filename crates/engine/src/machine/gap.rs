//! Whether a late wake-up means that the whole process stood still.
//!
//! A watchdog that is late has one of three reasons. The process was stopped, or kept from every core: it used no
//! processor time. The whole machine was paused: a thread that was on a core seems to have used all that time, but the
//! watchdog never waited for a core. Or only the watchdog had to wait while other threads of the process ran: that is
//! no stall. The function is pure, so that each reason is a row of a table.

use std::time::Duration;

/// The time from one wake-up of the watchdog to the next. A wake-up costs 25 to 40 us, whatever the load, most of which
/// is the kernel's; a process that stands still for this time and [`LATE_MIN`] is certainly noticed.
pub(super) const PERIOD: Duration = Duration::from_millis(25);

/// The least lateness of a wake-up that is examined.
pub(super) const LATE_MIN: Duration = Duration::from_millis(50);

/// One wake-up of the watchdog.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WakeUp {
    /// How late it was.
    pub(super) late: Duration,
    /// Processor time of the whole process since the previous wake-up.
    pub(super) used: Duration,
    /// The same for the last wake-up that was in time.
    pub(super) usual: Duration,
    /// How long the watchdog has waited for a core since the previous wake-up; `None` if that is not known, or if it
    /// was kept from going to sleep in time.
    pub(super) waited: Option<Duration>,
}

impl WakeUp {
    /// Whether the process stood still between deadline and wake-up.
    pub(super) fn stood_still(&self) -> bool {
        if self.late < LATE_MIN {
            return false;
        }
        // The period before the deadline was used as usual. In addition, other threads may have run for a while after
        // the deadline, until a quota was used up, or before the watchdog once the process could continue.
        let beside = self.usual.max(PERIOD) + self.late / 4;
        self.used <= beside || self.waited.is_some_and(|waited| waited < self.late / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason; in milliseconds: late, used, usual, waited; and whether it stood still.
    type Row = (&'static str, [u64; 3], Option<u64>, bool);

    const ROWS: &[Row] = &[
        ("in time", [0, 25, 25], Some(0), false),
        ("late, but not by much", [49, 0, 0], Some(0), false),
        ("idle and stopped", [3000, 0, 0], Some(0), true),
        ("at full load on two cores and stopped", [3000, 51, 50], Some(0), true),
        ("at full load and stopped; workers continued first", [3000, 130, 50], Some(90), true),
        ("kept from every core by a quota", [80, 27, 25], Some(80), true),
        ("a quota of a fifth of a core, used up after the deadline", [75, 20, 1], Some(75), true),
        ("kept from its only core by another process", [60, 1, 1], Some(60), true),
        ("only the watchdog had no core", [60, 85, 25], Some(58), false),
        ("two workers had both cores", [100, 250, 50], Some(95), false),
        ("a worker had half a core, the watchdog none", [100, 62, 12], Some(99), false),
        ("the machine was paused with a worker on its core", [2000, 2025, 25], Some(1), true),
        ("delay unknown, process stopped", [500, 5, 1], None, true),
        ("delay unknown, process ran", [500, 480, 25], None, false),
    ];

    #[test]
    fn stall_is_recognized_for_each_kind_of_late_wake_up() {
        let time = Duration::from_millis;
        for &(why, millis, waited, expected) in ROWS {
            let [late, used, usual] = millis.map(time);
            let wake_up = WakeUp { late, used, usual, waited: waited.map(time) };
            assert_eq!(wake_up.stood_still(), expected, "{why}");
        }
    }
}
