//! [`Phase`]: one run of the engine on one store, which does one thing.
//!
//! Every cell of a comparison is such a run with a record of its own. Nothing here knows what it is compared with.

use std::sync::Arc;
use std::time::Duration;

use brunt_drivers::lease::{self, Depot, LeaseCrew, Leases, PARTS, Work};
use brunt_drivers::resend::Resend;
use brunt_engine::{Finished, Plan, Settings, Stop};
use brunt_exchange::{Class, Monotonic, Outcome};
use brunt_record::{Catalogue, Counts, Environment, Interval, Record, Slo};

use super::crew::{Hands, Tape};
use crate::asked::asked;
use crate::console;
use crate::measured::Measured;
use crate::run::{Conclude, EndedBy};

/// The time of the first client's transaction, in seconds since 1970: 2012-07-11 15:43:00, as the guide has it.
pub(super) const EPOCH: i64 = 1_342_021_380;

/// What is done.
pub(super) struct Phase<'a> {
    /// What it does.
    pub(super) work: Work,
    /// How many operations; without it until something else ends it.
    pub(super) operations: Option<u64>,
    /// Operations in a transaction.
    pub(super) group: u32,
    /// The leases.
    pub(super) leases: Leases,
    /// When, how many, how long, except for the count.
    pub(super) settings: Settings,
    /// Where to look for the store.
    pub(super) depot: &'a Arc<dyn Depot>,
    /// Which operations are asked again whose connection was closed while it was idle.
    pub(super) resend: Resend,
    /// Where operations leave marks.
    pub(super) tape: Option<Arc<Tape>>,
}

/// A phase that is over.
pub(super) struct Done {
    plan: Plan,
    catalogue: Catalogue,
    started: jiff::Timestamp,
    depot: Arc<dyn Depot>,
    measured: Measured,
    /// What the engine says of it.
    pub(super) finished: Finished,
}

/// What a record of a phase says besides what was measured.
pub(super) struct About<'a> {
    /// The command line, without secrets.
    pub(super) command: &'a [String],
    /// What was worked on.
    pub(super) target: String,
    /// The seed of everything random.
    pub(super) seed: u64,
    /// The machine.
    pub(super) environment: &'a Environment,
    /// Percentiles asked for.
    pub(super) percentiles: &'a [f64],
    /// What ended the run before its time.
    pub(super) interrupted: Option<String>,
    /// What it is held against.
    pub(super) objectives: &'a [Slo],
}

impl Phase<'_> {
    /// Carries it out, and shows each interval to `show`.
    pub(super) fn carry_out(
        mut self,
        stop: &Stop,
        show: &mut dyn FnMut(&Interval),
    ) -> Result<Done, String> {
        let Settings { sessions, seed, .. } = self.settings;
        // Where the number is given and nothing comes before it, the last transaction is as long as what is left.
        let total = self.operations.filter(|_| self.settings.warm_up.is_zero());
        self.settings.stop.count = self.operations.map(|all| all.div_ceil(u64::from(self.group)));
        let catalogue =
            Catalogue::new(lease::operations(&self.work).iter().copied(), PARTS.to_vec());
        let plan = Plan::new(self.settings, 1).map_err(|error| error.to_string())?;
        let crew = LeaseCrew::new(Arc::clone(self.depot), self.work, self.leases, seed, sessions)
            .grouped(self.group, total.unwrap_or(u64::MAX))
            .resending(self.resend);
        let hands = Arc::new(Hands::new(Arc::new(crew), self.tape, sessions));
        let mut measured = Measured::default();
        let started = console::now();
        let clock = Monotonic::new();
        let mut sink = |interval: &Interval| {
            measured.absorb(interval);
            show(interval);
        };
        let finished =
            brunt_engine::run_blocking(&plan, &catalogue, clock, &hands, stop, &mut sink)
                .map_err(|error| error.to_string())?;
        Ok(Done { plan, catalogue, started, depot: Arc::clone(self.depot), measured, finished })
    }
}

impl Done {
    /// How long the part that counts took.
    pub(super) fn lasted(&self) -> Duration {
        let from = self.finished.timing.from;
        self.finished.lasted.saturating_sub(from)
    }

    /// How many operations the part that counts did.
    pub(super) fn operations(&self, group: u32) -> u64 {
        let steady = self.measured.totals.phase(brunt_record::Phase::Steady);
        steady.map_or(0, |steady| succeeded(steady.counts(), group))
    }

    /// What it could have done.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.catalogue.operations.iter().map(String::as_str)
    }

    /// What one operation came to, over the whole run, and how many of its successes ended with this code.
    pub(super) fn met(&self, operation: usize, code: u32) -> (Counts, u64) {
        let mut counts = Counts::default();
        let mut with_code = 0;
        for interval in self.measured.totals.phases() {
            if let Some(met) = interval.operations.get(operation) {
                counts.merge(&met.counts);
                with_code += met.codes.count(Outcome::Ok(code));
            }
        }
        (counts, with_code)
    }

    /// Exchanges of the whole run that may have changed something although they did not succeed: no answer came, or the
    /// connection broke before it did.
    pub(super) fn uncertain(&self) -> u64 {
        let totals = self.finished.totals.values().flat_map(|interval| &interval.operations);
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

    /// What the store said first when it did not do what was asked.
    pub(super) fn first_failure(&self) -> Option<&str> {
        self.measured.totals.samples().first().map(|sample| &*sample.text)
    }

    /// The record.
    pub(super) fn record(&self, about: &About<'_>) -> Result<Record, String> {
        let depot = &self.depot;
        let conclude = Conclude {
            started: self.started,
            node: self.plan.settings().node,
            plan: asked(self.plan.settings(), about.seed, about.target.clone()),
            command: about.command.to_vec(),
            environment: about.environment.clone(),
            catalogue: &self.catalogue,
            names: &|_, outcome| name(depot.as_ref(), outcome),
            measured: &self.measured,
            finished: &self.finished,
            percentiles: about.percentiles,
            ports: None,
            ceiling: None,
            in_process: depot.in_process(),
            ended_by: about.interrupted.clone().map(EndedBy::CutShort),
            objectives: about.objectives,
        };
        conclude.record()
    }
}

/// How many operations these exchanges did.
pub(super) fn succeeded(counts: Counts, group: u32) -> u64 {
    if group > 1 { counts.items } else { counts.ok }
}

/// What an outcome is called: in the store's own words where it answered.
fn name(depot: &dyn Depot, outcome: Outcome) -> String {
    match outcome {
        Outcome::Ok(code) => lease::outcome_name(code).to_owned(),
        Outcome::Failed(Class::Result, code) => depot.name_of(code),
        Outcome::Failed(class, _) => class.word().to_owned(),
        Outcome::TimedOut => "timed out".to_owned(),
        Outcome::CutOff => "cut off".to_owned(),
        Outcome::Skipped => "skipped".to_owned(),
    }
}
