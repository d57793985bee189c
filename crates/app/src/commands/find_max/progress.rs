//! [`ProgressFile`]: the progress of a search, as a file that a website reads while the search is running.
//!
//! The file contains the sections of a page and is replaced as a whole each second, so a reader that starts late or
//! pauses sees only the current state. The search does not wait for readers. The file is not a record: the record is
//! written when the search is over.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use brunt_capacity::{
    Answer, Found, Goals, Objectives, Order, Origin, Progress, Reading, Settings, Step,
};
use brunt_envelope::SearchProgress;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_history::PROGRESS;
use brunt_record::{Histogram, Interval, Phase};
use brunt_report::capacity::{SearchInProgress, so_far};
use brunt_run::Subject;

use super::screen::{milliseconds, per_second};
use super::search_observer::SearchObserver;
use super::{facts, tool};

/// The name under which the file is written before it replaces the previous one.
const WRITTEN: &str = "progress.json.new";
/// The file is not written more often than this, even if the seconds of a search are shorter.
const EVERY: Duration = Duration::from_millis(200);

/// Writes the progress of a search to a file in the current directory of the process.
pub(super) struct ProgressFile {
    clock: Monotonic,
    written: Option<Duration>,
    origin: Origin,
    objectives: Option<Arc<Objectives>>,
    steps: Vec<Step>,
    doing: String,
    at: String,
    progress: Progress,
    expected_s: (f64, f64),
}

impl ProgressFile {
    pub(super) fn new() -> Self {
        Self {
            clock: Monotonic::new(),
            written: None,
            origin: Origin::default(),
            objectives: None,
            steps: Vec::new(),
            doing: String::new(),
            at: String::new(),
            progress: Progress::default(),
            expected_s: (0.0, 0.0),
        }
    }

    /// Writes the file. If that fails, the search continues and the page keeps its previous state.
    fn write(&mut self) {
        let Some(objectives) = &self.objectives else { return };
        let now = self.clock.now().since_origin();
        self.written = Some(now);
        let found = Found {
            answer: Answer::Interrupted,
            objectives: Arc::clone(objectives),
            estimate: self.progress.estimate,
            knee: None,
            drift: None,
            remarks: Vec::new(),
            took_s: self.progress.elapsed_s,
            steps: self.steps.clone(),
        };
        let collection = found.collection(self.origin.clone());
        let Some(reading) = Reading::from_collection(&collection) else { return };
        let going = SearchInProgress {
            doing: &self.doing,
            at: &self.at,
            passed: self.progress.passed,
            failed: self.progress.failed,
            elapsed_s: self.progress.elapsed_s,
            expected_s: self.expected_s,
        };
        let update = SearchProgress {
            seconds: now.as_secs_f64(),
            sections: so_far(&reading, &going).sections(),
        };
        let Ok(text) = serde_json::to_vec(&update) else { return };
        // The file is of no use after a crash, so it need not be synced to disk.
        if fs::write(WRITTEN, text).is_ok() {
            drop(fs::rename(WRITTEN, PROGRESS));
        }
    }
}

impl SearchObserver for ProgressFile {
    fn opens(&mut self, subject: &Subject, goals: &Goals, settings: &Settings) {
        let (tool, facts) = (tool(), facts(subject, None));
        self.origin = Origin { tool: (tool.name, tool.version), facts, ..Origin::default() };
        self.objectives = Some(Arc::new(goals.fixed()));
        self.expected_s = settings.expected_s();
        "The search begins.".clone_into(&mut self.doing);
        self.write();
    }

    fn begins(&mut self, order: &Order) {
        self.objectives = Some(Arc::clone(&order.objectives));
        let at = order.rate.map_or_else(|| "one session".to_owned(), per_second);
        let stop = if order.why.ends_with('?') { "" } else { "." };
        self.doing = format!("Testing {at} ({}): {}{stop}", order.kind.word(), order.why);
        let idle = order.idle.as_secs();
        self.at = match idle {
            0 => format!("The step takes up to {} s.", order.seconds),
            _ => format!("No load for {idle} s, then a step of up to {} s.", order.seconds),
        };
        self.write();
    }

    fn second(&mut self, interval: &Interval, seconds: u32, of: u32) {
        let now = self.clock.now().since_origin();
        if self.written.is_some_and(|written| now.saturating_sub(written) < EVERY) {
            return;
        }
        let at = match interval.phase {
            Phase::Steady => format!("Second {} of up to {of}", seconds + 1),
            phase => format!("Phase: {}", phase.word()),
        };
        let mut response = Histogram::new();
        interval.operations.iter().for_each(|it| response.merge(&it.response.due()));
        let p99 = response.quantile(0.99).map(|p99| milliseconds(p99.as_secs_f64()));
        self.at = p99.map_or_else(|| format!("{at}."), |p99| format!("{at}, p99 {p99}."));
        self.write();
    }

    fn judged(&mut self, step: &Step, progress: &Progress) {
        self.steps.push(step.without_record());
        self.progress = progress.clone();
        self.write();
    }

    fn closes(&mut self) {
        "The search is complete. Its page is being written.".clone_into(&mut self.doing);
        self.at.clear();
        self.write();
    }
}
