//! Pages about several runs of a history: a comparison, as `brunt compare` makes it, and a trend, as `brunt trend`
//! does.

use std::path::PathBuf;

use brunt_envelope::Compared;
use brunt_report::comparison::{
    FiguredSide, compare_figured, differences, markdown, page, spectra_figured, trend_figured,
    trend_page,
};
use brunt_report::json;
use brunt_run::tool;
use brunt_serve::child::{ComparedPage, Trended};

use super::figured::{self, FiguredError};
use super::parts;

/// Why there is no page of several runs.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    #[error(transparent)]
    Figured(#[from] FiguredError),
    #[error("failed to write the document: {0}")]
    Json(#[from] serde_json::Error),
}

/// The page of a comparison with the first run.
pub(super) fn compare(runs: &[Compared]) -> Result<ComparedPage, PageError> {
    let mut sides = Vec::new();
    for run in runs {
        let runs = vec![figured::compared(&run.name, &run.record)?];
        sides.push(FiguredSide { name: run.name.clone(), runs });
    }
    let comparison = compare_figured(tool(), &sides);
    let charts = spectra_figured(&sides);
    let page = page(&comparison, charts);
    Ok(ComparedPage {
        unlike: differences(comparison.unlike.iter().filter(|found| found.refuses)),
        markdown: markdown(&comparison),
        json: json(&comparison)?,
        page: parts(&page),
    })
}

/// The trend of these runs, oldest first.
pub(super) fn trend(name: &str, records: &[PathBuf]) -> Result<Trended, PageError> {
    let mut runs = Vec::with_capacity(records.len());
    for (number, path) in records.iter().enumerate() {
        runs.push((format!("run {}", number + 1), figured::followed(path)?));
    }
    let found = trend_figured(tool(), name, &runs);
    let page = trend_page(&found, true);
    Ok(Trended { page: parts(&page), json: json(&found)? })
}
