//! How an agent asks for work ([`Join`]), and what it is given ([`Order`]).

use super::{Name, PROTOCOL};
use serde::{Deserialize, Serialize};

/// An agent asks for work. It asks again until it is given some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The rank that a launcher gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// What an agent that asked is answered: a [`Sealed`](super::Sealed) order.
pub type Offer = super::Sealed;
