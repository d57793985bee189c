//! Where the results of a run are written and the objectives they are compared with: what all loads have in common,
//! whatever their grammar.

use std::sync::LazyLock;
use std::time::Duration;

use brunt_record::events::SharedLog;
use clap::{Args, Command, FromArgMatches as _};

use super::declared::{self, Unfit};
use super::row::Row;
use super::run_options::RunOptions;
use super::value_error::ValueError;

/// Where results go, and what they are held against.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Results")]
pub struct OutputArgs {
    /// What every run takes.
    #[command(flatten)]
    pub run: RunOptions,
    /// Additional percentile to report in the record, such as 99.95; may be repeated
    #[arg(long = "percentile", value_name = "NUMBER", value_parser = percentile)]
    pub percentiles: Vec<f64>,
    /// Length of the intervals in the record and in --hlog, such as 5s
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1s")]
    pub interval: Option<Duration>,
    /// Seed for all random values. Default: a new one for each run, stated in the record
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub typed: Vec<String>,
}

impl OutputArgs {
    /// The output settings, as the runner takes them.
    pub fn files(&self) -> Output {
        let progress = if self.run.quiet.quiet { Progress::Quiet } else { Progress::Figures };
        Output {
            run: self.run.clone(),
            percentiles: self.percentiles.clone(),
            progress,
            title: None,
            among: None,
        }
    }
}

/// The options here that tools with grammars of their own have under these names: the rows of their tables.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        declared::rows(&declared(), |id| ["percentiles", "interval"].contains(&id))
    });
    &ROWS
}

/// Parses the values of these rows on a command line, by their names.
pub fn read<T: AsRef<str>>(given: impl Fn(&str) -> Vec<T>) -> Result<OutputArgs, Unfit> {
    let matches = declared::matches(rows(), declared(), given)?;
    OutputArgs::from_arg_matches(&matches).map_err(|error| declared::unfit(rows(), &error))
}

fn declared() -> Command {
    OutputArgs::augment_args(Command::new("output").disable_help_flag(true))
}

/// Where the results of a run are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The options of every run.
    pub run: RunOptions,
    /// Percentiles for the record beside the default ones.
    pub percentiles: Vec<f64>,
    /// What is shown during the run.
    pub progress: Progress,
    /// The name of the run there, if the command is not specific enough.
    pub title: Option<String>,
    /// The log for its events, if it is shared with other runs.
    pub among: Option<SharedLog>,
}

impl Output {
    /// The same, with nothing shown during the run unless `shows` is set.
    #[must_use]
    pub fn shown(self, shows: bool) -> Self {
        if shows { self } else { Self { progress: Progress::Quiet, ..self } }
    }
}

/// What every run shows while it is in progress, beside its tool's own output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Nothing, regardless of options: the caller shows the run in its own way.
    #[default]
    Quiet,
    /// The live view if it is requested: the tool shows a table of its own.
    Table,
    /// The live view if the run is long; the tool shows a line of its own.
    Line,
    /// The same, and a line of figures if there is no view.
    Figures,
}

/// A time on a command line: a number of seconds, or a plan's notation.
pub fn duration(text: &str) -> Result<Duration, ValueError> {
    let written = brunt_exchange::duration(text);
    let seconds = || text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    written.or_else(seconds).ok_or(ValueError::Duration)
}

/// A percentile as a command line names it.
///
/// # Errors
///
/// It is none.
pub fn percentile(text: &str) -> Result<f64, ValueError> {
    let read = text.parse::<f64>().ok().filter(|figure| (0.0..=100.0).contains(figure));
    read.ok_or(ValueError::Percentile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_or_are_seconds() {
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2.5"), Ok(Duration::from_millis(2500)));
        assert!(duration("soon").unwrap_err().to_string().contains("30s"));
        assert!(duration("-1").is_err());
        assert_eq!(percentile("99.95"), Ok(99.95));
        assert!(percentile("101").is_err() && percentile("x").is_err());
    }
}
