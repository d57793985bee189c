//! Permits as other processes see them: each test starts this test program again, which takes a permit and says so.

use super::*;
use crate::until;
use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(90);
/// The variable by which this program is told which permit to take.
const TAKE: &str = "BRUNT_TAKE_PERMIT";

/// A process that holds a permit, or waits for one.
struct Other {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn start(runtime: &TempDir, permit: &str) -> Self {
        let program = env::current_exe().expect("this program is somewhere");
        let mut command = Command::new(program);
        command.args(["--exact", "permits::tests::holds_a_permit", "--nocapture", "--ignored"]);
        command.env("XDG_RUNTIME_DIR", runtime.path()).env(TAKE, permit);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, output }
    }

    /// Waits until it has its permit.
    fn wait(mut self) -> Self {
        let has = |line: &String| line.contains("has the permit");
        assert!(self.output.by_ref().lines().map_while(Result::ok).any(|line| has(&line)));
        self
    }

    /// Comes back once the kernel has it wait for a lock. Whoever has its permit waits for none any more.
    fn waits(&self) {
        let id = self.process.id().to_string();
        let waits = || {
            let locks = std::fs::read_to_string("/proc/locks").expect("the kernel lists its locks");
            let mut waiting = locks.lines().filter(|line| line.contains("->"));
            waiting.any(|line| line.split_whitespace().any(|word| word == id))
        };
        assert!(until(PATIENCE, waits), "it does not wait");
    }

    fn kill(mut self) {
        self.process.kill().expect("it is ours");
        self.process.wait().expect("it is ours");
    }
}

/// No test, but the other process of the tests.
#[test]
#[ignore = "started by the other tests of this file"]
fn holds_a_permit() {
    let Some(permit) = env::var_os(TAKE) else { return };
    let _held: Box<dyn std::any::Any> = match permit.to_str() {
        Some("alone") => Box::new(alone()),
        Some("core") => Box::new(core()),
        _ => {
            among_others();
            Box::new(())
        }
    };
    println!("\nhas the permit");
    // Until its standard input ends.
    let _ = std::io::stdin().lines().count();
}

#[test]
fn alone_permit_waits_for_all_and_blocks_new_ones() {
    let runtime = tempfile::tempdir().unwrap();
    let first = Other::start(&runtime, "among").wait();
    let second = Other::start(&runtime, "among").wait();
    let alone = Other::start(&runtime, "alone");
    alone.waits();
    // It comes after the one that was there first, though those before it could share.
    let late = Other::start(&runtime, "among");
    late.waits();
    first.kill();
    alone.waits();
    late.waits();
    // A permit ends with its process, also if that is killed.
    second.kill();
    let alone = alone.wait();
    late.waits();
    alone.kill();
    late.wait().kill();
}

#[test]
fn core_permits_are_limited_to_the_cores() {
    let runtime = tempfile::tempdir().unwrap();
    let cores = thread::available_parallelism().unwrap().get();
    let mut holding: Vec<_> = (0..cores).map(|_| Other::start(&runtime, "core").wait()).collect();
    let lock = |core: usize| {
        let path = runtime.path().join(format!("brunt-tests/core-{core}.lock"));
        let file = std::fs::File::open(path).unwrap();
        flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
    };
    assert!(!(0..cores).any(lock), "all are taken");
    let waiting = Other::start(&runtime, "core");
    holding.pop().expect("there is a core").kill();
    let got = waiting.wait();
    assert!(!(0..cores).any(lock), "all are taken again");
    holding.into_iter().chain([got]).for_each(Other::kill);
}
