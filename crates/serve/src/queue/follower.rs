//! [`Follower`]: reads the events of a run ten times a second and sends them to the watchers.
//!
//! Rows are cheap and are sent at once. Text and tables are made from a provisional record, which costs more the longer
//! a run lasts. A separate thread with low priority makes them. It reads the events itself, only while the run is
//! watched, and uses only a small share of its time. Rows never wait for this text, and the run waits for neither. A
//! server that was paused continues where it was.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, io};

use brunt_envelope::SearchProgress;
use brunt_history::{EVENTS, PAGE_MAX, PROGRESS, RunFiles};
use brunt_record::events::Event;
use brunt_record::{Head, Interval, Measured, Phase};
use brunt_report::run::{LiveUpdate, record_so_far};
use brunt_report::view::{LiveView, Update, View};
use brunt_web::watch::{History, Watch, json};
use jiff::Timestamp;

use super::state::{Figures, Reached, State};
use crate::tail::Tail;

/// How often it reads events.
const TICK: Duration = Duration::from_millis(100);
/// How often text and tables are made again while the run is watched.
const SECTIONS_EVERY: Duration = Duration::from_secs(2);
/// Their thread may spend at most one part in this many of its time on them.
const SHARE: u32 = 10;
/// By how much the priority of their thread is lowered.
const NICE: i32 = 10;

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
        let rows = Some(begin("follower", send_rows)?);
        let follower = Self { shared: Arc::clone(&shared), rows };
        // The end of a run does not wait for its last text.
        drop(begin("sections", send_sections)?);
        Ok(follower)
    }

    /// The progress of the run.
    pub(super) fn reached(&self) -> Reached {
        self.shared.state().0
    }
}

/// Called when the run is over: reads the remaining events.
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

    /// Waits for this time, or until the run is over. Returns whether it is over.
    fn is_over_after(&self, time: Duration) -> bool {
        let waited = self.woken.wait_timeout_while(self.state(), time, |(_, is_over)| !*is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.1
    }
}

