//! [`WriteFailures`]: what could not be written in a run that was carried out nevertheless.
//!
//! Each table, file and clean-up of a run fails separately. Failures are kept here until everything else is written and
//! printed; then they are reported, and the exit code reflects them unless it reports something worse.

use std::fmt::Display;
use std::path::Path;

use crate::console::Console;
use crate::options::exit::Exit;

/// What could not be written, and why.
#[derive(Clone, Debug)]
pub struct WriteFailures {
    console: Console,
    all: Vec<String>,
}

impl WriteFailures {
    /// None so far; they are reported to this console.
    pub fn new(console: &Console) -> Self {
        Self { console: console.clone(), all: Vec::new() }
    }

    /// Keeps a failure, if there was one.
    pub fn keep(&mut self, done: Result<(), impl Display>) {
        self.all.extend(done.err().map(|why| why.to_string().trim_end().to_owned()));
    }

    /// Keeps the failures of another run.
    pub fn add(&mut self, others: &Self) {
        self.all.extend_from_slice(&others.all);
    }

    /// Whether everything was written.
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Keeps a failure during a run and reports it at once: the user of that file may still be able to act.
    pub fn meanwhile(&mut self, why: impl Display) {
        self.console.message(&format!("\nnote: {why}; the run continues without it"));
        self.all.push(why.to_string());
    }

    /// Writes a file if one is requested, and returns its path if it was written.
    pub fn written<'p, E: Display>(
        &mut self,
        path: Option<&'p Path>,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Option<&'p Path> {
        let path = path?;
        let done = write(path);
        let is_there = done.is_ok();
        self.keep(done);
        is_there.then_some(path)
    }

    /// Prints results to standard output. A reader that closes its end early is not an error.
    pub fn print(&mut self, text: &str) {
        self.keep(self.console.print(text).map(drop).map_err(|refusal| refusal.text));
    }

    /// Reports what is missing, and returns the exit code of the program, which would have been `exit`.
    pub fn report(&self, exit: Exit) -> Exit {
        if !self.all.is_empty() {
            self.console.release();
        }
        for why in &self.all {
            self.console.message(&format!("error: {why}"));
        }
        match exit {
            _ if self.all.is_empty() => exit,
            Exit::Ok | Exit::SomeFailed | Exit::Undecided | Exit::Partial => Exit::Failed,
            worse => worse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn write_failure_sets_the_exit_code_unless_worse() {
        let console = Console::kept(Environment::default());
        let none = WriteFailures::new(&console);
        let mut some = WriteFailures::new(&console);
        some.keep(Ok::<_, String>(()));
        assert!(some.is_empty());
        some.keep(Err("failed to write --hgrm x"));
        for (exit, expected) in [
            (Exit::Ok, Exit::Failed),
            (Exit::Partial, Exit::Failed),
            (Exit::Undecided, Exit::Failed),
            (Exit::Missed, Exit::Missed),
            (Exit::Interrupted, Exit::Interrupted),
            (Exit::Ldap(49), Exit::Ldap(49)),
        ] {
            assert_eq!((none.report(exit), some.report(exit)), (exit, expected));
        }
        assert!(console.errors().starts_with("error: failed to write --hgrm x\nerror: "));
    }
}
