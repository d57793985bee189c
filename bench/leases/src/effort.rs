//! The extent of the measurements.

/// How much and how often things are measured. A phase should take half a second, which the figures here do on a
/// machine of today.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Rounds of four runs.
    pub(crate) rounds: usize,
    /// Operations of a phase in SQLite where nothing is flushed, and of a memfile's beside one that prints no single
    /// octet.
    pub(crate) operations: u64,
    /// Operations of a phase where each is flushed to the disk.
    pub(crate) flushes: u64,
    /// Records of a lease file in the guide's manner.
    pub(crate) records: u64,
    /// Leases in memory, and searches among them.
    pub(crate) searches: u64,
    /// Operations of a phase of which each asks a server.
    pub(crate) questions: u64,
}

/// Everything.
pub(crate) const FULL: Effort = Effort {
    rounds: 5,
    operations: 200_000,
    flushes: 5_000,
    records: 100_000,
    searches: 1_000_000,
    questions: 5_000,
};
/// In a third of the time.
pub(crate) const QUICK: Effort =
    Effort { rounds: 2, operations: 100_000, searches: 500_000, ..FULL };
