//! What kept a thread from its core between two of its wake-ups: the evidence that a late one is not the timer's.
//!
//! The scheduler's count for the thread is the best evidence. A kernel without it has the machine's pressure, which
//! counts the waits of every process: it can only be too large, and then a sample too many is left out. Steal is
//! counted in ticks that are longer than a sample, so it is known of all samples together. What cannot be read is
//! unknown, and does not show that a sample was undisturbed.

use super::delay::Schedstat;
use super::pressure::Pressure;
use super::quota::Quotas;
use super::ticks::CoreTicks;
use crate::cores;
use std::time::Duration;

/// A thread that wakes on an idle core is counted as waiting for it for a few microseconds. A shorter wait disturbs
/// nothing, and an earlier wake-up needs no excuse.
const WAIT_MIN: Duration = Duration::from_micros(50);
/// A wake-up was disturbed if waits are at least this part of its lateness.
const WAIT_PART: u32 = 4;
/// No timer is this late: the process was stopped, or the machine paused.
const STOPPED: Duration = super::gap::LATE_MIN;

/// What is known of the time between two wake-ups of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disturbance {
    /// How long the thread, or as far as is known some thread of the machine, waited for a core.
    pub(super) waited: Option<Duration>,
    /// How long a quota kept the process from running.
    pub(super) throttled: Duration,
}

impl Disturbance {
    /// Whether it may be the reason that a wake-up was this late.
    pub(super) fn may_explain(&self, late: Duration) -> bool {
        if late < WAIT_MIN {
            return false;
        }
        let waits = self.waited.is_none_or(|waited| waited >= WAIT_MIN.max(late / WAIT_PART));
        late >= STOPPED || waits || !self.throttled.is_zero()
    }
}

/// The kernel's counters, as differences since they were last read.
#[derive(Debug)]
pub(super) struct DisturbanceCounters {
    waits: Waits,
    quotas: Quotas,
    waited: Option<Duration>,
    throttled: Vec<Duration>,
    ticks: CoreTicks,
    steal: Option<Duration>,
}

impl DisturbanceCounters {
    /// The counters of the calling thread and its process, from now on.
    pub(super) fn of_thread() -> Self {
        let (mut waits, mut quotas) = (Waits::of_thread(), Quotas::of_this_process());
        let mut ticks = CoreTicks::of(cores::allowed());
        let (waited, throttled) = (waits.read(), quotas.throttled().collect());
        let steal = ticks.read().map(|times| times.steal);
        Self { waits, quotas, waited, throttled, ticks, steal }
    }

    /// What happened since the last call, at whose end a thread was woken this late. The files of the quota are read
    /// only after a late wake-up: where a quota is small, reading them each time would use it up.
    pub(super) fn take(&mut self, late: Duration) -> Disturbance {
        let now = self.waits.read();
        let waited = now.zip(self.waited).map(|(now, then)| now.saturating_sub(then));
        self.waited = now;
        if late < WAIT_MIN {
            return Disturbance { waited, ..Disturbance::default() };
        }
        let now: Vec<_> = self.quotas.throttled().collect();
        let more = now.iter().zip(&self.throttled).map(|(now, then)| now.saturating_sub(*then));
        let throttled = more.max().unwrap_or_default();
        self.throttled = now;
        Disturbance { waited, throttled }
    }

    /// Whether a hypervisor kept processor time for itself since these counters were made; `None` if that is unknown.
    pub(super) fn stolen(&mut self) -> Option<bool> {
        self.ticks.read().zip(self.steal).map(|(now, then)| now.steal > then)
    }
}

/// How long the thread, or as far as is known some thread of the machine, has waited for a core.
#[derive(Debug)]
struct Waits {
    own: Schedstat,
    machine: Pressure,
}

impl Waits {
    fn of_thread() -> Self {
        Self { own: Schedstat::of_thread(), machine: Pressure::of_cores() }
    }

    fn read(&mut self) -> Option<Duration> {
        self.own.read().map(|delay| delay.waited).or_else(|| self.machine.read())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disturbance_explains_each_kind_of_late_wake_up() {
        // The reason; in microseconds: late, waited, throttled; and whether that may be why.
        type Row = (&'static str, u64, Option<u64>, u64, bool);
        const ROWS: &[Row] = &[
            ("in time", 20, Some(20), 0, false),
            ("in time, and nothing is known", 20, None, 0, false),
            ("late by the timer", 900, Some(8), 0, false),
            ("late by the timer, with a short wait", 900, Some(60), 0, false),
            ("another thread had the core", 900, Some(850), 0, true),
            ("another thread had the core for a part of it", 900, Some(225), 0, true),
            ("a wake-up that took its usual while", 100, Some(40), 0, false),
            ("a quota was used up", 90_000, Some(0), 88_000, true),
            ("a quota was used up, which is not counted as a wait", 4_000, Some(0), 3_000, true),
            ("stopped, or paused with its machine", 50_000, Some(0), 0, true),
            ("nothing is known", 900, None, 0, true),
        ];
        let micros = Duration::from_micros;
        for &(why, late, waited, throttled, expected) in ROWS {
            let beside = Disturbance { waited: waited.map(micros), throttled: micros(throttled) };
            assert_eq!(beside.may_explain(micros(late)), expected, "{why}");
        }
    }

    #[test]
    fn disturbance_counters_are_reported_once() {
        let mut counters = DisturbanceCounters::of_thread();
        let first = counters.take(Duration::from_secs(1));
        counters.waited = first.waited.map(|_| Duration::from_secs(1_000_000));
        assert_eq!(counters.take(Duration::ZERO).waited.unwrap_or_default(), Duration::ZERO);
        // A group that was throttled before is not charged with that again.
        counters.throttled.iter_mut().for_each(|then| *then += Duration::from_secs(1_000_000));
        assert_eq!(counters.take(Duration::from_secs(1)).throttled, Duration::ZERO);
    }
}
