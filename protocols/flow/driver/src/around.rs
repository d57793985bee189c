//! [`Around`]: steps that are performed before the load or after it.

use super::plan::Flow;
use std::time::Duration;

/// Steps that are performed before the load or after it: a flow of its own, with the variables of the load.
#[derive(Debug)]
pub struct Around {
    /// The steps, as the only scenario.
    pub flow: Flow,
    /// Who performs them.
    pub each: Each,
    /// Whether they are performed here at all, and not by another node.
    pub here: bool,
    /// How long they may take.
    pub within: Duration,
}

/// Who performs the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// One user of the whole run.
    Run,
    /// One user of each node.
    #[default]
    Node,
    /// Each user.
    User,
}
