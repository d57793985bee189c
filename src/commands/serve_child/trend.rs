//! Follows the figures of a history's runs, as `brunt trend` does, for a page.

use std::path::PathBuf;

use brunt_record::{Document, Record};
use brunt_report::comparison::{Input, trend as follow, trend_page};
use brunt_report::json;
use brunt_serve::child::Trended;
use brunt_serve::history::PageParts;

use crate::commands::runs::input;
use crate::run::tool;

/// The trend of these runs, the oldest first. The error says why there is none.
pub(super) fn trend(name: &str, records: &[PathBuf]) -> Result<Trended, String> {
    let mut runs: Vec<Input> = Vec::new();
    for (number, path) in records.iter().enumerate() {
        let mut record: Record =
            match Document::read(path).map_err(|error| format!("failed to {error}"))? {
                Document::Record(record) => *record,
                Document::Collection(_) => return Err("one of them holds many runs".to_owned()),
            };
        // What happened within a run is no part of a trend, and hundreds of runs would fill the memory.
        record.series = Vec::new();
        runs.push(input(format!("run {}", number + 1), record));
    }
    let found = follow(tool(), name, &runs).map_err(|error| format!("failed to {error}"))?;
    let page = trend_page(&found, true);
    Ok(Trended {
        page: PageParts {
            title: page.title.clone(),
            about: page.about.clone(),
            sections: page.sections(),
        },
        json: json(&found).map_err(|error| format!("failed to {error}"))?,
    })
}
