//! The commands beside the tools that measure, one file each.

mod ab;
mod agent;
mod agents;
mod calibrate;
mod cluster_check;
mod cluster_keys;
mod cluster_manifest;
mod cluster_run;
mod compare;
mod find_max;
mod loopback;
mod merge;
mod plane;
mod push;
mod quickstart;
mod report;
mod runs;
#[cfg(feature = "website")]
mod serve;
#[cfg(feature = "website")]
mod serve_agents;
#[cfg(feature = "website")]
mod serve_child;
#[cfg(feature = "website")]
mod serve_trial;
mod sizing;
mod target;
mod trend;

pub(crate) use ab::ab;
pub(crate) use agent::{agent, end_with_agent};
pub(crate) use agents::agents;
pub(crate) use calibrate::calibrate;
pub(crate) use cluster_check::cluster_check;
pub(crate) use cluster_keys::cluster_keys;
pub(crate) use cluster_manifest::cluster_manifest;
pub(crate) use cluster_run::{broker_child, cluster_run};
pub(crate) use compare::compare;
pub(crate) use find_max::{find_max, step_child};
pub(crate) use merge::merge;
pub(crate) use push::push;
pub(crate) use quickstart::quickstart;
pub(crate) use report::report;
#[cfg(feature = "website")]
pub(crate) use serve::serve;
#[cfg(feature = "website")]
pub(crate) use serve_child::serve_child;
pub(crate) use sizing::sizing;
pub(crate) use target::target;
pub(crate) use trend::trend;

use std::fmt::Display;

use brunt_run::Load;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use crate::cli;

/// A refusal that reads `failed to ...`.
fn failed(error: impl Display) -> Refusal {
    Refusal { text: format!("failed to {error}\n"), exit: Exit::Failed }
}

/// Reads a load whose command line this program composed, as if a user had typed it: it is shown, so that a reader can
/// repeat it.
fn load(words: &[String], world: &World) -> Result<Box<dyn Load>, Refusal> {
    cli::load(words, world)?.map_err(|_| unread(words))
}

fn unread(words: &[String]) -> Refusal {
    failed(format!("read our own command line: {}", words.join(" ")))
}
