//! Converts the options of a load to the engine's load.
//!
//! The tools of each protocol have different names for their options, which stand in errors.

use std::path::Path;

use brunt_engine::schedule::{
    Rate as PerSecond, Schedule, ScheduleError, Stage, StagesError, TraceError, read_offsets,
};
use brunt_engine::{Load, ThinkTime, ThinkTimeError};
use brunt_feed::Files;
use brunt_feed::rates::{RateError, Rates};
use brunt_record::Phase;

use crate::options::arrivals::{Arrival, Rate};

/// The options of a command line for when exchanges begin.
pub(crate) struct ArrivalOptions<'a> {
    /// What makes them begin.
    pub arrivals: Rate,
    /// The rate as it was written, if it has an exact form.
    pub exact: Option<PerSecond>,
    /// The think time, as text.
    pub think: Option<&'a str>,
}

/// Why the options of a load cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The think time cannot be read.
    #[error("{flag}: failed to {source}")]
    Think {
        /// The option.
        flag: String,
        /// What is wrong with it.
        source: ThinkTimeError,
    },
    /// The rate cannot be kept.
    #[error(transparent)]
    Rate(#[from] RateOutOfRange),
    /// A constant rate makes no schedule.
    #[error("failed to {0}")]
    Constant(#[source] ScheduleError),
    /// The stages cannot be read.
    #[error("{flag}: failed to {source}")]
    Stages {
        /// The option.
        flag: String,
        /// What is wrong with them.
        source: StagesError,
    },
    /// The trace cannot be read.
    #[error("{flag}: failed to {source}")]
    Trace {
        /// The option.
        flag: String,
        /// What is wrong with it.
        source: TraceError,
    },
    /// The moments of a trace make no schedule.
    #[error("{flag}: failed to {source}")]
    TraceSchedule {
        /// The option.
        flag: String,
        /// What is wrong with them.
        source: ScheduleError,
    },
    /// The file of rates cannot be read.
    #[error("{flag}: failed to {source}")]
    RateFile {
        /// The option.
        flag: String,
        /// What is wrong with it.
        source: RateError,
    },
    /// The rates of a file make no schedule.
    #[error("{flag}: failed to {source}")]
    Steps {
        /// The option.
        flag: String,
        /// What is wrong with them.
        source: StepsError,
    },
}

/// A rate that cannot be kept.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{flag} {per_second} is out of range: give a number above 0, at most {}",
    PerSecond::MAX_PER_SECOND
)]
pub struct RateOutOfRange {
    flag: String,
    per_second: f64,
}

/// Why the rates of a file make no schedule. It reads after "failed to".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepsError {
    /// One of them cannot be kept.
    #[error(transparent)]
    Rate(#[from] RateOutOfRange),
    /// They do not follow each other.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

/// What makes exchanges begin, or what is wrong with a value. `flag` names the option of a field.
pub(crate) fn load(
    options: ArrivalOptions<'_>,
    files: &Files,
    flag: &dyn Fn(&str) -> String,
) -> Result<Load, LoadError> {
    Ok(match options.arrivals {
        Rate::Unlimited => Load::Closed(match options.think {
            None => ThinkTime::None,
            Some(text) => ThinkTime::parse(text)
                .map_err(|source| LoadError::Think { flag: flag("think"), source })?,
        }),
        Rate::Constant { per_second, arrival } => {
            let rate = match options.exact.filter(|rate| !rate.is_zero()) {
                Some(rate) => rate,
                None => per_second_of(per_second, &flag("rate"))?,
            };
            let schedule = match arrival {
                Arrival::Uniform => Schedule::constant(rate, None),
                Arrival::Poisson => Schedule::poisson(rate, None),
            };
            Load::Open(schedule.map_err(LoadError::Constant)?)
        }
        Rate::Stages(text) => Load::Open(stages(&text, files, flag("stages"))?),
        Rate::File { path, base } => Load::Open(file((&path, base), files, flag)?),
    })
}

/// A rate that can be kept, or what is wrong with the option that gave it.
pub fn per_second_of(per_second: f64, flag: &str) -> Result<PerSecond, RateOutOfRange> {
    PerSecond::from_per_second(per_second)
        .ok_or_else(|| RateOutOfRange { flag: flag.to_owned(), per_second })
}

/// `trace FILE` replays the moments in a file; everything else is the engine's own notation.
fn stages(text: &str, files: &Files, flag: String) -> Result<Schedule, LoadError> {
    let Some(path) = text.trim().strip_prefix("trace ") else {
        return Schedule::parse(text).map_err(|source| LoadError::Stages { flag, source });
    };
    let path = Path::new(path.trim());
    let shape = match read_offsets(path, files.open(path)) {
        Ok(shape) => shape,
        Err(source) => return Err(LoadError::Trace { flag, source }),
    };
    let stage = Stage { phase: Phase::Steady, shape, lasting: None };
    Schedule::new(vec![stage]).map_err(|source| LoadError::TraceSchedule { flag, source })
}

fn file(
    (path, base): (&Path, Option<f64>),
    files: &Files,
    flag: &dyn Fn(&str) -> String,
) -> Result<Schedule, LoadError> {
    let of_file = || flag("rate_file");
    let rates = Rates::read(files, path, base)
        .map_err(|source| LoadError::RateFile { flag: of_file(), source })?;
    stepped(&rates, &flag("rate")).map_err(|source| LoadError::Steps { flag: of_file(), source })
}

/// The schedule of a file of rates; `flag` is what its multiples refer to.
pub fn stepped(rates: &Rates, flag: &str) -> Result<Schedule, StepsError> {
    let steps =
        rates.steps.iter().map(|one| Ok((per_second_of(one.per_second, flag)?, one.lasting)));
    let steps: Vec<_> = steps.collect::<Result<_, RateOutOfRange>>()?;
    Ok(Schedule::steps(&steps, rates.repeat)?)
}
