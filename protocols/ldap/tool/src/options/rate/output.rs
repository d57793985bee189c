//! What a command line has in common with all loads: the options of every run, the seed, and the line itself.

use brunt_run::options::declared::Unfit;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::run_options::{self, RunOptions};

use super::{UsageError, Values};
use crate::options::tool::Tool;

/// Reads it. The percentiles are also the columns of the table. Intervals of the record have the usual length, whatever
/// the time between two rows.
pub(super) fn read(
    values: &Values,
    tool: Tool,
    redacted: &[String],
) -> Result<OutputArgs, UsageError> {
    let mut percentiles = values.decimals("percentile");
    if percentiles.is_empty() {
        percentiles = vec![99.9, 99.99, 99.999];
    }
    percentiles.sort_by(f64::total_cmp);
    percentiles.dedup();
    Ok(OutputArgs {
        run: of_every_run(values)?,
        percentiles,
        interval: None,
        seed: if tool == Tool::Addrate {
            Some(values.count("randomSeed").unwrap_or(0))
        } else {
            values.count("seed")
        },
        typed: [&[tool.name().to_owned()], redacted].concat(),
    })
}

fn of_every_run(values: &Values) -> Result<RunOptions, UsageError> {
    run_options::read(|long| values.texts(long)).map_err(|Unfit { name, value, why }| {
        let spelled = values.spelled(name).unwrap_or(name);
        crate::options::opendj::refused(&value, spelled, &why)
    })
}
