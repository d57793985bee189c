//! What a coordinator knows of an agent's clocks: [`Clocks`].
//!
//! A run records its beginning by its machine's wall clock, and wall clocks may be hours apart. With each report the
//! agent sends the readings of both its clocks and the offset of its monotonic clock from the coordinator's. So any
//! moment of that wall clock can be converted to the coordinator's monotonic clock, to within half a round trip.

use crate::message::{ClockReport, Report};
use std::time::Duration;

/// An agent's clocks, as its reports give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The reading at the time of the order to begin: the wall clock may be set during the run.
    first: Reading,
    last: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    monotonic_us: i64,
    clock: ClockReport,
}

impl Clocks {
    /// The clocks as the first report of a run that is about to begin gives them.
    pub(super) fn new(report: &Report) -> Option<Self> {
        let first = Reading::from_report(report)?;
        Some(Self { first, last: first })
    }

    /// Takes a later report.
    pub(super) fn on_message(&mut self, report: &Report) {
        if let Some(reading) = Reading::from_report(report) {
            self.last = reading;
        }
    }

    /// Converts a moment of the agent's wall clock to the coordinator's monotonic clock. Both are in microseconds.
    pub fn moment(&self, wall_us: i64) -> i64 {
        let Reading { monotonic_us, clock } = self.first;
        let since = wall_us.saturating_sub(clock.wall_us);
        monotonic_us.saturating_add(since).saturating_add(clock.offset_ns / 1_000)
    }

    /// The quickest round trip to the coordinator before the run began: converted moments are exact to half of it.
    pub fn round_trip(&self) -> Duration {
        Duration::from_nanos(self.first.clock.round_trip_ns)
    }

    /// How many seconds its monotonic clock lost against the coordinator's during the run.
    pub fn drift_s(&self) -> f64 {
        self.last.clock.offset_ns.saturating_sub(self.first.clock.offset_ns) as f64 / 1e9
    }
}

impl Reading {
    fn from_report(report: &Report) -> Option<Self> {
        let clock = report.clock?;
        Some(Self { monotonic_us: i64::try_from(report.sent_ns / 1_000).ok()?, clock })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Stage;

    fn report(sent_ms: u64, wall_s: i64, offset_ms: i64) -> Report {
        let clock = ClockReport {
            wall_us: wall_s * 1_000_000,
            offset_ns: offset_ms * 1_000_000,
            round_trip_ns: 4_000,
        };
        Report {
            nonce: String::new(),
            stage: Stage::Running,
            sent_ns: sent_ms * 1_000_000,
            at: 0,
            total: 0,
            wall_ms: wall_s * 1_000,
            clock: Some(clock),
        }
    }

    #[test]
    fn clock_that_is_an_hour_ahead_is_translated() {
        // The agent's monotonic clock shows 10 s where the coordinator's shows 110 s.
        let mut clocks = Clocks::new(&report(10_000, 3_600, 100_000)).unwrap();
        assert_eq!(clocks.moment(3_602_500_000), 112_500_000);
        assert_eq!(clocks.round_trip(), Duration::from_micros(4));
        // Then the wall clock is set, and the monotonic clock has lost 3 ms.
        clocks.on_message(&report(20_000, 10, 100_003));
        assert_eq!(clocks.moment(3_602_500_000), 112_500_000);
        assert!((clocks.drift_s() - 0.003).abs() < 1e-9);
        assert_eq!(Clocks::new(&Report { clock: None, ..report(1, 1, 1) }), None);
    }
}
