//! [`Repeatable`]: a load that is carried out many times in one process, each time at another rate, without output.
//!
//! A tool prepares its load once: names are resolved, requests compiled, data read. Each [`Step`] is then a separate
//! run, with a stop and a record of its own, and its numbering continues where the one before ended, so that no step
//! reuses the users, entries and identities of another. This module does not depend on which steps are made or on their
//! results.

use std::time::Duration;

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::{Load, Plan, Settings, Stop, Stopping, ThinkTime};
use brunt_record::Slo;

use super::execution::{ExecutionError, carry_out};
use super::finished::Finished;
use super::job::Job;
use super::monitor::{Opener, SourceError};
use super::observer::Observer;
use super::protocol::{Protocol, ProtocolError};
use super::repeated::Repeated;
use super::step_error::StepError;
use super::world::World;
use crate::console::Console;
use crate::options::run_options::RunOptions;

/// One run of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rate at which exchanges begin.
    pub load: StepLoad,
    /// The warm-up, before the figures count.
    pub warm_up: Duration,
    /// How long the figures count.
    pub lasting: Duration,
    /// How long exchanges in flight at the end may take.
    pub drain: Duration,
    /// The length of an interval.
    pub interval: Duration,
    /// The number of the first exchange.
    pub first: u64,
    /// Whether it has a worker on every core.
    pub all_cores: bool,
    /// Where its results are written, and which share of the step this is; by default no results and the whole step.
    pub results: RunOptions,
}

/// The rate at which the exchanges of a step begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepLoad {
    /// One session; each exchange begins when the one before is answered.
    Alone,
    /// The same, but no more than this number a second.
    AloneUnder(f64),
    /// Independent arrivals, this number a second.
    Poisson(f64),
}

impl Step {
    /// The engine's plan of this step, derived from that of the whole load. `sessions` is the number of sessions if
    /// they are slots for exchanges in flight.
    pub fn plan(
        &self,
        whole_load: &Plan,
        sessions: impl Fn(f64) -> Option<u32>,
    ) -> Result<Plan, StepError> {
        let whole = whole_load.settings();
        let left = whole.stop.count.map(|count| count.saturating_sub(self.first));
        if left == Some(0) {
            return Err(StepError::UsedUp(self.first));
        }
        let load = self.load()?;
        let count = match self.load {
            StepLoad::Alone | StepLoad::AloneUnder(_) => 1,
            StepLoad::Poisson(rate) => {
                sessions(rate * whole.node.slots.share()).unwrap_or(whole.sessions)
            }
        };
        let settle = |settings: &mut Settings| {
            settings.load = load;
            settings.sessions = count;
            settings.stop =
                Stopping { count: left, time: Some(self.lasting), count_includes_warm_up: true };
            settings.warm_up = self.warm_up;
            settings.drain = Some(self.drain);
            settings.interval = self.interval;
            settings.first = self.first;
            settings.workers = match self.load {
                StepLoad::Alone | StepLoad::AloneUnder(_) => Some(1),
                StepLoad::Poisson(_) if self.all_cores => None,
                StepLoad::Poisson(_) => whole.workers,
            };
        };
        Ok(whole_load.with(settle)?)
    }

    fn load(&self) -> Result<Load, StepError> {
        let per_second = match self.load {
            StepLoad::Alone => return Ok(Load::Closed(ThinkTime::None)),
            // Each waits this long before the next, so the limit is kept even if answers are fast.
            StepLoad::AloneUnder(most) => {
                let pause = Duration::try_from_secs_f64(1.0 / most);
                let pause = pause.map_err(|source| StepError::Pause { most, source })?;
                return Ok(Load::Closed(ThinkTime::Constant(pause)));
            }
            StepLoad::Poisson(per_second) => per_second,
        };
        let rate = Rate::from_per_second(per_second).ok_or(StepError::Rate(per_second))?;
        Ok(Load::Open(Schedule::poisson(rate, None)?))
    }
}

