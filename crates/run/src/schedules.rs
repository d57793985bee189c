//! Converts the options of a load to the engine's load.
//!
//! The tools of each protocol have different names for their options, which stand in errors.

use std::path::Path;

use brunt_engine::schedule::{Rate as PerSecond, Schedule, Stage, read_offsets};
use brunt_engine::{Load, ThinkTime};
use brunt_feed::Files;
use brunt_feed::rates::Rates;
use brunt_record::Phase;

use crate::options::arrivals::{Arrival, Rate};

/// What a command line says about when exchanges begin.
pub(crate) struct ArrivalOptions<'a> {
    /// What makes them begin.
    pub arrivals: Rate,
    /// The rate as it was written, if it has an exact form.
    pub exact: Option<PerSecond>,
    /// The think time, as text.
    pub think: Option<&'a str>,
}

/// What makes exchanges begin, or what is wrong with a value. `flag` names the option of a field.
pub(crate) fn load(
    asked: ArrivalOptions<'_>,
    files: &Files,
    flag: &dyn Fn(&str) -> String,
) -> Result<Load, String> {
    Ok(match asked.arrivals {
        Rate::Unlimited => Load::Closed(match asked.think {
            None => ThinkTime::None,
            Some(text) => ThinkTime::parse(text)
                .map_err(|error| format!("{}: failed to {error}", flag("think")))?,
        }),
        Rate::Constant { per_second, arrival } => {
            let rate = match asked.exact.filter(|rate| !rate.is_zero()) {
                Some(rate) => rate,
                None => per_second_of(per_second, &flag("rate"))?,
            };
            let schedule = match arrival {
                Arrival::Uniform => Schedule::constant(rate, None),
                Arrival::Poisson => Schedule::poisson(rate, None),
            };
            Load::Open(schedule.map_err(|error| format!("failed to {error}"))?)
        }
        Rate::Stages(text) => Load::Open(stages(&text, files, &flag("stages"))?),
        Rate::File { path, base } => Load::Open(file((&path, base), files, flag)?),
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
fn stages(text: &str, files: &Files, flag: &str) -> Result<Schedule, String> {
    let Some(path) = text.trim().strip_prefix("trace ") else {
        return Schedule::parse(text).map_err(|error| format!("{flag}: failed to {error}"));
    };
    let path = Path::new(path.trim());
    let shape = read_offsets(path, files.open(path))
        .map_err(|error| format!("{flag}: failed to {error}"))?;
    let stage = Stage { phase: Phase::Steady, shape, lasting: None };
    Schedule::new(vec![stage]).map_err(|error| format!("{flag}: failed to {error}"))
}

fn file(
    (path, base): (&Path, Option<f64>),
    files: &Files,
    flag: &dyn Fn(&str) -> String,
) -> Result<Schedule, String> {
    let (file, rate) = (flag("rate_file"), flag("rate"));
    let rates =
        Rates::read(files, path, base).map_err(|error| format!("{file}: failed to {error}"))?;
    stepped(&rates, &rate).map_err(|why| format!("{file}: failed to {why}"))
}

/// The schedule of a file of rates; `flag` is what its multiples refer to.
pub fn stepped(rates: &Rates, flag: &str) -> Result<Schedule, String> {
    let step = |(per_second, lasting)| Ok((per_second_of(per_second, flag)?, lasting));
    let steps: Result<Vec<_>, String> =
        rates.steps.iter().map(|one| step((one.per_second, one.lasting))).collect();
    Schedule::steps(&steps?, rates.repeat).map_err(|error| error.to_string())
}
