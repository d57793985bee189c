//! The report of `brunt leases`: stores of leases compared, from a collection alone.
//!
//! The answer comes first, in a sentence that says how many figures are in doubt, then the chart. Doubts come before
//! tables; long parts, and the figures of 2012, are folded. A terminal and a page show the same report, so that a run
//! and the file it wrote agree.

mod answer;
mod differences;
mod disk;
mod doubts;
mod guide;
mod measured;
mod objectives;
mod published;
mod runs;
#[cfg(test)]
mod tests;

use brunt_record::Collection;
use brunt_report::page::Page;
use doubts::Doubts;
use runs::{Naming, Runs};

/// The report as one HTML file.
pub(crate) fn html(collection: &Collection) -> String {
    page(collection).html()
}

/// The report.
pub fn page(collection: &Collection) -> Page {
    let runs: Vec<Runs<'_>> = runs::all(collection);
    let naming = Naming::new(collection);
    let mut page = Page::new("Stores of leases");
    let doubts = Doubts::new(collection, &runs, &naming);
    page.doubtful = Some((doubts.things(), runs.len()));
    answer::add(&mut page, &runs, &naming, &doubts);
    page.paragraph(about(collection, &naming));
    measured::bars(&mut page, &runs, &naming);
    doubts.add(&mut page);
    page.heading("Rates and response times");
    measured::add(&mut page, &runs, &naming);
    objectives::add(&mut page, &runs, &naming);
    differences::add(&mut page, &runs, &naming);
    guide::add(&mut page, &runs, &naming);
    disk::add(&mut page, collection, &naming);
    page.origin_except(collection, disk::SHOWN);
    page
}

/// What was run, in a sentence.
fn about(collection: &Collection, naming: &Naming<'_>) -> String {
    let stores: Vec<&str> =
        collection.values("store").into_iter().map(|store| naming.store(store)).collect();
    let most = collection.values("run").len().max(1);
    let runs = if most == 1 { "one run each".to_owned() } else { format!("{most} runs each") };
    let phases = collection.values("phase").join(", ");
    let mut words = vec![format!("{}: {phases}", stores.join(", ")), runs];
    words.extend(naming.constant().into_iter().map(|(key, value)| format!("{key} {value}")));
    if let [way] = collection.values("statements").as_slice() {
        words.push(format!("statements {way}"));
    }
    words.join("; ") + "."
}
