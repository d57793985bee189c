//! What speaks against the figures of a comparison, by cause: a slow disk that made twelve runs unsteady is listed
//! once, with the runs it affected, before the tables.

use super::runs::{Naming, Runs};
use brunt_record::{Collection, Record, Status};
use brunt_report::page::Page;

/// If a cause affects fewer other things than this, all of them are named; otherwise, their number and the first ones
/// are given.
const NAMED: usize = 4;
/// How much faster than a flush a change may be answered before this is reported. The disk does not have the same speed
/// at all times.
const FASTER: f64 = 1.5;

/// What speaks against figures, by cause.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    causes: Vec<Cause>,
    things: usize,
}

/// One cause, and what it speaks against.
#[derive(Debug)]
struct Cause {
    kind: Kind,
    /// The first thing that it speaks against, and the text about it.
    first: (String, String),
    /// All of them, the first included.
    names: Vec<String>,
}

/// Doubts of one kind are reported together.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Verdict(Status),
    Failures,
    Imbalance,
    Hasty,
    /// A note of the cells that begins with these words.
    Note(String),
}

/// A doubt about one thing.
struct Doubt {
    kind: Kind,
    text: String,
}

impl Doubts {
    /// The doubts about these runs.
    pub(super) fn new<'a>(collection: &Collection, runs: &[Runs<'a>], naming: &Naming<'a>) -> Self {
        let mut doubts = Self::default();
        for runs in runs {
            let name = naming.of(runs);
            let of_runs =
                judged(runs).into_iter().chain(noted(runs)).chain(hasty(collection, runs));
            let before = doubts.things;
            for Doubt { kind, text } in of_runs {
                doubts.things = before + 1;
                match doubts.causes.iter_mut().find(|cause| cause.kind == kind) {
                    Some(cause) if cause.names.last() == Some(&name) => {}
                    Some(cause) => cause.names.push(name.clone()),
                    None => {
                        let (first, names) = ((name.clone(), text), vec![name.clone()]);
                        doubts.causes.push(Cause { kind, first, names });
                    }
                }
            }
        }
        doubts
    }

    /// How many of the things that were measured have a doubt.
    pub(super) fn things(&self) -> usize {
        self.things
    }

    /// Adds a warning for each cause.
    pub(super) fn add(&self, page: &mut Page) {
        for cause in &self.causes {
            let (name, text) = &cause.first;
            let others = &cause.names[1..];
            let also = match others {
                [] => String::new(),
                others if others.len() < NAMED => format!(". The same of {}", others.join("; ")),
                others => format!(
                    ". The same of {} others: {} ...",
                    others.len(),
                    others[..NAMED].join("; ")
                ),
            };
            page.warning(format!("{name}: {text}{also}"));
        }
    }
}

/// What the verdicts of the runs say, and what failed in them.
fn judged(runs: &Runs<'_>) -> Vec<Doubt> {
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
            let text = format!("{count} {status}: {reason}");
            doubts.push(Doubt { kind: Kind::Verdict(status), text });
        }
    }
    let failed: u64 = records.iter().map(|record| record.counts.errors()).sum();
    if failed > 0 {
        let sent: u64 = records.iter().map(|record| record.counts.sent).sum();
        let sample = records.iter().flat_map(|record| &record.samples).next();
        let words =
            sample.map_or_else(String::new, |sample| format!("; the first: {}", sample.text));
        let text = format!("{failed} of {sent} operations failed{words}");
        doubts.push(Doubt { kind: Kind::Failures, text });
    }
    let imbalances = records.iter().filter_map(|record| record.conservation.imbalance.as_ref());
    doubts.extend(imbalances.take(1).map(|imbalance| Doubt {
        kind: Kind::Imbalance,
        text: format!("the run failed to {imbalance}"),
    }));
    doubts
}

/// What was noted of the cells, each text once.
fn noted(runs: &Runs<'_>) -> Vec<Doubt> {
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
    let doubt = |text: String| {
        // The rest is about one run: how many rows, which file.
        let words = text.split([':', ',', ';']).next().unwrap_or(&text);
        let words = words.split(|char: char| char.is_ascii_digit()).next().unwrap_or(words);
        Doubt { kind: Kind::Note(words.trim().to_owned()), text }
    };
    notes.into_iter().map(doubt).collect()
}

/// If a change is answered faster than the disk can be flushed, the store did not wait for the flush. One session
/// cannot share a flush with another, nor can a transaction of one operation.
fn hasty(collection: &Collection, runs: &Runs<'_>) -> Option<Doubt> {
    let alone = |key: &str| ["", "1"].contains(&runs.label(key));
    let changes = ["create", "update", "delete"].contains(&runs.label("phase"));
    if runs.label("durability") != "sync" || !changes || !alone("workers") || !alone("group") {
        return None;
    }
    let fsync = collection.figures.get("fsync_p50_us").filter(|micros| **micros > 0.0)?;
    let bound = 1e6 / fsync;
    // On a disk with other users, one run of several may have had it to itself.
    let rate = runs.rates().into_iter().reduce(f64::min)?;
    (rate > FASTER * bound).then(|| Doubt {
        kind: Kind::Hasty,
        text: format!(
            "{rate:.0} changes a second are more than the {bound:.0} that the disk allows at one flush each \
             ({fsync:.0} us at the median before the runs): either the disk was faster during the runs, or the store \
             did not wait for every change"
        ),
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
