//! [`Queue`]: submitted runs, which are run one at a time.
//!
//! Two runs on one machine disturb each other, and the figures of both. So one runs at a time, and its process holds a
//! lock of the machine for which the runs of another `brunt serve` wait. Runs that are started on a command line do not
//! wait: a user who types a command expects it to begin and may want to run several, and the verdict of each shows
//! whether the machine was overloaded.
//!
//! The process of a run writes the result into the run's directory. A run continues when the server ends, for whatever
//! reason: the next server finds its process, or what the process left.

mod follower;
mod process;
mod seen;
mod shown;
mod state;
mod supervisor;

pub use process::ProcessId;
pub(crate) use seen::{Expected, SeenQueue};
pub(crate) use shown::Shown;
pub use state::{Figures, State, Status, StopRequest};

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use brunt_envelope::{ClusterSettings, RunSpec, RunTask};
use brunt_history::{ABOUT, About, AboutError, PLAN, REQUEST, RunFiles, RunId, STATE};
use brunt_web::watch::{Audience, Watch};
use serde::{Deserialize, Serialize};

use crate::child::{ChildError, Children};
use crate::history::History;
use crate::vault::{SecretSource, SecretsError};

/// The most runs that may wait.
pub const WAITING_MAX: usize = 100;
/// The most bytes of a plan.
pub const PLAN_MAX: usize = 4 << 20;
/// The number of finished runs that may still be watched, and whose status is in memory.
const REMEMBERED: usize = 20;

/// A run that is submitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// What is requested of it.
    #[serde(rename = "asked")]
    pub requested: RunSpec,
    /// What people write about it: name, tags, submitter, and its plan and target.
    pub about: About,
}

/// Why a run was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// Too many runs are waiting.
    #[error(
        "queue the run: {WAITING_MAX} runs are already waiting; wait until some end, or cancel some"
    )]
    Full,
    /// Its plan is too long.
    #[error("queue the run: its plan has more than {} MiB", PLAN_MAX >> 20)]
    Long,
    /// What people wrote about it exceeds a limit.
    #[error(transparent)]
    About(#[from] AboutError),
    /// It could not be written.
    #[error("keep the run: {0}")]
    Io(#[from] io::Error),
}

/// Why a run was not stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopError {
    /// There is no such run.
    #[error("find the run {0}")]
    Unknown(RunId),
    /// It is over.
    #[error("stop the run {0}: it is over")]
    Over(RunId),
}

/// Why a plan was not tried once.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OnceError {
    #[error("a run is active or waits, and would be disturbed; try again after it")]
    Busy,
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Child(#[from] ChildError),
}

/// The runs that were submitted.
#[derive(Debug)]
pub struct Queue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The state that the supervisor shares with the callers of the queue.
#[derive(Debug)]
struct Shared {
    history: Arc<History>,
    children: Arc<Children>,
    lock: PathBuf,
    secrets: Option<SecretSource>,
    meeting: Option<ClusterSettings>,
    audience: Audience,
    known: Mutex<Known>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    /// By their numbers: runs that are queued or active, and the last finished ones.
    runs: BTreeMap<u64, Run>,
    next: u64,
    is_closed: bool,
}

#[derive(Clone, Debug)]
struct Run {
    status: Status,
    watch: Arc<Watch>,
}

impl Queue {
    /// Opens the queue of a history, and determines the state of its runs. `lock` is a file that all runs of this
    /// machine share, see [`machine_lock`].
    pub fn open(history: Arc<History>, children: Arc<Children>, lock: PathBuf) -> io::Result<Self> {
        Self::open_with(history, children, lock, (None, None))
    }

