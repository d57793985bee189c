//! [`StepId`]: identifies a step of a flow.

/// A step of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepId {
    pub(super) scenario: usize,
    pub(super) step: usize,
}
