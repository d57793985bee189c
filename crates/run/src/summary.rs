//! The output that every run prints when it is over: its last screen, or all figures.

use std::path::Path;

use brunt_record::{Collection, HistogramError, Record};
use brunt_report::page::Page;
use brunt_report::{
    Screen, attention, attention_of_all, closing, closing_of_all, last_screen, summary,
};

use super::write_failures::WriteFailures;
use crate::console::Console;
use crate::options::exit::Exit;
use crate::options::run_options::RunOptions;

/// A record that cannot be summarised.
#[derive(Debug, thiserror::Error)]
#[error("failed to {0}")]
pub struct SummaryError(#[from] HistogramError);

/// The stream of a tool's summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, which has no other output.
    Output,
    /// Standard error: standard output is for the table of an original tool.
    Error,
}

impl Stream {
    fn screen(self, console: &Console) -> Screen {
        match self {
            Self::Output => console.screen(),
            Self::Error => console.screen_of_stderr(),
        }
    }

    fn print(self, text: &str, console: &Console, losses: &mut WriteFailures) {
        match self {
            Self::Output => losses.print(text),
            Self::Error => console.report(text),
        }
    }
}

/// What a run prints when it is over: its last screen, or with `--details` all its figures and the three closing lines.
/// This is decided here for every tool.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    to: Stream,
    console: &'a Console,
    /// Whether all figures are wanted.
    pub details: bool,
}

impl<'a> Ending<'a> {
    /// The ending of a run with these options.
    pub const fn new(options: &RunOptions, to: Stream, console: &'a Console) -> Self {
        Self { to, console, details: options.details }
    }

    /// Prints all figures, if they are wanted. Any other output of a tool comes after this and before [`Self::close`].
    pub fn report(self, record: &Record, losses: &mut WriteFailures) -> Result<(), SummaryError> {
        if self.details {
            let above = if self.to == Stream::Error { "\n" } else { "" };
            self.to.print(
                &format!("{above}{}", summary(record, self.to.screen(self.console))?),
                self.console,
                losses,
            );
        }
        Ok(())
    }

    /// Prints the path of a run's record, and then what comes last; where standard error is kept free, only what needs
    /// attention goes there.
    pub fn close(
        self,
        record: &Record,
        written: Option<&Path>,
        losses: &mut WriteFailures,
    ) -> Result<(), SummaryError> {
        conclude(record, self.console)?;
        if let Some(path) = written {
            self.console.message(&format!("record: {}", path.display()));
        }
        let text = self.last(record, written)?;
        let alone = self.to == Stream::Output && !self.details;
        let above = if alone { "" } else { "\n" };
        self.to.print(&format!("{above}{text}"), self.console, losses);
        Ok(())
    }

    fn last(self, record: &Record, written: Option<&Path>) -> Result<String, HistogramError> {
        let screen = self.to.screen(self.console);
        let kept = written.map(|path| path.display().to_string());
        if self.details {
            closing(record, screen)
        } else {
            last_screen(record, screen, kept.as_deref())
        }
    }
}

/// The last screen of a record that is in this file, or with `details` all its figures and its three closing lines.
pub fn whole(
    record: &Record,
    details: bool,
    kept: Option<&Path>,
    console: &Console,
) -> Result<String, HistogramError> {
    let ending = Ending { to: Stream::Output, console, details };
    let last = ending.last(record, kept)?;
    if !details {
        return Ok(last);
    }
    Ok(format!("{}\n{last}", summary(record, ending.to.screen(console))?))
}

/// Writes what of a run needs attention, where standard error is otherwise kept free.
pub fn conclude(record: &Record, console: &Console) -> Result<(), SummaryError> {
    if console.is_held() {
        console.conclude(attention(record)?.as_deref());
    }
    Ok(())
}

/// The same of a comparison, which ends with this exit code.
pub fn conclude_all(page: &Page, collection: &Collection, exit: Exit, console: &Console) {
    console.conclude(attention_of_all(page, collection, exit == Exit::Ok).as_deref());
}

/// The report of a comparison and its three lines.
pub fn of_all(page: &Page, collection: &Collection, console: &Console) -> String {
    let screen = Stream::Output.screen(console);
    format!("{}\n{}", page.text(screen), closing_of_all(page, collection, screen))
}
