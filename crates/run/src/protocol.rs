//! [`Protocol`]: what a protocol supplies to a run.

use brunt_engine::{EngineRun, RunError, Stop};
use brunt_exchange::{Named, Outcome};
use brunt_record::{Measured, Record};

use super::conclude::EndedBy;
use super::monitor::{Opener, SourceError};

/// What failed in a protocol. Each protocol has errors of its own, and a run only reports them.
pub type ProtocolError = Box<dyn std::error::Error + Send + Sync>;

/// The engine's error in a run: it names the act, and reads after these words.
#[derive(Debug, thiserror::Error)]
#[error("failed to {0}")]
pub struct EngineError(#[from] pub RunError);

/// The protocol has no source of its own for `--monitor`.
#[derive(Debug, thiserror::Error)]
#[error("only the LDAP rate tools can; give kea:SOCKET or pid:PID")]
struct NoMonitor;

/// What a protocol supplies to a run.
pub trait Protocol {
    /// What the protocol knows of an outcome of the operation with this number: its name, and what its code means.
    fn outcome(&self, operation: usize, outcome: Outcome) -> Named;

    /// Makes sessions and carries the load out with them. The error says what failed.
    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError>;

    /// Opens the source of `--monitor` that only this protocol can read, by the protocol's own name. The error says why
    /// it cannot.
    fn monitor(&self) -> Result<Opener, SourceError> {
        Err(NoMonitor.into())
    }

    /// The record of the run, if the protocol has better data than what was measured here.
    fn record(&self, made: Record) -> Result<Record, ProtocolError> {
        Ok(made)
    }

    /// Gives back to the target what the run took from it, before the record is made.
    fn clean_up(&self, stop: &Stop) -> Result<(), ProtocolError> {
        let _ = stop;
        Ok(())
    }

    /// Whether each run of a search, and a canary, gives back what it took, because only that run knows it. Otherwise
    /// this is done once, after all of them.
    fn cleans_up_each_run(&self) -> bool {
        false
    }

    /// What the protocol saw that shows that the target was there although exchanges had no answer in time.
    fn present(&self, measured: &Measured) -> Option<String> {
        let _ = measured;
        None
    }

    /// A limit of the protocol's own that ended the run.
    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        let _ = finished;
        None
    }
}
