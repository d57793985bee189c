//! `brunt target`: a server for trying things out.

mod dhcp;
mod ldap;
mod rest;
mod served;

use crate::cli::args::TargetKind;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

/// Starts the requested server and serves until it is stopped.
pub(crate) fn target(kind: &TargetKind, world: &World) -> Result<Exit, Refusal> {
    match kind {
        TargetKind::Ldap(args) => ldap::ldap(args, world),
        TargetKind::Dhcp(args) => dhcp::dhcp(args, world),
        TargetKind::Rest(args) => rest::rest(args, world),
    }
}
