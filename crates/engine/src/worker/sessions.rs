//! [`Sessions`]: a factory as a worker sees it, whatever its type of sessions.
//!
//! All that a worker does beside driving its sessions is the same for every driver, and is compiled once, with the
//! engine. Only the tasks of the sessions are compiled for each type of them (`docs/decisions/010-builds.md`).

use super::{Worker, serve};
use crate::session_factory::{DriverCounts, SessionFactory};
use brunt_exchange::Clock;
use std::ops::Range;
use std::rc::Rc;
use tokio::task::JoinSet;

/// The sessions of a run, for workers with this clock.
pub(crate) trait Sessions<C>: Sync {
    /// Whether it makes no difference which free session carries an exchange out.
    fn alike(&self) -> bool;

    /// Whether an arrival of an open load begins an iteration of several exchanges.
    fn iterates(&self) -> bool;

    /// Makes the sessions of a worker and spawns the task of each.
    fn spawn(
        &self,
        worker: &Rc<Worker<C>>,
        number: usize,
        names: Range<u32>,
        tasks: &mut JoinSet<()>,
    );

    /// Writes the driver's own counts of a worker.
    fn counts(&self, worker: usize, into: &mut DriverCounts);
}

impl<C: Clock + Clone + 'static, F: SessionFactory> Sessions<C> for F {
    fn alike(&self) -> bool {
        F::ALIKE
    }

    fn iterates(&self) -> bool {
        F::ITERATES
    }

    fn spawn(
        &self,
        worker: &Rc<Worker<C>>,
        number: usize,
        names: Range<u32>,
        tasks: &mut JoinSet<()>,
    ) {
        let sessions = self.sessions(number, names.clone());
        debug_assert_eq!(
            sessions.len(),
            names.len(),
            "a factory makes the sessions it is asked for"
        );
        for ((index, name), session) in (0..).zip(names).zip(sessions) {
            tasks.spawn_local(serve(Rc::clone(worker), session, index, name));
        }
    }

    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        SessionFactory::counts(self, worker, into);
    }
}
