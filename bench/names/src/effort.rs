//! The extent of the measurements.

/// How much and how often things are measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Rounds of four runs.
    pub(crate) rounds: usize,
    /// What the numbers of lookups are divided by.
    pub(crate) divisor: u64,
}

/// Everything.
pub(crate) const FULL: Effort = Effort { rounds: 5, divisor: 1 };
/// In a third of the time.
pub(crate) const QUICK: Effort = Effort { rounds: 2, divisor: 2 };
/// Enough to see that both sides do the same.
pub(crate) const CHECK: Effort = Effort { rounds: 1, divisor: 100 };
