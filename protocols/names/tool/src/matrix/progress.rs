//! [`Progress`]: the current step, the progress, and the remaining time.
//!
//! A plan has an expected duration for each of its steps; the actual durations of the previous steps correct it, so
//! that the estimate is right on a slow machine as well once some of the work is done. On a terminal one line is
//! updated; elsewhere a line is printed only for a step that takes longer than a moment, so that a log stays short.

use std::time::Duration;

use brunt_engine::{Stop, Urgency};
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_run::Console;
use brunt_run::console::StatusLine;

use super::sandbox_access::SandboxObserver;

/// A shorter step is not reported.
const MOMENT: Duration = Duration::from_secs(2);
/// How often the line changes.
const EVERY: Duration = Duration::from_millis(500);

/// Shows the progress of a plan, and checks for a signal.
pub(super) struct Progress {
    stop: Stop,
    clock: Monotonic,
    line: StatusLine,
    console: Console,
    /// Seconds that the whole plan was expected to take.
    whole_s: f64,
    /// Seconds that the completed steps were expected to take.
    done_s: f64,
    step: Current,
}

struct Current {
    what: String,
    expected_s: f64,
    began: Moment,
    shown_at: Moment,
    message: bool,
}

impl Progress {
    /// The progress of a plan with this expected duration.
    pub(super) fn new(stop: Stop, whole_s: f64, console: &Console) -> Self {
        let clock = Monotonic::new();
        let now = clock.now();
        let none = Current {
            what: String::new(),
            expected_s: 0.0,
            began: now,
            shown_at: now,
            message: true,
        };
        let line = StatusLine::new(console);
        let console = console.clone();
        Self { stop, clock, line, console, whole_s, done_s: 0.0, step: none }
    }

    /// A step begins.
    pub(super) fn begin(&mut self, what: String, expected_s: f64) {
        self.done_s += self.step.expected_s;
        let now = self.clock.now();
        let shown_at = self.step.shown_at;
        self.step = Current { what, expected_s, began: now, shown_at, message: false };
    }

    /// Whether the plan continues.
    pub(super) fn goes_on(&self) -> bool {
        self.stop.urgency() == Urgency::Run
    }

    /// Erases the line.
    pub(super) fn finish(&self) {
        self.line.clear();
    }

    fn report(&mut self, now: Moment) {
        let Current { what, began, .. } = &self.step;
        let line = line(&Figures {
            what,
            in_step_s: (now - *began).as_secs_f64(),
            expected_s: self.step.expected_s,
            passed_s: now.since_origin().as_secs_f64(),
            done_s: self.done_s,
            whole_s: self.whole_s,
        });
        if self.line.shows() {
            self.line.show(&line);
        } else {
            self.console.message(&line);
        }
    }
}

impl SandboxObserver for Progress {
    fn poll(&mut self) -> bool {
        let now = self.clock.now();
        let due = if self.line.shows() {
            now.since_origin() > MOMENT && now - self.step.shown_at > EVERY
        } else {
            !self.step.message && now - self.step.began > MOMENT
        };
        if due {
            self.report(now);
            (self.step.shown_at, self.step.message) = (now, true);
        }
        self.goes_on()
    }
}

/// The input of an estimate, in seconds.
struct Figures<'a> {
    what: &'a str,
    /// Since the step began.
    in_step_s: f64,
    /// Expected of the step.
    expected_s: f64,
    /// Since the plan began.
    passed_s: f64,
    /// Expected of all steps before.
    done_s: f64,
    /// Expected of all steps.
    whole_s: f64,
}

fn line(figures: &Figures<'_>) -> String {
    let Figures { what, in_step_s, expected_s, passed_s, done_s, whole_s } = figures;
    // The previous steps show how much slower than expected this machine is.
    let before_s = passed_s - in_step_s;
    let pace = if *done_s > 1.0 { before_s / done_s } else { 1.0 };
    let in_step = (in_step_s / pace.max(f64::MIN_POSITIVE)).min(*expected_s);
    let left = (whole_s - done_s - in_step).max(0.0) * pace;
    let share = 100.0 * (done_s + in_step) / whole_s.max(f64::MIN_POSITIVE);
    format!("{share:3.0} %  {what}; about {} left", lasting(left))
}

/// A duration in readable form.
pub(super) fn lasting(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ ..90 => format!("{seconds} s"),
        seconds @ 90..5_400 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_remaining_time_follows_the_pace() {
        // 10 of 40 expected seconds took 20, and 5 more are half of a step of 5 at that pace.
        let figures = Figures {
            what: "inserting",
            in_step_s: 5.0,
            expected_s: 5.0,
            passed_s: 25.0,
            done_s: 10.0,
            whole_s: 40.0,
        };
        assert_eq!(line(&figures), " 31 %  inserting; about 55 s left");
        let first = Figures { done_s: 0.0, passed_s: 5.0, in_step_s: 5.0, ..figures };
        assert_eq!(line(&first), " 12 %  inserting; about 35 s left");
    }

    #[test]
    fn progress_times_are_readable() {
        assert_eq!(
            [0.0, 0.2, 89.0, 90.0, 5_401.0].map(lasting),
            ["0 s", "1 s", "89 s", "2 min", "1.5 h"]
        );
    }
}
