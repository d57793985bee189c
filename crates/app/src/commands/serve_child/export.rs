//! Exports the record of a run to another format, for a download.

use std::path::Path;

use brunt_capacity::Reading;
use brunt_envelope::Export;
use brunt_history::RECORD_KEPT;
use brunt_record::{Collection, Document, HistogramError, ReadError, Record};
use brunt_report::{capacity, cells_csv, intervals_csv};

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExportError {
    #[error("failed to {0}")]
    Read(#[from] ReadError),
    #[error("failed to {0}")]
    Figures(#[from] HistogramError),
    #[error("failed to export it: it holds many runs")]
    ManyRuns,
}

/// The exported record of the directory in which the child was started. The error says why there is none.
pub(super) fn export(export: Export) -> Result<String, ExportError> {
    match Document::read(Path::new(RECORD_KEPT))? {
        Document::Record(record) => Ok(written(&record, export)?),
        Document::Collection(collection) => of_search(&collection, export),
    }
}

fn of_search(collection: &Collection, export: Export) -> Result<String, ExportError> {
    match export {
        Export::Csv => Ok(cells_csv(collection)),
        Export::Html => Reading::from_collection(collection)
            .map(|reading| capacity::page(&reading).html())
            .ok_or(ExportError::ManyRuns),
    }
}

fn written(record: &Record, export: Export) -> Result<String, HistogramError> {
    match export {
        Export::Csv => intervals_csv(record),
        Export::Html => brunt_report::run::page(record).map(|page| page.html()),
    }
}
