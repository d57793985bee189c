//! A tool under observation: started with its output in a file, observed while it runs, ended at any time.

use crate::cpu;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running tool.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command` with its output in the file `log`.
    pub fn start(mut command: Command, log: &Path) -> Self {
        let file = File::create(log).expect("the log can be made");
        let errors = file.try_clone().expect("a descriptor can be had twice");
        command.stdin(Stdio::null()).stdout(file).stderr(errors);
        let child =
            command.spawn().unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
        Self { child, log: log.to_owned() }
    }

    /// The CPU time it has used so far. Panics with its last words if it ended by itself.
    pub fn cpu(&mut self) -> Duration {
        let ended = self.child.try_wait().expect("the tool is our child");
        match (ended, cpu::used_by(self.child.id())) {
            (None, Some(time)) => time,
            _ => panic!("the tool ended before it was measured; it said:\n{}", self.output()),
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The most memory it ever had resident, in KiB.
    pub fn resident_peak_kib(&self) -> u64 {
        self.memory_kib("VmHWM:").expect("the kernel tells the peak of what runs")
    }

    /// The memory it has resident now, in KiB; nothing once it has ended.
    pub fn resident_kib(&self) -> Option<u64> {
        self.memory_kib("VmRSS:")
    }

    fn memory_kib(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the tool is our child").is_none()
    }

    /// Waits for the tool to end by itself; panics with its words unless it exits with 0.
    pub fn finish(self) -> String {
        self.finish_with(&[0])
    }

    /// The same for a tool that says by its exit code how things went.
    pub fn finish_with(mut self, codes: &[i32]) -> String {
        let status = self.child.wait().expect("the tool is our child");
        let output = self.output();
        let expected = status.code().is_some_and(|code| codes.contains(&code));
        assert!(expected, "the tool ended with {status}; it said:\n{output}");
        output
    }

    fn output(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets seconds go by while others work.
pub fn pass(seconds: u64) {
    pass_for(Duration::from_secs(seconds));
}

/// Lets time go by while others work.
#[expect(clippy::disallowed_methods, reason = "the bench waits beside the tools it measures")]
pub fn pass_for(time: Duration) {
    std::thread::sleep(time);
}

/// A stopwatch: the function returns the time since it was made.
#[expect(clippy::disallowed_methods, reason = "a bench watches other processes, in real time")]
pub fn stopwatch() -> impl Fn() -> Duration {
    let start = std::time::Instant::now();
    move || start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, log: &Path) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::start(command, log)
    }

    #[test]
    fn tool_output_is_read_to_its_end() {
        let log = std::env::temp_dir().join(format!("bench-tool-{}", std::process::id()));
        let output = shell("echo out; echo err >&2; exit 3", &log).finish_with(&[0, 3]);
        assert_eq!(output, "out\nerr\n");
        // A shell that becomes another program would have two memories one after the other.
        let mut sleeping = Command::new("sleep");
        sleeping.arg("30");
        let mut sleeper = Process::start(sleeping, &log);
        assert!(sleeper.is_running());
        assert!(sleeper.resident_kib().unwrap() <= sleeper.resident_peak_kib());
        assert!(sleeper.cpu() < Duration::from_secs(1));
        drop(sleeper);
        fs::remove_file(log).unwrap();
    }
}
