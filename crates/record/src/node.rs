//! Which part of a run one program carried out: [`Node`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One of several programs that share a run. Each takes its part of the exchanges by number, so no
/// two carry out the same one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Node {
    /// Its number, counted from 0.
    pub rank: u32,
    /// How many nodes share the run.
    pub of: u32,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.rank, self.of)
    }
}
