//! What is done before a load and after it: `[prepare]` and `[clean-up]` of a plan.
//!
//! Each is a run of its own in the same process, of one user or of all, in none of the load's figures. Its values are
//! handed over to the users of the load. What was prepared is cleaned up however the load ended, also when the
//! preparation itself failed, within a time of its own.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::{
    Ended, EngineRun, EngineTime, Node, Plan, PlanError, RunError, Settings, Stop, Stopping,
    ThinkTime, Urgency,
};
use brunt_exchange::{Class, Outcome};
use brunt_flow_driver::{
    self as flow, Around, CompiledFlow, Each, Handover, Trace, TracedExchange,
};
use brunt_flow_load::{FlowSessions, connections, group};
use brunt_http_driver::Network;
use brunt_record::{Catalogue, Counts, Interval};

use crate::naming::Naming;

/// The name of the first half, as a scenario.
pub(crate) const PREPARE: &str = "prepare";
/// The most steps whose times are shown.
const STEPS_SHOWN: usize = 12;
/// How long exchanges in flight may take when the time is over.
const DRAIN: Duration = Duration::from_secs(1);
/// How often it is checked whether it must end at once.
const INTERVAL: Duration = Duration::from_millis(200);

/// What is done before a load and after it.
#[derive(Default)]
pub(crate) struct Surrounding {
    prepare: Option<Half>,
    clean_up: Option<Half>,
    handover: Arc<Handover>,
    /// What the load was prepared with, once it was.
    prepared: RefCell<Option<(Settings, EngineTime)>>,
    cleaned: Cell<bool>,
    notes: RefCell<Vec<String>>,
}

struct Half {
    /// The words for it: "prepare", "clean up".
    verb: &'static str,
    compiled: Arc<CompiledFlow>,
    each: Each,
    here: bool,
    within: Duration,
    log: Arc<Mutex<StepLog>>,
}

/// What is known of the exchanges of one half.
#[derive(Default)]
struct StepLog {
    steps: Vec<(String, String, Duration)>,
    more: usize,
    /// Why the last one failed that did.
    failed: Option<String>,
}

/// The function that receives every exchange of both halves.
pub(crate) type ShowAround = Arc<dyn Fn(TracedExchange) + Send + Sync>;

/// Why the steps before or after a load were not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepsError {
    #[error("failed to {verb}: {source}")]
    Plan { verb: &'static str, source: PlanError },
    #[error("failed to {verb}: {source}")]
    Run { verb: &'static str, source: RunError },
    #[error("{0}")]
    Undone(Undone),
}

/// Steps that were begun and not all done.
#[derive(Debug)]
pub(crate) struct Undone {
    verb: &'static str,
    /// How many users did not do them.
    missing: u64,
    users: u64,
    /// How long they could take, if that was too short.
    late: Option<Duration>,
    /// The last step that failed, and why.
    failed: Option<String>,
}

/// Why a load was not prepared, and what could not be cleaned up after that.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    #[error(transparent)]
    Steps(StepsError),
    #[error("{source}; {clean_up}")]
    StepsAndCleanUp { source: StepsError, clean_up: Box<StepsError> },
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, missing, users, late, failed } = self;
        write!(f, "failed to {verb}")?;
        if *users > 1 {
            write!(f, " for {missing} of {users} users")?;
        }
        if let Some(within) = late {
            write!(f, ": it was not done within {within:?}")?;
        }
        match failed {
            Some(failed) => write!(f, ": {failed}"),
            None if late.is_some() => Ok(()),
            None => f.write_str(": it was ended before it was done"),
        }
    }
}

impl Surrounding {
    /// Compiles what a flow has of both.
    pub(crate) fn new(
        (prepare, clean_up): (Option<Box<Around>>, Option<Box<Around>>),
        network: &Arc<Network>,
        shown: Option<&ShowAround>,
    ) -> Result<Self, flow::CompileError> {
        let half = |verb, around: Option<Box<Around>>| {
            around.map(|around| Half::new(verb, *around, network, shown.cloned())).transpose()
        };
        Ok(Self {
            prepare: half("prepare", prepare)?,
            clean_up: half("clean up", clean_up)?,
            ..Self::default()
        })
    }

