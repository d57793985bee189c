//! [`Site`]: a history and a queue as in `brunt serve`, whose child processes are the program under test.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use brunt_envelope::{Grant, RunSpec};
use brunt_history::{About, RECORD_KEPT, RunId};
use brunt_record::{Document, Record};
use brunt_serve::child::Children;
use brunt_serve::history::History;
use brunt_serve::queue::{Queue, RunRequest, State, Status};
use brunt_testbed::until;
use tempfile::TempDir;

/// How long a run of a test may take. Other tests have the machine as well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// What a server has.
pub(crate) struct Site {
    pub(crate) history: Arc<History>,
    pub(crate) children: Arc<Children>,
    pub(crate) queue: Option<Queue>,
    pub(crate) lock: PathBuf,
    directory: PathBuf,
    /// Removed with it, where it is its own.
    own: Option<TempDir>,
}

impl Site {
    /// A new one.
    pub(crate) fn new() -> Self {
        let own = tempfile::tempdir().expect("a temporary directory");
        let site = Self::closed(own.path().to_owned());
        Self { own: Some(own), ..site }.opened()
    }

    /// That of a directory which may have been another server's.
    pub(crate) fn at(directory: PathBuf) -> Self {
        Self::closed(directory).opened()
    }

    /// The same after a restart: what the server knew in memory is gone.
    pub(crate) fn restarted(self) -> Self {
        let Self { directory, own, queue, .. } = self;
        drop(queue);
        Self { own, ..Self::closed(directory) }.opened()
    }

    fn closed(directory: PathBuf) -> Self {
        let history = History::open(&directory).expect("a history can be made");
        Self {
            history: Arc::new(history),
            children: Arc::new(children()),
            queue: None,
            lock: directory.join("lock"),
            directory,
            own: None,
        }
    }

    fn opened(mut self) -> Self {
        let (history, children) = (Arc::clone(&self.history), Arc::clone(&self.children));
        let queue = Queue::open(history, children, self.lock.clone()).expect("the queue opens");
        self.queue = Some(queue);
        self
    }

    pub(crate) fn queue(&self) -> &Queue {
        self.queue.as_ref().expect("it is open")
    }

    /// Submits a plan that may reach these addresses.
    pub(crate) fn submit(&self, plan: &str, allow: &[String]) -> RunId {
        self.queue().submit(request(plan, allow)).expect("it is taken")
    }

    pub(crate) fn status(&self, id: &RunId) -> Status {
        self.queue().status(id).expect("it was submitted")
    }

    /// Waits until a run is in a state that is asked for.
    #[track_caller]
    pub(crate) fn wait(&self, id: &RunId, is: impl Fn(&Status) -> bool) -> Status {
        let came = until(PATIENCE, || is(&self.status(id)));
        let status = self.status(id);
        assert!(came, "{status:?}");
        status
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(&self, id: &RunId) -> Status {
        self.wait(id, |status| status.state.is_over())
    }

    /// The record that is kept of it, read as `brunt report` reads it.
    #[track_caller]
    pub(crate) fn record(&self, id: &RunId) -> Record {
        let path = self.history.files(id).path(RECORD_KEPT);
        match Document::read(&path) {
            Ok(Document::Record(record)) => *record,
            other => panic!("{}: {other:?}", path.display()),
        }
    }

    /// Carries a plan out and returns how it ended.
    #[track_caller]
    pub(crate) fn run(&self, plan: &str, allow: &[String]) -> (RunId, Status) {
        let id = self.submit(plan, allow);
        let status = self.end(&id);
        (id, status)
    }

    #[track_caller]
    pub(crate) fn is_done(&self, id: &RunId) {
        let status = self.end(id);
        assert_eq!(status.state, State::Done, "{status:?}");
    }
}

/// Those of the program under test.
pub(crate) fn children() -> Children {
    Children::of_program(PathBuf::from(env!("CARGO_BIN_EXE_brunt")))
}

/// A plan that may reach these addresses.
pub(crate) fn request(plan: &str, allow: &[String]) -> RunRequest {
    let grant = Grant { allow: allow.to_vec(), ..Grant::default() };
    let requested = RunSpec { plan: plan.to_owned(), grant, ..RunSpec::default() };
    let mut about = About::default();
    "ada".clone_into(&mut about.origin.by);
    RunRequest { requested, about }
}
