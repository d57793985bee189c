//! [`Follower`]: reads the events of a run ten times a second and tells those who watch.
//!
//! Rows cost little and are told at once. Words and tables are of a provisional record, which costs the more the longer
//! a run goes on; so a thread of its own makes them, which gives way to all others, reads the events for itself, and
//! only while somebody looks, and takes no more than a small share of the time there is. No row waits for words, and
//! nothing of the run for either. A server that stood still goes on where it was.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use brunt_record::events::Event;
use brunt_record::{Head, Interval, Measured, Phase};
use brunt_report::run::{Told, record_so_far};
use brunt_report::view::{LiveView, Update, View};
use jiff::Timestamp;
use serde::Serialize;

use super::searching::Searching;
use super::state::State;
use crate::history::{EVENTS, RunFiles};
use crate::tail::Tail;
use crate::watch::{History, Watch};

/// How often it looks.
const TICK: Duration = Duration::from_millis(100);
/// How often words and tables are made anew, if anybody watches.
const WORDS_EVERY: Duration = Duration::from_secs(2);
/// The most of its time that their thread may spend on them is one in so many.
const SHARE: u32 = 10;
/// What its priority is lowered by.
const NICE: i32 = 10;

/// What a run has come to by its events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reached {
    /// How far it is; `Preparing` until the first interval.
    pub(super) state: Option<State>,
    /// How many seconds of it were measured.
    pub(super) seconds: f64,
}

/// Follows the events of one run.
#[derive(Debug)]
pub(super) struct Follower {
    shared: Arc<Shared>,
    rows: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<(Reached, bool)>,
    woken: Condvar,
}

impl Follower {
    /// Begins to follow the files of a run, which need not exist yet.
    pub(super) fn start(files: &RunFiles, watch: &Arc<Watch>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let begin = |name: &str, act: fn(&RunFiles, &Watch, &Shared)| {
            let (files, watch) = (files.clone(), Arc::clone(watch));
            let shared = Arc::clone(&shared);
            thread::Builder::new().name(name.to_owned()).spawn(move || act(&files, &watch, &shared))
        };
        let rows = Some(begin("follower", tell_rows)?);
        let follower = Self { shared: Arc::clone(&shared), rows };
        // Whoever waits for the end of a run does not wait for its last words.
        drop(begin("words", tell_words)?);
        Ok(follower)
    }

    /// What the run has come to.
    pub(super) fn reached(&self) -> Reached {
        self.shared.state().0
    }
}

