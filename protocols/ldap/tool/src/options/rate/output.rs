//! Where results are written, and the objectives they are compared with.

use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::declared::Unfit;
use brunt_run::options::run_options::{self, RunOptions};

use super::{Fault, Values};

/// Where results are written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Debug, PartialEq)]
pub struct Output {
    /// Comma-separated values instead of a table.
    pub script_friendly: bool,
    /// Print each failed operation.
    pub verbose: bool,
    /// Print result codes after each row.
    pub codes: bool,
    /// Time between rows.
    pub interval: Duration,
    /// Percentiles of the columns, ascending.
    pub percentiles: Vec<f64>,
    /// The timestamps before rows.
    pub timestamps: Timestamps,
    /// The options of every run.
    pub run: RunOptions,
    /// A file for the output that would go to the terminal.
    pub file: Option<PathBuf>,
    /// Whether that file is appended to.
    pub append: bool,
    /// Whether the output goes to the terminal as well.
    pub tee: bool,
}

/// The timestamps before rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timestamps {
    /// Nothing.
    None,
    /// Date and time.
    WithDate,
    /// The time of day.
    WithoutDate,
}

/// Reads where results go.
pub fn read(values: &Values) -> Result<Output, Fault> {
    let file = values.path("outputFile");
    for long in ["appendToOutputFile", "teeOutput"] {
        if values.has(long) && file.is_none() {
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
        script_friendly: values.has("scriptFriendly"),
        verbose: values.has("verbose"),
        codes: values.has("codes"),
        interval: Duration::from_secs(values.count("statInterval").unwrap_or(5)),
        percentiles,
        timestamps: match values.choice("timestampFormat") {
            Some("with-date") => Timestamps::WithDate,
            Some("without-date") => Timestamps::WithoutDate,
            _ => Timestamps::None,
        },
        run: of_every_run(values)?,
        append: values.has("appendToOutputFile"),
        tee: values.has("teeOutput"),
        file,
    })
}

fn of_every_run(values: &Values) -> Result<RunOptions, Fault> {
    run_options::read(|long| values.texts(long)).map_err(|Unfit { name, value, why }| {
        let spelled = values.spelled(name).unwrap_or(name);
        crate::options::opendj::refused(&value, spelled, &why)
    })
}
