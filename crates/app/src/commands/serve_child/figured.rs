//! The figures of a run that a history stores for comparisons and trends, beside its record: they are written when the
//! run is indexed, and are read instead of the record, which takes many times as long.

use std::io;
use std::path::{Path, PathBuf};

use brunt_history::{FIGURES, PAGE_MAX, RECORD_KEPT, RunFiles, STEPS_KEPT};
use brunt_record::{Document, Record};
use brunt_report::comparison::{FiguredRun, RunFigures, RunSteps};

use super::Trouble;
use crate::commands::runs::input;

/// Writes the figures of the record in the directory in which the child was started.
pub(super) fn figures() -> Result<(), Trouble> {
    let files = RunFiles::new(PathBuf::from("."));
    keep(&files, record(&files.path(RECORD_KEPT))?)
}

/// Writes the figures of a record.
pub(super) fn keep(files: &RunFiles, record: Record) -> Result<(), Trouble> {
    let said = |error: &dyn std::fmt::Display| format!("failed to keep the figures: {error}");
    let made = FiguredRun::new(&input(String::new(), record)).map_err(|error| said(&error))?;
    let text = serde_json::to_string(&made.figures).map_err(|error| said(&error))?;
    let steps = serde_json::to_vec(&made.steps).map_err(|error| said(&error))?;
    let kept = |error: io::Error| Trouble::writing("failed to keep the figures", &error);
    files.pack(STEPS_KEPT, steps.as_slice()).map_err(kept)?;
    files.write_text(FIGURES, &(text + "\n")).map_err(kept)
}

/// The files that are read for the runs of these records.
pub(super) fn paths<'a>(records: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let beside = |record: &PathBuf| {
        [record.clone(), record.with_file_name(FIGURES), record.with_file_name(STEPS_KEPT)]
    };
    records.flat_map(beside).collect()
}

/// The figures of a run for a comparison: the stored ones, or those of its record if this version has stored none.
pub(super) fn compared(name: &str, path: &Path) -> Result<FiguredRun, String> {
    if let Some((figures, steps)) = kept(path).zip(kept_steps(path)) {
        return Ok(FiguredRun { name: name.to_owned(), figures, steps });
    }
    FiguredRun::new(&input(name.to_owned(), record(path)?)).map_err(|error| failed(&error))
}

/// The figures of a run for a trend.
pub(super) fn followed(path: &Path) -> Result<RunFigures, String> {
    if let Some(figures) = kept(path) {
        return Ok(figures);
    }
    RunFigures::new(&input(String::new(), record(path)?)).map_err(|error| failed(&error))
}

fn kept(record: &Path) -> Option<RunFigures> {
    let read: Option<RunFigures> = beside(record)?.json(FIGURES).ok()?;
    read.filter(RunFigures::is_current)
}

fn kept_steps(record: &Path) -> Option<RunSteps> {
    let text = beside(record)?.packed(STEPS_KEPT, PAGE_MAX).ok()??;
    serde_json::from_str(&text).ok().filter(RunSteps::is_current)
}

fn beside(record: &Path) -> Option<RunFiles> {
    record.parent().map(|directory| RunFiles::new(directory.to_owned()))
}

fn record(path: &Path) -> Result<Record, String> {
    match Document::read(path).map_err(|error| failed(&error))? {
        Document::Record(record) => Ok(*record),
        Document::Collection(_) => Err("one of them holds many runs already".to_owned()),
    }
}

fn failed(error: &dyn std::fmt::Display) -> String {
    format!("failed to {error}")
}