/// The run is over: what is still to be read is read.
impl Drop for Follower {
    fn drop(&mut self) {
        self.shared.state().1 = true;
        self.shared.woken.notify_all();
        drop(self.rows.take().map(JoinHandle::join));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, (Reached, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until the run is over; whether it is.
    fn is_over_after(&self, time: Duration) -> bool {
        let waited = self.woken.wait_timeout_while(self.state(), time, |(_, is_over)| !*is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.1
    }
}

/// Tells views, rows and verdicts as they are written, and how far a search is.
fn tell_rows(files: &RunFiles, watch: &Watch, shared: &Shared) {
    let events = files.path(EVENTS);
    let mut searching = Searching::new(files);
    let mut following: Option<Following> = None;
    loop {
        // Before the look, so that nothing is missed that was written before the end.
        let is_over = shared.state().1;
        open(&mut following, &events);
        if let Some(reached) = searching.look(watch) {
            shared.state().0 = reached;
        }
        if let Some(following) = &mut following {
            following.rows(watch, |reached| shared.state().0 = reached);
        }
        if is_over {
            return;
        }
        shared.is_over_after(TICK);
    }
}

/// Tells words and tables while somebody watches.
fn tell_words(files: &RunFiles, watch: &Watch, shared: &Shared) {
    // Of a thread's own priority only others have an advantage.
    let _ = rustix::process::nice(NICE);
    let events = files.path(EVENTS);
    let mut following: Option<Following> = None;
    let mut next = Timestamp::UNIX_EPOCH;
    while !shared.is_over_after(TICK) {
        let began = Timestamp::now();
        if began < next || !watch.is_watched() {
            continue;
        }
        open(&mut following, &events);
        let Some(following) = &mut following else { continue };
        let words = following.words();
        if let Some(words) = words.filter(|_| !shared.state().1) {
            watch.change(|history| history.tell("sections", &words));
        }
        let ended = Timestamp::now();
        let took = Duration::try_from(ended.duration_since(began)).unwrap_or_default();
        next = ended.saturating_add(WORDS_EVERY.max(took * SHARE)).unwrap_or(ended);
    }
}

/// Opens the events of a run, and anew until they have begun: a run tries its files out before it writes them, and the
/// file that is opened meanwhile is removed.
fn open(following: &mut Option<Following>, events: &Path) {
    if following.as_ref().is_none_or(|it| it.head.is_none()) {
        *following = Tail::open(events).ok().map(Following::new);
    }
}

/// A run whose events are there.
struct Following {
    tail: Tail,
    head: Option<Head>,
    measured: Measured,
    view: LiveView,
    reached: Reached,
    /// How many steps the words are of.
    told: usize,
    failed: bool,
}

impl Following {
    fn new(tail: Tail) -> Self {
        Self {
            tail,
            head: None,
            measured: Measured::default(),
            view: LiveView::default(),
            reached: Reached::default(),
            told: 0,
            failed: false,
        }
    }

    /// Whether it is known what the run is of.
    fn has_begun(&mut self) -> bool {
        if self.head.is_none() {
            self.head = self.tail.head().ok().flatten().cloned();
        }
        self.head.is_some()
    }

    /// Tells what was written since.
    fn rows(&mut self, watch: &Watch, mut reached: impl FnMut(Reached)) {
        if self.failed {
            return;
        }
        if self.head.is_none() {
            if !self.has_begun() {
                return;
            }
            if let Some(head) = &self.head {
                let view = json(&View::begun(head));
                watch.change(|history| history.show(&view));
            }
        }
        loop {
            match self.tail.next() {
                Ok(Some(Event::Interval(interval))) => {
                    self.interval(&interval, watch);
                    reached(self.reached);
                }
                Ok(Some(Event::Verdict { verdict, .. })) => {
                    let verdict = json(&verdict);
                    watch.change(|history| history.tell("verdict", &verdict));
                }
                // Only a node of several waits to be told when to begin.
                Ok(Some(Event::Ready { .. })) => {}
                Ok(Some(Event::End { .. }) | None) => return,
                Err(error) => {
                    self.failed = true;
                    let why = json(&format!("failed to {error}"));
                    watch.change(|history| history.tell("trouble", &why));
                    return;
                }
            }
        }
    }

    fn interval(&mut self, interval: &Interval, watch: &Watch) {
        let Some(head) = &self.head else { return };
        self.measured.absorb(interval);
        self.reached = Reached {
            state: Some(state(interval.phase)),
            seconds: interval.to.as_secs_f64().max(self.reached.seconds),
        };
        let update = self.view.interval(head, interval, self.measured.series.steps());
        watch.change(|history| show(history, &update));
    }

    /// Words and tables of what was measured so far, if there is more than there was.
    fn words(&mut self) -> Option<String> {
        if !self.has_begun() {
            return None;
        }
        // What cannot be read is told with the rows.
        while let Ok(Some(event)) = self.tail.next() {
            match event {
                Event::Interval(interval) => self.measured.absorb(&interval),
                Event::End { .. } => return None,
                Event::Verdict { .. } | Event::Ready { .. } => {}
            }
        }
        let steps = self.measured.series.steps().len();
        let head = self.head.as_ref().filter(|_| steps != self.told)?;
        self.told = steps;
        let names = |operation, outcome| self.tail.events.name(operation, outcome);
        let record = record_so_far(head, &names, &self.measured).ok()?;
        Told::so_far(head, &record).ok().map(|told| json(&told))
    }
}

fn show(history: &mut History, update: &Update) {
    match update {
        Update::View(view) => history.show(&json(view)),
        Update::Row(row) => history.append(&json(row)),
    }
}

const fn state(phase: Phase) -> State {
    match phase {
        Phase::Prepare => State::Preparing,
        Phase::WarmUp | Phase::Ramp => State::WarmUp,
        Phase::Steady => State::Steady,
        Phase::Drain => State::Draining,
    }
}

/// JSON of one line; what is told here has no map whose keys are no text.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_was_only_tried_out_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (events, mut following) = (directory.path().join("events.ndjson"), None);
        open(&mut following, &events);
        assert!(following.is_none());
        fs::write(&events, "").unwrap();
        open(&mut following, &events);
        assert!(!following.as_mut().unwrap().has_begun());
        fs::remove_file(&events).unwrap();
        fs::write(&events, "no event\n").unwrap();
        open(&mut following, &events);
        let read = following.as_mut().unwrap().tail.head();
        assert!(read.is_err(), "it is the file that is there now");
    }
}
