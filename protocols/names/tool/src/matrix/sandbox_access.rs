//! The interface of a matrix to its sandboxes: a [`SandboxAccess`] takes requests and answers them.
//!
//! A [`SandboxAccess`] is a sandbox that can be interrupted at once: while it works, an observer shows the progress and
//! ends the work on a signal. It is a trait so that the matrix's handling of answers can be tested without namespaces
//! and daemons.

use std::thread;
use std::time::Duration;

use brunt_run::console;
use rustix::process::{Pid, Signal, kill_process};

use crate::sandbox::{Answer, Request, Sandbox, SandboxAccessError, Spec};

/// How often the onlooker is called.
const TICK: Duration = Duration::from_millis(20);

/// Watches the work in a sandbox.
pub(super) trait SandboxObserver {
    /// Called regularly; returns whether the work continues.
    fn poll(&mut self) -> bool;
}

/// A sandbox.
pub(super) trait SandboxAccess {
    /// Carries out a request in it.
    fn request(
        &mut self,
        request: &Request,
        patience: Duration,
        observer: &mut dyn SandboxObserver,
    ) -> Result<Answer, SandboxAccessError>;
}

/// Opens sandboxes.
pub(super) trait SandboxFactory {
    /// Opens a sandbox.
    fn open(&self, spec: &Spec) -> Result<Box<dyn SandboxAccess>, SandboxAccessError>;
}

/// Sandboxes on this machine.
pub(super) struct LocalSandboxes;

impl SandboxFactory for LocalSandboxes {
    fn open(&self, spec: &Spec) -> Result<Box<dyn SandboxAccess>, SandboxAccessError> {
        Ok(Box::new(Sandbox::open(spec)?))
    }
}

impl SandboxAccess for Sandbox {
    fn request(
        &mut self,
        request: &Request,
        patience: Duration,
        observer: &mut dyn SandboxObserver,
    ) -> Result<Answer, SandboxAccessError> {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        thread::scope(|scope| {
            let working = scope.spawn(|| Self::request(self, request, patience));
            let mut ended = false;
            while !working.is_finished() {
                console::pause(TICK);
                if !ended && !observer.poll() {
                    // Everything inside the sandbox ends with this process.
                    id.map(|id| kill_process(id, Signal::KILL));
                    ended = true;
                }
            }
            working.join().unwrap_or_else(|_| Err(SandboxAccessError::Ended(String::new())))
        })
    }
}
