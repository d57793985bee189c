//! How an agent asks for work ([`Join`]), and what it is given ([`Order`]).

use super::{Name, PROTOCOL};
use crate::bundle::Manifest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// An agent asks for work. It asks again until it is given some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The version of the program.
    pub version: String,
    /// What it is called.
    pub name: Name,
    /// Drawn when it was started: two agents of one name have two.
    pub nonce: String,
    /// Its machine.
    pub host: String,
    /// How many cores that has.
    pub cores: u32,
    /// How many operations a second it can make at most, by their names, as far as that was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ceilings: BTreeMap<String, f64>,
    /// The rank that a launcher gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its wall clock when it asked, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<i64>,
    /// What its owner permits, in brief: for people who look who is there. An order is judged by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permits: Option<Permits>,
}

/// What the owner of an agent permits, in brief.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Permits {
    /// Addresses that may be reached: the first of them.
    pub targets: Vec<String>,
    /// How many more there are.
    #[serde(default)]
    pub more: u32,
    /// The most operations a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_max: Option<f64>,
    /// The commands that may be ordered, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
    /// Until when, as RFC 3339 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl Join {
    /// Why a coordinator of this version cannot order this agent.
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

/// A text of another program, short and without what a terminal would act on.
pub(crate) fn printable(text: &str) -> String {
    text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Work for one agent: its share of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The id of the run.
    pub run: String,
    /// Which of the runs that one command makes.
    pub epoch: u32,
    /// The nonce of the agent it is for.
    pub nonce: String,
    /// Which share it is, counted from 0.
    pub rank: u32,
    /// How many there are.
    pub of: u32,
    /// The weights of all shares; the same if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// The seed of everything random.
    pub seed: u64,
    /// The command that makes the load, its first word being the name of the command.
    pub argv: Vec<String>,
    /// The files that it reads.
    #[serde(default, skip_serializing_if = "Manifest::is_empty")]
    pub files: Manifest,
    /// Which part of a search it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
}

/// One of the runs that a search for the highest rate makes with the same agents. Its command says neither when nor how
/// often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Arrivals a second of the whole, at random; without one a single session goes on as fast as it is answered.
    pub rate: Option<f64>,
    /// How long before the figures count.
    pub warm_up: Duration,
    /// How long they count.
    pub lasting: Duration,
    /// How long what is in flight at the end may take.
    pub drain: Duration,
    /// The length of an interval.
    pub interval: Duration,
    /// The number of the first exchange: those before were made by other steps.
    pub first: u64,
    /// Whether there is a worker on every core.
    pub all_cores: bool,
    /// The addresses that may be reached, as `--allow` has them.
    pub allow: Vec<String>,
}

/// What an agent that asked is answered: a [`Sealed`](super::Sealed) order.
pub type Offer = super::Sealed;
