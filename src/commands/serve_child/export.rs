//! Writes the record of a run in another format, for somebody who takes it away.

use std::path::Path;

use brunt_record::{Document, Record};
use brunt_report::intervals_csv;
use brunt_serve::child::Export;
use brunt_serve::history::RECORD_KEPT;

/// The text of the record in the directory that the child was started in. The error says why there is none.
pub(super) fn export(export: Export) -> Result<String, String> {
    let record = match Document::read(Path::new(RECORD_KEPT)).map_err(|error| error.to_string())? {
        Document::Record(record) => *record,
        Document::Collection(_) => return Err("export it: it holds many runs".to_owned()),
    };
    written(&record, export)
}

fn written(record: &Record, export: Export) -> Result<String, String> {
    let text = match export {
        Export::Csv => intervals_csv(record),
        Export::Html => brunt_report::run::page(record).map(|page| page.html()),
    };
    text.map_err(|error| error.to_string())
}
