//! `brunt merge`: merges the records of the nodes that shared a run into one.

use std::path::{Path, PathBuf};

use brunt_record::{Document, MergeError, Record, merge as merge_records};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{ExitPolicy, WriteFailures, exit, summary};

use super::failed;
use crate::cli::args::MergeArgs;

/// Merges the files, prints the summary of the whole run, and writes its record if requested.
pub(crate) fn merge(args: &MergeArgs, world: &World) -> Result<Exit, Refusal> {
    let files: Vec<(PathBuf, Record)> =
        args.files.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let record = merge_records(&files).map_err(|error| refused(&error))?;
    let text = summary::whole(&record, args.details, args.record.as_deref(), &world.console)
        .map_err(failed)?;
    let mut losses = WriteFailures::new(&world.console);
    losses.written(args.record.as_deref(), |path| {
        record.write(path).map_err(|error| format!("failed to {error}"))
    });
    losses.print(&text);
    Ok(losses.report(exit(&record, None, ExitPolicy::Ours)))
}

fn read(path: &Path) -> Result<(PathBuf, Record), Refusal> {
    match Document::read(path).map_err(failed)? {
        Document::Record(record) => Ok((path.to_owned(), *record)),
        Document::Collection(_) => Err(Refusal {
            text: format!(
                "failed to merge {}: it is a comparison of many runs; name the records of the nodes of one run\n",
                path.display()
            ),
            exit: Exit::Usage,
        }),
    }
}

/// Converts a merge error: files that do not belong together are a wrong command line; a damaged file is not.
fn refused(error: &MergeError) -> Refusal {
    let exit = match error {
        MergeError::Histogram { .. } | MergeError::Objective(_) => Exit::Failed,
        _ => Exit::Usage,
    };
    Refusal { exit, ..failed(error) }
}
