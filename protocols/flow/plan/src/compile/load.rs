//! The table `[run]`: converts it to the engine's settings.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use brunt_engine::schedule::{Rate, RateError, Schedule, Stage, read_offsets};
use brunt_engine::{Load, Node, Settings, ThinkTime};
use brunt_feed::rates::Rates;
use brunt_flow_driver::{
    Between, Iterations, Order, OwnLoads, Pause, Pool, Repeat, Scenario, Start,
};
use brunt_net::dscp::{Dscp, DscpError};
use brunt_record::Phase;
use brunt_run::options::arrivals::Arrival;
use brunt_run::options::load_options::LoadOptions;
use brunt_run::schedules;

use super::environment::CompileEnvironment;
use crate::key_error::{KeyError, instead};
use crate::model::{self, Plan, Run};
use crate::path::KeyPath;
use crate::values::Time;

/// The default number of virtual users of a closed load.
pub const USERS: u32 = 1;
/// The default number of users of an open load: as many as begin in a second, within these bounds.
const OPEN_USERS: (u32, u32) = (10, 10_000);
/// How long an exchange may take by default.
pub const TIMEOUT: Duration = Duration::from_secs(30);
/// How long connecting, including the TLS handshake, may take by default.
pub const CONNECT: Duration = Duration::from_secs(10);

/// When exchanges begin, how many there are, and for how long.
#[derive(Debug)]
pub(super) struct Loaded {
    pub settings: Settings,
    pub order: Order,
    pub start: Start,
    pub iterations: Iterations,
    /// The users of all nodes.
    pub users: u32,
    /// The pause of a user between two iterations.
    pub between: Between,
    /// The loads of scenarios that have one of their own.
    pub own: Option<Box<OwnLoads>>,
}

/// The load of a plan for one node.
pub(super) fn load(
    plan: &Plan,
    node: Node,
    seed: u64,
    environment: &CompileEnvironment<'_>,
) -> Result<Loaded, KeyError> {
    let (run, at) = (&plan.run, KeyPath::new("run"));
    let schedule = schedule(run, &at, environment)?;
    if run.users == Some(0) {
        return Err(KeyError::new(&at.key("users"), "is 0, but must be at least 1"));
    }
    let between = between(run, &at)?;
    if schedule.is_some() {
        closed_only(run, &at)?;
    }
    let (users, load) = match schedule {
        Some(schedule) => {
            (run.users.unwrap_or_else(|| open_users(&schedule)), Load::Open(schedule))
        }
        // Users think between iterations, which the driver knows and the engine does not.
        None => (run.users.unwrap_or(USERS), Load::Closed(ThinkTime::None)),
    };
    let mut settings = options(run).settings(load, users);
    settings.seed = seed;
    checked(run, &at, &settings)?;
    let users = settings.sessions;
    let iterations = iterations(run, &at, &node)?;
    let settings = settings
        .shared(node, 1)
        .map_err(|error| KeyError::new(&at.key("users"), format!("failed to {error}")))?;
    Ok(Loaded {
        order: order(plan, &at)?,
        start: start(run, &at)?,
        iterations,
        users,
        settings,
        between,
        own: None,
    })
}

/// What every load takes, apart from when iterations begin and how many there are.
pub(super) fn options(run: &Run) -> LoadOptions {
    let time = |time: Option<Time>| time.map(|time| time.0);
    LoadOptions {
        backlog: run.backlog,
        warm_up: time(run.warm_up),
        duration: time(run.duration),
        timeout: Some(run.timeout.map_or(TIMEOUT, |time| time.0)),
        drain: time(run.drain),
        workers: run.workers,
        no_pin: run.pin == Some(false),
        ..LoadOptions::default()
    }
}

/// The class of all packets.
pub(super) fn dscp(run: &Run) -> Result<Option<Dscp>, KeyError> {
    let wrong = |error: DscpError| {
        KeyError::new(&KeyPath::new("run").key("dscp"), format!("failed to {error}"))
    };
    run.dscp.as_deref().map(str::parse).transpose().map_err(wrong)
}

