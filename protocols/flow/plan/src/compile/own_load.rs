//! The tables `[scenario.run]`: scenarios of which each has a load of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::schedule::{Schedule, Share};
use brunt_engine::{Load, Node, Settings, ThinkTime};
use brunt_exchange::chance::mix;
use brunt_flow_driver::{
    self as flow, Arrivals, Between, Iterations, Order, OwnLoad, OwnLoads, Pause, Start,
};

use brunt_record::{Phase, ScenarioRecord};

use super::Steps;
use super::environment::CompileEnvironment;
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
pub(super) fn load(
    plan: &Plan,
    node: Node,
    seed: u64,
    environment: &CompileEnvironment<'_>,
) -> Result<Loaded, KeyError> {
    common_only(&plan.run)?;
    let warm_up = plan.run.warm_up.map_or(Duration::ZERO, |time| time.0);
    let mut loads = Vec::new();
    for (index, scenario) in plan.scenario.iter().enumerate() {
        let at = KeyPath::new("scenario").index(index);
        // Equal rates of two scenarios do not arrive together.
        let seed = mix(seed, index as u64);
        loads.push(one(&at, scenario, &LoadContext { node: &node, seed, warm_up, environment })?);
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
    let last = ends.and_then(|ends| ends.into_iter().max());
    settings.stop.time = last.map(|last| last.saturating_sub(warm_up));
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

/// Where and when a scenario has its load.
struct LoadContext<'a> {
    node: &'a Node,
    seed: u64,
    warm_up: Duration,
    environment: &'a CompileEnvironment<'a>,
}

/// Refuses keys of `[run]` that each scenario has itself.
fn common_only(run: &Run) -> Result<(), KeyError> {
    let of_scenario = "each scenario has its own, in its table run";
    let mixed = "each scenario has a load of its own, and none is chosen of several";
    let given = [
        ("users", run.users.is_some(), of_scenario),
        ("think", run.think.is_some(), of_scenario),
        ("back-off", run.back_off.is_some(), "put a pause into the scenario"),
        ("ramp-up", run.ramp_up.is_some(), of_scenario),
        (
            "groups",
            run.groups.is_some(),
            "give each scenario a ramp-up or a start, in its table run",
        ),
        ("iterations", run.iterations.is_some(), of_scenario),
        ("duration", run.duration.is_some(), of_scenario),
        ("rate", run.rate.is_some(), of_scenario),
        ("arrival", run.arrival.is_some(), of_scenario),
        ("stages", run.stages.is_some(), of_scenario),
        ("trace", run.trace.is_some(), of_scenario),
        ("rate-file", run.rate_file.is_some(), of_scenario),
        ("backlog", run.backlog.is_some(), "arrivals wait until a user of their scenario is free"),
        ("order", run.order.is_some(), mixed),
        ("rounds", !run.rounds.is_empty(), mixed),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((key, _, why)) => {
            let what = format!("cannot be used with loads of scenarios: {why}");
            Err(KeyError::new(&KeyPath::new("run").key(key), what))
        }
    }
}

/// The load of one scenario. Its times count from the beginning of the run, the warm-up included.
fn one(at: &KeyPath, scenario: &Scenario, place: &LoadContext<'_>) -> Result<OwnLoad, KeyError> {
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
    let schedule = schedule(&at, run, place.environment)?;
    if schedule.is_some() {
        closed_only(&at, run)?;
    }
    let users = run.users.unwrap_or_else(|| schedule.as_ref().map_or(USERS, load::open_users));
    let own_end = schedule.as_ref().and_then(Schedule::lasting);
    let lasting = [run.duration.map(|time| time.0), own_end].into_iter().flatten().min();
    let after = run.start.map_or(Duration::ZERO, |time| time.0);
    // A scenario that begins with the run warms up like the others; one that begins later has no warm-up.
    let (start, warm_up) = if after.is_zero() {
        (Duration::ZERO, place.warm_up)
    } else {
        (place.warm_up + after, Duration::ZERO)
    };
    let lasting = lasting.map(|lasting| warm_up + lasting);
    let arrivals = schedule.map(|schedule| warmed(&at, schedule, warm_up)).transpose()?;
    let arrivals = arrivals.map(|schedule| {
        let share = Mutex::new(share(&schedule, place.node, place.seed));
        let (node, seed) = (place.node.clone(), place.seed);
        Arc::new(Scheduled { schedule, node, seed, share, lasting }) as Arc<dyn Arrivals>
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

/// When iterations are due, if not when a user is free.
fn schedule(
    at: &KeyPath,
    run: &ScenarioRun,
    environment: &CompileEnvironment<'_>,
) -> Result<Option<Schedule>, KeyError> {
    let of_run = Run {
        rate: run.rate.clone(),
        arrival: run.arrival,
        stages: run.stages.clone(),
        trace: run.trace.clone(),
        rate_file: run.rate_file.clone(),
        ..Run::default()
    };
    let schedule = load::schedule(&of_run, at, environment)?;
    let phases = schedule.iter().flat_map(Schedule::phases);
    if phases.into_iter().any(|(phase, _)| phase != Phase::Steady) {
        let what = "have a phase of their own, but all scenarios share the phases of the run: leave out 'as', and set \
                    run.warm-up";
        return Err(KeyError::new(&at.key("stages"), what));
    }
    Ok(schedule)
}

/// The schedule with the warm-up before it, at its opening rate.
fn warmed(at: &KeyPath, schedule: Schedule, warm_up: Duration) -> Result<Schedule, KeyError> {
    schedule.after_warm_up(warm_up).ok_or_else(|| {
        let what = "has no rate for run.warm-up: leave the warm-up out, or set 'start' of this scenario, which then \
                    begins so long after it";
        KeyError::new(&at.key("trace"), what)
    })
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
                let name = ScenarioRecord::lag_span(&scenario.name);
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

    fn due_between(&self, from: Duration, to: Duration) -> u64 {
        let all = share(&self.schedule, &self.node, self.seed);
        let dues = all.map(|due| Duration::from_nanos(due.nanos));
        dues.take_while(|due| *due < to && self.falls(*due)).filter(|due| *due >= from).count()
            as u64
    }
}
