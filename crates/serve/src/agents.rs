//! The agents of a cluster, as far as a site knows them: who was heard, and what each says of itself.
//!
//! The site speaks no protocol of clusters. Whoever starts it brings something that listens ([`Agents`]); here is what
//! it hears, as pages and programs are told it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::child::Meeting;

/// The most agents of a run.
pub(crate) const AGENTS_MAX: u32 = 1_000;

/// A cluster that a site was told of.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Where runs meet its agents.
    pub meeting: Meeting,
    /// Who knows its agents.
    pub agents: Arc<dyn Agents>,
}

/// Who knows agents.
pub trait Agents: fmt::Debug + Send + Sync {
    /// The agents that were heard lately. It waits for no longer than two seconds.
    fn look(&self) -> Look;
}

/// What is known of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Look {
    /// Where its broker is.
    pub broker: String,
    /// The pool whose agents are looked for. Those at work are heard whatever their pool is.
    pub pool: String,
    /// Why nobody can be heard, if so.
    pub trouble: Option<String>,
    /// Who was heard, by their names.
    pub agents: Vec<Agent>,
}

/// An agent that was heard.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agent {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub state: AgentState,
    /// The id of the run that it takes part in.
    pub run: Option<String>,
    /// Its machine, if it has said so.
    pub host: Option<String>,
    /// How many cores that has.
    pub cores: Option<u32>,
    /// The version of its program.
    pub version: Option<String>,
    /// Why it cannot be ordered from here.
    pub misfit: Option<String>,
    /// Whether another agent has its name.
    pub twin: bool,
    /// How many operations a second it can make at most, by operation, as far as that was measured.
    pub ceilings: BTreeMap<String, f64>,
    /// What its owner permits, if it says so.
    pub permits: Option<Permitted>,
    /// How many seconds its wall clock is ahead of this machine's.
    pub clock_ahead_s: Option<f64>,
    /// How many seconds ago it was heard.
    pub heard_s: f64,
}

/// What an agent does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentState {
    /// It waits for orders.
    #[default]
    Waits,
    /// It connects for a run that is to begin.
    Prepares,
    /// It carries out its share of a run.
    Runs,
    /// It is not heard any more.
    Silent,
}

impl AgentState {
    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Prepares => "prepares a run",
            Self::Runs => "takes part in a run",
            Self::Silent => "does not answer",
        }
    }
}

/// What the owner of an agent permits.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Permitted {
    /// Addresses that may be reached: the first of them.
    pub targets: Vec<String>,
    /// How many more there are.
    pub more: u32,
    /// The most operations a second.
    pub rate_max: Option<f64>,
    /// The commands that may be ordered, if not all.
    pub commands: Option<Vec<String>>,
    /// Until when.
    pub expires: Option<String>,
}
