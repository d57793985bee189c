//! [`Screen`]: shows the intervals of a run as they come, and keeps what the record needs.
//!
//! The engine gives a step a second; a row covers as many as `--statInterval` asks for. Only the steady phase has rows.
//! The last row ends with the last answer, so it may be shorter or longer than the others, and its rate is of the time
//! that it covers.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_engine::{Sink, Stop};
use brunt_record::{Catalogue, Interval, Phase};
use brunt_report::table::{Extra, Layout, RatesTable, TimeBasis};

use super::naming::name;
use super::paper::{Paper, Torn};
use crate::cli::fault::wrap;
use crate::cli::rate::RateArgs;
use crate::cli::rate::operation::Operation;
use crate::cli::rate::output::Timestamps;
use crate::console;
use crate::measured::{IntervalLog, Measured};

/// Steps may end a little before or after their second; a row is due when nearly all of it is there.
const SLACK: Duration = Duration::from_millis(500);

/// Where the words of a failure break, as they did of old.
const COLUMNS: usize = 80;

/// Shows and keeps intervals.
pub(super) struct Screen<'a> {
    args: &'a RateArgs,
    catalogue: &'a Catalogue,
    paper: &'a mut Paper,
    stop: &'a Stop,
    table: RatesTable,
    begun: bool,
    /// The row that is filling.
    row: Option<Interval>,
    log: IntervalLog,
    measured: Measured,
    trouble: Option<String>,
}

impl<'a> Screen<'a> {
    /// A screen for this run. The interval log is opened here, so that a wrong path stops the run before it starts.
    pub(super) fn new(
        args: &'a RateArgs,
        catalogue: &'a Catalogue,
        paper: &'a mut Paper,
        stop: &'a Stop,
    ) -> Result<Self, String> {
        let output = &args.output;
        let basis = if args.load.compat { TimeBasis::Service } else { TimeBasis::Response };
        let layout = Layout::new(&output.percentiles, extra(args, catalogue));
        Ok(Self {
            args,
            catalogue,
            paper,
            stop,
            table: RatesTable::new(layout, basis, output.script_friendly),
            begun: false,
            row: None,
            log: IntervalLog::open(output.hlog.as_deref(), catalogue)?,
            measured: Measured::default(),
            trouble: None,
        })
    }

    /// Says what happens before the first row.
    pub(super) fn begin(&mut self, warm_up: Duration) {
        if warm_up.is_zero() {
            self.header();
        } else if !self.args.output.script_friendly {
            self.print(&format!("Warming up for {} seconds...\n", warm_up.as_secs()));
        }
    }

    /// Shows what is left of the last row and closes the files.
    pub(super) fn finish(mut self) -> Result<Measured, String> {
        self.header();
        if let Some(row) = self.row.take() {
            self.show(&row);
        }
        self.log.finish()?;
        match self.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(self.measured),
        }
    }

    fn header(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        let header = self.table.header();
        let stamped = match (self.args.output.timestamps, self.args.output.script_friendly) {
            (Timestamps::None, _) => header,
            (_, true) => format!("Timestamp,{header}"),
            (_, false) => {
                let width = self.timestamp().chars().count();
                header
                    .lines()
                    .fold(String::new(), |text, line| format!("{text}{:width$}{line}\n", ""))
            }
        };
        self.print(&stamped);
    }

    fn show(&mut self, row: &Interval) {
        let line = self.table.push(row);
        let stamp = self.timestamp();
        self.print(&format!("{stamp}{line}"));
        if self.args.output.codes {
            self.show_codes(row);
        }
    }

    /// What stands in front of a row, with what separates it from the row.
    fn timestamp(&self) -> String {
        let format = match self.args.output.timestamps {
            Timestamps::None => return String::new(),
            Timestamps::WithDate => "%Y-%m-%d %H:%M:%S",
            Timestamps::WithoutDate => "%H:%M:%S",
        };
        let zoned = console::now().to_zoned(jiff::tz::TimeZone::system());
        let separator = if self.args.output.script_friendly { ',' } else { ' ' };
        format!("{}{separator}", zoned.strftime(format))
    }

    /// How often each outcome was met in a row, the most frequent first.
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
        console::say(&line);
    }

    fn print(&mut self, text: &str) {
        if self.trouble.is_some() {
            return;
        }
        match self.paper.write(text) {
            Ok(()) => {}
            Err(Torn::Closed) => {
                self.stop.request();
            }
            Err(Torn::Failed(why)) => {
                self.trouble = Some(why);
                self.stop.request();
            }
        }
    }
}

impl Sink for Screen<'_> {
    fn interval(&mut self, interval: &Interval) {
        self.measured.absorb(interval);
        if self.args.output.verbose {
            interval.samples.iter().for_each(|sample| console::say(&wrap(&sample.text, COLUMNS)));
        }
        if interval.phase != Phase::Steady {
            return;
        }
        self.header();
        if let Err(trouble) = self.log.push(interval) {
            self.trouble.get_or_insert(trouble);
            self.stop.request();
        }
        let row = match self.row.take() {
            Some(mut row) => {
                row.append(interval);
                row
            }
            None => interval.clone(),
        };
        if row.lasted() + SLACK >= self.args.output.interval {
            self.show(&row);
        } else {
            self.row = Some(row);
        }
    }
}

/// The column beside those that every tool has.
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
