//! Servers that are stopped or killed: the run that they started is not affected and not lost.
//!
//! The server is this test program again, configured by its environment to open a queue, submit a plan and wait.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use brunt_history::{OUTCOME, RunId, STATE};
use brunt_serve::queue::{State, Status};
use brunt_testbed::until;
use rustix::process::{Pid, Signal, kill_process};

use crate::counted::Counted;
use crate::site::{PATIENCE, Site};

const DIRECTORY: &str = "BRUNT_TEST_SITE";
const PLAN: &str = "BRUNT_TEST_PLAN";
const TARGET: &str = "BRUNT_TEST_TARGET";

/// Is the server, where the environment says so, and otherwise nothing.
#[test]
fn server() {
    let Some(directory) = env::var_os(DIRECTORY) else { return };
    let site = Site::at(PathBuf::from(directory));
    let given = |name: &str| env::var(name).expect("it is given");
    site.submit(&given(PLAN), &[given(TARGET)]);
    loop {
        std::thread::park();
    }
}

/// A server with a run, which is killed with the test.
struct Server(Child);

impl Server {
    fn start(directory: &Path, plan: &str, target: &Counted) -> Self {
        let child = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", "servers::server"])
            .env(DIRECTORY, directory)
            .env(PLAN, plan)
            .env(TARGET, target.at().to_string())
            .stdout(Stdio::null())
            .spawn();
        Self(child.expect("it starts"))
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.0.id().cast_signed()).expect("a process");
        kill_process(pid, signal).expect("it runs");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The only run of a history, once it is in this state.
fn in_state(directory: &Path, state: State) -> (PathBuf, Status) {
    let mut found = None;
    let came = until(PATIENCE, || {
        let mut runs = fs::read_dir(directory.join("runs")).into_iter().flatten().flatten();
        found = runs.next().and_then(|run| {
            let text = fs::read_to_string(run.path().join(STATE)).ok()?;
            Some((run.path(), serde_json::from_str::<Status>(&text).ok()?))
        });
        found.as_ref().is_some_and(|(_, status)| status.state == state)
    });
    assert!(came, "{found:?}");
    found.expect("it came")
}

fn plan(target: &Counted) -> String {
    format!(
        "[run]\nrate = \"500/s\"\nduration = \"3s\"\n[http]\nbase = \"http://{}\"\n[[scenario]]\nname = \"s\"\n\
         steps = [{{ get = \"/\" }}]\n",
        target.at()
    )
}

/// Everything of the run is there, as its target counted it.
fn is_whole(site: &Site, id: &RunId, target: &Counted) {
    let record = site.record(id);
    assert!(record.conservation.holds, "{:?}", record.conservation);
    assert_eq!((record.counts.planned, record.counts.ok), (1_500, 1_500), "{:?}", record.counts);
    assert_eq!(record.conservation.counts.sent, target.requests());
    assert!(site.history.view(id).is_ok_and(|view| view.is_some()));
}

#[test]
fn killed_server_leaves_a_complete_run_that_is_adopted() {
    let directory = tempfile::tempdir().unwrap();
    let target = Counted::start();
    let server = Server::start(directory.path(), &plan(&target), &target);
    let (run, status) = in_state(directory.path(), State::Steady);
    server.signal(Signal::KILL);
    drop(server);
    // The next server is there before it ends.
    let site = Site::at(directory.path().to_owned());
    assert!(!run.join(OUTCOME).exists(), "it goes on");
    let ended = site.end(&status.id);
    assert_eq!(ended.state, State::Done, "{ended:?}");
    is_whole(&site, &status.id, &target);
}

#[test]
fn run_that_ends_without_a_server_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let target = Counted::start();
    let server = Server::start(directory.path(), &plan(&target), &target);
    let (run, status) = in_state(directory.path(), State::Steady);
    drop(server);
    assert!(until(PATIENCE, || run.join(OUTCOME).exists()), "it ends");
    let site = Site::at(directory.path().to_owned());
    let ended = site.end(&status.id);
    assert_eq!(ended.state, State::Done, "{ended:?}");
    is_whole(&site, &status.id, &target);
}

#[test]
fn stopped_server_does_not_delay_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let target = Counted::start();
    let server = Server::start(directory.path(), &plan(&target), &target);
    let (run, status) = in_state(directory.path(), State::Steady);
    server.signal(Signal::STOP);
    assert!(until(PATIENCE, || run.join(OUTCOME).exists()), "it ends");
    let (_, stopped) = in_state(directory.path(), State::Steady);
    assert_eq!(stopped.id, status.id, "the server has seen nothing of it yet");
    server.signal(Signal::CONT);
    let (_, ended) = in_state(directory.path(), State::Done);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    drop(server);
    is_whole(&Site::at(directory.path().to_owned()), &status.id, &target);
}
