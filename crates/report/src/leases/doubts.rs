//! What speaks against the figures of a comparison, said before any of them is shown.

use super::runs::{Naming, Runs};
use crate::page::Page;
use brunt_record::{Collection, Record, Status};

/// So many are told one by one.
const TOLD: usize = 20;
/// How much faster than a flush a change may be answered before that is worth telling. The disk is
/// not equally fast at all times.
const FASTER: f64 = 1.5;

/// Adds a warning for each doubt.
pub(super) fn add<'a>(
    page: &mut Page,
    collection: &Collection,
    runs: &[Runs<'a>],
    naming: &Naming<'a>,
) {
    let doubts: Vec<String> = runs
        .iter()
        .flat_map(|runs| {
            let name = naming.of(runs);
            let of_runs =
                judged(runs).into_iter().chain(noted(runs)).chain(hasty(collection, runs));
            of_runs.map(move |doubt| format!("{name}: {doubt}"))
        })
        .collect();
    for doubt in doubts.iter().take(TOLD) {
        page.warning(doubt);
    }
    if doubts.len() > TOLD {
        let more = doubts.len() - TOLD;
        page.warning(format!("{more} more of the kind, in the notes of the cells (--format csv)"));
    }
}

/// What the runs said of themselves, and what failed in them.
fn judged(runs: &Runs<'_>) -> Vec<String> {
    let records: Vec<&Record> =
        runs.cells.iter().filter_map(|cell| cell.record.as_deref()).collect();
    let mut doubts = Vec::new();
    for status in [Status::GeneratorLimited, Status::Partial, Status::Unstable] {
        let of_status = |record: &&Record| {
            record
                .verdict
                .reasons
                .iter()
                .find(|reason| reason.status == status)
                .map(|reason| reason.text.clone())
        };
        let reasons: Vec<String> = records.iter().filter_map(of_status).collect();
        if let Some(reason) = reasons.first() {
            let count = some(reasons.len(), records.len());
            doubts.push(format!("{count} {status}: {reason}"));
        }
    }
    let failed: u64 = records.iter().map(|record| record.counts.errors()).sum();
    if failed > 0 {
        let sent: u64 = records.iter().map(|record| record.counts.sent).sum();
        let sample = records.iter().flat_map(|record| &record.samples).next();
        let words =
            sample.map_or_else(String::new, |sample| format!("; the first: {}", sample.text));
        doubts.push(format!("{failed} of {sent} operations failed{words}"));
    }
    let imbalances = records.iter().filter_map(|record| record.conservation.imbalance.as_ref());
    doubts.extend(imbalances.take(1).map(|imbalance| format!("the run failed to {imbalance}")));
    doubts
}

/// What was noted of the cells, each text once.
fn noted(runs: &Runs<'_>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in runs.cells.iter().flat_map(|cell| &cell.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let invalid = runs.figures("invalid").iter().filter(|figure| **figure != 0.0).count();
    if invalid > 0 && notes.is_empty() {
        notes.push(format!("{} invalid", some(invalid, runs.cells.len())));
    }
    notes
}

/// A change that is answered faster than the disk can be flushed was not waited for. One session
/// cannot share a flush with another, nor can a transaction of one operation.
fn hasty(collection: &Collection, runs: &Runs<'_>) -> Option<String> {
    let alone = |key: &str| ["", "1"].contains(&runs.label(key));
    let changes = ["create", "update", "delete"].contains(&runs.label("phase"));
    if runs.label("durability") != "sync" || !changes || !alone("workers") || !alone("group") {
        return None;
    }
    let fsync = collection.figures.get("fsync_p50_us").filter(|micros| **micros > 0.0)?;
    let bound = 1e6 / fsync;
    // On a disk that others use as well, one run of several may have had it to itself.
    let rate = runs.rates().into_iter().reduce(f64::min)?;
    (rate > FASTER * bound).then(|| {
        format!(
            "{rate:.0} changes a second are more than the {bound:.0} that the disk allows at one flush each \
             ({fsync:.0} us at the median before the runs): either it was faster meanwhile, or not every change \
             was waited for"
        )
    })
}

/// `2 of 3 runs are`, and shorter where there is one.
fn some(count: usize, of: usize) -> String {
    match (count, of) {
        (1, 1) => "the run is".to_owned(),
        (1, of) => format!("1 of {of} runs is"),
        (count, of) if count == of => format!("all {of} runs are"),
        (count, of) => format!("{count} of {of} runs are"),
    }
}
