//! [`Supervisor`]: the thread that starts runs, stops them, and determines how they ended.

use std::fs::File;
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use brunt_envelope::{ClusterSettings, EXIT_ABORTED, EXIT_REFUSED, Outcome, RunSpec, RunTask};
use brunt_history::{
    EVENTS, LOG, OUTCOME, PAGE_KEPT, PAGE_MAX, PLAN, PageParts, RECORD, REQUEST, RunFiles, STATE,
    SUMMARY, Summary, VIEW_KEPT,
};
use brunt_report::view::View;
use brunt_web::watch::{Watch, json};
use rustix::fs::{FlockOperation, flock, statvfs};

use super::follower::Follower;
use super::process::Process;
use super::state::{State, Status, StopRequest};
use super::{PLAN_MAX, Shared, now};
use crate::vault::SecretsError;

/// How often it checks the runs.
const TICK: Duration = Duration::from_millis(100);
/// The number of checks between the first interrupt and the second, so that the process sees two separate signals.
const AGAIN: u32 = 3;
/// The number of checks after which a process that did not stop at once is killed.
const PATIENCE: u32 = 100;
/// The number of checks between two checks of the disk.
const DISK_EVERY: u32 = 50;
/// The free disk space that a run needs to continue, in bytes.
const DISK_MIN: u64 = 1 << 30;
/// The most bytes of a log that are shown to explain how a run ended.
const LOG_END_MAX: usize = 2_000;

/// Conducts the runs of a queue.
pub(super) struct Supervisor {
    shared: Arc<Shared>,
    active: Vec<ActiveRun>,
    ticks: u32,
}

/// A run that has a process.
struct ActiveRun {
    number: u64,
    files: RunFiles,
    watch: Arc<Watch>,
    process: Process,
    follower: Follower,
    /// How many times it was stopped, and how many checks ago the last time was.
    requested: u32,
    since: u32,
}

/// Why a run does not begin.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("failed to start its process: {0}")]
    Process(#[from] io::Error),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error("it needs agents, but the site was started without --keys or --nats")]
    NoAgents,
}

impl Supervisor {
    /// Finds the runs that were submitted to an earlier server.
    pub(super) fn new(shared: Arc<Shared>) -> io::Result<Self> {
        let mut left: Vec<Status> = Vec::new();
        for id in shared.history.ids().map_err(io::Error::other)? {
            let status: Option<Status> = shared.history.files(&id).json(STATE).ok().flatten();
            left.extend(status.filter(|status| status.id == id));
        }
        left.sort_by_key(|status| status.number);
        let mut known = shared.known();
        known.next = left.last().map_or(0, |status| status.number + 1);
        let left: Vec<Status> = left.into_iter().filter(|status| !status.state.is_over()).collect();
        for status in &left {
            known.add(status.clone(), &shared.audience);
        }
        drop(known);
        let mut supervisor = Self { shared, active: Vec::new(), ticks: 0 };
        for Status { number, process, .. } in left {
            let Some(id) = process else { continue };
            supervisor.follow(number, Process::adopted(id))?;
        }
        Ok(supervisor)
    }

