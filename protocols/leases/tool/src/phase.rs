//! [`Phase`]: one run of the engine on one store, with one kind of work.
//!
//! Every cell of a comparison is such a run with a record of its own. This module does not depend on what it is
//! compared with.

use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{EngineRun, Plan, PlanError, Settings};
use brunt_exchange::{Class, Named, Outcome};
use brunt_leases_driver::{self as lease, Backend, LeaseSessions, Leases, PARTS, Work};
use brunt_leases_load::{Marks, StoreSessions};
use brunt_net::Network;
use brunt_net::resend::Resend;
use brunt_record::{Catalogue, Counts, Interval, Measured, Record, Slo};
use brunt_run::World;
use brunt_run::options::output::Output;
use brunt_run::{
    EngineError, ExecutionError, Finished, Job, Observer, ObserverFailure, Protocol, ProtocolError,
    carry_out,
};

/// The time of the first client's transaction, in seconds since 1970: 2012-07-11 15:43:00, as in the guide.
pub(crate) const EPOCH: i64 = 1_342_021_380;

/// The settings of a phase.
pub(crate) struct Phase<'a> {
    /// The operations.
    pub work: Work,
    /// The number of operations; none if something else ends the phase.
    pub operations: Option<u64>,
    /// Operations per transaction.
    pub group: u32,
    /// The leases.
    pub leases: Leases,
    /// When exchanges begin, how many there are and for how long, except for the count.
    pub settings: Settings,
    /// The store.
    pub backend: &'a Arc<dyn Backend>,
    /// Which operations are sent again if their connection was closed while it was idle.
    pub resend: Resend,
    /// The marks that operations set.
    pub marks: Option<Arc<Marks>>,
    /// The command line for the record, without secrets.
    pub command: Vec<String>,
    /// The target, for the record.
    pub target: String,
    /// How the store is reached.
    pub network: Network,
    /// The percentiles for the record, and what is shown meanwhile.
    pub output: Output,
    /// The objectives that apply to the phase.
    pub objectives: Vec<Slo>,
}

/// Why a phase has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PhaseError {
    #[error("failed to {0}")]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Execution(#[from] ExecutionError),
}

/// A phase that is over.
pub(crate) struct Done {
    /// The run.
    pub finished: Finished,
}

impl Phase<'_> {
    /// Carries it out, and shows each interval to `show`.
    pub(crate) fn carry_out(
        mut self,
        world: &World,
        show: &mut dyn FnMut(&Interval),
    ) -> Result<Done, PhaseError> {
        let Settings { sessions, seed, .. } = self.settings;
        // If the number is given and there is no warm-up, the last transaction contains only the remaining operations.
        let total = self.operations.filter(|_| self.settings.warm_up.is_zero());
        self.settings.stop.count = self.operations.map(|all| all.div_ceil(u64::from(self.group)));
        let names = lease::operations(&self.work);
        let load = Plan::new(self.settings, 1)?;
        let known = |slo: &Slo| slo.check(names.iter().copied()).is_ok();
        self.objectives.retain(known);
        self.output.run.abort_on.retain(|rule| rule.check(names.iter().copied()).is_ok());
        let catalogue = Catalogue::new(names.iter().copied(), PARTS.to_vec());
        let job = Job {
            objectives: self.objectives,
            output: self.output,
            in_process: self.backend.in_process(),
            ..Job::new(self.command, catalogue, self.target, load, self.network)
        };
        let store =
            LeaseSessions::new(Arc::clone(self.backend), self.work, self.leases, seed, sessions)
                .grouped(self.group, total.unwrap_or(u64::MAX))
                .resending(self.resend);
        let sessions = Arc::new(StoreSessions::new(Arc::new(store), self.marks, sessions));
        let protocol = LeaseLoad { backend: Arc::clone(self.backend), sessions };
        let finished = carry_out(&job, &protocol, &mut [&mut Shown(show)], world)?;
        Ok(Done { finished })
    }
}

/// What a phase supplies to its run.
struct LeaseLoad {
    backend: Arc<dyn Backend>,
    sessions: Arc<StoreSessions>,
}

impl Protocol for LeaseLoad {
    fn outcome(&self, _: usize, outcome: Outcome) -> Named {
        named(self.backend.as_ref(), outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        Ok(self.sessions.run(run).map_err(EngineError)?)
    }
}

/// Passes intervals to the line of a comparison.
struct Shown<'a>(&'a mut dyn FnMut(&Interval));

impl Observer for Shown<'_> {
    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        (self.0)(interval);
        Ok(())
    }
}

impl Done {
    /// How long the measured part took.
    pub(crate) fn lasted(&self) -> Duration {
        let from = self.finished.engine.timing.from;
        self.finished.engine.lasted.saturating_sub(from)
    }

    /// How many operations the measured part did.
    pub(crate) fn operations(&self, group: u32) -> u64 {
        let steady = self.finished.measured.totals.phase(brunt_record::Phase::Steady);
        steady.map_or(0, |steady| succeeded(steady.counts(), group))
    }

    /// The counts of one operation, over the whole run, and how many of its successes ended with this code.
    pub(crate) fn met(&self, operation: usize, code: u32) -> (Counts, u64) {
        let mut counts = Counts::default();
        let mut with_code = 0;
        for interval in self.finished.measured.totals.phases() {
            if let Some(met) = interval.operations.get(operation) {
                counts.merge(&met.counts);
                with_code += met.codes.count(Outcome::Ok(code));
            }
        }
        (counts, with_code)
    }

    /// Exchanges of the whole run that may have changed something although they did not succeed: no answer arrived, or
    /// the connection broke before it did.
    pub(crate) fn uncertain(&self) -> u64 {
        let totals = self.finished.engine.totals.values().flat_map(|interval| &interval.operations);
        totals
            .map(|operation| {
                let lost = operation.codes.sorted().into_iter();
                let lost: u64 = lost
                    .filter(|(outcome, _)| {
                        matches!(outcome, Outcome::Failed(Class::Closed | Class::Protocol, _))
                    })
                    .map(|(_, count)| count)
                    .sum();
                lost + operation.counts.timed_out + operation.counts.cut_off
            })
            .sum()
    }

    /// The store's first message about an operation that failed.
    pub(crate) fn first_failure(&self) -> Option<&str> {
        self.finished.measured.totals.samples().first().map(|sample| &*sample.text)
    }

    /// The record.
    pub(crate) fn record(&self) -> &Record {
        &self.finished.record
    }
}

/// How many operations these exchanges did.
pub(crate) fn succeeded(counts: Counts, group: u32) -> u64 {
    if group > 1 { counts.items } else { counts.ok }
}

/// The name of an outcome, and what it means: in the store's own terms if it answered.
pub(crate) fn named(backend: &dyn Backend, outcome: Outcome) -> Named {
    match outcome {
        Outcome::Ok(code) => lease::outcome_name(code).into(),
        Outcome::Failed(Class::Result, code) => {
            Named { name: backend.name_of(code), meaning: backend.meaning_of(code) }
        }
        Outcome::Failed(class, _) => class.word().into(),
        Outcome::TimedOut => "timed out".into(),
        Outcome::CutOff => "cut off".into(),
        Outcome::Skipped => "skipped".into(),
    }
}