/// What is known of a load before its first step.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The command line, secrets starred.
    pub command: Vec<String>,
    /// The target, as text.
    pub target: String,
    /// The names of its operations.
    pub operations: Vec<String>,
    /// The names of all that it measures: its operations, followed by its spans.
    pub measured: Vec<String>,
    /// The objectives of the command line.
    pub objectives: Vec<Slo>,
    /// The number of sessions; none if the rate determines it.
    pub sessions: Option<u32>,
    /// The seed of everything random.
    pub seed: u64,
    /// The rate that this machine can make against a target of negligible cost, in exchanges a second.
    pub ceiling: Option<f64>,
    /// What it changes at the target, as text: "modifies entries".
    pub writes: Option<String>,
    /// Whether a rate counts iterations of several exchanges.
    pub iterations: bool,
    /// Whether the target runs in this process.
    pub in_process: bool,
    /// The settings of a search for the highest rate that the load itself contains.
    pub search: SearchOptions,
}

/// The settings of a search for the highest rate, as far as they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// Objectives, which may be relative to the unloaded target.
    pub objectives: Vec<String>,
    /// Whether the search must be quick.
    pub quick: bool,
    /// How far below the estimate the claimed rate is.
    pub precision: Option<f64>,
    /// How long a rate must hold.
    pub confirm: Option<Duration>,
    /// How long the search may take.
    pub budget: Option<Duration>,
    /// How long the target may take to recover.
    pub recovery: Option<Duration>,
    /// The first rate.
    pub from: Option<Rate>,
    /// The highest rate.
    pub to: Option<Rate>,
}

/// The load's protocol has no source of its own for `--monitor`.
#[derive(Debug, thiserror::Error)]
#[error("only the LDAP rate tools can")]
struct NoMonitor;

/// A load that can be carried out many times.
pub trait Repeatable {
    /// What is known of it.
    fn subject(&self) -> &Subject;

    /// Carries one step out.
    fn carry_out(
        &self,
        step: &Step,
        observers: &mut [&mut dyn Observer],
        world: &World,
    ) -> Result<Finished, ExecutionError>;

    /// How many numbers of exchanges the last step used up.
    fn used(&self, finished: &Finished) -> u64 {
        finished.record.conservation.counts.planned
    }

    /// Opens the source that only the load's protocol can read.
    fn monitor(&self) -> Result<Opener, SourceError> {
        Err(NoMonitor.into())
    }

    /// Gives back to the target what all steps took from it.
    fn give_back(&self, stop: &Stop) -> Result<(), ProtocolError> {
        let _ = stop;
        Ok(())
    }
}

/// A load that was prepared once, for any number of steps.
pub struct Prepared<P> {
    /// The run that was requested.
    pub job: Job,
    /// What its protocol supplies.
    pub protocol: P,
    subject: Subject,
    /// How many sessions a rate needs, if no number was given.
    sessions: Option<Sessions>,
    /// Whether the number of workers is that of something else, such as sockets.
    has_fixed_workers: bool,
}

/// How many sessions a rate needs.
type Sessions = Box<dyn Fn(f64) -> u32 + Send + Sync>;

impl<P: Protocol> Prepared<P> {
    /// A load that changes the target as `writes` describes.
    pub fn new(job: Job, protocol: P, writes: Option<&str>) -> Self {
        let subject = Subject {
            sessions: Some(job.load.settings().sessions),
            writes: writes.map(str::to_owned),
            ..Subject::new(&job)
        };
        Self { job, protocol, subject, sessions: None, has_fixed_workers: false }
    }

    /// Prints what the run is going to change at its target, before the run does so.
    pub fn note_writes(&self, console: &Console) {
        let Some(writes) = &self.subject.writes else { return };
        console.note(&format!("this run {writes}: {}", self.subject.target));
    }

    /// Sets the search that the load itself requests.
    #[must_use]
    pub fn with_search(mut self, search: SearchOptions) -> Self {
        self.subject.search = search;
        self
    }

