//! [`Screen`]: the line that says what is being measured, for whatever takes longer than a moment.
//!
//! On a terminal it is written over; a file or a pipe gets a line now and then, so that nobody has to wonder for
//! minutes whether a comparison goes on.

use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Histogram, Interval, Phase};

use crate::console::{self, StatusLine};

/// Nothing is shown of what is over sooner.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a line changes while leases are loaded, which no interval tells of.
const LOADED_EVERY: u64 = 8_192;

/// How often a file or a pipe gets a line.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Shows how a comparison goes.
pub(super) struct Screen {
    wanted: bool,
    line: StatusLine,
    /// When the last line was written where none can be written over.
    told: Option<Moment>,
    clock: Monotonic,
    began: Moment,
    /// Which phase of how many.
    place: (usize, usize),
    what: String,
    /// Operations of the phase, and how many are done.
    of: Option<u64>,
    done: u64,
    lasting: Option<Duration>,
}

impl Screen {
    /// A screen for so many phases.
    pub(super) fn new(quiet: bool, phases: usize) -> Self {
        let clock = Monotonic::new();
        Self {
            wanted: !quiet,
            line: StatusLine::new(!quiet),
            told: None,
            clock,
            began: clock.now(),
            place: (0, phases),
            what: String::new(),
            of: None,
            done: 0,
            lasting: None,
        }
    }

    /// Leases are loaded before something is measured.
    pub(super) fn load(&mut self, what: &str, number: u64) {
        what.clone_into(&mut self.what);
        (self.of, self.done, self.lasting) = (Some(number), 0, None);
    }

    /// One more lease is loaded.
    pub(super) fn loaded(&mut self) {
        self.done += 1;
        if self.wanted && self.done.is_multiple_of(LOADED_EVERY) && self.late() {
            let text = format!("{}: loading leases, {}", self.what, self.progress());
            self.tell(&text);
        }
    }

    /// Another phase begins, of so many operations or so long.
    pub(super) fn phase(&mut self, what: String, of: Option<u64>, lasting: Option<Duration>) {
        self.place.0 += 1;
        (self.what, self.of, self.lasting, self.done) = (what, of, lasting, 0);
    }

    /// Shows an interval, whose exchanges are of so many operations each.
    pub(super) fn interval(&mut self, interval: &Interval, group: u32) {
        let counts = interval.counts();
        if interval.phase == Phase::Steady {
            self.done += counts.completed() * u64::from(group);
        }
        if !self.wanted || !self.late() || counts.planned == 0 {
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
        self.tell(&text);
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        self.line.clear();
    }

    fn progress(&self) -> String {
        self.of.map_or_else(|| self.done.to_string(), |all| format!("{} of {all}", self.done))
    }

    /// Seconds until this phase is over.
    fn left(&self, interval: &Interval, rate: f64) -> Option<f64> {
        let timed = self.lasting.map(|all| all.saturating_sub(interval.to).as_secs_f64());
        let counted =
            self.of.filter(|_| rate > 0.0).map(|all| all.saturating_sub(self.done) as f64 / rate);
        timed.into_iter().chain(counted).reduce(f64::min)
    }

    /// Whether another line is due.
    fn late(&self) -> bool {
        let now = self.clock.now();
        let again = self.line.shows() || self.told.is_none_or(|told| now - told >= LINE_EVERY);
        again && now - self.began > PATIENCE
    }

    fn tell(&mut self, text: &str) {
        if self.line.shows() {
            return self.line.show(text);
        }
        self.told = Some(self.clock.now());
        console::say(text);
    }
}
