//! What is done to users, where, and what must be stopped for it.

use super::super::connection::Login;
use super::super::fault::Fault;
use super::super::place::Place;
use super::super::spec::Server;

/// Where users are put.
#[derive(Clone, Debug)]
pub(in crate::tools::names::cell) enum Store {
    /// The files of accounts.
    Files,
    /// A directory.
    Directory {
        /// Whom to bind as.
        login: Login,
        /// Which server it is.
        server: Server,
    },
}

/// Whether users come or go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools::names::cell) enum Act {
    /// They come.
    Insert,
    /// They go.
    Delete,
}

/// What the service does around an act that must not be done to a running directory.
pub(in crate::tools::names::cell) trait Halt {
    /// Does something while the directory is stopped. The directory is started again afterwards, which is not timed.
    fn while_stopped(
        &mut self,
        work: &mut dyn FnMut(&Place) -> Result<(), Fault>,
    ) -> Result<(), Fault>;
}