pub(super) fn schedule(
    run: &Run,
    at: &KeyPath,
    environment: &CompileEnvironment<'_>,
) -> Result<Option<Schedule>, KeyError> {
    let given = [("rate", &run.rate), ("stages", &run.stages), ("trace", &run.trace)];
    let mut given = given.into_iter().filter(|(_, value)| value.is_some());
    if let Some(path) = &run.rate_file {
        return of_file(run, path, at, environment).map(Some);
    }
    let Some((key, Some(text))) = given.next() else {
        if run.arrival.is_some() {
            return Err(KeyError::new(
                &at.key("arrival"),
                "needs a rate: add one, such as rate = \"200/s\"",
            ));
        }
        if run.backlog.is_some() {
            return Err(KeyError::new(
                &at.key("backlog"),
                "needs a rate: in a closed load no iteration waits for a user",
            ));
        }
        return Ok(None);
    };
    if let Some((other, _)) = given.next() {
        let what = format!(
            "cannot be used with '{key}': only one of them can define when iterations begin"
        );
        return Err(KeyError::new(&at.key(other), what));
    }
    let at_key = at.key(key);
    let failed =
        |error: &dyn std::fmt::Display| KeyError::new(&at_key, format!("failed to {error}"));
    let schedule = match key {
        "trace" => {
            let path = environment.path(&at_key, Path::new(text))?;
            let shape = read_offsets(&path, environment.files().open(&path))
                .map_err(|error| failed(&error))?;
            let stage = Stage { phase: Phase::Steady, shape, lasting: None };
            Schedule::new(vec![stage]).map_err(|error| failed(&error))?
        }
        "stages" => Schedule::parse(text).map_err(|error| failed(&error))?,
        _ => constant(text, run.arrival.unwrap_or_default(), &at_key)?,
    };
    if key != "rate" && run.arrival.is_some() {
        let what = format!("belongs to 'rate': '{key}' defines how arrivals are spread itself");
        return Err(KeyError::new(&at.key("arrival"), what));
    }
    Ok(Some(schedule))
}

/// A file of rates, whose multiples refer to the rate beside it.
fn of_file(
    run: &Run,
    path: &Path,
    at: &KeyPath,
    environment: &CompileEnvironment<'_>,
) -> Result<Schedule, KeyError> {
    let at_key = at.key("rate-file");
    for (key, given) in [
        ("stages", run.stages.is_some()),
        ("trace", run.trace.is_some()),
        ("arrival", run.arrival.is_some()),
    ] {
        if given {
            let what = "cannot be used with 'rate-file', which defines when iterations begin";
            return Err(KeyError::new(&at.key(key), what));
        }
    }
    let base = match &run.rate {
        None => None,
        Some(text) => {
            let rate = text.parse().map_err(|error: RateError| {
                KeyError::new(&at.key("rate"), format!("is \"{text}\": {error}"))
            })?;
            Some(Rate::as_per_second(rate))
        }
    };
    let path = environment.path(&at_key, path)?;
    let failed =
        |error: &dyn std::fmt::Display| KeyError::new(&at_key, format!("failed to {error}"));
    let rates = Rates::read(&environment.files(), &path, base).map_err(|error| failed(&error))?;
    schedules::stepped(&rates, "the rate of a line").map_err(|error| failed(&error))
}

pub(super) fn constant(text: &str, arrival: Arrival, at: &KeyPath) -> Result<Schedule, KeyError> {
    let shape = match arrival {
        Arrival::Uniform => text.trim().to_owned(),
        Arrival::Poisson => format!("poisson {}", text.trim()),
    };
    let one = !text.trim().contains([',', ' ']);
    let read = Schedule::parse(&shape).ok().filter(|_| one);
    read.ok_or_else(|| {
        let what = format!(
            "is \"{text}\", but must be a rate such as \"200/s\" or \"90/m\"; use 'stages' for a rate that changes"
        );
        KeyError::new(at, what)
    })
}

