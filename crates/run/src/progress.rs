//! [`Progress`]: one line on standard error that shows the progress of a run.
//!
//! Results are printed when the run is over, so progress goes to standard error meanwhile. On a terminal the line is
//! updated in place; a file or a pipe gets a line from time to time, so that a log shows that the run is still in
//! progress.

use std::time::Duration;

use brunt_record::{Histogram, Interval, Measured, Phase};

use super::observer::{Observer, ObserverFailure};
use crate::console::{Console, StatusLine};

/// How often a file or a pipe gets a line.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows the progress of a run.
pub(crate) struct Progress {
    console: Console,
    line: StatusLine,
    lasting: Option<Duration>,
    /// When the next line is due if lines cannot be updated in place.
    next: Duration,
}

impl Progress {
    /// The progress of a run of this length, if that is known.
    pub(crate) fn new(lasting: Option<Duration>, console: &Console) -> Self {
        let line = StatusLine::new(console);
        Self { console: console.clone(), line, lasting, next: LINE_EVERY }
    }

    /// Whether a line is due at `at`, if lines cannot be updated in place.
    fn due(&mut self, at: Duration) -> bool {
        let due = at >= self.next;
        while at >= self.next {
            self.next += LINE_EVERY;
        }
        due
    }

    fn text(&self, interval: &Interval) -> String {
        let counts = interval.counts();
        let seconds = interval.lasted().as_secs_f64().max(f64::MIN_POSITIVE);
        let mut response = Histogram::new();
        interval.operations.iter().for_each(|operation| response.merge(&operation.response.due()));
        let at = |quantile| {
            let time = response.quantile(quantile).unwrap_or_default();
            format!("{:.3} ms", time.as_secs_f64() * 1e3)
        };
        let of = self.lasting.map_or(String::new(), |all| format!(" of {:.0}", all.as_secs_f64()));
        let doing = if interval.phase == Phase::Steady { "" } else { " (warm-up)" };
        format!(
            "{:.0}{of} s{doing}: {:.0}/s, p50 {}, p99 {}, {} in flight, {} errors",
            interval.to.as_secs_f64(),
            counts.completed() as f64 / seconds,
            at(0.5),
            at(0.99),
            interval.in_flight,
            counts.errors(),
        )
    }
}

impl Observer for Progress {
    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        if self.line.shows() {
            self.line.show(&self.text(interval));
        } else if self.due(interval.to) {
            self.console.message(&self.text(interval));
        }
        Ok(())
    }

    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn progress_is_logged_every_five_seconds() {
        let mut progress = Progress::new(None, &Console::kept(Environment::default()));
        let due = |second: &u64| progress.due(Duration::from_secs(*second));
        assert_eq!((1..=16).filter(due).collect::<Vec<_>>(), [5, 10, 15]);
        // After a long interval, one line and not three.
        let due: Vec<bool> =
            [31, 32, 36].map(|second| progress.due(Duration::from_secs(second))).to_vec();
        assert_eq!(due, [true, false, true]);
    }
}
