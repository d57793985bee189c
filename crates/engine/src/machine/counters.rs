//! The machine's cumulative counters, as differences since the last call.
//!
//! Busy cores are counted in ticks and our own time to the nanosecond, so one may seem to be ahead of the other for a
//! while. Differences are therefore taken between sums since the beginning that never decrease, and no interval is
//! charged with the rounding of another.

use super::pressure::Pressure;
use super::quota::Quotas;
use super::ticks::{CoreTicks, CoreTimes};
use crate::cores;
use brunt_exchange::Moment;
use brunt_record::Machine;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time of all threads of this process.
pub(super) fn own() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How far the counters of cores may be ahead of the clock: they count in ticks.
const ROUNDING: Duration = Duration::from_millis(20);

/// The added time, if it is possible: a host that suspends its guest adds the whole pause to the time it kept, although
/// the guest's clock stood still and no exchange waited.
fn believable(added: Duration, most: Duration) -> Duration {
    if added <= most { added } else { Duration::ZERO }
}

/// One reading of the counters.
#[derive(Clone, Debug, Default)]
struct Reading {
    at: Moment,
    busy: Duration,
    own: Duration,
    steal: Duration,
    throttled: Vec<Duration>,
    pressure: Duration,
    unseen: bool,
}

impl Reading {
    /// The differences since `first`.
    fn since(&self, first: &Self, cores: u32) -> Machine {
        let more = Duration::saturating_sub;
        let groups = self.throttled.iter().zip(&first.throttled);
        Machine {
            wall: self.at - first.at,
            cores,
            others: more(more(self.busy, first.busy), more(self.own, first.own)),
            steal: more(self.steal, first.steal),
            // Groups that contain each other may be throttled at the same time or at different times: only the largest
            // value is certain.
            throttled: groups.map(|(now, then)| more(*now, *then)).max().unwrap_or_default(),
            pressure: more(self.pressure, first.pressure),
            unseen: self.unseen || first.unseen,
        }
    }
}

/// The counters, and how much of them was reported.
#[derive(Debug)]
pub(super) struct MachineCounters {
    ticks: CoreTicks,
    quotas: Quotas,
    pressure: Pressure,
    first: Reading,
    reported: Machine,
}

impl MachineCounters {
    /// The counters of this process and of the cores that the calling thread may use, counted from now on.
    pub(super) fn new(now: Moment) -> Self {
        let mut counters = Self {
            ticks: CoreTicks::of(cores::allowed()),
            quotas: Quotas::of_this_process(),
            pressure: Pressure::of_cores(),
            first: Reading::default(),
            reported: Machine::default(),
        };
        counters.restart(now);
        counters
    }

    /// Forgets everything up to now.
    pub(super) fn restart(&mut self, now: Moment) {
        self.first = self.read(now);
        self.reported = Machine::default();
    }

    /// The differences since the last call.
    pub(super) fn take(&mut self, now: Moment) -> Machine {
        let seen = self.read(now).since(&self.first, self.ticks.cores());
        self.report(&seen)
    }

    fn report(&mut self, seen: &Machine) -> Machine {
        let reported = &mut self.reported;
        let fresh = |reported: &mut Duration, seen: Duration| {
            let more = seen.saturating_sub(*reported);
            *reported += more;
            more
        };
        let wall = fresh(&mut reported.wall, seen.wall);
        let most = (wall + ROUNDING) * seen.cores;
        Machine {
            wall,
            cores: seen.cores,
            others: fresh(&mut reported.others, seen.others),
            steal: believable(fresh(&mut reported.steal, seen.steal), most),
            // The kernel adds up all cores on which threads of the group were kept from running.
            throttled: fresh(&mut reported.throttled, seen.throttled).min(wall),
            pressure: fresh(&mut reported.pressure, seen.pressure),
            unseen: seen.unseen,
        }
    }

    fn read(&mut self, at: Moment) -> Reading {
        let times = self.ticks.read();
        let CoreTimes { busy, steal } = times.unwrap_or_default();
        Reading {
            at,
            busy,
            own: own(),
            steal,
            throttled: self.quotas.throttled().collect(),
            pressure: self.pressure.read().unwrap_or_default(),
            unseen: times.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn others_are_busy_time_beyond_our_own() {
        let first = Reading {
            at: Moment::ZERO + MS(1000),
            busy: MS(5000),
            own: MS(700),
            steal: MS(10),
            throttled: vec![MS(100), MS(40)],
            pressure: MS(60),
            unseen: false,
        };
        let now = Reading {
            at: Moment::ZERO + MS(3000),
            busy: MS(8000),
            own: MS(1700),
            steal: MS(30),
            throttled: vec![MS(105), MS(90)],
            pressure: MS(360),
            unseen: false,
        };
        let expected = Machine {
            wall: MS(2000),
            cores: 2,
            others: MS(2000),
            steal: MS(20),
            throttled: MS(50),
            pressure: MS(300),
            unseen: false,
        };
        assert_eq!(now.since(&first, 2), expected);
        // If ticks are behind our own time, the time of other processes must not become negative.
        let early = Reading { busy: MS(5010), own: MS(730), ..first.clone() };
        assert_eq!(early.since(&first, 2).others, Duration::ZERO);
        let hidden = Reading { unseen: true, ..now.clone() };
        assert!(hidden.since(&first, 2).unseen && now.since(&hidden, 2).unseen);
    }

    #[test]
    fn counters_never_report_twice_or_backwards() {
        let mut counters = MachineCounters::new(Moment::ZERO);
        let sum = |others| Machine { others: MS(others), ..Machine::default() };
        let reported = [300, 290, 310, 310, 400].map(|others| counters.report(&sum(others)).others);
        assert_eq!(reported, [MS(300), MS(0), MS(10), MS(0), MS(90)]);
    }

    #[test]
    fn throttled_time_is_limited_by_the_elapsed_time() {
        let mut counters = MachineCounters::new(Moment::ZERO);
        let sum = |(wall, throttled)| Machine {
            wall: MS(wall),
            throttled: MS(throttled),
            ..Machine::default()
        };
        let seen = [(1_000, 900), (2_000, 2_700), (3_000, 3_000)];
        let reported = seen.map(|seen| counters.report(&sum(seen)).throttled);
        assert_eq!(reported, [MS(900), MS(1_000), MS(300)]);
    }

    #[test]
    fn steal_time_is_limited_by_the_elapsed_time() {
        let mut counters = MachineCounters::new(Moment::ZERO);
        let sum = |(wall, steal)| Machine {
            wall: MS(wall),
            steal: MS(steal),
            cores: 2,
            ..Machine::default()
        };
        let seen = [(1_000, 50), (2_000, 2_050), (3_000, 330_000), (4_000, 330_100)];
        let reported = seen.map(|seen| counters.report(&sum(seen)).steal);
        assert_eq!(reported, [MS(50), MS(2_000), MS(0), MS(100)]);
    }
}
