//! A tool under observation: started with its output in a file, looked at while it runs, ended at will.

use crate::cpu;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running tool.
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command` with its output in the file `log`.
    pub(crate) fn start(mut command: Command, log: &Path) -> Self {
        let file = File::create(log).expect("the log can be made");
        let errors = file.try_clone().expect("a descriptor can be had twice");
        command.stdin(Stdio::null()).stdout(file).stderr(errors);
        let child =
            command.spawn().unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
        Self { child, log: log.to_owned() }
    }

    /// The CPU time it has used so far. Panics with its last words if it ended by itself.
    pub(crate) fn cpu(&mut self) -> Duration {
        let ended = self.child.try_wait().expect("the tool is our child");
        match (ended, cpu::of(self.child.id())) {
            (None, Some(time)) => time,
            _ => panic!("the tool ended before it was measured; it said:\n{}", self.said()),
        }
    }

    /// The most memory it ever had resident, in KiB.
    pub(crate) fn resident_peak_kib(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().expect("the kernel tells the peak in kB")
    }

    /// Waits for the tool to end by itself; panics with its words unless it exits with 0.
    pub(crate) fn finish(mut self) -> String {
        let status = self.child.wait().expect("the tool is our child");
        let said = self.said();
        assert!(status.success(), "the tool ended with {status}; it said:\n{said}");
        said
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets time go by while others work.
#[expect(clippy::disallowed_methods, reason = "the bench waits beside the tools it measures")]
pub(crate) fn pass(seconds: u64) {
    std::thread::sleep(Duration::from_secs(seconds));
}
