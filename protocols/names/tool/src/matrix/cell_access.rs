//! The interface of a matrix to its cells: a [`CellAccess`] takes requests and answers them.
//!
//! A [`CellAccess`] is a cell that can be interrupted at once: while it works, an observer shows the progress and ends
//! the work on a signal. It is a trait so that the matrix's handling of answers can be tested without namespaces and
//! daemons.

use std::thread;
use std::time::Duration;

use brunt_run::console;
use rustix::process::{Pid, Signal, kill_process};

use crate::cell::{Answer, Ask, Cell, CellError, Spec};

/// How often the onlooker is called.
const TICK: Duration = Duration::from_millis(20);

/// Watches the work in a cell.
pub(super) trait CellObserver {
    /// Called regularly; returns whether the work continues.
    fn look(&mut self) -> bool;
}

/// A cell.
pub(super) trait CellAccess {
    /// Carries out a request in it.
    fn ask(
        &mut self,
        ask: &Ask,
        patience: Duration,
        onlooker: &mut dyn CellObserver,
    ) -> Result<Answer, CellError>;
}

/// Opens cells.
pub(super) trait CellFactory {
    /// Opens a cell.
    fn open(&self, spec: &Spec) -> Result<Box<dyn CellAccess>, CellError>;
}

/// Cells on this machine.
pub(super) struct Cells;

impl CellFactory for Cells {
    fn open(&self, spec: &Spec) -> Result<Box<dyn CellAccess>, CellError> {
        Ok(Box::new(Cell::open(spec)?))
    }
}

impl CellAccess for Cell {
    fn ask(
        &mut self,
        ask: &Ask,
        patience: Duration,
        onlooker: &mut dyn CellObserver,
    ) -> Result<Answer, CellError> {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        thread::scope(|scope| {
            let working = scope.spawn(|| Self::ask(self, ask, patience));
            let mut ended = false;
            while !working.is_finished() {
                console::pause(TICK);
                if !ended && !onlooker.look() {
                    // Everything inside the cell ends with this process.
                    id.map(|id| kill_process(id, Signal::KILL));
                    ended = true;
                }
            }
            working.join().unwrap_or_else(|_| Err(CellError::Ended(String::new())))
        })
    }
}
