//! [`Script`]: a load, a target and a machine, drawn from a seed.

use std::time::Duration;

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::virtual_time::{Pause, PauseCause};
use brunt_engine::{Settings, ThinkTime};
use brunt_exchange::Moment;

use crate::dice::Dice;

/// Everything that happens in a simulation.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) seed: u64,
    pub(crate) load: LoadScript,
    pub(crate) target: TargetScript,
    pub(crate) machine: MachineScript,
    /// How much of the load each node takes.
    pub(crate) weights: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct LoadScript {
    pub(crate) model: Model,
    pub(crate) sessions: u32,
    pub(crate) workers: usize,
    pub(crate) backlog: Option<usize>,
    pub(crate) timeout: Duration,
    pub(crate) drain: Option<Duration>,
    pub(crate) warm_up: Duration,
    pub(crate) interval: Duration,
    pub(crate) count: Option<u64>,
    pub(crate) first: u64,
    pub(crate) objectives: Vec<&'static str>,
    pub(crate) canary: Option<u64>,
    /// When it is asked to end.
    pub(crate) stops: Vec<Duration>,
}

#[derive(Clone, Debug)]
pub(crate) enum Model {
    Constant(u64, Duration),
    Steps(Vec<(u64, Duration)>),
    Poisson(u64, Duration),
    Closed(ThinkTime, Duration),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct TargetScript {
    /// How many requests it works on at once; any number, if 0.
    pub(crate) servers: usize,
    /// How many more may wait; it refuses the rest.
    pub(crate) queue: Option<usize>,
    pub(crate) service: Duration,
    /// Whether service times vary, exponentially.
    pub(crate) varies: bool,
    pub(crate) connecting: Duration,
    /// When it stands still.
    pub(crate) pauses: Vec<(Moment, Moment)>,
    /// When it is down: what is in flight is lost, and nobody can connect.
    pub(crate) downs: Vec<(Moment, Moment)>,
    /// The share of requests that it never answers, refuses, and answers with nonsense.
    pub(crate) loses: f64,
    pub(crate) refuses: f64,
    pub(crate) garbles: f64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MachineScript {
    pub(crate) pauses: Vec<Pause>,
    /// How late timers are at most.
    pub(crate) late: Duration,
    /// What an exchange costs of the processor.
    pub(crate) cost: Duration,
}

impl MachineScript {
    pub(crate) fn is_quiet(&self) -> bool {
        self.pauses.is_empty() && self.late.is_zero() && self.cost.is_zero()
    }
}

/// No simulation makes many more exchanges than this.
const EXCHANGES: u64 = 1_200;
const OBJECTIVES: [&str; 10] = [
    "p50<20ms",
    "p99<100ms",
    "p99<1s",
    "max<500ms",
    "mean<30ms",
    "service.p99<50ms",
    "errors<1%",
    "errors<50",
    "achieved>=95%",
    "dropped==0",
];

impl Script {
    pub(crate) fn drawn(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0);
        let lasting = dice.millis(400, 6_000);
        let weights = match dice.between(0, 9) {
            0..7 => vec![1],
            7 => vec![1, 1],
            8 => vec![1, 1, 1],
            _ => vec![dice.between(1, 4) as u32, dice.between(1, 4) as u32],
        };
        let load = LoadScript::drawn(&mut Dice::new(seed, 1), lasting, weights.len() as u32);
        let target = TargetScript::drawn(&mut Dice::new(seed, 2), lasting, &load);
        let machine = MachineScript::drawn(&mut Dice::new(seed, 3), lasting);
        Self { seed, load, target, machine, weights }
    }
}

impl LoadScript {
    fn drawn(dice: &mut Dice, lasting: Duration, nodes: u32) -> Self {
        let most = ((EXCHANGES as f64 / lasting.as_secs_f64()) as u64).clamp(5, 1_000);
        let model = match dice.between(0, 9) {
            0..3 => Model::Constant(dice.between(1, most), lasting),
            3..5 => {
                let stages = dice.between(2, 4);
                let each = lasting / stages as u32;
                Model::Steps((0..stages).map(|_| (dice.between(1, most), each)).collect())
            }
            5..7 => Model::Poisson(dice.between(1, most), lasting),
            _ => Model::Closed(think(dice), lasting),
        };
        // In a closed load, the sessions set the rate.
        let most_sessions = if matches!(model, Model::Closed(..)) { 12 } else { 40 };
        let sessions = dice.between(nodes.into(), most_sessions) as u32;
        // A node may have few of them.
        let most_workers = if nodes > 1 { 1 } else { u64::from(sessions) };
        let workers = dice.between(1, 3).min(most_workers) as usize;
        let maybe = |dice: &mut Dice, share: f64| dice.chance(share);
        Self {
            model,
            sessions,
            workers,
            backlog: maybe(dice, 0.4).then(|| dice.between(0, 60) as usize),
            timeout: if maybe(dice, 0.5) { dice.millis(20, 1_500) } else { Duration::ZERO },
            drain: maybe(dice, 0.5).then(|| dice.millis(0, 2_000)),
            warm_up: if maybe(dice, 0.3) { dice.millis(100, 1_000) } else { Duration::ZERO },
            interval: dice.one_of(&[100, 250, 1_000].map(Duration::from_millis)),
            count: maybe(dice, 0.25).then(|| dice.between(nodes.into(), EXCHANGES)),
            first: if maybe(dice, 0.2) { dice.between(1, 1 << 40) } else { 0 },
            objectives: OBJECTIVES.into_iter().filter(|_| maybe(dice, 0.25)).collect(),
            canary: maybe(dice, 0.1).then(|| dice.between(1, 4)),
            stops: if maybe(dice, 0.15) {
                (0..dice.between(1, 2)).map(|_| dice.millis(0, 6_000)).collect()
            } else {
                Vec::new()
            },
        }
    }

