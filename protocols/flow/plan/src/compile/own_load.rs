//! The tables `[scenario.run]`: scenarios of which each has a load of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::schedule::{Schedule, Share};
use brunt_engine::{Load, Node, Settings, ThinkTime};
use brunt_flow_driver::{
    self as flow, Arrivals, Between, Iterations, Order, OwnLoad, OwnLoads, Pause, Start,
};

use super::Steps;
use super::load::{self, Loaded, USERS};
use super::numbers::numbered;
use crate::key_error::KeyError;
use crate::model::{Plan, Run, Scenario, ScenarioRun};
use crate::path::KeyPath;

/// Whether any scenario of a plan has a load of its own.
pub(super) fn is_own(plan: &Plan) -> bool {
    plan.scenario.iter().any(|scenario| scenario.run.is_some())
}

/// The load of a plan whose scenarios have loads of their own, for one node.
pub(super) fn load(plan: &Plan, node: Node, seed: u64) -> Result<Loaded, KeyError> {
    common_only(&plan.run)?;
    let mut loads = Vec::new();
    for (index, scenario) in plan.scenario.iter().enumerate() {
        let at = KeyPath::new("scenario").index(index);
        loads.push(one(&at, scenario, &node, seed)?);
    }
    let users = loads.iter().map(|load| load.users).fold(0, u32::saturating_add);
    let settings = load::options(&plan.run).settings(Load::Closed(ThinkTime::None), users);
    let at = KeyPath::new("run");
    load::checked(&plan.run, &at, &settings)?;
    let mut settings = settings
        .shared(node, 1)
        .map_err(|error| KeyError::new(&at, format!("failed to {error}")))?;
    settings.seed = seed;
    let ends: Option<Vec<Duration>> = loads.iter().map(|load| load.ends).collect();
    settings.stop.time = ends.and_then(|ends| ends.into_iter().max());
    let own = OwnLoads::new(loads);
    everywhere(&own, &settings)?;
    Ok(Loaded {
        order: Order::Turns,
        start: Start::Together,
        iterations: Iterations::Endless,
        users,
        settings,
        between: Between::default(),
        own: Some(Box::new(own)),
    })
}

