//! [`Screen`]: the line that shows what is being measured, for everything that takes longer than a moment.
//!
//! On a terminal it is updated in place; a file or a pipe gets a line from time to time, so that a comparison of
//! several minutes is seen to continue.

use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Histogram, Interval, Phase};
use brunt_run::Console;
use brunt_run::console::StatusLine;

/// A phase that ends sooner is not shown.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a line changes while leases are loaded, which produces no intervals.
const LOADED_EVERY: u64 = 8_192;

/// How often a file or a pipe gets a line.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Shows the progress of a comparison.
pub(crate) struct Screen {
    line: StatusLine,
    console: Console,
    /// When the last line was written, if lines cannot be updated in place.
    printed_at: Option<Moment>,
    clock: Monotonic,
    began: Moment,
    /// The number of the phase, and of all phases.
    place: (usize, usize),
    what: String,
    /// The operations of the phase, and how many are done.
    of: Option<u64>,
    done: u64,
    lasting: Option<Duration>,
}

impl Screen {
    /// A screen for this number of phases.
    pub(crate) fn new(phases: usize, console: &Console) -> Self {
        let clock = Monotonic::new();
        Self {
            line: StatusLine::new(console),
            console: console.clone(),
            printed_at: None,
            clock,
            began: clock.now(),
            place: (0, phases),
            what: String::new(),
            of: None,
            done: 0,
            lasting: None,
        }
    }

    /// Begins to show the loading of leases before a measurement.
    pub(crate) fn load(&mut self, what: &str, number: u64) {
        what.clone_into(&mut self.what);
        (self.of, self.done, self.lasting) = (Some(number), 0, None);
    }

    /// Counts one more loaded lease.
    pub(crate) fn loaded(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(LOADED_EVERY) && self.late() {
            let text = format!("{}: loading leases, {}", self.what, self.progress());
            self.report(&text);
        }
    }

    /// Begins to show a phase, of this number of operations or this duration.
    pub(crate) fn phase(&mut self, what: String, of: Option<u64>, lasting: Option<Duration>) {
        self.place.0 += 1;
        (self.what, self.of, self.lasting, self.done) = (what, of, lasting, 0);
    }

    /// Shows an interval, whose exchanges contain `group` operations each.
    pub(crate) fn interval(&mut self, interval: &Interval, group: u32) {
        let counts = interval.counts();
        if interval.phase == Phase::Steady {
            self.done += counts.completed() * u64::from(group);
        }
        if !self.late() || counts.planned == 0 {
            return;
        }
        let seconds = interval.lasted().as_secs_f64().max(f64::MIN_POSITIVE);
        let rate = counts.completed() as f64 * f64::from(group) / seconds;
        let mut response = Histogram::new();
        interval.operations.iter().for_each(|operation| response.merge(&operation.response.due()));
        let p99 = response.quantile(0.99).unwrap_or_default().as_secs_f64() * 1e3;
        let left =
            self.left(interval, rate).map_or(String::new(), |left| format!(", {left:.0} s left"));
        let (at, all) = self.place;
        let text = format!(
            "phase {at} of {all}, {}: {}, {rate:.0}/s, p99 {p99:.3} ms, {} errors{left}",
            self.what,
            self.progress(),
            counts.errors(),
        );
        self.report(&text);
    }

    /// Erases the line.
    pub(crate) fn clear(&mut self) {
        self.line.clear();
    }

    fn progress(&self) -> String {
        self.of.map_or_else(|| self.done.to_string(), |all| format!("{} of {all}", self.done))
    }

    /// Seconds until this phase ends.
    fn left(&self, interval: &Interval, rate: f64) -> Option<f64> {
        let timed = self.lasting.map(|all| all.saturating_sub(interval.to).as_secs_f64());
        let counted =
            self.of.filter(|_| rate > 0.0).map(|all| all.saturating_sub(self.done) as f64 / rate);
        timed.into_iter().chain(counted).reduce(f64::min)
    }

    /// Whether another line is due.
    fn late(&self) -> bool {
        let now = self.clock.now();
        let again = self.line.shows()
            || self.printed_at.is_none_or(|printed_at| now - printed_at >= LINE_EVERY);
        again && now - self.began > PATIENCE
    }

    fn report(&mut self, text: &str) {
        if self.line.shows() {
            return self.line.show(text);
        }
        self.printed_at = Some(self.clock.now());
        self.console.message(text);
    }
}
