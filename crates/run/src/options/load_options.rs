//! [`LoadOptions`]: when exchanges begin, how many there are and for how long, for every command that makes load.
//!
//! They are declared once, for clap. A tool has a [`Spelling`] for its own names of them, of which it makes its
//! arguments ([`Spelled`](super::spelled::Spelled)) or the rows of its own table ([`rows`], [`read`]). So an option
//! that every load has is one field here, and has the same effect in all tools.

use std::path::PathBuf;
use std::time::Duration;

use brunt_engine::{Load, Settings, Stopping};
use brunt_feed::Files;
use clap::{Args, Command, FromArgMatches as _};

use super::arrivals::{Arrival, Rate, TargetRate};
use super::count::count;
use super::declared::{self, Unfit};
use super::output::duration;
use super::pacing::Pacing;
use super::row::{Kind, Row};
use super::spelling::Spelling;
use crate::schedules::{self, LoadError};

/// The most due exchanges that may wait.
const BACKLOG_MAX: i64 = 100_000_000;
/// The most threads.
const WORKERS_MAX: i64 = 4_096;

/// When exchanges begin, how many there are, and for how long.
///
/// The helps call them exchanges and the virtual users sessions; a [`Spelling`] has the words of its tool.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Load")]
pub struct LoadOptions {
    /// Exchanges per second (open loop), such as 1000, 10k or 90/m
    ///
    /// Exchanges become due at this rate whether or not earlier ones were answered. The time that they wait for a free
    /// session is part of their response time. Without a rate the load is a closed loop: each session starts its next
    /// exchange as soon as the previous one has ended.
    #[arg(long, value_name = "RATE")]
    pub rate: Option<TargetRate>,
    /// How the exchanges of --rate are spread over time. Default: uniform
    ///
    /// 'uniform' spaces them evenly; with 'poisson' they are independent of each other, as those of many users are.
    #[arg(long, value_enum, value_name = "DISTRIBUTION")]
    pub arrival: Option<Arrival>,
    /// Rate that changes, in place of --rate, such as 'ramp 100..500 over 1m, 500/s for 5m'
    ///
    /// Stages follow each other: '1000/s for 30s, ramp 1000..5000 over 1m, sine 1000±500 every 10s for 1m, poisson
    /// 2000/s for 30s'. 'trace FILE' takes the times from a file, one offset in seconds per line.
    #[arg(long, value_name = "STAGES")]
    pub stages: Option<String>,
    /// File with a rate that changes, in the format of UnboundID's tools
    ///
    /// After a header, a line is a rate per second and, after a comma, how long it applies. Multiples such as 2.5X
    /// refer to --rate.
    #[arg(long, value_name = "FILE")]
    pub rate_file: Option<PathBuf>,
    /// Think time of each virtual user between an answer and its next exchange, such as 100ms. Not with a rate
    ///
    /// It is a time, or drawn from a distribution: '100ms', 'uniform 50ms..150ms', 'exponential 100ms' or 'normal
    /// 100ms±20ms'.
    #[arg(long, value_name = "TIME")]
    pub think: Option<String>,
    /// Number of due exchanges that may wait for a free session before further ones are dropped and counted
    ///
    /// Default: two seconds of the rate, at least 1024.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=BACKLOG_MAX))]
    pub backlog: Option<u32>,
    /// Run for this long before measuring, such as 10s. No figure includes the warm-up
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub warm_up: Option<Duration>,
    /// How long to run, such as 30s or 2m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub duration: Option<Duration>,
    /// Stop after this many exchanges, such as 5000 or 100k
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub count: Option<u64>,
    /// How long to wait for an answer, such as 5s; 0 waits forever
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// How long to wait for answers once the time is over. Default: 10s
    ///
    /// After a number of exchanges the default is the time-out of each.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub drain: Option<Duration>,
    /// Number of worker threads. Default: as many as the processors and sessions can use
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=WORKERS_MAX))]
    pub workers: Option<u32>,
    /// Let the operating system move worker threads between processors
    #[arg(long)]
    pub no_pin: bool,
}

impl LoadOptions {
    /// What makes exchanges begin, and the rate that a file of rates refers to.
    pub fn arrivals(&self) -> Rate {
        let per_second = self.rate.as_ref().map(TargetRate::per_second);
        match (&self.stages, &self.rate_file, per_second) {
            (Some(stages), ..) => Rate::Stages(stages.clone()),
            (None, Some(path), base) => Rate::File { path: path.clone(), base },
            (None, None, Some(per_second)) => {
                Rate::Constant { per_second, arrival: self.arrival.unwrap_or_default() }
            }
            (None, None, None) => Rate::Unlimited,
        }
    }

    /// Refuses options that contradict each other, in the names of a tool.
    pub fn check(&self, spelling: &Spelling) -> Result<(), Contradiction> {
        let flag = |id| spelling.flag(id);
        let (rate, stages, file) = (flag("rate"), flag("stages"), flag("rate_file"));
        let open = self.arrivals() != Rate::Unlimited;
        if self.stages.is_some() {
            let other = if self.rate.is_some() { Some(rate.clone()) } else { None };
            let other = other.or_else(|| self.rate_file.is_some().then(|| file.clone()));
            if let Some(other) = other {
                return Err(Contradiction::TwoRates { stages, other });
            }
        }
        if self.arrival.is_some() && !matches!(self.arrivals(), Rate::Constant { .. }) {
            let (arrival, nouns) = (flag("arrival"), spelling.nouns);
            return Err(Contradiction::ArrivalWithoutRate { arrival, rate, nouns });
        }
        if self.backlog.is_some() && !open && !spelling.is_open {
            let (backlog, rates) = (flag("backlog"), [rate, stages, file]);
            return Err(Contradiction::BacklogWithoutRate { backlog, rates });
        }
        if self.think.is_some() && open {
            let (think, nouns, rates) = (flag("think"), spelling.nouns, [rate, stages, file]);
            return Err(Contradiction::ThinkWithRate { think, rates, nouns });
        }
        Ok(())
    }