/// Refuses keys of `[run]` that each scenario has itself.
fn common_only(run: &Run) -> Result<(), KeyError> {
    let given = [
        ("users", run.users.is_some()),
        ("think", run.think.is_some()),
        ("back-off", run.back_off.is_some()),
        ("ramp-up", run.ramp_up.is_some()),
        ("groups", run.groups.is_some()),
        ("iterations", run.iterations.is_some()),
        ("duration", run.duration.is_some()),
        ("warm-up", run.warm_up.is_some()),
        ("rate", run.rate.is_some()),
        ("arrival", run.arrival.is_some()),
        ("stages", run.stages.is_some()),
        ("trace", run.trace.is_some()),
        ("rate-file", run.rate_file.is_some()),
        ("backlog", run.backlog.is_some()),
        ("order", run.order.is_some()),
        ("rounds", !run.rounds.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => {
            let what = "cannot be used with loads of scenarios: [run] keeps what they have in common, such as timeout \
                        and seed";
            Err(KeyError::new(&KeyPath::new("run").key(key), what))
        }
    }
}

/// The load of one scenario.
fn one(at: &KeyPath, scenario: &Scenario, node: &Node, seed: u64) -> Result<OwnLoad, KeyError> {
    let Some(run) = scenario.run.as_deref() else {
        let what = "has no load of its own, but another scenario has: add run = { users = 1 }, or give all of them one \
                    in [run]";
        return Err(KeyError::new(at, what));
    };
    if scenario.weight.is_some() {
        let what = "has no effect: the scenario has a load of its own";
        return Err(KeyError::new(&at.key("weight"), what));
    }
    let at = at.key("run");
    for (key, zero) in [
        ("users", run.users == Some(0)),
        ("iterations", run.iterations == Some(0)),
        ("duration", run.duration.is_some_and(|time| time.0.is_zero())),
    ] {
        if zero {
            return Err(KeyError::new(&at.key(key), "is 0, but must be more than 0"));
        }
    }
    let schedule = schedule(&at, run)?;
    if schedule.is_some() {
        closed_only(&at, run)?;
    }
    let start = run.start.map_or(Duration::ZERO, |time| time.0);
    let own_end = schedule.as_ref().and_then(Schedule::lasting);
    let lasting = [run.duration.map(|time| time.0), own_end].into_iter().flatten().min();
    let users = run.users.unwrap_or_else(|| schedule.as_ref().map_or(USERS, load::open_users));
    let arrivals = schedule.map(|schedule| {
        let share = Mutex::new(share(&schedule, node, seed));
        Arc::new(Scheduled { schedule, node: node.clone(), seed, share, lasting })
            as Arc<dyn Arrivals>
    });
    Ok(OwnLoad {
        users,
        start,
        ramp_up: run.ramp_up.map_or(Duration::ZERO, |time| time.0),
        ends: lasting.map(|lasting| start + lasting),
        iterations: run.iterations,
        think: think(&at, run)?,
        arrivals,
        lag: 0,
    })
}

fn schedule(at: &KeyPath, run: &ScenarioRun) -> Result<Option<Schedule>, KeyError> {
    match (&run.rate, &run.stages) {
        (Some(_), Some(_)) => {
            let what =
                "cannot be used with 'rate': only one of them can define when iterations begin";
            Err(KeyError::new(&at.key("stages"), what))
        }
        (None, _) if run.arrival.is_some() => {
            let what = "needs a rate: add one, such as rate = \"200/s\"";
            Err(KeyError::new(&at.key("arrival"), what))
        }
        (Some(text), None) => {
            load::constant(text, run.arrival.unwrap_or_default(), &at.key("rate")).map(Some)
        }
        (None, Some(text)) => {
            let read = Schedule::parse(text);
            let at = at.key("stages");
            read.map(Some).map_err(|error| KeyError::new(&at, format!("failed to {error}")))
        }
        (None, None) => Ok(None),
    }
}

/// Refuses keys that apply only to users who begin when they are free.
fn closed_only(at: &KeyPath, run: &ScenarioRun) -> Result<(), KeyError> {
    let given = [
        ("think", run.think.is_some(), "put a pause into the scenario"),
        ("ramp-up", run.ramp_up.is_some(), "begin the stages with a ramp"),
        ("iterations", run.iterations.is_some(), "add its duration with 'duration'"),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((key, _, remedy)) => {
            let what = format!("belongs to a closed load, and this one has a rate: {remedy}");
            Err(KeyError::new(&at.key(key), what))
        }
    }
}

fn think(at: &KeyPath, run: &ScenarioRun) -> Result<Option<Pause>, KeyError> {
    let Some(text) = &run.think else { return Ok(None) };
    let time = ThinkTime::parse(text)
        .map_err(|error| KeyError::new(&at.key("think"), format!("failed to {error}")))?;
    let pause = Pause { time, name: "think".to_owned() };
    Ok(Some(pause).filter(|pause| pause.time != ThinkTime::None))
}

/// Refuses a node that has arrivals of a scenario and no user for them.
fn everywhere(own: &OwnLoads, settings: &Settings) -> Result<(), KeyError> {
    let first = settings.node.first_session;
    let here = |number: &usize| {
        (first..first + settings.sessions).any(|user| own.scenario(user) == *number)
    };
    let lacking = |(number, load): &(usize, &OwnLoad)| load.arrivals.is_some() && !here(number);
    match own.loads.iter().enumerate().find(lacking) {
        None => Ok(()),
        Some((number, _)) => {
            let at = KeyPath::new("scenario").index(number).key("run").key("users");
            Err(KeyError::new(&at, "are fewer than the nodes that share the run: give it more"))
        }
    }
}

impl Steps<'_> {
    /// Gives each scenario with arrivals a span from when an iteration is due to its beginning, and refuses names that
    /// are taken.
    pub(super) fn name_lags(
        &mut self,
        own: Option<&mut OwnLoads>,
        scenarios: &[flow::Scenario],
    ) -> Result<(), KeyError> {
        let loads = own.into_iter().flat_map(|own| &mut own.loads);
        for (number, (load, scenario)) in loads.zip(scenarios).enumerate() {
            if load.arrivals.is_some() {
                let at = KeyPath::new("scenario").index(number);
                let name = format!("{} lag", scenario.name);
                load.lag = numbered(&at, &mut self.spans, &name, "spans")?;
            }
        }
        self.names_differ()
    }
}

/// The arrivals of a scenario on one node.
#[derive(Debug)]
struct Scheduled {
    schedule: Schedule,
    node: Node,
    seed: u64,
    share: Mutex<Share>,
    lasting: Option<Duration>,
}

fn share(schedule: &Schedule, node: &Node, seed: u64) -> Share {
    schedule.share(node.slots.numbers(0, 1), seed)
}

impl Scheduled {
    fn falls(&self, due: Duration) -> bool {
        self.lasting.is_none_or(|lasting| due < lasting)
    }
}

impl Arrivals for Scheduled {
    fn take(&self) -> Option<Duration> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        let due = share.next().map(|due| Duration::from_nanos(due.nanos));
        due.filter(|due| self.falls(*due))
    }

    fn due_by(&self, time: Duration) -> u64 {
        let all = share(&self.schedule, &self.node, self.seed);
        let dues = all.map(|due| Duration::from_nanos(due.nanos));
        dues.take_while(|due| *due < time && self.falls(*due)).count() as u64
    }
}
