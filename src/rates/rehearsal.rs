//! Trying the parameters out before the run, over one connection that measures nothing.

use std::io;
use std::sync::Arc;

use brunt_drivers::ldap::{Plan, probe};

use super::failed;
use crate::cli::Refusal;
use crate::cli::exit::Exit;

/// Opens one connection, binds where the run will, and closes it. The exit code is LDAP's.
pub(super) fn connect(plan: &Arc<Plan>) -> Result<(), Refusal> {
    let runtime = runtime().map_err(|error| failed(&format!("failed to start: {error}")))?;
    runtime.block_on(probe(plan)).map_err(|error| Refusal {
        text: format!("failed to {error}\n"),
        exit: Exit::Ldap(error.code),
    })
}

/// A runtime for work beside the run.
pub(super) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
