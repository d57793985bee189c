//! Runs of one load at different rates, read from files and directories as one collection.

use std::path::PathBuf;

use brunt_record::Collection;
use brunt_report::comparison::Input;
use brunt_report::rates;
use brunt_run::Console;
use brunt_run::options::refusal::Refusal;
use brunt_run::tool;

use super::compare::refuse_unlike;
use super::runs::side;

/// The runs as the collection of a curve, unless they differ in more than their rate.
pub(super) fn collection(
    paths: &[PathBuf],
    anyway: bool,
    console: &Console,
) -> Result<Collection, Refusal> {
    let mut runs: Vec<Input> = Vec::new();
    for path in paths {
        runs.extend(side(path, console)?.runs);
    }
    let command = ["brunt", "report"].map(str::to_owned).into_iter();
    let command = command.chain(paths.iter().map(|path| path.display().to_string())).collect();
    let unlike = rates::unlike(&runs);
    let collection = rates::collection(tool(), command, runs)
        .map_err(|error| Refusal::usage(format!("failed to {error}")))?;
    if !anyway {
        refuse_unlike(&unlike)?;
    }
    Ok(collection)
}
