//! Processes that share a server, as the processes of a test run do: each test starts its own program again to have
//! more of them.

use super::*;
use crate::wait::until;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Names the directory of a test to the processes that it starts.
const PLACE: &str = "BRUNT_TESTBED_SHARED";
/// Files of that directory that change what the processes do: a start fails; a start never ends; a process that has the
/// server keeps it.
const BROKEN: &str = "broken";
const STUCK: &str = "stuck";
const KEPT: &str = "kept";
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that serves nobody.
struct Sleeper(Started);

impl Lasting for Sleeper {
    const KIND: &'static str = "sleeper";

    fn recipe() -> impl Hash {
        "sleep"
    }

    fn start() -> Started {
        let place = PathBuf::from(env::var_os(PLACE).expect("the test names its directory"));
        let directory = place.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&directory).expect("a directory can be made");
        let mut sleep = Command::new("sleep");
        let daemon = Daemon::start_in(&directory, sleep.arg("600"), &place.join("log"));
        let starts = fs::OpenOptions::new().create(true).append(true).open(place.join("starts"));
        starts.expect("it can be opened").write_all(b"started\n").expect("it can be written");
        assert!(!place.join(BROKEN).exists(), "this server cannot be started");
        while place.join(STUCK).exists() {
            thread::park_timeout(PATIENCE);
        }
        Started { daemon, directory, ports: vec![17] }
    }

    fn of(started: Started) -> Self {
        Self(started)
    }
}

/// A test's directory and the owner of its run.
struct TestDirectory {
    test: &'static str,
    directory: TempDir,
    owner: Child,
}

impl TestDirectory {
    /// In the test it makes one. In a process that the test started, which has nothing else to do, it asks for the
    /// server, prints what it is, and gives none.
    fn make(test: &'static str) -> Option<Self> {
        if let Some(place) = env::var_os(PLACE) {
            let run = Run::of(Path::new(&place), owner());
            let shared = shared_in::<Sleeper>(&run);
            let server = &shared.server.0;
            println!("server {} {:?}", Process::new(server.daemon.pid()).unwrap(), server.ports);
            if Path::new(&place).join(KEPT).exists() {
                // It ends with the test, if that has not killed it before.
                std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            }
            return None;
        }
        Some(Self { test, directory: tempfile::tempdir().unwrap(), owner: sleep() })
    }

    fn process(&self) -> Command {
        let name = format!("shared::tests::{}", self.test);
        let mut process = Command::new(env::current_exe().unwrap());
        process.args(["--exact", &name, "--nocapture"]).stdin(Stdio::null());
        process.env(PLACE, self.path()).env(OWNER, self.owner.id().to_string());
        process
    }

    /// The server that a new process finds or starts.
    fn ask(&self) -> Process {
        requested(self.process())
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn starts(&self) -> usize {
        let starts = fs::read_to_string(self.path().join("starts")).unwrap_or_default();
        starts.lines().count()
    }

    /// Changes what processes do from now on.
    fn set(&self, what: &str, on: bool) {
        let file = self.path().join(what);
        if on { write(&file, "") } else { fs::remove_file(file).unwrap() }
    }

    /// The description of the only server.
    fn description(&self) -> PathBuf {
        let owner = Process::new(Pid::from_child(&self.owner)).unwrap();
        let run = self.path().join(format!("{RUN}{owner}"));
        let mut files = fs::read_dir(run).unwrap().map(|file| file.unwrap().path());
        files.find(|path| path.extension().unwrap() == "json").unwrap()
    }

    fn described(&self, name: &str) -> Process {
        Process::read(&read(&self.description()).unwrap()[name]).unwrap()
    }

    /// Names of this test's directory that belong to servers and runs.
    fn left(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(RUN) || name.starts_with(PREFIX)).collect()
    }

    /// Ends the owner without a word, and does not wait for it.
    fn kill_owner(&mut self) {
        self.owner.kill().unwrap();
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        let _ = self.owner.kill();
        // What this waits for is what the first test is about.
        until(PATIENCE, || self.left().is_empty());
        let _ = self.owner.wait();
    }
}

fn sleep() -> Child {
    Command::new("sleep").arg("600").spawn().unwrap()
}

fn requested(mut process: Command) -> Process {
    let output = process.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.lines().find_map(told).unwrap_or_else(|| panic!("{text}"))
}

/// The server that a line of a process's output names.
fn told(line: &str) -> Option<Process> {
    let (server, ports) = line.split_once("server ")?.1.split_once(' ')?;
    assert_eq!(ports.trim_end(), "[17]");
    Process::parse(server)
}

#[test]
fn shared_server_survives_its_starter_and_ends_with_its_owner() {
    let Some(mut place) =
        TestDirectory::make("shared_server_survives_its_starter_and_ends_with_its_owner")
    else {
        return;
    };
    let server = place.ask();
    assert_eq!((place.ask(), place.starts()), (server, 1));
    let guard = place.described("guard");
    assert!(server.is_alive() && guard.is_alive());
    assert_eq!(place.left().len(), 2, "{:?}", place.left());
    place.kill_owner();
    assert!(until(PATIENCE, || !server.is_alive()), "it is still there");
    assert!(until(PATIENCE, || !guard.is_alive() && place.left().is_empty()), "{:?}", place.left());
}

