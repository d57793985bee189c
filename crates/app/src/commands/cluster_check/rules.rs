//! What no order can do, regardless of what an agent's owner permits: run programs, load libraries, write files, open
//! ports, read the agent's machine, or carry secrets.
//!
//! The rules are applied to the parsed command line, so no spelling of an option can bypass them. Each load refuses the
//! options of its own that lead out of the run's directory and have no address that the address policy checks; those of
//! every run are judged here, and file names where the files are opened ([`brunt_feed::Files`]).

use brunt_run::options::run_options::{self, RunOptions};
use brunt_run::{Caller, Load, Unsuitable};

use crate::cli::Command;

/// Why agents cannot share a command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SharedError {
    #[error(
        "'{0}' cannot be ordered: a cluster runs the LDAP rate tools, perfdhcp, http, run and names lookup"
    )]
    Command(String),
    #[error(
        "{0} is an option of the coordinator: give it to brunt cluster run, before --, or leave it out"
    )]
    Coordinator(String),
    #[error(transparent)]
    Load(#[from] Unsuitable),
}

/// A command line of these words, if agents of this caller can share it: it makes a load, and leaves results to the
/// coordinator.
pub(crate) fn shared(
    command: Result<Box<dyn Load>, Command>,
    line: &[String],
    caller: Caller,
) -> Result<Box<dyn Load>, SharedError> {
    let unshared = || SharedError::Command(line.first().cloned().unwrap_or_default());
    let load = command.map_err(|_| unshared())?;
    let words = line.get(1..).unwrap_or_default();
    let options = load.results().ok_or_else(unshared)?;
    results(options, words)?;
    load.refuses(caller, words)?;
    Ok(load)
}

/// Of the options that every run takes, an order may have objectives, a narrower address policy and a class of packets.
/// Options that are added later are refused until they are allowed here.
fn results(given: &RunOptions, words: &[String]) -> Result<(), SharedError> {
    let plain = RunOptions {
        objectives: given.objectives.clone(),
        allow: given.allow.clone(),
        addresses: given.addresses,
        dscp: given.dscp,
        ..RunOptions::default()
    };
    if *given == plain {
        return Ok(());
    }
    let longs = words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let named = |long: &&str| {
        !matches!(*long, "slo" | "allow" | "addresses" | "dscp")
            && run_options::rows().iter().any(|row| row.name == *long)
    };
    let option = longs.into_iter().find(named);
    Err(SharedError::Coordinator(option.map_or("an option".to_owned(), |long| format!("--{long}"))))
}
