//! Converts the options of a load to the engine's load.
//!
//! The tools of each protocol have different names for their options, which stand in errors.

use std::path::Path;

use brunt_engine::schedule::{Rate as PerSecond, Schedule, Stage, read_offsets};
use brunt_engine::{Load, ThinkTime};
use brunt_feed::rates::Rates;
use brunt_record::Phase;

use crate::options::arrivals::{Arrival, Rate, TargetRate};
use crate::options::load_options::LoadOptions;
use crate::options::spelling::Spelling;

/// What makes exchanges begin, or what is wrong with a value.
pub(crate) fn load(options: &LoadOptions, spelling: &Spelling) -> Result<Load, String> {
    Ok(match options.arrivals() {
        Rate::Unlimited => Load::Closed(match &options.think {
            None => ThinkTime::None,
            Some(text) => ThinkTime::parse(text)
                .map_err(|error| format!("{}: failed to {error}", spelling.flag("think")))?,
        }),
        Rate::Constant { per_second, arrival } => {
            let exact = options.rate.as_ref().and_then(TargetRate::exact);
            let rate = match exact.filter(|rate| !rate.is_zero()) {
                Some(rate) => rate,
                None => per_second_of(per_second, &spelling.flag("rate"))?,
            };
            let schedule = match arrival {
                Arrival::Uniform => Schedule::constant(rate, None),
                Arrival::Poisson => Schedule::poisson(rate, None),
            };
            Load::Open(schedule.map_err(|error| format!("failed to {error}"))?)
        }
        Rate::Stages(text) => Load::Open(stages(&text, &spelling.flag("stages"))?),
        Rate::File { path, base } => Load::Open(file(&path, base, spelling)?),
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
fn stages(text: &str, flag: &str) -> Result<Schedule, String> {
    let Some(path) = text.trim().strip_prefix("trace ") else {
        return Schedule::parse(text).map_err(|error| format!("{flag}: failed to {error}"));
    };
    let path = Path::new(path.trim());
    let shape = read_offsets(path, brunt_feed::file::open(path))
        .map_err(|error| format!("{flag}: failed to {error}"))?;
    let stage = Stage { phase: Phase::Steady, shape, lasting: None };
    Schedule::new(vec![stage]).map_err(|error| format!("{flag}: failed to {error}"))
}

fn file(path: &Path, base: Option<f64>, spelling: &Spelling) -> Result<Schedule, String> {
    let flag = spelling.flag("rate_file");
    let rates = Rates::read(path, base).map_err(|error| format!("{flag}: failed to {error}"))?;
    stepped(&rates, &spelling.flag("rate")).map_err(|why| format!("{flag}: failed to {why}"))
}

/// The schedule of a file of rates; `flag` is what its multiples refer to.
pub fn stepped(rates: &Rates, flag: &str) -> Result<Schedule, String> {
    let step = |(per_second, lasting)| Ok((per_second_of(per_second, flag)?, lasting));
    let steps: Result<Vec<_>, String> =
        rates.steps.iter().map(|one| step((one.per_second, one.lasting))).collect();
    Schedule::steps(&steps?, rates.repeat).map_err(|error| error.to_string())
}
