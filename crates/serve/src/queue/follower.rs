//! [`Follower`]: reads the events of a run ten times a second and tells those who watch.
//!
//! It has a thread of its own, which gives way to others: a run must not be disturbed by being looked at. Words and
//! tables are of a provisional record, which costs time; so they are made for somebody who looks, and never take more
//! than a small share of the time there is. Nothing of the run waits for any of this, and a server that stood still
//! goes on where it was.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use brunt_record::events::Event;
use brunt_record::{Head, Interval, Measured, Phase};
use brunt_report::run::{Told, record_so_far};
use brunt_report::view::{LiveView, Update, View};
use serde::Serialize;

use super::state::State;
use crate::tail::Tail;
use crate::watch::{History, Watch};

/// How often it looks.
const TICK: Duration = Duration::from_millis(100);
/// Words and tables are made anew after so many looks, if anybody watches.
const WORDS_EVERY: u32 = 20;
/// What the thread's priority is lowered by.
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
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<(Reached, bool)>,
    woken: Condvar,
}

impl Follower {
    /// Begins to follow the file of this path, which need not exist yet.
    pub(super) fn start(events: PathBuf, watch: Arc<Watch>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let act = {
            let shared = Arc::clone(&shared);
            move || follow(&events, &watch, &shared)
        };
        let thread = thread::Builder::new().name("follower".to_owned()).spawn(act)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// What the run has come to.
    pub(super) fn reached(&self) -> Reached {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The run is over: what is still to be read is read.
impl Drop for Follower {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.shared.woken.notify_all();
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn follow(events: &Path, watch: &Watch, shared: &Shared) {
    // Of a thread's own priority only others have an advantage.
    let _ = rustix::process::nice(NICE);
    let mut following: Option<Following> = None;
    let mut ticks = 0_u32;
    loop {
        if following.is_none() {
            following = Tail::open(events).ok().map(Following::new);
        }
        let is_over = shared.state.lock().unwrap_or_else(PoisonError::into_inner).1;
        if let Some(following) = &mut following {
            following.look(watch, |reached| {
                shared.state.lock().unwrap_or_else(PoisonError::into_inner).0 = reached;
            });
            if !is_over && ticks.is_multiple_of(WORDS_EVERY) && watch.is_watched() {
                following.words(watch);
            }
        }
        if is_over {
            return;
        }
        ticks = ticks.wrapping_add(1);
        let state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(shared.woken.wait_timeout_while(state, TICK, |(_, is_over)| !*is_over));
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

    /// Reads what was written since.
    fn look(&mut self, watch: &Watch, mut reached: impl FnMut(Reached)) {
        if self.failed {
            return;
        }
        if self.head.is_none() {
            let Ok(Some(head)) = self.tail.head() else { return };
            let view = json(&View::begun(head));
            self.head = Some(head.clone());
            watch.change(|history| history.show(&view));
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

    /// Tells words and tables of what was measured so far.
    fn words(&mut self, watch: &Watch) {
        let steps = self.measured.series.steps().len();
        let Some(head) = self.head.as_ref().filter(|_| steps != self.told) else { return };
        self.told = steps;
        let names = |operation, outcome| self.tail.events.name(operation, outcome);
        let Ok(record) = record_so_far(head, &names, &self.measured) else { return };
        let Ok(told) = Told::so_far(head, &record) else { return };
        let told = json(&told);
        watch.change(|history| history.tell("sections", &told));
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
