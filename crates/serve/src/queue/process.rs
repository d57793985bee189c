//! The process of a run: [`Process`], started by this server or by an earlier one.
//!
//! A process number can be reused. So a process is identified by its number and its start time, and is signalled
//! through a descriptor that was opened before the start time was checked.

use std::fs;
use std::io;
use std::process::Child;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

/// The unique identity of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it started, in ticks since the machine started.
    pub began: u64,
    /// The boot id of the machine at that time.
    pub boot: String,
}

impl ProcessId {
    /// The process that has this number now.
    pub(super) fn new(pid: u32) -> io::Result<Self> {
        let (began, _) = stat(pid)?;
        Ok(Self { pid, began, boot: boot() })
    }

    /// Whether it is still running.
    pub(super) fn is_alive(&self) -> bool {
        self.boot == boot()
            && stat(self.pid)
                .is_ok_and(|(began, state)| began == self.began && !"ZX".contains(state))
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        let opened = pidfd_open(pid, PidfdFlags::empty())?;
        if self.is_alive() {
            Ok(pidfd_send_signal(opened, signal)?)
        } else {
            Err(Errno::SRCH.into())
        }
    }
}

/// The process of a run.
#[derive(Debug)]
pub(super) struct Process {
    id: ProcessId,
    /// `None` if an earlier server started it.
    child: Option<Child>,
}

impl Process {
    /// A process that was just started.
    pub(super) fn started(child: Child) -> io::Result<Self> {
        Ok(Self { id: ProcessId::new(child.id())?, child: Some(child) })
    }

    /// A process that an earlier server started.
    pub(super) const fn adopted(id: ProcessId) -> Self {
        Self { id, child: None }
    }

    /// Its identity.
    pub(super) const fn id(&self) -> &ProcessId {
        &self.id
    }

    /// How it ended, if it has. For a process of an earlier server this is unknown.
    pub(super) fn ended(&mut self) -> Option<String> {
        match &mut self.child {
            Some(child) => match child.try_wait() {
                Ok(status) => status.map(|status| status.to_string()),
                Err(error) => Some(error.to_string()),
            },
            None if self.id.is_alive() => None,
            None => Some("it ended while the site was not running".to_owned()),
        }
    }

    /// Stops it gracefully; the second call, at once.
    pub(super) fn interrupt(&self) -> io::Result<()> {
        self.id.signal(Signal::INT)
    }

    /// Kills it.
    pub(super) fn kill(&self) -> io::Result<()> {
        self.id.signal(Signal::KILL)
    }
}

/// The start time and the state of a process, from the kernel.
fn stat(pid: u32) -> io::Result<(u64, char)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let odd = || io::Error::from(io::ErrorKind::InvalidData);
    // The name may contain anything, and ends at the last bracket.
    let rest = text.rsplit_once(')').ok_or_else(odd)?.1;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next().and_then(|state| state.chars().next()).ok_or_else(odd)?;
    let began = fields.nth(18).and_then(|began| began.parse().ok()).ok_or_else(odd)?;
    Ok((began, state))
}

fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn process_is_identified_by_pid_and_start_time() {
        let child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let mut process = Process::started(child).unwrap();
        let id = process.id().clone();
        assert!(id.is_alive() && process.ended().is_none());
        for other in [
            ProcessId { began: id.began + 1, ..id.clone() },
            ProcessId { boot: "another".to_owned(), ..id.clone() },
            ProcessId { pid: u32::MAX, ..id.clone() },
        ] {
            assert!(!other.is_alive(), "{other:?}");
            assert!(Process::adopted(other).kill().is_err());
        }
        assert!(id.is_alive(), "nobody else's signal reached it");
        Process::adopted(id.clone()).kill().unwrap();
        while process.ended().is_none() {
            std::thread::yield_now();
        }
        assert!(!id.is_alive() && process.interrupt().is_err());
    }
}
