//! Which part of a run one program carried out: [`Node`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One of several programs that share a run. Each takes its part of the exchanges by number, so no
/// two carry out the same one.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Node {
    /// Its number, counted from 0.
    pub rank: u32,
    /// How many nodes share the run.
    pub of: u32,
    /// How much of the load each of them takes, by rank, if the shares differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
}

impl Node {
    /// One of `of` nodes with equal shares.
    pub fn even(rank: u32, of: u32) -> Self {
        Self { rank, of, weights: Vec::new() }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.rank, self.of)
    }
}
