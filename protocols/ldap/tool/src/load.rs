//! The engine's plan of a command line: when exchanges begin, how many there are, and for how long.

use brunt_engine::Plan;
use brunt_feed::Files;
use brunt_run::share;

use crate::options::rate::RateArgs;
use crate::options::table::OPERATIONS;

/// Works out the plan, or says what is wrong with the command line.
///
/// A run that has nothing left to do after `exchanges_max` exchanges ends then, its warm-up included.
pub(crate) fn plan(
    args: &RateArgs,
    seed: u64,
    exchanges_max: Option<u64>,
    files: &Files,
) -> Result<Plan, String> {
    let asked = &args.load;
    let sessions = asked.connections.saturating_mul(asked.concurrent);
    let load = asked.options.load(&OPERATIONS, files)?;
    let mut settings = asked.options.settings(load, sessions);
    settings.stop.count = settings.stop.count.into_iter().chain(exchanges_max).min();
    settings.stop.count_includes_warm_up = asked.compat || exchanges_max.is_some();
    settings.seed = seed;
    settings.explain_every = args.table.verbose;
    let node = share::asked(&args.output.run, args.output.seed)?;
    let settings = share::divided(settings, node, asked.concurrent)?;
    Plan::new(settings, asked.concurrent).map_err(|error| format!("failed to {error}"))
}
