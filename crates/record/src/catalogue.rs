//! The names of what an interval only numbers, sent once beside the stream of intervals.

use serde::{Deserialize, Serialize};

/// The names of the operations and the parts of a run, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// The name of operation `n`: `bind`, `search`.
    pub operations: Vec<String>,
    /// The name of part `n`: `connect`, `tls`.
    pub parts: Vec<String>,
}

impl Catalogue {
    /// A catalogue of these operations and parts.
    pub fn new<S: Into<String>>(
        operations: impl IntoIterator<Item = S>,
        parts: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            operations: operations.into_iter().map(Into::into).collect(),
            parts: parts.into_iter().map(Into::into).collect(),
        }
    }

    /// The name of operation `number`.
    pub fn operation(&self, number: usize) -> &str {
        self.operations.get(number).map_or("unnamed", String::as_str)
    }

    /// The name of part `number`.
    pub fn part(&self, number: usize) -> &str {
        self.parts.get(number).map_or("unnamed", String::as_str)
    }
}
