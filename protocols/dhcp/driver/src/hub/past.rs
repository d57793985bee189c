//! How a DHCP transaction ends, and what is remembered about it afterwards ([`Past`]).

use crate::Stage;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionEnd {
    /// Its answer arrived.
    Answered,
    /// It was abandoned: no answer arrived in time, or it was cancelled.
    GivenUp,
    /// It was sent before the run.
    Preload,
}

/// What is remembered about a transaction that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) stage: Stage,
    pub(crate) end: TransactionEnd,
    /// The phase of the run in which its exchange was due.
    pub(crate) phase: u8,
}