    /// The key that makes every user do something, if one does.
    pub(crate) fn of_each_user(&self) -> Option<&'static str> {
        let each = |half: &Option<Half>| half.as_ref().is_some_and(|half| half.each == Each::User);
        if each(&self.prepare) {
            return Some("prepare");
        }
        each(&self.clean_up).then_some("clean-up")
    }

    /// The sessions of the load, with the values that were handed over.
    pub(crate) fn handed(&self, sessions: FlowSessions) -> FlowSessions {
        if self.prepare.is_none() && self.clean_up.is_none() {
            return sessions;
        }
        let leaves = self.clean_up.as_ref().is_some_and(|half| half.each == Each::User);
        sessions.handing(&self.handover, leaves)
    }

    /// Prepares the load, once for all runs of it. If it fails, what was prepared until then is cleaned
    /// up.
    pub(crate) fn prepare(&self, run: &EngineRun<'_>) -> Result<(), PrepareError> {
        if self.prepared.borrow().is_some() {
            return Ok(());
        }
        let settings = run.plan.settings();
        *self.prepared.borrow_mut() = Some((settings.clone(), run.time.clone()));
        let Some(half) = self.prepare.as_ref().filter(|half| half.here) else { return Ok(()) };
        let performed = half.perform(settings, run.time.clone(), &run.stop.child(), &self.handover);
        match performed {
            Ok(note) => {
                self.notes.borrow_mut().push(note);
                Ok(())
            }
            // It was ended by a request, which is not a failure.
            Err(_) if run.stop.urgency() > Urgency::Run => Ok(()),
            Err(source) => Err(match self.clean_up(run.stop) {
                Ok(()) => PrepareError::Steps(source),
                Err(error) => PrepareError::StepsAndCleanUp { source, clean_up: Box::new(error) },
            }),
        }
    }

    /// Cleans up after the load, if it was prepared. The run was ended by `stop`, which ends this only if it is asked
    /// again.
    pub(crate) fn clean_up(&self, stop: &Stop) -> Result<(), StepsError> {
        let prepared = self.prepared.borrow();
        let (Some(half), Some((settings, time))) = (&self.clean_up, &*prepared) else {
            return Ok(());
        };
        if !half.here || self.cleaned.replace(true) || stop.urgency() == Urgency::Abort {
            return Ok(());
        }
        let own = Stop::new();
        let watched = WatchedStop { own: &own, of_run: stop };
        let note = half.perform_watched(settings, time.clone(), &watched, &self.handover)?;
        self.notes.borrow_mut().push(note);
        Ok(())
    }

    /// What was done, in words.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }
}

/// A stop of its own, which follows that of a run when it becomes urgent.
struct WatchedStop<'a> {
    own: &'a Stop,
    of_run: &'a Stop,
}

impl Half {
    fn new(
        verb: &'static str,
        around: Around,
        network: &Arc<Network>,
        shown: Option<ShowAround>,
    ) -> Result<Self, flow::CompileError> {
        let Around { mut flow, each, here, within } = around;
        let log = Arc::<Mutex<StepLog>>::default();
        let every = shown.is_some();
        let (added, naming) = (Arc::clone(&log), Naming::new(&flow));
        let show = move |exchange: TracedExchange| {
            let name = naming.named(exchange.operation.into(), exchange.outcome).name;
            added.lock().unwrap_or_else(PoisonError::into_inner).add(&exchange, name);
            if let Some(shown) = &shown {
                shown(exchange);
            }
        };
        flow.trace = Some(match each {
            Each::User if !every => Trace::failed(STEPS_SHOWN, show),
            _ => Trace::every(show),
        });
        let compiled = Arc::new(CompiledFlow::new(flow, Arc::clone(network))?);
        Ok(Self { verb, compiled, each, here, within, log })
    }

    fn perform(
        &self,
        settings: &Settings,
        time: EngineTime,
        stop: &Stop,
        handover: &Arc<Handover>,
    ) -> Result<String, StepsError> {
        let watched = WatchedStop { own: stop, of_run: stop };
        self.perform_watched(settings, time, &watched, handover)
    }