/// Sends views, rows and verdicts as they are written, and the progress of a search.
fn send_rows(files: &RunFiles, watch: &Watch, shared: &Shared) {
    let events = files.path(EVENTS);
    let mut searching = Searching::new(files);
    let mut following: Option<FollowedRun> = None;
    loop {
        // Read before the events, so that nothing is missed that was written before the end.
        let is_over = shared.state().1;
        open(&mut following, &events);
        if let Some(reached) = searching.poll(watch) {
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

/// Sends text and tables while the run is watched.
fn send_sections(files: &RunFiles, watch: &Watch, shared: &Shared) {
    // Lowering the priority of this thread only benefits other threads.
    let _ = rustix::process::nice(NICE);
    let events = files.path(EVENTS);
    let mut following: Option<FollowedRun> = None;
    let mut next = Timestamp::UNIX_EPOCH;
    while !shared.is_over_after(TICK) {
        let began = Timestamp::now();
        if began < next || !watch.is_watched() {
            continue;
        }
        open(&mut following, &events);
        let Some(following) = &mut following else { continue };
        let sections = following.sections();
        if let Some(sections) = sections.filter(|_| !shared.state().1) {
            watch.change(|history| history.report("sections", &sections));
        }
        let ended = Timestamp::now();
        let took = Duration::try_from(ended.duration_since(began)).unwrap_or_default();
        next = ended.saturating_add(SECTIONS_EVERY.max(took * SHARE)).unwrap_or(ended);
    }
}

/// Opens the events of a run, and opens them again until they have begun: a run first creates its files to test them,
/// and a file that is opened at that time is removed.
fn open(following: &mut Option<FollowedRun>, events: &Path) {
    if following.as_ref().is_none_or(|it| it.head.is_none()) {
        *following = Tail::open(events).ok().map(FollowedRun::new);
    }
}

/// A run whose event file is open.
struct FollowedRun {
    tail: Tail,
    head: Option<Head>,
    measured: Measured,
    view: LiveView,
    reached: Reached,
    /// The number of steps that the text covers.
    steps_covered: usize,
    failed: bool,
}

impl FollowedRun {
    fn new(tail: Tail) -> Self {
        Self {
            tail,
            head: None,
            measured: Measured::default(),
            view: LiveView::default(),
            reached: Reached::default(),
            steps_covered: 0,
            failed: false,
        }
    }

    /// Whether the head of the events has been read.
    fn has_begun(&mut self) -> bool {
        if self.head.is_none() {
            self.head = self.tail.head().ok().flatten().cloned();
        }
        self.head.is_some()
    }

    /// Sends what was written since the last call.
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
                    watch.change(|history| history.report("verdict", &verdict));
                }
                // Only a node of several waits for the order to begin.
                Ok(Some(Event::Ready { .. })) => {}
                Ok(Some(Event::End { .. }) | None) => return,
                Err(error) => {
                    self.failed = true;
                    let why = json(&format!("failed to {error}"));
                    watch.change(|history| history.report("trouble", &why));
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
            figures: Figures::so_far(head, &self.measured.totals),
        };
        let update = self.view.interval(head, interval, self.measured.series.steps());
        watch.change(|history| show(history, &update));
    }

    /// Text and tables of what was measured so far, if there are new steps.
    fn sections(&mut self) -> Option<String> {
        if !self.has_begun() {
            return None;
        }
        // Read errors are reported with the rows.
        while let Ok(Some(event)) = self.tail.next() {
            match event {
                Event::Interval(interval) => self.measured.absorb(&interval),
                Event::End { .. } => return None,
                Event::Verdict { .. } | Event::Ready { .. } => {}
            }
        }
        let steps = self.measured.series.steps().len();
        let head = self.head.as_ref().filter(|_| steps != self.steps_covered)?;
        self.steps_covered = steps;
        let names = |operation, outcome| self.tail.events.name(operation, outcome);
        let record = record_so_far(head, &names, &self.measured).ok()?;
        LiveUpdate::so_far(head, &record).ok().map(|content| json(&content))
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

/// Follows the progress of one search.
struct Searching<'a> {
    files: &'a RunFiles,
    /// The file that was read last: its inode, and when it was written.
    seen: Option<(u64, i64, i64)>,
}

impl<'a> Searching<'a> {
    /// A follower that has read nothing yet.
    const fn new(files: &'a RunFiles) -> Self {
        Self { files, seen: None }
    }

    /// Sends new progress to the watchers. Returns the progress, if it is new.
    fn poll(&mut self, watch: &Watch) -> Option<Reached> {
        let found = fs::metadata(self.files.path(PROGRESS)).ok()?;
        let seen = Some((found.ino(), found.mtime(), found.mtime_nsec()));
        if seen == self.seen {
            return None;
        }
        self.seen = seen;
        let text = self.files.text(PROGRESS, PAGE_MAX).ok().flatten()?;
        let SearchProgress { seconds, sections } = serde_json::from_str(&text).ok()?;
        let content = json(&LiveUpdate { sections, spectra: Vec::new() });
        watch.change(|history| history.report("sections", &content));
        Some(Reached { state: Some(State::Searching), seconds, figures: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_web::watch::{Audience, Cursor};

    #[test]
    fn follower_ignores_a_file_created_by_a_write_check() {
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

    #[test]
    fn search_progress_is_sent_once_and_never_partially() {
        let directory = tempfile::tempdir().unwrap();
        let files = RunFiles::new(directory.path().to_owned());
        let watch = Watch::new(Audience::default());
        let mut searching = Searching::new(&files);
        assert_eq!(searching.poll(&watch), None);
        let sent = |watch: &Watch| {
            let mut message = String::new();
            watch.change(|history| {
                let mut cursor = Cursor::default();
                while let Some(event) = history.next(&mut cursor) {
                    message.push_str(&String::from_utf8_lossy(&event));
                }
            });
            message
        };
        let sections = vec![("top".to_owned(), "<h1>400/s</h1>".to_owned())];
        files.write(PROGRESS, &SearchProgress { seconds: 3.5, sections }).unwrap();
        let reached = Reached { state: Some(State::Searching), seconds: 3.5, figures: None };
        assert_eq!(searching.poll(&watch), Some(reached));
        assert_eq!(searching.poll(&watch), None);
        assert!(sent(&watch).contains("<h1>400/s</h1>"), "{}", sent(&watch));
        files.write_text(PROGRESS, "{\"seconds\": 4").unwrap();
        assert_eq!(searching.poll(&watch), None);
        assert!(sent(&watch).contains("<h1>400/s</h1>"));
    }
}
