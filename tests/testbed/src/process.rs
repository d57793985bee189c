//! [`Process`]: a process that is not taken for a later one with the same number.

use rustix::process::{Pid, PidfdFlags, Signal, getpid, getppid, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};
use std::fmt;
use std::fs;

/// A process by its number and the moment at which it was started, in ticks since the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    id: Pid,
    born: u64,
}

impl Process {
    /// The process that has this number now.
    pub(crate) fn new(id: Pid) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Some(Self { id, born: born(&stat)? })
    }

    /// This process.
    pub(crate) fn this() -> Self {
        Self::new(getpid()).expect("this process is in /proc")
    }

    /// The process that started this one, and its name.
    pub(crate) fn parent() -> Option<(Self, String)> {
        let parent = Self::new(getppid()?)?;
        let name = fs::read_to_string(format!("/proc/{}/comm", parent.id)).ok()?;
        Some((parent, name.trim_end().to_owned()))
    }

    /// Its number.
    pub(crate) fn id(self) -> Pid {
        self.id
    }

    /// The moment of its start.
    pub(crate) fn born(self) -> u64 {
        self.born
    }

    /// Whether it is still there.
    pub(crate) fn is_alive(self) -> bool {
        Self::new(self.id) == Some(self)
    }

    /// Ends it at once, if it is still there.
    pub(crate) fn kill(self) {
        // What is open is this process even if another has its number soon.
        let Ok(open) = pidfd_open(self.id, PidfdFlags::empty()) else { return };
        if self.is_alive() {
            // It may have ended in between.
            let _ = pidfd_send_signal(&open, Signal::KILL);
        }
    }

    /// As JSON.
    pub(crate) fn described(self) -> Value {
        json!({ "id": self.id.as_raw_nonzero().get(), "born": self.born })
    }

    /// What [`described`](Self::described) described.
    pub(crate) fn read(description: &Value) -> Option<Self> {
        let id = description["id"].as_i64()?.try_into().ok().and_then(Pid::from_raw)?;
        Some(Self { id, born: description["born"].as_u64()? })
    }
}

/// `PID-BORN`, as [`Process::parse`] reads it.
impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.id, self.born)
    }
}

impl Process {
    /// What was displayed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (id, born) = text.split_once('-')?;
        Some(Self { id: Pid::from_raw(id.parse().ok()?)?, born: born.parse().ok()? })
    }
}

/// The moment of its start in the text of `/proc/PID/stat`; none of a process that has ended and is not yet forgotten.
fn born(stat: &str) -> Option<u64> {
    // Its name may contain spaces and parentheses.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let ended = ["Z", "X"].contains(&fields.next()?);
    if ended { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn start_time_is_parsed_from_stat_and_absent_for_zombies() {
        let stat = |name: &str, state: &str| {
            format!(
                "71 ({name}) {state} 1 71 71 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 10 20"
            )
        };
        assert_eq!(born(&stat("sleep", "S")), Some(987_654));
        assert_eq!(born(&stat("a) S 1 2 (b", "R")), Some(987_654));
        assert_eq!(born(&stat("sleep", "Z")), None);
        assert_eq!(born(""), None);
    }

    #[test]
    fn reused_pid_is_not_the_process_and_is_not_killed() {
        let mut sleep = Command::new("sleep").arg("600").spawn().unwrap();
        let process = Process::new(Pid::from_child(&sleep)).unwrap();
        let other = Process { born: process.born - 1, ..process };
        assert!(process.is_alive() && !other.is_alive());
        other.kill();
        assert_eq!(sleep.try_wait().unwrap(), None);
        for copy in [Process::read(&process.described()), Process::parse(&process.to_string())] {
            assert_eq!(copy, Some(process));
        }
        process.kill();
        assert!(!sleep.wait().unwrap().success());
        assert!(!process.is_alive());
        process.kill();
    }

    #[test]
    fn zombie_is_not_alive() {
        let mut sleep = Command::new("sleep").arg("600").spawn().unwrap();
        let process = Process::new(Pid::from_child(&sleep)).unwrap();
        process.kill();
        assert!(crate::until(std::time::Duration::from_secs(60), || !process.is_alive()));
        sleep.wait().unwrap();
    }
}
