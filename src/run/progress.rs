//! [`Progress`]: one line on standard error that says how a run goes.
//!
//! Results are printed when the run is over, so what is shown meanwhile goes to standard error.

use std::time::Duration;

use brunt_record::{Histogram, Interval, Measured, Phase};

use super::observer::{Observer, Trouble};
use crate::cli;
use crate::console::StatusLine;

/// Shows how a run goes.
pub(crate) struct Progress {
    line: StatusLine,
    lasting: Option<Duration>,
}

impl Progress {
    /// Progress of a run that lasts so long, if that is known.
    pub(crate) fn new(wanted: cli::output::Progress, lasting: Option<Duration>) -> Self {
        let wanted = wanted == cli::output::Progress::Figures;
        Self { line: StatusLine::new(wanted), lasting }
    }

    fn show(&self, interval: &Interval) {
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
        self.line.show(&format!(
            "{:.0}{of} s{doing}: {:.0}/s, p50 {}, p99 {}, {} in flight, {} errors",
            interval.to.as_secs_f64(),
            counts.completed() as f64 / seconds,
            at(0.5),
            at(0.99),
            interval.in_flight,
            counts.errors(),
        ));
    }
}

impl Observer for Progress {
    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), Trouble> {
        if self.line.shows() {
            self.show(interval);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Measured) -> Result<(), Trouble> {
        self.line.clear();
        Ok(())
    }
}
