//! [`Repeated`]: a protocol as each step of a search or a comparison uses it.

use brunt_engine::{EngineRun, Stop};
use brunt_exchange::{Named, Outcome};
use brunt_record::Measured;

use super::conclude::EndedBy;
use super::monitor::{Opener, SourceError};
use super::protocol::{Protocol, ProtocolError};

/// A protocol that gives nothing back to its target after a step, unless only the step knows what it took: that is done
/// once, after all steps.
pub(crate) struct Repeated<'a, P: ?Sized>(pub &'a P);

impl<P: Protocol + ?Sized> Protocol for Repeated<'_, P> {
    fn outcome(&self, operation: usize, outcome: Outcome) -> Named {
        self.0.outcome(operation, outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        self.0.drive(run)
    }

    fn monitor(&self) -> Result<Opener, SourceError> {
        self.0.monitor()
    }

    fn clean_up(&self, stop: &Stop) -> Result<(), ProtocolError> {
        if self.0.cleans_up_each_run() { self.0.clean_up(stop) } else { Ok(()) }
    }

    fn present(&self, measured: &Measured) -> Option<String> {
        self.0.present(measured)
    }

    fn ended_by(&self, finished: &brunt_engine::Finished) -> Option<EndedBy> {
        self.0.ended_by(finished)
    }
}
