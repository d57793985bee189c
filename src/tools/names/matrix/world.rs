//! The private worlds a matrix measures in, as it sees them: something that is asked and answers.
//!
//! A [`World`] is a cell that can be left at once: while it works, somebody looks on, tells how it goes, and ends it on
//! a signal. It is a trait because what a matrix makes of answers can be tested without namespaces and daemons.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::console;
use crate::tools::names::cell::{Answer, Ask, Cell, CellError, Spec};

/// How often somebody looks on.
const TICK: Duration = Duration::from_millis(20);

/// Somebody who looks on.
pub(super) trait Onlooker {
    /// Looks; whether the work goes on.
    fn look(&mut self) -> bool;
}

/// A private world.
pub(super) trait World {
    /// Has something done in it.
    fn ask(
        &mut self,
        ask: &Ask,
        patience: Duration,
        onlooker: &mut dyn Onlooker,
    ) -> Result<Answer, CellError>;
}

/// Where worlds come from.
pub(super) trait Worlds {
    /// Makes a world.
    fn open(&self, spec: &Spec) -> Result<Box<dyn World>, CellError>;
}

/// Worlds of this machine.
pub(super) struct Cells;

impl Worlds for Cells {
    fn open(&self, spec: &Spec) -> Result<Box<dyn World>, CellError> {
        Ok(Box::new(Cell::open(spec)?))
    }
}

impl World for Cell {
    fn ask(
        &mut self,
        ask: &Ask,
        patience: Duration,
        onlooker: &mut dyn Onlooker,
    ) -> Result<Answer, CellError> {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        thread::scope(|scope| {
            let working = scope.spawn(|| Self::ask(self, ask, patience));
            let mut ended = false;
            while !working.is_finished() {
                console::pause(TICK);
                if !ended && !onlooker.look() {
                    // Everything inside ends with it.
                    id.map(|id| kill_process(id, Signal::KILL));
                    ended = true;
                }
            }
            working.join().unwrap_or_else(|_| Err(CellError::Ended(String::new())))
        })
    }
}
