//! When exchanges begin, and how many are in flight.

use std::num::NonZeroU32;

use brunt_run::options::arrivals::{Arrival, Rate};
use brunt_run::options::fault::Fault;

use super::args::{Load, Scenario};
use super::given::{Values, exclusive};

/// The most addresses and ports to send from: each has a thread.
const SOURCES_MAX: usize = 256;

pub(super) fn read(
    values: &Values<'_>,
    scenario: &Scenario,
    sources: usize,
) -> Result<Load, Fault> {
    exclusive(values, "a", "batch", "both set the maximum number of messages in one burst")?;
    let rate = rate(values, scenario)?;
    if values.has("backlog") && rate == Rate::Unlimited {
        return Err(Fault::new("--backlog needs -r or --stages: without a rate nothing waits"));
    }
    Ok(Load {
        window: values.small("window").and_then(NonZeroU32::new),
        rate,
        backlog: values.small("backlog"),
        preload: values.small("P").filter(|_| *scenario == Scenario::Basic).unwrap_or(0),
        warm_up: values.time("warm-up").unwrap_or_default(),
        workers: workers(values, sources)?,
        pin: !values.has("no-pin"),
        batch: values.small("a").or_else(|| values.small("batch")),
        seed: values.whole("s").filter(|seed| *seed > 0),
    })
}

/// A source has one socket, which one worker reads, so there are as many workers as sources.
fn workers(values: &Values<'_>, sources: usize) -> Result<Option<usize>, Fault> {
    if sources > SOURCES_MAX {
        return Err(Fault::new(format!(
            "--source-ip and --source-port give {sources} source addresses: use at most {SOURCES_MAX}"
        )));
    }
    let single = (values.text("g") == Some("single")).then_some(("-g single", 1));
    let given = values.small("workers").map(|count| ("--workers", count));
    let mut asked = single.into_iter().chain(given);
    if let Some((what, count)) = asked.find(|(_, count)| *count != sources) {
        return Err(Fault::new(format!(
            "{what} means {count} workers, but there are {sources} source addresses and ports, each with one worker: \
             see --source-ip and --source-port"
        )));
    }
    Ok((sources > 1 || single.or(given).is_some()).then_some(sources))
}

fn rate(values: &Values<'_>, scenario: &Scenario) -> Result<Rate, Fault> {
    exclusive(values, "stages", "r", "both give the rate")?;
    let rate = match (values.text("stages"), values.decimal("r")) {
        _ if *scenario != Scenario::Basic => Rate::Unlimited,
        (Some(stages), _) => Rate::Stages(stages.to_owned()),
        (None, Some(per_second)) => {
            let poisson = values.text("arrival") == Some("poisson");
            let arrival = if poisson { Arrival::Poisson } else { Arrival::Uniform };
            Rate::Constant { per_second, arrival }
        }
        (None, None) => Rate::Unlimited,
    };
    if values.has("arrival") && !matches!(rate, Rate::Constant { .. }) {
        return Err(Fault::new("--arrival needs -r: it spreads the exchanges of a rate"));
    }
    let asked = values.decimal("f").unwrap_or(0.0) + values.decimal("F").unwrap_or(0.0);
    match rate {
        Rate::Constant { per_second, .. } if asked > per_second => Err(Fault::new(format!(
            "-f and -F add up to {asked} per second, but -r is only {per_second}: raise -r, or lower them"
        ))),
        Rate::Constant { .. } => Ok(rate),
        _ if asked > 0.0 && *scenario == Scenario::Basic => {
            Err(Fault::new("-f and -F need -r: they renew and release the leases that it obtains"))
        }
        _ => Ok(rate),
    }
}
