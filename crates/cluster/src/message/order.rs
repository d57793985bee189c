//! How an agent requests work ([`Join`]), and the order that it receives ([`Order`]).

use super::{Name, PROTOCOL};
use crate::bundle::Manifest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// An agent requests work, repeatedly until it receives an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The version of the program.
    pub version: String,
    /// Its name.
    pub name: Name,
    /// Drawn when the agent was started: two agents of one name have different nonces.
    pub nonce: String,
    /// Its machine.
    pub host: String,
    /// The number of its cores.
    pub cores: u32,
    /// How many operations a second it can make at most, by name of the operation, as far as that was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ceilings: BTreeMap<String, f64>,
    /// The rank that a launcher assigned to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its wall clock when it asked, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<i64>,
    /// What its owner permits, in brief, for people who list the agents. The agent itself judges each order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permits: Option<Permits>,
}

/// What the owner of an agent permits, in brief.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Permits {
    /// The first addresses that may be reached.
    pub targets: Vec<String>,
    /// How many more addresses there are.
    #[serde(default)]
    pub more: u32,
    /// The most operations a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_max: Option<f64>,
    /// The commands that may be ordered, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
    /// The moment at which the permission expires, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl Join {
    /// Why a coordinator of this version cannot give orders to this agent.
    pub fn misfit(&self, version: &str) -> Option<String> {
        if self.protocol != PROTOCOL {
            return Some(format!(
                "it speaks version {} of the protocol, not {PROTOCOL}",
                self.protocol
            ));
        }
        (self.version != version).then(|| {
            format!("it is brunt {}, and this is brunt {version}", printable(&self.version))
        })
    }
}

/// A text of another program, shortened and without characters that act on a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Work for one agent: its share of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The id of the run.
    pub run: String,
    /// The number of the run among those of the same command.
    pub epoch: u32,
    /// The nonce of the agent it is for.
    pub nonce: String,
    /// Which share it is, counted from 0.
    pub rank: u32,
    /// The number of shares.
    pub of: u32,
    /// The weights of all shares; empty if all are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// The seed of everything random.
    pub seed: u64,
    /// The command that makes the load, its first word being the name of the command.
    pub argv: Vec<String>,
    /// The files that it reads.
    #[serde(default, skip_serializing_if = "Manifest::is_empty")]
    pub files: Manifest,
    /// The step of a search, if the run is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
}

/// One of the runs that a search for the highest rate makes with the same agents. Its command contains neither a time
/// nor a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Poisson arrivals a second over all agents; without a rate, a single session sends as fast as it is answered.
    pub rate: Option<f64>,
    /// How long the warm-up is, before figures count.
    pub warm_up: Duration,
    /// How long the steady phase is, in which figures count.
    pub lasting: Duration,
    /// How long exchanges that are in flight at the end may take.
    pub drain: Duration,
    /// The length of an interval.
    pub interval: Duration,
    /// The number of the first exchange: earlier numbers were used by other steps.
    pub first: u64,
    /// Whether there is a worker on every core.
    pub all_cores: bool,
    /// The addresses that may be reached, as `--allow` takes them.
    pub allow: Vec<String>,
}

/// The answer to an agent that requested work: a [`Sealed`](super::Sealed) order.
pub type Offer = super::Sealed;