    /// The settings of the whole run.
    pub(crate) fn settings(&self, seed: u64) -> Settings {
        let rate = |per_second| Rate::per_second(per_second).expect("a rate");
        let mut settings = match &self.model {
            Model::Closed(think, lasting) => {
                let mut settings = Settings::closed(*think, self.sessions);
                settings.stop.time = Some(*lasting);
                settings
            }
            Model::Constant(per_second, lasting) => {
                let schedule = Schedule::constant(rate(*per_second), Some(*lasting));
                Settings::open(schedule.expect("a schedule"), self.sessions)
            }
            Model::Poisson(per_second, lasting) => {
                let schedule = Schedule::poisson(rate(*per_second), Some(*lasting));
                Settings::open(schedule.expect("a schedule"), self.sessions)
            }
            Model::Steps(steps) => {
                let steps: Vec<_> = steps.iter().map(|(one, time)| (rate(*one), *time)).collect();
                let schedule = Schedule::steps(&steps, false).expect("a schedule");
                Settings::open(schedule, self.sessions)
            }
        };
        (settings.workers, settings.pin) = (Some(self.workers), false);
        (settings.backlog, settings.operation_timeout) = (self.backlog, self.timeout);
        (settings.drain, settings.warm_up) = (self.drain, self.warm_up);
        (settings.interval, settings.stop.count) = (self.interval, self.count);
        (settings.first, settings.seed) = (self.first, seed);
        settings
    }
}

fn think(dice: &mut Dice) -> ThinkTime {
    match dice.between(0, 3) {
        0 => ThinkTime::None,
        1 => ThinkTime::Constant(dice.millis(1, 200)),
        2 => ThinkTime::Uniform(dice.millis(0, 50), dice.millis(51, 300)),
        _ => ThinkTime::Exponential(dice.millis(5, 150)),
    }
}

impl TargetScript {
    fn drawn(dice: &mut Dice, lasting: Duration, load: &LoadScript) -> Self {
        let millis = lasting.as_millis() as u64;
        // A closed load without think time makes as many exchanges as fit.
        let least = match load.model {
            Model::Closed(..) => u64::from(load.sessions) * millis * 1_000 / EXCHANGES,
            _ => 100,
        };
        let service = Duration::from_micros(least + dice.between(0, 30_000));
        let spans = |dice: &mut Dice, most: u64| {
            let from = Moment::ZERO + dice.millis(0, millis);
            (from, from + dice.millis(10, most))
        };
        let share = |dice: &mut Dice| if dice.chance(0.2) { dice.unit() * 0.2 } else { 0.0 };
        Self {
            servers: if dice.chance(0.5) { dice.between(1, 16) as usize } else { 0 },
            queue: dice.chance(0.3).then(|| dice.between(0, 30) as usize),
            service,
            varies: dice.chance(0.6),
            connecting: Duration::from_micros(dice.between(0, 20_000)),
            pauses: if dice.chance(0.2) { vec![spans(dice, 3_000)] } else { Vec::new() },
            downs: if dice.chance(0.15) { vec![spans(dice, 2_500)] } else { Vec::new() },
            loses: share(dice),
            refuses: share(dice),
            garbles: share(dice),
        }
    }
}

impl MachineScript {
    fn drawn(dice: &mut Dice, lasting: Duration) -> Self {
        if dice.chance(0.55) {
            return Self::default();
        }
        match dice.between(0, 5) {
            0 | 1 => Self { pauses: stopped(dice, lasting), ..Self::default() },
            2 => {
                let cause =
                    dice.one_of(&[PauseCause::Throttled, PauseCause::Stolen, PauseCause::Occupied]);
                Self { pauses: periodic(dice, lasting, cause), ..Self::default() }
            }
            3 => Self { late: Duration::from_micros(dice.between(10, 20_000)), ..Self::default() },
            4 => Self { cost: Duration::from_micros(dice.between(5, 3_000)), ..Self::default() },
            _ => Self {
                pauses: stopped(dice, lasting),
                late: Duration::from_micros(dice.between(10, 2_000)),
                cost: Duration::from_micros(dice.between(1, 200)),
            },
        }
    }
}

/// Up to two times in which it stands still.
fn stopped(dice: &mut Dice, lasting: Duration) -> Vec<Pause> {
    let mut at = Moment::ZERO;
    let mut pauses = Vec::new();
    for _ in 0..dice.between(1, 2) {
        let from = at + dice.millis(0, lasting.as_millis() as u64 / 2);
        let to = from + dice.millis(5, 2_000);
        pauses.push(Pause { from, to, cause: PauseCause::Stopped });
        at = to + Duration::from_millis(1);
    }
    pauses
}

/// A share of each period, from some moment to the end.
pub(crate) fn periodic(dice: &mut Dice, lasting: Duration, cause: PauseCause) -> Vec<Pause> {
    let period = match cause {
        PauseCause::Throttled => Duration::from_millis(100),
        _ => dice.millis(10, 60),
    };
    let held_up = period.mul_f64(0.05 + 0.85 * dice.unit());
    let mut from = Moment::ZERO + dice.millis(0, lasting.as_millis() as u64 / 2);
    let end = Moment::ZERO + lasting * 3;
    let mut pauses = Vec::new();
    while from < end {
        pauses.push(Pause { from, to: from + held_up, cause });
        from = from + period;
    }
    pauses
}