#[test]
fn shared_server_is_started_once_for_parallel_requests() {
    let Some(place) = TestDirectory::make("shared_server_is_started_once_for_parallel_requests")
    else {
        return;
    };
    let servers: Vec<Process> = thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|_| {
                let process = place.process();
                scope.spawn(|| requested(process))
            })
            .collect();
        asking.into_iter().map(|process| process.join().unwrap()).collect()
    });
    let server = place.described("server");
    assert!(server.is_alive());
    assert_eq!((servers, place.starts()), (vec![server; 4], 1));
}

#[test]
fn shared_server_that_ended_is_replaced() {
    let Some(place) = TestDirectory::make("shared_server_that_ended_is_replaced") else { return };
    let first = place.ask();
    first.kill();
    assert!(until(PATIENCE, || !first.is_alive()));
    let second = place.ask();
    assert!(second != first && second.is_alive() && place.starts() == 2);
    assert!(until(PATIENCE, || place.left().len() == 2), "{:?}", place.left());
}

#[test]
fn shared_server_survives_a_killed_user() {
    let Some(place) = TestDirectory::make("shared_server_survives_a_killed_user") else {
        return;
    };
    place.set(KEPT, true);
    let mut user = place.process().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(user.stdout.take().unwrap()).lines();
    let server = lines.map_while(Result::ok).find_map(|line| told(&line)).unwrap();
    place.set(KEPT, false);
    thread::scope(|scope| {
        let next = scope.spawn(|| place.ask());
        let lock = File::open(place.description().with_extension("lock")).unwrap();
        let busy = flock(&lock, FlockOperation::NonBlockingLockExclusive);
        let waits = !next.is_finished();
        user.kill().unwrap();
        user.wait().unwrap();
        assert_eq!((busy, waits), (Err(Errno::WOULDBLOCK), true), "two had the server at once");
        assert_eq!((next.join().unwrap(), place.starts()), (server, 1));
    });
}

#[test]
fn shared_server_failed_start_fails_everywhere_and_is_retried() {
    let Some(place) =
        TestDirectory::make("shared_server_failed_start_fails_everywhere_and_is_retried")
    else {
        return;
    };
    place.set(BROKEN, true);
    let asking: Vec<_> = (0..3)
        .map(|_| place.process().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for mut process in asking {
        assert!(!process.wait().unwrap().success());
    }
    assert_eq!(place.starts(), 3);
    assert!(until(PATIENCE, || place.left().len() == 1), "{:?}", place.left());
    place.set(BROKEN, false);
    assert!(place.ask().is_alive());
}

#[test]
fn shared_server_killed_starter_leaves_the_start_to_the_next() {
    let name = "shared_server_killed_starter_leaves_the_start_to_the_next";
    let Some(place) = TestDirectory::make(name) else { return };
    place.set(STUCK, true);
    let mut starting = place.process().stdout(Stdio::null()).spawn().unwrap();
    assert!(until(PATIENCE, || place.starts() == 1));
    place.set(STUCK, false);
    let left = place.left();
    starting.kill().unwrap();
    starting.wait().unwrap();
    assert!(place.ask().is_alive());
    assert_eq!(place.starts(), 2);
    // The run's directory stays, and the server of the killed process goes with its directory.
    assert!(until(PATIENCE, || place.left().intersection(&left).count() == 1), "{left:?}");
}

#[test]
fn shared_server_unreadable_description_is_ignored() {
    let Some(place) = TestDirectory::make("shared_server_unreadable_description_is_ignored") else {
        return;
    };
    let first = place.ask();
    let (path, guard) = (place.description(), place.described("guard"));
    write(&path, "{\"server\": {\"id\": ");
    let second = place.ask();
    assert!(second != first && second.is_alive() && place.starts() == 2);
    assert_eq!(place.described("server"), second);
    // Nothing names the first any more, which ends with the run as the second does.
    assert!(first.is_alive() && guard.is_alive());
}

#[test]
fn shared_server_reused_pid_is_no_server() {
    let Some(place) = TestDirectory::make("shared_server_reused_pid_is_no_server") else {
        return;
    };
    let first = place.ask();
    let mut other = sleep();
    let path = place.description();
    let mut description = read(&path).unwrap();
    // Two processes can be born in the same tick of the clock.
    description["server"] = json!({ "id": other.id(), "born": 1 });
    write(&path, description.to_string());
    // What the description does not name any more must end by other means.
    first.kill();
    let second = place.ask();
    assert!(second.is_alive() && place.starts() == 2);
    assert_eq!(other.try_wait().unwrap(), None);
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn shared_server_leftovers_of_an_unguarded_run_are_ended() {
    let Some(mut place) =
        TestDirectory::make("shared_server_leftovers_of_an_unguarded_run_are_ended")
    else {
        return;
    };
    let server = place.ask();
    let guard = place.described("guard");
    guard.kill();
    assert!(until(PATIENCE, || !guard.is_alive()));
    place.kill_owner();
    assert!(until(PATIENCE, || Process::new(Pid::from_child(&place.owner)).is_none()));
    assert!(server.is_alive(), "nobody has ended it");
    let before = place.left();
    place.owner.wait().unwrap();
    place.owner = sleep();
    let next = place.ask();
    assert!(!server.is_alive() && next.is_alive());
    assert!(place.left().is_disjoint(&before), "{before:?} {:?}", place.left());
}
