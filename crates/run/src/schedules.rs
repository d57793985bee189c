//! Converts the rate of a command line to the engine's load.
//!
//! The tools of each protocol have different names for their options, so the caller supplies those names.

use std::path::Path;

use brunt_engine::schedule::{Rate as PerSecond, Schedule, Stage, read_offsets};
use brunt_engine::{Load, ThinkTime};
use brunt_feed::rates::Rates;
use brunt_record::Phase;

use crate::options::arrivals::{Arrival, Rate};

/// The names of a tool's options.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    /// The option for a rate.
    pub rate: &'static str,
    /// The option for a file of rates.
    pub file: &'static str,
}

/// The load for a rate and a think time.
pub fn load(rate: &Rate, think: Option<&str>, flags: Flags) -> Result<Load, String> {
    Ok(match rate {
        Rate::Unlimited => Load::Closed(match think {
            None => ThinkTime::None,
            Some(text) => {
                ThinkTime::parse(text).map_err(|error| format!("--think: failed to {error}"))?
            }
        }),
        Rate::Constant { per_second, arrival } => {
            let rate = per_second_of(*per_second, flags.rate)?;
            let schedule = match arrival {
                Arrival::Uniform => Schedule::constant(rate, None),
                Arrival::Poisson => Schedule::poisson(rate, None),
            };
            Load::Open(schedule.map_err(|error| format!("failed to {error}"))?)
        }
        Rate::Stages(text) => Load::Open(stages(text)?),
        Rate::File { path, base } => Load::Open(file(path, *base, flags)?),
    })
}

/// A rate that can be kept, or what is wrong with the option that gave it.
pub fn per_second_of(per_second: f64, flag: &str) -> Result<PerSecond, String> {
    PerSecond::from_per_second(per_second).ok_or_else(|| {
        format!(
            "{flag} {per_second} is out of range: give a number above 0, at most {}",
            PerSecond::MAX_PER_SECOND
        )
    })
}

/// `trace FILE` replays the moments in a file; everything else is the engine's own notation.
fn stages(text: &str) -> Result<Schedule, String> {
    let Some(path) = text.trim().strip_prefix("trace ") else {
        return Schedule::parse(text).map_err(|error| format!("--stages: failed to {error}"));
    };
    let path = Path::new(path.trim());
    let shape = read_offsets(path, brunt_feed::file::open(path))
        .map_err(|error| format!("--stages: failed to {error}"))?;
    let stage = Stage { phase: Phase::Steady, shape, lasting: None };
    Schedule::new(vec![stage]).map_err(|error| format!("--stages: failed to {error}"))
}

fn file(path: &Path, base: Option<f64>, flags: Flags) -> Result<Schedule, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: failed to {error}", flags.file);
    let rates = Rates::read(path, base).map_err(|error| failed(&error))?;
    let step = |(per_second, lasting)| Ok((per_second_of(per_second, flags.rate)?, lasting));
    let steps: Result<Vec<_>, String> =
        rates.steps.iter().map(|one| step((one.per_second, one.lasting))).collect();
    Schedule::steps(&steps?, rates.repeat).map_err(|error| failed(&error))
}