/// Refuses keys that apply only to the closed model.
fn closed_only(run: &Run, at: &KeyPath) -> Result<(), KeyError> {
    let given = [
        ("think", run.think.is_some(), "put a pause into the scenario"),
        ("back-off", run.back_off.is_some(), "arrivals come when they are due, whatever failed"),
        ("ramp-up", run.ramp_up.is_some(), "begin the stages with a ramp"),
        ("groups", run.groups.is_some(), "write stages"),
        ("iterations", run.iterations.is_some(), "add its duration with 'duration'"),
        ("rounds", !run.rounds.is_empty(), "give the scenarios weights"),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((key, _, remedy)) => {
            let what =
                format!("belongs to a closed load, and this one is open (it has a rate): {remedy}");
            Err(KeyError::new(&at.key(key), what))
        }
    }
}

fn between(run: &Run, at: &KeyPath) -> Result<Between, KeyError> {
    let pause = |key: &str, text: Option<&String>| -> Result<Option<Pause>, KeyError> {
        let Some(text) = text else { return Ok(None) };
        let time = ThinkTime::parse(text)
            .map_err(|error| KeyError::new(&at.key(key), format!("failed to {error}")))?;
        let pause = Pause { time, name: key.to_owned() };
        Ok(Some(pause).filter(|pause| pause.time != ThinkTime::None))
    };
    Ok(Between {
        think: pause("think", run.think.as_ref())?,
        back_off: pause("back-off", run.back_off.as_ref())?,
    })
}

pub(super) fn open_users(schedule: &Schedule) -> u32 {
    let peak = schedule.peak_per_second().unwrap_or(0.0).ceil();
    (peak as u32).clamp(OPEN_USERS.0, OPEN_USERS.1)
}

/// Reports settings that the engine would refuse, with the key that causes it.
pub(super) fn checked(run: &Run, at: &KeyPath, settings: &Settings) -> Result<(), KeyError> {
    let zero = |time: Option<Time>| time.is_some_and(|time| time.0.is_zero());
    if zero(run.duration) {
        return Err(KeyError::new(
            &at.key("duration"),
            "is 0, so the run would end at once; leave it out for a run without end",
        ));
    }
    let workers = run.workers.filter(|workers| *workers == 0 || *workers > settings.sessions);
    if let Some(workers) = workers {
        let what = format!(
            "is {workers}, but must be at least 1 and at most the number of users, {}",
            settings.sessions
        );
        return Err(KeyError::new(&at.key("workers"), what));
    }
    if let Load::Open(schedule) = &settings.load
        && schedule.clone().after_warm_up(settings.warm_up).is_none()
    {
        return Err(KeyError::new(
            &at.key("warm-up"),
            "cannot be used with a trace, which has no rate to warm up at",
        ));
    }
    Ok(())
}

/// One worker, since a relay has one port, which one worker reads.
pub(super) fn one_worker(plan: &Plan, settings: &mut Settings) -> Result<(), KeyError> {
    if let Some(workers) = plan.run.workers.filter(|workers| *workers > 1) {
        let what = format!(
            "is {workers}, but DHCP steps use one socket, which one worker reads; leave it out"
        );
        return Err(KeyError::new(&KeyPath::new("run").key("workers"), what));
    }
    settings.workers = Some(1);
    Ok(())
}

fn start(run: &Run, at: &KeyPath) -> Result<Start, KeyError> {
    match (&run.ramp_up, &run.groups) {
        (Some(_), Some(_)) => Err(KeyError::new(
            &at.key("groups"),
            "cannot be used with 'ramp-up': only one of them can define when users start",
        )),
        (Some(time), None) => Ok(Start::Over(time.0)),
        (None, Some(groups)) if groups.size == 0 => {
            Err(KeyError::new(&at.key("groups").key("size"), "is 0, so no user would start"))
        }
        (None, Some(groups)) => Ok(Start::Groups { size: groups.size, every: groups.every.0 }),
        (None, None) => Ok(Start::Together),
    }
}

