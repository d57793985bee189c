//! Where results go, and what they are held against.

use std::path::PathBuf;
use std::time::Duration;

use super::{Fault, Values};
use crate::cli::monitor::MonitorSource;

/// Where results go.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Debug, PartialEq)]
pub(crate) struct Output {
    /// Comma-separated values instead of a table.
    pub(crate) script_friendly: bool,
    /// Print each failed operation.
    pub(crate) verbose: bool,
    /// Print result codes after each row.
    pub(crate) codes: bool,
    /// Time between rows.
    pub(crate) interval: Duration,
    /// Percentiles of the columns, ascending.
    pub(crate) percentiles: Vec<f64>,
    /// What stands in front of rows.
    pub(crate) timestamps: Timestamps,
    /// The record.
    pub(crate) record: Option<PathBuf>,
    /// The interval log.
    pub(crate) hlog: Option<PathBuf>,
    /// The events.
    pub(crate) events: Option<PathBuf>,
    /// The percentile distribution.
    pub(crate) hgrm: Option<PathBuf>,
    /// Where the target's own figures are read.
    pub(crate) monitors: Vec<MonitorSource>,
    /// Objectives, as text.
    pub(crate) objectives: Vec<String>,
    /// A file for what would go to the terminal.
    pub(crate) file: Option<PathBuf>,
    /// Whether that file is appended to.
    pub(crate) append: bool,
    /// Whether it goes to the terminal as well.
    pub(crate) tee: bool,
}

/// What stands in front of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timestamps {
    /// Nothing.
    None,
    /// Date and time.
    WithDate,
    /// The time of day.
    WithoutDate,
}

pub(super) fn read(values: &Values) -> Result<Output, Fault> {
    let file = values.path("outputFile");
    for long in ["appendToOutputFile", "teeOutput"] {
        if values.given(long) && file.is_none() {
            return Err(Fault::new(format!("--{long} needs --outputFile")));
        }
    }
    let mut percentiles = values.decimals("percentile");
    if percentiles.is_empty() {
        percentiles = vec![99.9, 99.99, 99.999];
    }
    percentiles.sort_by(f64::total_cmp);
    percentiles.dedup();
    Ok(Output {
        script_friendly: values.given("scriptFriendly"),
        verbose: values.given("verbose"),
        codes: values.given("codes"),
        interval: Duration::from_secs(values.count("statInterval").unwrap_or(5)),
        percentiles,
        timestamps: match values.choice("timestampFormat") {
            Some("with-date") => Timestamps::WithDate,
            Some("without-date") => Timestamps::WithoutDate,
            _ => Timestamps::None,
        },
        record: values.path("record"),
        hlog: values.path("hlog"),
        events: values.path("events"),
        hgrm: values.path("hgrm"),
        monitors: monitors(values)?,
        objectives: values.texts("slo"),
        append: values.given("appendToOutputFile"),
        tee: values.given("teeOutput"),
        file,
    })
}

fn monitors(values: &Values) -> Result<Vec<MonitorSource>, Fault> {
    let read = |text: &String| {
        text.parse().map_err(|why: String| {
            let spelled = values.spelled("monitor").unwrap_or("--monitor");
            crate::cli::values::refused(text, spelled, &why)
        })
    };
    values.texts("monitor").iter().map(read).collect()
}
