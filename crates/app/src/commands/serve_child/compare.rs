//! Compares runs of a history, as `brunt compare` does, for a page.

use brunt_envelope::Compared;
use brunt_history::PageParts;
use brunt_report::comparison::{
    FiguredSide, compare_figured, differences, markdown, page, spectra_figured,
};
use brunt_report::json;
use brunt_run::tool;
use brunt_serve::child::ComparedPage;

use super::PageError;
use super::figured;

/// The page of a comparison with the first run. The error says why the runs cannot be compared.
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
        page: PageParts {
            title: page.title.clone(),
            about: page.about.clone(),
            sections: page.sections(),
        },
    })
}
