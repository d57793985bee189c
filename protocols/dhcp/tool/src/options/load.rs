//! When exchanges begin, and how many are in flight.

use std::num::NonZeroU32;

use brunt_run::options::arrivals::Rate;
use brunt_run::options::load_options::{self, LoadOptions};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{Load, Scenario};
use super::switches::{EXCHANGES, common_rows};
use super::syntax::{exclusive, unfit};

/// The most addresses and ports to send from: each has a thread.
const SOURCES_MAX: usize = 256;

pub(super) fn read(
    values: &Values,
    scenario: &Scenario,
    sources: usize,
) -> Result<Load, UsageError> {
    exclusive(values, "a", "batch", "both set the maximum number of messages in one burst")?;
    let options = options(values, scenario)?;
    Ok(Load {
        window: values.whole("window").and_then(NonZeroU32::new),
        options,
        preload: values.whole("P").filter(|_| *scenario == Scenario::Basic).unwrap_or(0),
        workers: workers(values, sources)?,
        batch: values.whole("a").or_else(|| values.whole("batch")),
    })
}

/// A source has one socket, which one worker reads, so there are as many workers as sources.
fn workers(values: &Values, sources: usize) -> Result<Option<usize>, UsageError> {
    if sources > SOURCES_MAX {
        return Err(UsageError::new(format!(
            "--source-ip and --source-port give {sources} source addresses: use at most {SOURCES_MAX}"
        )));
    }
    let single = (values.text("g") == Some("single")).then_some(("-g single", 1));
    let given = values.whole("workers").map(|count| ("--workers", count));
    let mut requested = single.into_iter().chain(given);
    if let Some((what, count)) = requested.find(|(_, count)| *count != sources) {
        return Err(UsageError::new(format!(
            "{what} means {count} workers, but there are {sources} source addresses and ports, each with one worker: \
             see --source-ip and --source-port"
        )));
    }
    Ok((sources > 1 || single.or(given).is_some()).then_some(sources))
}

/// The options that all loads have in common: those of the original tool in its units, the others as declared.
fn options(values: &Values, scenario: &Scenario) -> Result<LoadOptions, UsageError> {
    let common =
        load_options::read(common_rows(), &EXCHANGES, |long| values.all(long).collect::<Vec<_>>());
    let common = common.map_err(unfit)?;
    let basic = *scenario == Scenario::Basic;
    let rate = values.decimal("r").filter(|_| basic).map(Into::into);
    let options = LoadOptions { rate, ..common };
    options.check(&EXCHANGES).map_err(UsageError::new)?;
    let requested = values.decimal("f").unwrap_or(0.0) + values.decimal("F").unwrap_or(0.0);
    match options.arrivals() {
        Rate::Constant { per_second, .. } if requested > per_second => {
            Err(UsageError::new(format!(
                "-f and -F add up to {requested} per second, but -r is only {per_second}: raise -r, or lower them"
            )))
        }
        Rate::Constant { .. } => Ok(options),
        _ if requested > 0.0 && basic => Err(UsageError::new(
            "-f and -F need -r: they renew and release the leases that it obtains",
        )),
        _ => Ok(options),
    }
}