fn iterations(run: &Run, at: &KeyPath, node: &Node) -> Result<Iterations, KeyError> {
    let at = at.key("iterations");
    match run.iterations {
        None => Ok(Iterations::Endless),
        Some(model::Iterations::Each(0) | model::Iterations::Shared(0)) => Err(KeyError::new(
            &at,
            "are 0, so nothing would be done; leave it out for a run without end",
        )),
        Some(model::Iterations::Each(count)) => Ok(Iterations::Each(count)),
        Some(model::Iterations::Shared(count)) => {
            // Each node's part; all parts together are the whole.
            Ok(Iterations::Shared(Pool::new(node.slots.of(count))))
        }
    }
}

/// Lets the engine count iterations that all users share, where each is one exchange: the window of the rates then ends
/// when the last of them begins, and a slow last answer does not lower them.
pub(super) fn count(
    run: &Run,
    scenarios: &[Scenario],
    settings: &mut Settings,
    iterations: &mut Iterations,
) {
    if let Some(model::Iterations::Shared(count)) = run.iterations
        && scenarios.iter().all(Scenario::is_one_exchange)
    {
        settings.stop.count = Some(count);
        settings.stop.count_includes_warm_up = true;
        *iterations = Iterations::Endless;
    }
}

fn order(plan: &Plan, at: &KeyPath) -> Result<Order, KeyError> {
    let run = &plan.run;
    if !run.rounds.is_empty() {
        if run.order.is_some() {
            return Err(KeyError::new(
                &at.key("rounds"),
                "cannot be used with 'order': only one of them can define the next scenario",
            ));
        }
        return rounds(plan, &at.key("rounds"));
    }
    let weighted = plan.scenario.iter().position(|scenario| scenario.weight.is_some());
    let order = run.order.unwrap_or(if weighted.is_some() {
        model::Order::Weights
    } else {
        model::Order::Turns
    });
    match (order, weighted) {
        (model::Order::Turns, Some(index)) => {
            let at = KeyPath::new("scenario").index(index).key("weight");
            Err(KeyError::new(
                &at,
                "has no effect if scenarios are taken in turn; leave it out, or set run.order = \"weights\"",
            ))
        }
        (model::Order::Turns, None) => Ok(Order::Turns),
        (model::Order::Weights, _) => {
            let weights: Vec<u32> =
                plan.scenario.iter().map(|scenario| scenario.weight.unwrap_or(1)).collect();
            if weights.iter().all(|weight| *weight == 0) {
                let at = KeyPath::new("scenario").index(0).key("weight");
                return Err(KeyError::new(
                    &at,
                    "is 0 like every other weight, so no scenario would be drawn",
                ));
            }
            Ok(Order::Weights(weights))
        }
    }
}

fn rounds(plan: &Plan, at: &KeyPath) -> Result<Order, KeyError> {
    /// The limit of rounds, which bounds the memory that a plan can use.
    const ROUNDS_MAX: u64 = 1_000_000;
    let named = plan.scenario.iter().enumerate();
    let named: BTreeMap<&str, usize> =
        named.filter_map(|(number, one)| Some((one.name.as_deref()?, number))).collect();
    let mut rounds = Vec::new();
    for (index, round) in plan.run.rounds.iter().enumerate() {
        let at = at.index(index);
        let mut repeats = Vec::new();
        for (name, times) in round.scenarios.iter() {
            let scenario = *named.get(name).ok_or_else(|| {
                let hint = instead(name, named.keys().copied());
                KeyError::new(
                    &at.key("scenarios").key(name),
                    format!("there is no scenario '{name}'{hint}"),
                )
            })?;
            repeats.push(Repeat { scenario, times: *times });
        }
        let times = round.times.unwrap_or(1);
        if times.saturating_add(rounds.len() as u64) > ROUNDS_MAX {
            return Err(KeyError::new(
                &at,
                format!("makes more than {ROUNDS_MAX} rounds; put more iterations into each"),
            ));
        }
        rounds.extend((0..times).map(|_| repeats.clone()));
    }
    if rounds.iter().flatten().all(|repeat| repeat.times == 0) {
        return Err(KeyError::new(
            at,
            "contain no iteration: give each scenario a number, such as { scenarios = { login = 5 } }",
        ));
    }
    Ok(Order::Rounds(rounds))
}
