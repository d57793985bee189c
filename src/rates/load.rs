//! The engine's plan of a command line: when, how many, how long.

use std::path::Path;

use brunt_engine::schedule::{Rate as PerSecond, Schedule, Stage, read_offsets};
use brunt_engine::{Load, Plan, Settings, Stopping, ThinkTime};
use brunt_feed::rates::Rates;
use brunt_record::Phase;

use crate::cli::rate::RateArgs;
use crate::cli::rate::load::{Arrival, Rate};

/// Works out the plan, or says what is wrong with the command line.
///
/// A run that has nothing left to do after `exchanges_max` exchanges ends there, its warm-up included.
pub(super) fn plan(args: &RateArgs, seed: u64, exchanges_max: Option<u64>) -> Result<Plan, String> {
    let asked = &args.load;
    let sessions = asked.connections.saturating_mul(asked.concurrent);
    let mut settings = match load(args)? {
        Load::Open(schedule) => Settings::open(schedule, sessions),
        Load::Closed(think) => Settings::closed(think, sessions),
    };
    settings.stop = Stopping {
        count: asked.iterations.into_iter().chain(exchanges_max).min(),
        time: asked.duration,
        count_includes_warm_up: asked.compat || exchanges_max.is_some(),
    };
    settings.warm_up = asked.warm_up;
    settings.workers = asked.workers;
    settings.pin = asked.pin;
    settings.backlog = asked.backlog;
    settings.operation_timeout = asked.operation_timeout.unwrap_or_default();
    settings.drain = asked.drain_timeout;
    settings.seed = seed;
    settings.explain_every = args.output.verbose;
    Plan::new(settings, asked.concurrent).map_err(|error| format!("failed to {error}"))
}

fn load(args: &RateArgs) -> Result<Load, String> {
    Ok(match &args.load.rate {
        Rate::Unlimited => Load::Closed(match &args.load.think {
            None => ThinkTime::None,
            Some(text) => {
                ThinkTime::parse(text).map_err(|error| format!("--think: failed to {error}"))?
            }
        }),
        Rate::Constant { per_second, arrival } => {
            let rate = rate(*per_second)?;
            let schedule = match arrival {
                Arrival::Uniform => Schedule::constant(rate, None),
                Arrival::Poisson => Schedule::poisson(rate, None),
            };
            Load::Open(schedule.map_err(|error| format!("failed to {error}"))?)
        }
        Rate::Stages(text) => Load::Open(stages(text)?),
        Rate::File { path, base } => Load::Open(file(path, *base)?),
    })
}

fn rate(per_second: f64) -> Result<PerSecond, String> {
    PerSecond::from_per_second(per_second).ok_or_else(|| {
        format!(
            "--targetThroughput {per_second} is no rate that can be kept: give a number above 0, at most {}",
            PerSecond::MAX_PER_SECOND
        )
    })
}

/// `trace FILE` replays the moments of a file; everything else is the engine's own notation.
fn stages(text: &str) -> Result<Schedule, String> {
    let Some(path) = text.trim().strip_prefix("trace ") else {
        return Schedule::parse(text).map_err(|error| format!("--stages: failed to {error}"));
    };
    let shape = read_offsets(Path::new(path.trim()))
        .map_err(|error| format!("--stages: failed to {error}"))?;
    let stage = Stage { phase: Phase::Steady, shape, lasting: None };
    Schedule::new(vec![stage]).map_err(|error| format!("--stages: failed to {error}"))
}

fn file(path: &Path, base: Option<f64>) -> Result<Schedule, String> {
    let rates = Rates::read(path, base)
        .map_err(|error| format!("--variableRateData: failed to {error}"))?;
    let steps: Result<Vec<_>, String> =
        rates.steps.iter().map(|step| Ok((rate(step.per_second)?, step.lasting))).collect();
    Schedule::steps(&steps?, rates.repeat)
        .map_err(|error| format!("--variableRateData: failed to {error}"))
}
