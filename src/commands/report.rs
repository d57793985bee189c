//! `brunt report`: prints a record again.

use std::io::IsTerminal as _;

use brunt_record::{Histogram, HistogramError, Record, write_hgrm};
use brunt_report::{Style, intervals_csv, json, summary};

use super::failed;
use crate::cli::Refusal;
use crate::cli::args::{Format, ReportArgs};
use crate::cli::exit::Exit;
use crate::console;

/// Prints a record in the format that is asked for.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Refusal> {
    let record = Record::read(&args.file).map_err(failed)?;
    let text = match args.format {
        Format::Summary => {
            let colour = console::colours() && std::io::stdout().is_terminal();
            summary(&record, Style { colour, verdict_always: true })
                .map_err(|error| unreadable(args, &error))?
        }
        Format::Csv => intervals_csv(&record).map_err(|error| unreadable(args, &error))?,
        Format::Json => {
            json(&record)
                .map_err(|error| failed(format!("print {}: {error}", args.file.display())))?
                + "\n"
        }
        Format::Hgrm => hgrm(&record).map_err(|error| unreadable(args, &error))?,
    };
    console::print(&text)
}

/// The response times of all operations together.
fn hgrm(record: &Record) -> Result<String, HistogramError> {
    let mut all = Histogram::new();
    for operation in &record.operations {
        all.merge(&operation.response.histogram()?);
    }
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_hgrm(&mut text, &all);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn unreadable(args: &ReportArgs, error: &HistogramError) -> Refusal {
    failed(format!("read {}: {error}", args.file.display()))
}
