//! Operations on users, where they are stored, and what must be stopped meanwhile.

use super::super::connection::Login;
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::Server;

/// Where users are stored.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// The files of accounts.
    Files,
    /// A directory.
    Directory {
        /// The identity to bind as.
        login: Login,
        /// Which server it is.
        server: Server,
    },
}

/// Whether users are added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// They are added.
    Insert,
    /// They are removed.
    Delete,
}

/// What the service does around an operation that is not possible on a running directory.
pub(crate) trait Halt {
    /// Carries something out while the directory is stopped. The directory is started again afterwards, which is not
    /// timed.
    fn while_stopped(
        &mut self,
        work: &mut dyn FnMut(&SandboxPaths) -> Result<(), SandboxError>,
    ) -> Result<(), SandboxError>;
}
