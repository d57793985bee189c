//! Follows the figures of a history's runs, as `brunt trend` does, for a page.

use std::path::PathBuf;

use brunt_history::PageParts;
use brunt_report::comparison::{trend_figured, trend_page};
use brunt_report::json;
use brunt_run::tool;
use brunt_serve::child::Trended;

use super::PageError;
use super::figured;

/// The trend of these runs, oldest first. The error says why there is none.
pub(super) fn trend(name: &str, records: &[PathBuf]) -> Result<Trended, PageError> {
    let mut runs = Vec::with_capacity(records.len());
    for (number, path) in records.iter().enumerate() {
        runs.push((format!("run {}", number + 1), figured::followed(path)?));
    }
    let found = trend_figured(tool(), name, &runs);
    let page = trend_page(&found, true);
    Ok(Trended {
        page: PageParts {
            title: page.title.clone(),
            about: page.about.clone(),
            sections: page.sections(),
        },
        json: json(&found)?,
    })
}
