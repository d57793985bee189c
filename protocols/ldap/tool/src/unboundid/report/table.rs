//! [`Table`]: the table of UnboundID's tools, a row for each interval.
//!
//! The engine provides one step a second; a row covers as many as `--intervalDuration` sets. Rows of the warm-up have
//! figures of their interval only.

use brunt_record::{Interval, Measured, Phase};
use brunt_run::{Finished, Observer, ObserverFailure, clock};

use super::figures::Sums;
use super::layout::{
    BINDS, Layout, MODIFICATIONS, SEARCHES, SEARCHES_AND_MODIFICATIONS, WARMED_UP,
};
use crate::filled_row::{FilledRow, SLACK};
use crate::options::rate::RateArgs;
use crate::options::rate::operation::Operation;
use crate::unboundid::result::{code_of, name};
use crate::writer::TableWriter;

/// Shows intervals as rows.
pub(crate) struct Table<'a> {
    args: &'a RateArgs,
    writer: TableWriter,
    layout: Layout,
    row: FilledRow,
    overall: Sums,
    warming_up: bool,
    rows: u64,
}

impl<'a> Table<'a> {
    /// The table of this run.
    pub(crate) fn new(args: &'a RateArgs, writer: TableWriter) -> Self {
        let (recent, overall) = match &args.operation {
            Operation::Bind { .. } => BINDS,
            Operation::SearchAndModify { .. } => SEARCHES_AND_MODIFICATIONS,
            Operation::Search(_) => SEARCHES,
            _ => MODIFICATIONS,
        };
        let (timestamps, csv) = (args.table.timestamps, args.table.script_friendly);
        Self {
            args,
            writer,
            layout: Layout { recent, overall, timestamps, csv },
            row: FilledRow::new(args.table.interval),
            overall: Sums::default(),
            warming_up: args.load.options.warm_up.is_some_and(|time| !time.is_zero()),
            rows: 0,
        }
    }

    /// Ends the warm-up, with the rest of its last row.
    fn warmed_up(&mut self) -> Result<(), ObserverFailure> {
        if !self.warming_up {
            return Ok(());
        }
        self.rest()?;
        self.warming_up = false;
        self.writer.write(WARMED_UP)
    }

    fn rest(&mut self) -> Result<(), ObserverFailure> {
        self.row.rest().map_or(Ok(()), |row| self.show(&row))
    }

    fn show(&mut self, row: &Interval) -> Result<(), ObserverFailure> {
        let sums = Sums::from_interval(row);
        let mut recent = sums.rates();
        if matches!(self.args.operation, Operation::Search(_)) {
            recent.push(sums.entries_per_search());
        }
        recent.push(sums.error_rate());
        let overall = if self.warming_up {
            None
        } else {
            self.rows += 1;
            self.overall.add(&sums);
            Some(self.overall.rates())
        };
        let now = clock::now(self.writer.clock).to_zoned(jiff::tz::TimeZone::system());
        let stamp = now.strftime(self.layout.time_format()).to_string();
        self.writer.write(&self.layout.row(&stamp, &recent, overall.as_deref()))?;
        if self.args.table.codes && sums.has_errors() {
            self.writer.report(&failures(row))?;
        }
        Ok(())
    }
}

impl Observer for Table<'_> {
    fn begin(&mut self) -> Result<(), ObserverFailure> {
        self.writer.write(&format!("{}{}", self.args.preamble, self.layout.header()))
    }

    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        match interval.phase {
            Phase::WarmUp => {}
            Phase::Steady => self.warmed_up()?,
            _ => return Ok(()),
        }
        self.row.add(interval).map_or(Ok(()), |row| self.show(&row))
    }

    /// Shows the rest of the last row, if the run ended before it was full.
    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        if self.args.rows != Some(self.rows) {
            self.rest()?;
        }
        self.writer.finish()
    }
}

/// The failures of a row by result code, the most frequent first.
fn failures(row: &Interval) -> String {
    let mut counts: Vec<(u32, u64)> = Vec::new();
    for (outcome, count) in row.operations.iter().flat_map(|it| it.codes.sorted()) {
        let Some(result) = code_of(outcome) else { continue };
        match counts.iter_mut().find(|(known, _)| *known == result) {
            Some((_, total)) => *total += count,
            None => counts.push((result, count)),
        }
    }
    counts.sort_by_key(|(result, count)| (std::cmp::Reverse(*count), *result));
    let lines = counts.iter().map(|(result, count)| format!("\t{}:  {count}\n", name(*result)));
    std::iter::once("\tError Results:\n".to_owned()).chain(lines).collect()
}

/// The original's message when the file of rates was carried out to its end.
pub(crate) fn completed(args: &RateArgs, finished: &Finished) -> Option<String> {
    let path = args.load.options.rate_file.as_ref()?;
    let seconds = finished.record.rates.seconds + SLACK.as_secs_f64();
    let whole = finished.early().is_none()
        && args.load.options.duration.is_none_or(|requested| seconds < requested.as_secs_f64());
    let shown = args.table.file.is_none() || args.table.tee;
    (whole && shown)
        .then(|| format!("All of the rates in {} have been completed.\n", path.display()))
}