    /// Opens the queue with a source for the secrets that plans refer to, and with the place where agents are met, if
    /// agents may share runs.
    pub(crate) fn open_with(
        history: Arc<History>,
        children: Arc<Children>,
        lock: PathBuf,
        (secrets, meeting): (Option<SecretSource>, Option<ClusterSettings>),
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            history,
            children,
            lock,
            secrets,
            meeting,
            audience: Audience::default(),
            known: Mutex::default(),
            changed: Condvar::new(),
        });
        let supervisor = supervisor::Supervisor::new(Arc::clone(&shared))?;
        let thread =
            thread::Builder::new().name("queue".to_owned()).spawn(move || supervisor.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Queues a run. Its plan is not examined here: a check does that, and so does the run.
    pub fn submit(&self, request: RunRequest) -> Result<RunId, SubmitError> {
        self.submit_with(request, None, &|_| Ok(()))
    }

    /// Queues a run that is expected to last so many seconds; `fill` adds the files that its plan refers to, to the
    /// directory of the run.
    pub fn submit_with(
        &self,
        request: RunRequest,
        planned_s: Option<f64>,
        fill: &dyn Fn(&Path) -> io::Result<()>,
    ) -> Result<RunId, SubmitError> {
        if request.requested.plan.len() > PLAN_MAX {
            return Err(SubmitError::Long);
        }
        request.about.check()?;
        let id = RunId::new().map_err(io::Error::other)?;
        let mut known = self.shared.known();
        if known.runs.values().filter(|run| run.status.state == State::Queued).count()
            >= WAITING_MAX
        {
            return Err(SubmitError::Full);
        }
        let files = self.shared.history.files(&id);
        let About { name, origin, .. } = &request.about;
        let status = Status {
            name: name.clone(),
            by: origin.by.clone(),
            plan: origin.plan.clone(),
            target: origin.target.clone(),
            planned_s,
            ..Status::submitted(id.clone(), known.next, now())
        };
        DirBuilder::new().mode(0o700).create(files.directory())?;
        // Nothing remains of a request that was written in part.
        let remove = |_: &io::Error| drop(std::fs::remove_dir_all(files.directory()));
        written(&files, request, &status, fill).inspect_err(remove)?;
        known.next += 1;
        known.add(status, &self.shared.audience);
        drop(known);
        self.shared.changed.notify_all();
        Ok(id)
    }

    /// Performs each scenario of a plan once, beside no run, and returns what was sent and answered. The plan's files
    /// are in `directory`.
    pub(crate) fn once(
        &self,
        requested: RunSpec,
        directory: Option<&Path>,
    ) -> Result<String, OnceError> {
        if self.list().iter().any(|run| !run.state.is_over()) {
            return Err(OnceError::Busy);
        }
        let secrets = self.shared.secrets(&requested)?;
        let task = RunTask { requested, lock: self.shared.lock.clone(), secrets, cluster: None };
        Ok(self.shared.children.once(directory, task)?)
    }

    /// Ends a run gracefully: exchanges in flight complete, and there is a record. A queued run is cancelled.
    pub fn stop(&self, id: &RunId, by: &str) -> Result<(), StopError> {
        self.shared.stop(id, &StopRequest { by: by.to_owned(), now: false, why: String::new() })
    }

    /// Ends a run at once: exchanges in flight are cut off. There is still a record.
    pub fn stop_now(&self, id: &RunId, by: &str) -> Result<(), StopError> {
        self.shared.stop(id, &StopRequest { by: by.to_owned(), now: true, why: String::new() })
    }

    /// Lets a waiting run begin before all others that wait. Returns whether it waits.
    pub fn put_first(&self, id: &RunId) -> bool {
        let mut known = self.shared.known();
        let waiting = |run: &&mut Run| run.status.state == State::Queued;
        let Some(first) = known.runs.values_mut().filter(waiting).map(|run| run.status.turn).min()
        else {
            return false;
        };
        let Some(run) = known.runs.values_mut().filter(waiting).find(|run| run.status.id == *id)
        else {
            return false;
        };
        run.status.turn = first.saturating_sub(1);
        // Under the lock, so that an older status never replaces a newer one. Without room for it the order is that of
        // before after a restart.
        drop(self.shared.history.files(id).write(STATE, &run.status));
        true
    }

    /// Ends all runs at once, and waits at most this time. Returns whether all have ended.
    pub fn end_all(&self, patience: Duration) -> bool {
        let left = |known: &Known| -> Vec<RunId> {
            let runs = known.runs.values().map(|run| &run.status);
            runs.filter(|run| !run.state.is_over()).map(|run| run.id.clone()).collect()
        };
        let going = left(&self.shared.known());
        for id in &going {
            // A run that has ended in the meantime needs no stop.
            drop(self.stop_now(id, ""));
        }
        let waited =
            self.shared
                .changed
                .wait_timeout_while(self.shared.known(), patience, |known| !left(known).is_empty());
        let (known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        left(&known).is_empty()
    }

    /// The status of a run.
    pub fn status(&self, id: &RunId) -> Option<Status> {
        let known = self.shared.known();
        let known = known.runs.values().find(|run| run.status.id == *id);
        let known = known.map(|run| run.status.clone());
        known.or_else(|| self.shared.history.files(id).json(STATE).ok().flatten())
    }

    /// Runs that are queued or active, and the last finished ones, in the order in which they were submitted.
    pub fn list(&self) -> Vec<Status> {
        self.shared.known().runs.values().map(|run| run.status.clone()).collect()
    }

    /// The messages of a run, while it is active and for a while afterwards.
    pub fn watch(&self, id: &RunId) -> Option<Arc<Watch>> {
        let known = self.shared.known();
        known.runs.values().find(|run| run.status.id == *id).map(|run| Arc::clone(&run.watch))
    }
}

/// Runs continue: a new queue of the same history finds them.
impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.known().is_closed = true;
        self.shared.changed.notify_all();
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// The lock that all runs of this user share on this machine, in this directory if it exists.
pub fn machine_lock(runtime: Option<&Path>) -> PathBuf {
    let own = runtime.filter(|path| path.is_dir()).map(Path::to_owned);
    let user = rustix::process::getuid().as_raw();
    own.unwrap_or_else(std::env::temp_dir).join(format!("brunt-serve-{user}.lock"))
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The values of the secrets that a run refers to. They are in no file, and are read when they are needed.
    fn secrets(&self, requested: &RunSpec) -> Result<BTreeMap<String, String>, SecretsError> {
        let Some(wanted) = &requested.secrets else { return Ok(BTreeMap::new()) };
        let source = self.secrets.as_ref().ok_or(SecretsError::None)?;
        source.values(wanted, &requested.grant)
    }

    fn stop(&self, id: &RunId, stop: &StopRequest) -> Result<(), StopError> {
        let mut known = self.known();
        let run = known.runs.values_mut().find(|run| run.status.id == *id);
        let Some(run) = run else {
            let is_there = self.history.files(id).directory().is_dir();
            let id = id.clone();
            return Err(if is_there { StopError::Over(id) } else { StopError::Unknown(id) });
        };
        if run.status.state.is_over() {
            return Err(StopError::Over(id.clone()));
        }
        // The first request to stop is recorded; a later one can only make it immediate.
        let requested = run.status.stop.get_or_insert_with(|| stop.clone());
        requested.now |= stop.now;
        // Under the lock, so that an older status never replaces a newer one.
        drop(self.history.files(id).write(STATE, &run.status));
        drop(known);
        self.changed.notify_all();
        Ok(())
    }

    /// Changes the status of a run, stores it, and sends it to the watchers.
    fn update(&self, number: u64, change: impl FnOnce(&mut Status)) {
        let mut known = self.known();
        let Some(run) = known.runs.get_mut(&number) else { return };
        let before = run.status.clone();
        change(&mut run.status);
        if run.status == before {
            return;
        }
        let (status, watch) = (run.status.clone(), Arc::clone(&run.watch));
        // Progress alone is not worth a write; every other change is. Under the lock, so that an older status never
        // replaces a newer one.
        let (reached_s, figures) = (before.reached_s, before.figures);
        if (Status { reached_s, figures, ..status.clone() }) != before {
            drop(self.history.files(&status.id).write(STATE, &status));
        }
        drop(known);
        self.changed.notify_all();
        let status_json = shown::message(&status);
        watch.change(|history| history.report("state", &status_json));
    }
}

impl Known {
    fn add(&mut self, status: Status, audience: &Audience) {
        let watch = Arc::new(Watch::new(audience.clone()));
        let status_json = shown::message(&status);
        watch.change(|history| history.report("state", &status_json));
        self.next = self.next.max(status.number + 1);
        self.runs.insert(status.number, Run { status, watch });
        let over = self.runs.iter().filter(|(_, run)| run.status.state.is_over());
        let over: Vec<u64> = over.map(|(number, _)| *number).collect();
        for number in over.iter().rev().skip(REMEMBERED) {
            self.runs.remove(number);
        }
    }
}

/// Writes the files of a run that was submitted.
fn written(
    files: &RunFiles,
    request: RunRequest,
    status: &Status,
    fill: &dyn Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let RunRequest { mut requested, mut about } = request;
    about.origin.at.clone_from(&status.submitted);
    fill(files.directory())?;
    files.write_text(PLAN, &std::mem::take(&mut requested.plan))?;
    files.write(ABOUT, &about)?;
    files.write(REQUEST, &requested)?;
    files.write(STATE, status)
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}