    /// Works until the queue is closed. Active runs continue after that.
    pub(super) fn run(mut self) {
        loop {
            self.cancel();
            let active = std::mem::take(&mut self.active);
            self.active = active.into_iter().filter_map(|run| self.poll(run)).collect();
            if self.active.is_empty() {
                self.start_next();
            }
            self.ticks = self.ticks.wrapping_add(1);
            let known = self.shared.known();
            if known.is_closed {
                return;
            }
            drop(
                self.shared
                    .changed
                    .wait_timeout(known, TICK)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }

    /// Ends the runs that were stopped before they began.
    fn cancel(&self) {
        let known = self.shared.known();
        let waiting = known.runs.values().map(|run| &run.status);
        let cancelled = waiting.filter(|it| it.state == State::Queued && it.stop.is_some());
        let cancelled: Vec<u64> = cancelled.map(|status| status.number).collect();
        drop(known);
        for number in cancelled {
            self.over(number, State::Stopped, "cancelled before it began".to_owned(), None);
        }
    }

    fn start_next(&mut self) {
        let known = self.shared.known();
        let waiting = known.runs.values().filter(|run| run.status.state == State::Queued);
        let next = waiting.min_by_key(|run| (run.status.turn, run.status.number));
        let Some(status) = next.map(|run| run.status.clone()) else { return };
        drop(known);
        if !self.machine_is_free() {
            let reason = "waiting for a run of another brunt serve on this machine";
            self.shared.update(status.number, |status| reason.clone_into(&mut status.reason));
            return;
        }
        if let Err(error) = self.start(&status) {
            self.over(status.number, State::Failed, error.to_string(), None);
        }
    }

    /// Whether no run holds the machine's lock. The run itself takes the lock, so that it is held for as long as the
    /// run's process exists.
    fn machine_is_free(&self) -> bool {
        let Ok(lock) = lock_file(&self.shared.lock) else { return true };
        flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
    }

    fn start(&mut self, status: &Status) -> Result<(), StartError> {
        let files = self.shared.history.files(&status.id);
        let requested = requested(&files)?;
        let secrets = self.shared.secrets(&requested)?;
        let cluster = requested.agents.map(|_| self.meeting(status)).transpose()?;
        let task = RunTask { requested, lock: self.shared.lock.clone(), secrets, cluster };
        Ok(self.launch(status, &files, task)?)
    }

    /// Where a run meets its agents. The site may have been restarted with other settings since the run was submitted.
    fn meeting(&self, status: &Status) -> Result<ClusterSettings, StartError> {
        let meeting = self.shared.meeting.clone().ok_or(StartError::NoAgents)?;
        Ok(ClusterSettings { run: status.id.to_string(), ..meeting })
    }

    fn launch(&mut self, status: &Status, files: &RunFiles, task: RunTask) -> io::Result<()> {
        lock_file(&self.shared.lock)?;
        let agents = task.requested.agents;
        let waits = |agents: u32| format!("waiting until {agents} agents are connected");
        let reason = agents.map(waits).unwrap_or_default();
        let child = self.shared.children.start_run(files, task)?;
        let process = Process::started(child)?;
        let id = process.id().clone();
        self.shared.update(status.number, |status| {
            status.state = State::Preparing;
            status.reason = reason;
            status.started = Some(now());
            status.process = Some(id);
        });
        self.follow(status.number, process)
    }

    fn follow(&mut self, number: u64, process: Process) -> io::Result<()> {
        let known = self.shared.known();
        let Some(run) = known.runs.get(&number) else { return Ok(()) };
        let (id, watch) = (run.status.id.clone(), Arc::clone(&run.watch));
        drop(known);
        let files = self.shared.history.files(&id);
        let follower = Follower::start(&files, &watch)?;
        self.active.push(ActiveRun {
            number,
            files,
            watch,
            process,
            follower,
            requested: 0,
            since: 0,
        });
        Ok(())
    }

    /// Checks a run. Returns `None` if it has ended.
    fn poll(&self, mut run: ActiveRun) -> Option<ActiveRun> {
        if let Some(how) = run.process.ended() {
            self.finish(run, &how);
            return None;
        }
        let reached = run.follower.reached();
        let mut stop = None;
        self.shared.update(run.number, |status| {
            if let Some(state) = reached.state {
                status.state = state;
                status.reason.clear();
            }
            status.reached_s = reached.seconds.max(status.reached_s);
            status.figures = reached.figures.or(status.figures);
            stop.clone_from(&status.stop);
        });
        if let Some(stop) = stop {
            run.stop(&stop);
        } else if self.ticks.is_multiple_of(DISK_EVERY) {
            self.check_disk(&run);
        }
        Some(run)
    }

    fn check_disk(&self, run: &ActiveRun) {
        let Ok(disk) = statvfs(run.files.directory()) else { return };
        let left = disk.f_bavail.saturating_mul(disk.f_frsize);
        if left >= DISK_MIN {
            return;
        }
        let why = format!("only {} MiB are free on the disk of the history", left >> 20);
        let stop = StopRequest { by: String::new(), now: false, why };
        self.shared.update(run.number, |status| status.stop = Some(stop));
    }

    /// Handles a run that has ended: determines how it ended, and has its record read.
    fn finish(&self, run: ActiveRun, how: &str) {
        let ActiveRun { number, files, watch, follower, .. } = run;
        // Dropping the follower reads the last events before anything else is reported.
        drop(follower);
        let outcome: Option<Outcome> = files.json(OUTCOME).ok().flatten();
        let has_events = files.path(EVENTS).metadata().is_ok_and(|it| it.len() > 0);
        let has_record = files.path(RECORD).is_file();
        let indexed = if has_record || has_events {
            match self.shared.children.index(files.directory()) {
                Ok(()) => files.json::<Summary>(SUMMARY).ok().flatten().ok_or_else(String::new),
                Err(error) => Err(error.to_string()),
            }
        } else {
            Err(String::new())
        };
        let known = self.shared.known();
        let status = known.runs.get(&number).map(|run| run.status.clone());
        drop(known);
        let Some(status) = status else { return };
        let words = log_end(&files);
        let (state, mut reason) = ending(&status, outcome.as_ref(), has_record, how, &words);
        match &indexed {
            Ok(summary) => self.shared.history.keep(&status.id, summary),
            Err(why) if !why.is_empty() => {
                reason = format!("{reason}; its record cannot be read: {why}");
            }
            Err(_) => {}
        }
        if indexed.is_ok() {
            last_page(&files, &watch);
        }
        self.over(number, state, reason, outcome.map(|outcome| outcome.exit));
    }

    /// Records that a run is over, for its watchers and in its state file.
    fn over(&self, number: u64, state: State, reason: String, exit: Option<u8>) {
        self.shared.update(number, |status| {
            (status.state, status.reason, status.exit) = (state, reason, exit);
            status.ended = Some(now());
            status.process = None;
        });
        let known = self.shared.known();
        let watch = known.runs.get(&number).map(|run| Arc::clone(&run.watch));
        drop(known);
        if let Some(watch) = watch {
            watch.change(brunt_web::watch::History::end);
        }
    }
}

impl ActiveRun {
    fn stop(&mut self, stop: &StopRequest) {
        self.since = self.since.saturating_add(1);
        let due = match self.requested {
            0 => true,
            1 => stop.now && self.since >= AGAIN,
            _ => false,
        };
        // If the process has just ended, the next check finds this.
        if due {
            drop(self.process.interrupt());
            (self.requested, self.since) = (self.requested + 1, 0);
        } else if self.requested >= 2 && self.since >= PATIENCE {
            drop(self.process.kill());
        }
    }
}

/// The request of a run.
fn requested(files: &RunFiles) -> io::Result<RunSpec> {
    let requested: Option<RunSpec> = files.json(REQUEST)?;
    let plan = files.text(PLAN, PLAN_MAX as u64)?;
    let (Some(requested), Some(plan)) = (requested, plan) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    Ok(RunSpec { plan, ..requested })
}

/// The file of the machine's lock, which is created if it does not exist.
fn lock_file(path: &std::path::Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// How a run ended and why, according to what its process left.
fn ending(
    status: &Status,
    outcome: Option<&Outcome>,
    has_record: bool,
    how: &str,
    words: &str,
) -> (State, String) {
    let stopped = status.stop.as_ref().map(|stop| match (&*stop.why, &*stop.by) {
        ("", "") => "stopped".to_owned(),
        ("", by) => format!("stopped by {by}"),
        (why, _) => format!("stopped: {why}"),
    });
    match (outcome, stopped) {
        (None, None) => {
            let words = if words.is_empty() { String::new() } else { format!(": {words}") };
            (State::Lost, format!("its process ended without a result ({how}){words}"))
        }
        (Some(outcome), _) if outcome.exit == EXIT_REFUSED => {
            (State::Failed, outcome.message.clone())
        }
        (_, Some(stopped)) => (State::Stopped, stopped),
        (Some(outcome), None) if matches!(outcome.exit, 130 | 143) => {
            (State::Stopped, "ended by a signal from outside".to_owned())
        }
        (Some(outcome), None) if outcome.exit == EXIT_ABORTED => {
            let why = "aborted: most operations kept failing, or a condition of its plan was met";
            (State::Stopped, why.to_owned())
        }
        (Some(outcome), None) if has_record => (State::Done, outcome.message.clone()),
        (Some(outcome), None) => {
            let message = if outcome.message.is_empty() { words } else { &outcome.message };
            (State::Failed, message.to_owned())
        }
    }
}

/// The end of the output of a process.
fn log_end(files: &RunFiles) -> String {
    let text = std::fs::read(files.path(LOG)).unwrap_or_default();
    let from = text.len().saturating_sub(LOG_END_MAX);
    String::from_utf8_lossy(&text[from..]).trim().to_owned()
}

/// Shows the page of the record to the watchers.
fn last_page(files: &RunFiles, watch: &Watch) {
    let view = files.packed(VIEW_KEPT, PAGE_MAX).ok().flatten();
    let page = files.packed(PAGE_KEPT, PAGE_MAX).ok().flatten();
    let page = page.and_then(|page| serde_json::from_str::<PageParts>(&page).ok());
    let Some(page) = page else { return };
    // A search does not have the charts of a single run.
    let spectra = view.as_ref().and_then(|view| serde_json::from_str::<View>(view).ok());
    let spectra = spectra.map(|view| view.spectra).unwrap_or_default();
    let content = brunt_report::run::LiveUpdate { sections: page.sections, spectra };
    watch.change(|history| {
        if let Some(view) = &view {
            history.show(view);
        }
        history.report("sections", &json(&content));
    });
}
