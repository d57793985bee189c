//! The figures of a run that a history stores for comparisons and trends, beside its record: they are written when the
//! run is indexed, and are read instead of the record, which takes many times as long.

use std::io;
use std::path::{Path, PathBuf};

use brunt_history::{FIGURES, PAGE_MAX, RECORD_KEPT, RunFiles, STEPS_KEPT};
use brunt_record::{Document, HistogramError, ReadError, Record};
use brunt_report::comparison::{FiguredRun, RunFigures, RunSteps};

use super::TaskError;
use crate::commands::runs::input;

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
pub(super) enum FiguredError {
    #[error("failed to {0}")]
    Read(#[from] ReadError),
    #[error("failed to {0}")]
    Figures(#[from] HistogramError),
    #[error("failed to use a record: it holds many runs; choose single runs")]
    ManyRuns,
}

/// Why the figures of a run are not kept.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error("failed to keep the figures: {0}")]
    Figures(#[source] HistogramError),
    #[error("failed to keep the figures: {0}")]
    Json(#[source] serde_json::Error),
}

/// Writes the figures of the record in the directory in which the child was started.
pub(super) fn figures() -> Result<(), TaskError> {
    let files = RunFiles::new(PathBuf::from("."));
    keep(&files, record(&files.path(RECORD_KEPT))?)
}

/// Writes the figures of a record.
pub(super) fn keep(files: &RunFiles, record: Record) -> Result<(), TaskError> {
    let made = FiguredRun::new(&input(String::new(), record)).map_err(KeepError::Figures)?;
    let text = serde_json::to_string(&made.figures).map_err(KeepError::Json)?;
    let steps = serde_json::to_vec(&made.steps).map_err(KeepError::Json)?;
    let kept = |error: io::Error| TaskError::writing("failed to keep the figures", &error);
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
pub(super) fn compared(name: &str, path: &Path) -> Result<FiguredRun, FiguredError> {
    if let Some((figures, steps)) = kept(path).zip(kept_steps(path)) {
        return Ok(FiguredRun { name: name.to_owned(), figures, steps });
    }
    Ok(FiguredRun::new(&input(name.to_owned(), record(path)?))?)
}

/// The figures of a run for a trend.
pub(super) fn followed(path: &Path) -> Result<RunFigures, FiguredError> {
    if let Some(figures) = kept(path) {
        return Ok(figures);
    }
    Ok(RunFigures::new(&input(String::new(), record(path)?))?)
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

fn record(path: &Path) -> Result<Record, FiguredError> {
    match Document::read(path)? {
        Document::Record(record) => Ok(*record),
        Document::Collection(_) => Err(FiguredError::ManyRuns),
    }
}
