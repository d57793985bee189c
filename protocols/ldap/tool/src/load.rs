//! The engine's plan of a command line: when exchanges begin, how many there are, and for how long.

use brunt_engine::Plan;
use brunt_feed::Files;
use brunt_run::{SettingsError, share};

use crate::options::rate::RateArgs;
use crate::options::table::OPERATIONS;

/// The plan of a command line.
///
/// A run that has nothing left to do after `exchanges_max` exchanges ends then, its warm-up included.
pub(crate) fn plan(
    args: &RateArgs,
    seed: u64,
    exchanges_max: Option<u64>,
    files: &Files,
) -> Result<Plan, SettingsError> {
    let given = &args.load;
    let sessions = given.connections.saturating_mul(given.concurrent);
    let load = given.options.load(&OPERATIONS, files)?;
    let mut settings = given.options.settings(load, sessions);
    settings.stop.count = settings.stop.count.into_iter().chain(exchanges_max).min();
    settings.stop.count_includes_warm_up = given.compat || exchanges_max.is_some();
    settings.seed = seed;
    settings.explain_every = args.table.verbose;
    let node = share::requested(&args.output.run, args.output.seed)?;
    let settings = share::divided(settings, node, given.concurrent)?;
    Ok(Plan::new(settings, given.concurrent)?)
}
