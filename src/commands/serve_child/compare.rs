//! Compares runs of a history, as `brunt compare` does, for a page.

use std::path::Path;

use brunt_record::{Document, Record};
use brunt_report::comparison::{self, Given, differences, markdown, page, spectra};
use brunt_report::json;
use brunt_serve::child::{Compared, ComparedPage};
use brunt_serve::history::PageParts;

use crate::commands::runs::input;
use crate::run::tool;

/// The page of a comparison, whose baseline is the first. The error says why the runs cannot be compared.
pub(super) fn compare(runs: &[Compared]) -> Result<ComparedPage, String> {
    let mut sides = Vec::new();
    for run in runs {
        let runs = vec![input(run.name.clone(), record(&run.record)?)];
        sides.push(Given { name: run.name.clone(), runs });
    }
    let failed = |error: &dyn std::fmt::Display| format!("failed to {error}");
    let comparison = comparison::compare(tool(), &sides).map_err(|error| failed(&error))?;
    let charts = spectra(&sides).map_err(|error| failed(&error))?;
    let page = page(&comparison, charts);
    Ok(ComparedPage {
        unlike: differences(comparison.unlike.iter().filter(|found| found.refuses)),
        markdown: markdown(&comparison),
        json: json(&comparison).map_err(|error| failed(&error))?,
        page: PageParts {
            title: page.title.clone(),
            about: page.about.clone(),
            sections: page.sections(),
        },
    })
}

fn record(path: &Path) -> Result<Record, String> {
    match Document::read(path).map_err(|error| format!("failed to {error}"))? {
        Document::Record(record) => Ok(*record),
        Document::Collection(_) => Err("one of them holds many runs already".to_owned()),
    }
}
