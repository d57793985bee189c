//! The engine's plan of a command line: when exchanges begin, how many there are, and for how long.

use brunt_engine::{Load, Plan, Settings, Stopping};
use brunt_run::schedules::{self, Flags};
use brunt_run::share;

use crate::options::rate::RateArgs;

const FLAGS: Flags = Flags { rate: "--targetThroughput", file: "--variableRateData" };

/// Works out the plan, or says what is wrong with the command line.
///
/// A run that has nothing left to do after `exchanges_max` exchanges ends then, its warm-up included.
pub(crate) fn plan(args: &RateArgs, seed: u64, exchanges_max: Option<u64>) -> Result<Plan, String> {
    let asked = &args.load;
    let sessions = asked.connections.saturating_mul(asked.concurrent);
    let mut settings = match schedules::load(&asked.rate, asked.think.as_deref(), FLAGS)? {
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
    let node = share::asked(&args.output.run, args.seed)?;
    let settings = share::divided(settings, node, asked.concurrent)?;
    Plan::new(settings, asked.concurrent).map_err(|error| format!("failed to {error}"))
}
