//! The agents of a cluster, as a site shows them: which reported recently, and what each reports about itself.
//!
//! The site does not speak the cluster protocol. The code that starts the site supplies a listener ([`Agents`]); this
//! module has the types in which pages and the API show them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use brunt_envelope::ClusterSettings;
use schemars::JsonSchema;
use serde::Serialize;

/// The most agents that a run may have.
pub(crate) const AGENTS_MAX: u32 = 1_000;

/// The cluster that a site was configured with.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Where runs meet their agents.
    pub meeting: ClusterSettings,
    /// The source of its agents.
    pub agents: Arc<dyn Agents>,
}

/// A source of agents.
pub trait Agents: fmt::Debug + Send + Sync {
    /// The agents that reported recently. The call takes two seconds at most.
    fn snapshot(&self) -> ClusterSnapshot;
}

/// What is known about a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterSnapshot {
    /// The address of its broker.
    pub broker: String,
    /// The pool whose agents are listed. Agents at work are listed from every pool.
    pub pool: String,
    /// Why no messages of agents arrive, if so.
    pub problem: Option<String>,
    /// The agents that reported, sorted by name.
    pub agents: Vec<Agent>,
}

/// An agent that was heard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// What it does.
    pub state: AgentState,
    /// The id of the run in which it takes part.
    pub run: Option<String>,
    /// Its machine, if it has reported one.
    pub host: Option<String>,
    /// How many cores this machine has.
    pub cores: Option<u32>,
    /// The version of its program.
    pub version: Option<String>,
    /// Why this site cannot use it.
    pub misfit: Option<String>,
    /// Whether another agent has the same name.
    pub twin: bool,
    /// The most operations a second that it can make, by operation, as far as this was measured.
    pub ceilings: BTreeMap<String, f64>,
    /// What its owner permits, if it reports this.
    pub permits: Option<Permitted>,
    /// How many seconds its wall clock is ahead of this machine's.
    pub clock_ahead_s: Option<f64>,
    /// How many seconds ago it was last heard.
    #[serde(rename = "heard_s")]
    pub last_seen_s: f64,
}

/// What an agent does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentState {
    /// It waits for a run.
    #[default]
    Waits,
    /// It connects for a run that is about to begin.
    Prepares,
    /// It carries out its share of a run.
    Runs,
    /// It is no longer heard.
    Silent,
}

impl AgentState {
    /// The words that a page shows for it.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Permitted {
    /// The addresses that may be reached: the first of them.
    pub targets: Vec<String>,
    /// How many more addresses there are.
    pub more: u32,
    /// The most operations a second.
    pub rate_max: Option<f64>,
    /// The commands that are permitted, if not all are.
    pub commands: Option<Vec<String>>,
    /// When the permission ends.
    pub expires: Option<String>,
}