    /// The options that set when exchanges begin, how many there are and how long they go on, in the names of a tool,
    /// and those that need one of them.
    pub fn pacing(&self, spelling: &Spelling) -> Vec<Pacing> {
        let given = [
            ("rate", self.rate.is_some()),
            ("stages", self.stages.is_some()),
            ("rate_file", self.rate_file.is_some()),
            ("think", self.think.is_some()),
            ("count", self.count.is_some()),
            ("duration", self.duration.is_some()),
            ("warm_up", self.warm_up.is_some()),
            ("arrival", self.arrival.is_some()),
            ("backlog", self.backlog.is_some() && !spelling.is_open),
        ];
        let pacing = |(id, given)| Pacing {
            called: spelling.names(id),
            spelled: spelling.spelled_as(id),
            takes_word: true,
            given,
        };
        given.into_iter().map(pacing).collect()
    }

    /// The engine's load, or what is wrong with a value.
    pub fn load(&self, spelling: &Spelling, files: &Files) -> Result<Load, LoadError> {
        let options = schedules::ArrivalOptions {
            arrivals: self.arrivals(),
            exact: self.rate.as_ref().and_then(TargetRate::exact),
            think: self.think.as_deref(),
        };
        schedules::load(options, files, &|id| spelling.flag(id))
    }

    /// The settings of a whole run with this load. The caller adds what is its own.
    pub fn settings(&self, load: Load, sessions: u32) -> Settings {
        let settings = match load {
            Load::Open(schedule) => Settings::open(schedule, sessions),
            Load::Closed(think) => Settings::closed(think, sessions),
        };
        Settings {
            stop: Stopping { count: self.count, time: self.duration, ..Stopping::default() },
            warm_up: self.warm_up.unwrap_or_default(),
            workers: self.workers.map(|count| count as usize),
            pin: !self.no_pin,
            backlog: self.backlog.map(|most| most as usize),
            operation_timeout: self.timeout.unwrap_or(settings.operation_timeout),
            drain: self.drain,
            ..settings
        }
    }
}

/// Options that contradict each other, in the names of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// Two options that give the rate.
    #[error("{stages} cannot be used with {other}: both give the rate")]
    TwoRates {
        /// The option of stages.
        stages: String,
        /// The other one.
        other: String,
    },
    /// How exchanges are spread, without a rate.
    #[error("{arrival} needs {rate}: it spreads the {nouns} of a rate")]
    ArrivalWithoutRate {
        /// The option.
        arrival: String,
        /// The option of a rate.
        rate: String,
        /// What the tool calls exchanges.
        nouns: &'static str,
    },
    /// How many exchanges may wait, without a rate.
    #[error(
        "{backlog} needs {}, {} or {}: without a rate nothing waits", .rates[0], .rates[1], .rates[2]
    )]
    BacklogWithoutRate {
        /// The option.
        backlog: String,
        /// The options that give a rate.
        rates: [String; 3],
    },
    /// Pauses between exchanges, with a rate.
    #[error(
        "{think} cannot be used with {}, {} or {}: {nouns} that become due at a rate do not wait for an answer",
        .rates[0], .rates[1], .rates[2]
    )]
    ThinkWithRate {
        /// The option.
        think: String,
        /// The options that give a rate.
        rates: [String; 3],
        /// What the tool calls exchanges.
        nouns: &'static str,
    },
}

/// The rows of the options that a tool does not have in a table of its own, with a name only. Their texts live as long
/// as the program, so a table is made once.
pub fn rows(spelling: &Spelling) -> Vec<Row> {
    let is_common = |id: &str| {
        let named = spelling.own(id).is_some_and(|own| own.help.is_empty());
        !named && spelling.lacks(id).is_none()
    };
    let bounded = |row: Row| match row.name {
        "backlog" => Row { kind: Kind::Integer(1, BACKLOG_MAX.into()), ..row },
        "workers" => Row { kind: Kind::Integer(1, WORKERS_MAX.into()), ..row },
        _ => row,
    };
    declared::rows(&declared(spelling), is_common).into_iter().map(bounded).collect()
}

/// Parses the values of these rows on a command line, by their names.
pub fn read<T: AsRef<str>>(
    rows: &[Row],
    spelling: &Spelling,
    given: impl Fn(&str) -> Vec<T>,
) -> Result<LoadOptions, Unfit> {
    let matches = declared::matches(rows, declared(spelling), given)?;
    LoadOptions::from_arg_matches(&matches).map_err(|error| declared::unfit(rows, &error))
}

/// The fields, in the order of the help.
pub fn ids() -> Vec<String> {
    let declared = LoadOptions::augment_args(Command::new("load"));
    declared.get_arguments().map(|arg| arg.get_id().to_string()).collect()
}

fn declared(spelling: &Spelling) -> Command {
    let command = Command::new("load").disable_help_flag(true);
    spelling.spell(LoadOptions::augment_args(command), &ids())
}
