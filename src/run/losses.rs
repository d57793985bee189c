//! [`Losses`]: what could not be written of a run that was carried out all the same.
//!
//! Each table, file and clean-up of a run fails alone. What failed is kept here until everything else is written and
//! printed; then it is told, and the exit code says so unless it says something worse.

use std::path::Path;

use crate::cli::exit::Exit;
use crate::console;

/// What could not be written, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses(Vec<String>);

impl Losses {
    /// Keeps what went wrong, if something did.
    pub(crate) fn keep(&mut self, done: Result<(), String>) {
        self.0.extend(done.err().map(|why| why.trim_end().to_owned()));
    }

    /// Keeps what another run could not write.
    pub(crate) fn add(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    /// Whether everything was written.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps what went wrong while a run goes on, and tells it now: whoever waits for that file may still act.
    pub(super) fn meanwhile(&mut self, why: String) {
        console::say(&format!("\nnote: {why}; the run continues without it"));
        self.0.push(why);
    }

    /// Writes a file if one is asked for, and returns where it is if it is there.
    pub(crate) fn written<'p>(
        &mut self,
        path: Option<&'p Path>,
        write: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Option<&'p Path> {
        let path = path?;
        let done = write(path);
        let is_there = done.is_ok();
        self.keep(done);
        is_there.then_some(path)
    }

    /// Prints results to standard output. A reader who has seen enough is not an error.
    pub(crate) fn print(&mut self, text: &str) {
        self.keep(console::print(text).map(drop).map_err(|refusal| refusal.text));
    }

    /// Tells what is missing, and how the program ends that would have ended with `exit`.
    pub(crate) fn tell(&self, exit: Exit) -> Exit {
        for why in &self.0 {
            console::say(&format!("error: {why}"));
        }
        match exit {
            _ if self.0.is_empty() => exit,
            Exit::Ok | Exit::SomeFailed | Exit::Undecided | Exit::Partial => Exit::Failed,
            worse => worse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_in_the_exit_code_unless_something_worse_is() {
        let none = Losses::default();
        let mut some = Losses::default();
        some.keep(Ok(()));
        assert_eq!(some, none);
        some.keep(Err("failed to write --hgrm x".to_owned()));
        for (exit, told) in [
            (Exit::Ok, Exit::Failed),
            (Exit::Partial, Exit::Failed),
            (Exit::Undecided, Exit::Failed),
            (Exit::Missed, Exit::Missed),
            (Exit::Interrupted, Exit::Interrupted),
            (Exit::Ldap(49), Exit::Ldap(49)),
        ] {
            assert_eq!((none.tell(exit), some.tell(exit)), (exit, told));
        }
    }
}
