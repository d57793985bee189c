//! The output that every run prints when it is over: its summary, and three last lines.

use std::path::Path;

use brunt_record::{Collection, Record};
use brunt_report::page::Page;
use brunt_report::{Screen, closing, closing_of_all};

use super::write_failures::WriteFailures;
use crate::console;

/// The stream of a tool's summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output, which has no other output.
    Output,
    /// Standard error: standard output is for the table of an original tool.
    Error,
}

impl Stream {
    fn screen(self) -> Screen {
        match self {
            Self::Output => console::screen(),
            Self::Error => console::screen_of_stderr(),
        }
    }

    fn print(self, text: &str, losses: &mut WriteFailures) {
        match self {
            Self::Output => losses.print(text),
            Self::Error => console::tell(text),
        }
    }
}

/// Prints the summary of a run.
pub(crate) fn tell(record: &Record, to: Stream, losses: &mut WriteFailures) -> Result<(), String> {
    let above = if to == Stream::Error { "\n" } else { "" };
    to.print(&format!("{above}{}", summary(record, to)?), losses);
    Ok(())
}

/// Prints the path of a run's record, and then its last three lines: the result, the objectives, and whether to trust
/// it. Any other output of a tool comes before.
pub(crate) fn close(
    record: &Record,
    to: Stream,
    written: Option<&Path>,
    losses: &mut WriteFailures,
) -> Result<(), String> {
    if let Some(path) = written {
        console::say(&format!("record: {}", path.display()));
    }
    let lines = closing(record, to.screen()).map_err(failed)?;
    to.print(&format!("\n{lines}"), losses);
    Ok(())
}

/// The summary of a record and its three lines, as `brunt report` prints them.
pub(crate) fn whole(record: &Record) -> Result<String, String> {
    let lines = closing(record, Stream::Output.screen()).map_err(failed)?;
    Ok(format!("{}\n{lines}", summary(record, Stream::Output)?))
}

/// The report of a comparison and its three lines.
pub(crate) fn of_all(page: &Page, collection: &Collection) -> String {
    let screen = Stream::Output.screen();
    format!("{}\n{}", page.text(screen), closing_of_all(page, collection, screen))
}

fn summary(record: &Record, to: Stream) -> Result<String, String> {
    brunt_report::summary(record, to.screen()).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> String {
    format!("failed to {error}")
}
