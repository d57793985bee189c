//! The runs that a comparison or a trend is made of: records, event files, and directories of either.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use brunt_record::{Document, Record};
use brunt_report::comparison::{Given, Input};
use brunt_run::Console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::requested_words;

use super::failed;

/// The most files in a directory.
const FILES_MAX: usize = 10_000;
/// The file name extensions of runs.
const ENDINGS: [&str; 3] = ["json", "ndjson", "jsonl"];

/// The runs of a file or a directory, by name.
pub(super) fn side(path: &Path, console: &Console) -> Result<Given, Refusal> {
    let mut seen = BTreeSet::new();
    let mut runs = Vec::new();
    for file in files(path)? {
        let run = run(&file)?;
        // A run that has left both a record and events is one run.
        let id =
            run.record.run.clone().map(|id| (id, run.record.node.as_ref().map(|node| node.rank)));
        if id.is_some_and(|id| !seen.insert(id)) {
            console.note(&format!("{} is left out: another file contains the same run", run.name));
            continue;
        }
        runs.push(run);
    }
    if runs.is_empty() {
        let text = format!(
            "failed to find a run in {}: it holds no file that ends in .json or .ndjson\n",
            path.display()
        );
        return Err(Refusal { text, exit: Exit::Usage });
    }
    Ok(Given { name: path.display().to_string(), runs })
}

/// The files of a directory in the order of their names, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, Refusal> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unread = |error: std::io::Error| failed(format!("read {}: {error}", path.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unread)? {
        let file = entry.map_err(unread)?.path();
        let ending = file.extension().and_then(|ending| ending.to_str());
        if file.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            files.push(file);
        }
        if files.len() > FILES_MAX {
            return Err(failed(format!(
                "read {}: it has more than {FILES_MAX} files",
                path.display()
            )));
        }
    }
    files.sort();
    Ok(files)
}

fn run(path: &Path) -> Result<Input, Refusal> {
    match Document::read(path).map_err(failed)? {
        Document::Record(record) => Ok(input(path.display().to_string(), *record)),
        Document::Collection(_) => {
            let text = format!(
                "failed to compare {}: it is a comparison of many runs already; 'brunt report' prints it\n",
                path.display()
            );
            Err(Refusal { text, exit: Exit::Usage })
        }
    }
}

/// A run and its settings.
pub(super) fn input(name: String, record: Record) -> Input {
    Input { name, requested: requested_words(&record.command), record }
}
