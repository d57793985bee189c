//! Exports the record of a run to another format, for a download.

use std::path::Path;

use brunt_capacity::Reading;
use brunt_envelope::Export;
use brunt_history::RECORD_KEPT;
use brunt_record::{Collection, Document, Record};
use brunt_report::{capacity, cells_csv, intervals_csv};

/// The exported record of the directory in which the child was started. The error says why there is none.
pub(super) fn export(export: Export) -> Result<String, String> {
    match Document::read(Path::new(RECORD_KEPT)).map_err(|error| error.to_string())? {
        Document::Record(record) => written(&record, export),
        Document::Collection(collection) => of_search(&collection, export),
    }
}

fn of_search(collection: &Collection, export: Export) -> Result<String, String> {
    match export {
        Export::Csv => Ok(cells_csv(collection)),
        Export::Html => Reading::of(collection)
            .map(|reading| capacity::page(&reading).html())
            .ok_or_else(|| "export it: it holds many runs".to_owned()),
    }
}

fn written(record: &Record, export: Export) -> Result<String, String> {
    let text = match export {
        Export::Csv => intervals_csv(record),
        Export::Html => brunt_report::run::page(record).map(|page| page.html()),
    };
    text.map_err(|error| error.to_string())
}
