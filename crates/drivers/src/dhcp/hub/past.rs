//! What becomes of a DHCP transaction, and what is remembered of it once it has ended ([`Past`]).

use crate::dhcp::Stage;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dhcp) enum TransactionEnd {
    /// Its answer came.
    Answered,
    /// It was given up: no answer came in time, or it was cancelled.
    GivenUp,
    /// It was sent before the run.
    Preload,
}

/// What is remembered of a transaction that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dhcp) struct Past {
    pub(in crate::dhcp) stage: Stage,
    pub(in crate::dhcp) end: TransactionEnd,
    /// The phase of the run in which its exchange fell due.
    pub(in crate::dhcp) phase: u8,
}