    /// Keeps the number of workers at all rates.
    #[must_use]
    pub fn with_fixed_workers(mut self) -> Self {
        self.has_fixed_workers = true;
        self
    }

    /// Sets the function from a rate to the number of sessions that it needs.
    #[must_use]
    pub fn with_sessions(mut self, sessions: impl Fn(f64) -> u32 + Send + Sync + 'static) -> Self {
        self.sessions = Some(Box::new(sessions));
        self.subject.sessions = None;
        self
    }
}

impl Subject {
    /// The description of a job.
    pub fn new(job: &Job) -> Self {
        Self {
            command: job.command.clone(),
            target: job.requested.target.clone().unwrap_or_default(),
            operations: job.catalogue.operations.clone(),
            measured: job.catalogue.measured().map(str::to_owned).collect(),
            objectives: job.objectives.clone(),
            sessions: None,
            seed: job.requested.seed,
            ceiling: job.ceiling,
            writes: None,
            iterations: job.several,
            in_process: job.in_process,
            search: SearchOptions::default(),
        }
    }
}

impl<P: Protocol> Repeatable for Prepared<P> {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn carry_out(
        &self,
        step: &Step,
        observers: &mut [&mut dyn Observer],
        world: &World,
    ) -> Result<Finished, ExecutionError> {
        let step = Step { all_cores: step.all_cores && !self.has_fixed_workers, ..step.clone() };
        let load = step.plan(&self.job.load, |rate| self.sessions.as_ref().map(|of| of(rate)))?;
        let job = self.job.step(load, &step.results);
        carry_out(&job, &Repeated(&self.protocol), observers, world)
    }

    fn monitor(&self) -> Result<Opener, SourceError> {
        self.protocol.monitor()
    }

    fn give_back(&self, stop: &Stop) -> Result<(), ProtocolError> {
        self.protocol.clean_up(stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(count: Option<u64>) -> Plan {
        let mut settings = Settings::closed(ThinkTime::None, 8);
        settings.stop.count = count;
        settings.workers = Some(2);
        Plan::new(settings, 4).unwrap()
    }

    fn step(load: StepLoad, first: u64) -> Step {
        Step {
            load,
            warm_up: Duration::from_secs(5),
            lasting: Duration::from_secs(30),
            drain: Duration::from_secs(2),
            interval: Duration::from_secs(1),
            first,
            all_cores: false,
            results: RunOptions::default(),
        }
    }

    #[test]
    fn repeatable_step_has_its_rate_and_duration() {
        let plan = step(StepLoad::Poisson(250.0), 700).plan(&whole(None), |_| None).unwrap();
        let settings = plan.settings();
        let Load::Open(schedule) = &settings.load else { panic!("it is open") };
        assert_eq!(schedule.steady_per_second(), Some(250.0));
        assert_eq!(plan.lasting(), Some(Duration::from_secs(35)));
        assert_eq!((settings.first, settings.sessions, plan.workers()), (700, 8, 2));
        let many = step(StepLoad::Poisson(250.0), 0).plan(&whole(None), |rate| Some(rate as u32));
        assert_eq!(many.unwrap().settings().sessions, 250);
        let alone = step(StepLoad::Alone, 0).plan(&whole(None), |_| None).unwrap();
        assert_eq!((alone.settings().sessions, alone.workers()), (1, 1));
        let under = step(StepLoad::AloneUnder(50.0), 0).plan(&whole(None), |_| None).unwrap();
        let Load::Closed(pause) = &under.settings().load else { panic!("it is closed") };
        assert_eq!(*pause, ThinkTime::Constant(Duration::from_millis(20)));
        assert!(step(StepLoad::AloneUnder(0.0), 0).plan(&whole(None), |_| None).is_err());
    }

    #[test]
    fn repeatable_load_without_data_says_so() {
        let at = |first| step(StepLoad::Poisson(9.0), first).plan(&whole(Some(1_000)), |_| None);
        assert_eq!(at(400).unwrap().settings().stop.count, Some(600));
        assert!(at(1_000).unwrap_err().to_string().contains("no more data"));
    }
}
