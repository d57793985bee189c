//! The fence that `--allow` puts around a run, the directory that an order confines it to, and how the program ends
//! that came to its fence.
//!
//! It is put up before anything is sent, whatever the command. The driver asks it at every connection and datagram; a
//! run that was kept from an address did not do what was asked for, so the exit code says so over all else but a
//! signal.

use brunt_drivers::net::fence::{self, Refused};

use super::conclude::EndedBy;
use crate::cli::exit::Exit;
use crate::cli::names::NamesKind;
use crate::cli::{Command, Refusal};

/// The variable by which an agent tells a run that somebody else has ordered it. It then reads no file and opens no
/// socket outside its directory, whatever a plan or a list in it names.
pub(crate) const CONFINED: &str = "BRUNT_CONFINED";

/// Confines this process to its directory if an agent has asked for that, before anything is read.
pub(crate) fn confine() {
    if std::env::var_os(CONFINED).is_some() {
        brunt_feed::access::confine();
    }
}

/// Puts the fence up that a command line asks for.
pub(crate) fn put_up(command: &Command) {
    let allowed = match command {
        Command::Rate(args) => &args.output.run.allow,
        Command::Perfdhcp(args) => &args.output.run.allow,
        Command::Loadgen(args) => &args.output.run.allow,
        Command::Run(args) => &args.output.run.allow,
        Command::Http(args) => &args.output.run.allow,
        Command::Names(NamesKind::Lookup(args)) => &args.output.run.allow,
        _ => return,
    };
    if !allowed.is_empty() {
        fence::put_up(allowed.clone());
    }
}

/// What cut a run short that was kept from an address.
pub(super) fn kept_from() -> Option<EndedBy> {
    fence::refused().map(|to| {
        EndedBy::CutShort(format!("the run was kept from {to}, which --allow does not name"))
    })
}

/// How the program ends, given how it would have ended without a fence.
pub(crate) fn judged(ended: Result<Exit, Refusal>) -> Result<Exit, Refusal> {
    let Some(to) = fence::refused() else { return ended };
    let refused = |said: &str| Refusal {
        text: format!("{said}refused: {}\n", Refused(to)),
        exit: Exit::Unsafe,
    };
    match ended {
        Ok(Exit::Interrupted | Exit::Terminated) => ended,
        Ok(_) => Err(refused("")),
        Err(refusal) if refusal.exit == Exit::Unsafe => Err(refusal),
        Err(refusal) => Err(refused(&refusal.text)),
    }
}