    /// Performs the steps; returns a line about them.
    fn perform_watched(
        &self,
        settings: &Settings,
        time: EngineTime,
        stop: &WatchedStop<'_>,
        handover: &Arc<Handover>,
    ) -> Result<String, StepsError> {
        let flow = self.compiled.flow();
        let plan = self.plan(settings)?;
        let tallies = self.compiled.tallies().names().into_iter().chain(connections());
        let operations = flow.operations.iter().map(String::as_str);
        let catalogue = Catalogue::new(operations, flow::PARTS)
            .with_spans(flow.spans.iter().cloned())
            .with_tallies(tallies);
        let mut sink = |_: &Interval| {
            if stop.of_run.urgency() == Urgency::Abort {
                stop.own.abort();
            }
        };
        let sessions = FlowSessions::new(&self.compiled, plan.workers(), plan.settings());
        let sessions = sessions.handing(handover, true);
        let run =
            EngineRun { plan: &plan, catalogue: &catalogue, stop: stop.own, sink: &mut sink, time };
        let finished =
            sessions.run(run).map_err(|source| StepsError::Run { verb: self.verb, source })?;
        let mut whole = Counts::default();
        for total in finished.totals.values() {
            total.spans.first().into_iter().for_each(|span| whole.merge(&span.counts));
        }
        self.judged(whole, plan.settings().sessions.into(), (finished.ended, finished.over))
    }

    /// The run in which the steps are performed.
    fn plan(&self, settings: &Settings) -> Result<Plan, StepsError> {
        let each = self.each == Each::User;
        let users = if each { settings.sessions } else { 1 };
        let settings = Settings {
            seed: settings.seed,
            operation_timeout: settings.operation_timeout,
            interval: INTERVAL,
            workers: if each { settings.workers } else { Some(1) },
            pin: false,
            node: if each { settings.node.clone() } else { Node::default() },
            stop: Stopping { time: Some(self.within), ..Stopping::default() },
            drain: Some(DRAIN),
            ..Settings::closed(ThinkTime::None, users)
        };
        Plan::new(settings, group(&self.compiled))
            .map_err(|source| StepsError::Plan { verb: self.verb, source })
    }

    fn judged(
        &self,
        whole: Counts,
        users: u64,
        (ended, lasted): (Ended, Duration),
    ) -> Result<String, StepsError> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if whole.ok == users {
            return Ok(self.words(&log, users, lasted));
        }
        Err(StepsError::Undone(Undone {
            verb: self.verb,
            missing: users - whole.ok,
            users,
            late: (ended == Ended::Time).then_some(self.within),
            failed: log.failed.clone(),
        }))
    }

    fn words(&self, log: &StepLog, users: u64, lasted: Duration) -> String {
        let done = if self.verb == "prepare" { "prepared" } else { "cleaned up" };
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1_000.0);
        let mut words = format!("{done} in {}", ms(lasted));
        if users > 1 {
            let _ = write!(words, " by {users} users");
        }
        let step = |(name, result, took): &(String, String, Duration)| {
            format!("{name} {result} in {}", ms(*took))
        };
        let mut steps: Vec<String> = log.steps.iter().map(step).collect();
        if log.more > 0 {
            steps.push(format!("and {} more", log.more));
        }
        if !steps.is_empty() {
            let _ = write!(words, ": {}", steps.join(", "));
        }
        words
    }
}

impl StepLog {
    /// Adds an exchange, whose outcome has this name.
    fn add(&mut self, exchange: &TracedExchange, name: String) {
        let name = match exchange.outcome {
            Outcome::Ok(code) | Outcome::Failed(Class::Result, code) => format!("{code} {name}"),
            _ => name,
        };
        if !matches!(exchange.outcome, Outcome::Ok(_) | Outcome::Skipped) {
            let why = match exchange.why.as_str() {
                "" => String::new(),
                why => format!(" ({why})"),
            };
            self.failed = Some(format!("step '{}': {name}{why}", exchange.step));
        }
        if self.steps.len() < STEPS_SHOWN {
            self.steps.push((exchange.step.clone(), name, exchange.took));
        } else {
            self.more += 1;
        }
    }
}
