//! [`Table`]: the table of the original tools, a row for each period of time.
//!
//! The engine provides one step a second; a row covers as many as `--statInterval` sets. Only the steady phase has
//! rows. The last row ends with the last answer, so it may be shorter or longer than the others, and its rate is that
//! of the time it covers.

use std::fmt::Write as _;

use brunt_ldap_driver::naming::name;
use brunt_record::{Catalogue, Interval, Measured, Phase};
use brunt_run::options::page::wrap;
use brunt_run::{Observer, ObserverFailure, clock};

use super::unboundid;
use super::writer::TableWriter;
use crate::filled_row::FilledRow;
use crate::options::dialect::Dialect;
use crate::options::rate::RateArgs;
use crate::options::rate::operation::Operation;
use crate::options::rate::table_options::Timestamps;
use crate::report::{Extra, Layout, RatesTable, TimeBasis};

/// The width at which failure messages are wrapped, as in the original tools.
const COLUMNS: usize = 80;

/// Shows intervals as rows.
struct Table<'a> {
    args: &'a RateArgs,
    catalogue: &'a Catalogue,
    writer: TableWriter,
    rows: RatesTable,
    begun: bool,
    row: FilledRow,
}

impl<'a> Table<'a> {
    /// The table of this run.
    fn new(args: &'a RateArgs, catalogue: &'a Catalogue, writer: TableWriter) -> Self {
        let basis = if args.load.compat { TimeBasis::Service } else { TimeBasis::Response };
        let layout = Layout::new(&args.output.percentiles, extra(args, catalogue));
        Self {
            args,
            catalogue,
            writer,
            rows: RatesTable::new(layout, basis, args.table.script_friendly),
            begun: false,
            row: FilledRow::new(args.table.interval),
        }
    }

    fn header(&mut self) -> Result<(), ObserverFailure> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let header = self.rows.header();
        let stamped = match (self.args.table.timestamps, self.args.table.script_friendly) {
            (Timestamps::None, _) => header,
            (_, true) => format!("Timestamp,{header}"),
            (_, false) => {
                let width = self.timestamp().chars().count();
                header
                    .lines()
                    .fold(String::new(), |text, line| format!("{text}{:width$}{line}\n", ""))
            }
        };
        self.writer.write(&stamped)
    }

    fn show(&mut self, row: &Interval) -> Result<(), ObserverFailure> {
        let line = self.rows.push(row);
        let stamp = self.timestamp();
        self.writer.write(&format!("{stamp}{line}"))?;
        if self.args.table.codes {
            self.show_codes(row);
        }
        Ok(())
    }

    /// The timestamp before a row, with the separator between it and the row.
    fn timestamp(&self) -> String {
        let format = match self.args.table.timestamps {
            Timestamps::None => return String::new(),
            Timestamps::WithDate => "%Y-%m-%d %H:%M:%S",
            Timestamps::WithoutDate => "%H:%M:%S",
        };
        let zoned = clock::now(self.writer.clock).to_zoned(jiff::tz::TimeZone::system());
        let separator = if self.args.table.script_friendly { ',' } else { ' ' };
        format!("{}{separator}", zoned.strftime(format))
    }

    /// The frequency of each outcome in a row, the most frequent first.
    fn show_codes(&self, row: &Interval) {
        let mut line = String::new();
        for (number, operation) in row.operations.iter().enumerate() {
            for (outcome, count) in operation.codes.sorted() {
                let operation_name = self.catalogue.operation(number);
                let _ = write!(line, "  {operation_name} {}: {count}", name(outcome));
            }
            if operation.codes.other() > 0 {
                let _ = write!(line, "  other: {}", operation.codes.other());
            }
        }
        self.writer.console.message(&line);
    }
}

impl Observer for Table<'_> {
    fn begin(&mut self) -> Result<(), ObserverFailure> {
        let warm_up = self.args.load.options.warm_up.unwrap_or_default();
        if warm_up.is_zero() {
            return self.header();
        }
        if self.args.table.script_friendly {
            return Ok(());
        }
        self.writer.write(&format!("Warming up for {} seconds...\n", warm_up.as_secs()))
    }

    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        if self.args.table.verbose {
            interval
                .samples
                .iter()
                .for_each(|sample| self.writer.console.message(&wrap(&sample.text, COLUMNS)));
        }
        if interval.phase != Phase::Steady {
            return Ok(());
        }
        self.header()?;
        self.row.add(interval).map_or(Ok(()), |row| self.show(&row))
    }

    /// Shows the rest of the last row.
    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        self.header()?;
        self.row.rest().map_or(Ok(()), |row| self.show(&row))?;
        self.writer.finish()
    }
}

/// The table of a run, in the dialect of its command line.
pub(crate) fn of<'a>(
    args: &'a RateArgs,
    catalogue: &'a Catalogue,
    writer: TableWriter,
) -> Box<dyn Observer + 'a> {
    match args.dialect {
        Dialect::Opendj => Box::new(Table::new(args, catalogue, writer)),
        Dialect::Unboundid => Box::new(unboundid::report::Table::new(args, writer)),
    }
}

/// The column that a tool has in addition to the common ones.
fn extra(args: &RateArgs, catalogue: &Catalogue) -> Option<Extra> {
    let part = |name: &str| {
        catalogue.parts.iter().position(|part| part == name).and_then(|at| u8::try_from(at).ok())
    };
    match &args.operation {
        Operation::Search(_) => Some(Extra::EntriesPerSearch),
        Operation::Add(_) => Some(Extra::AddShare),
        Operation::Bind { search: Some(_), .. } => {
            part("search").map(|search| Extra::BindTimeShare { search })
        }
        _ => None,
    }
}
