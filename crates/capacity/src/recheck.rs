//! Derives every verdict of a search again, from its records only: [`recheck`].
//!
//! A claim must be verifiable. The decisions that a search made during its steps follow from the seconds in their
//! records; here they are derived again from those records.

use crate::document::{DISTURBED, LIMITED, Reading, Row};
use crate::evidence::Evidence;
use crate::found::Answer;
use crate::measured::Measured;
use crate::objective::Objectives;
use crate::order::Kind;
use crate::search::void;
use crate::second::Second;
use crate::verdict::Verdict;
use brunt_record::{Collection, HistogramError, Phase, Record, Slo, SloError};

/// Why a search cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum RecheckError {
    /// The collection is not a search.
    #[error("check the search: the file is no search; it compares {0:?}")]
    Subject(String),
    /// An objective cannot be read.
    #[error(transparent)]
    Objective(#[from] SloError),
    /// A histogram cannot be read.
    #[error("check the search: {0}")]
    Histogram(#[from] HistogramError),
}

/// The result of the check.
#[derive(Clone, Debug, PartialEq)]
pub struct Recheck {
    /// The steps that are evidence and have a record.
    pub steps: Vec<Rechecked>,
    /// How many steps that are evidence have no record.
    pub without_record: usize,
    /// The highest rate at which a confirmation passed.
    pub confirmed: Option<f64>,
    /// The lowest rate above that which failed.
    pub fails_at: Option<f64>,
    /// Whether the answer agrees with the records.
    pub agrees: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Rechecked {
    /// The index of its cell.
    pub cell: usize,
    /// The verdict in the file.
    pub claimed: Verdict,
    /// The verdict from its record.
    pub found: Verdict,
    /// The evidence for and against its rate.
    pub evidence: Evidence,
}

/// Derives every verdict of a search from its records.
pub fn recheck(collection: &Collection) -> Result<Recheck, RecheckError> {
    let reading = Reading::from_collection(collection)
        .ok_or_else(|| RecheckError::Subject(collection.subject.clone()))?;
    let parsed =
        |texts: &[&str]| texts.iter().map(|text| text.parse()).collect::<Result<Vec<Slo>, _>>();
    let objectives = Objectives::new(parsed(&reading.objectives)?, parsed(&reading.guards)?);
    let baseline = reading.rows.iter().rfind(|row| row.kind == Kind::Baseline);
    let unloaded = baseline.and_then(Row::record).map(|record| Measured::new(record, &[]));
    let unloaded = unloaded.transpose()?.unwrap_or_default();
    let mut all = Recheck {
        steps: Vec::new(),
        without_record: 0,
        confirmed: None,
        fails_at: None,
        agrees: false,
    };
    let mut rates = Vec::new();
    for (at, cell) in collection.cells.iter().enumerate() {
        let Some(row) = reading.rows.iter().find(|row| std::ptr::eq(row.cell, cell)) else {
            continue;
        };
        // A sentinel is compared with the other sentinel, and not judged.
        if !row.kind.is_evidence() || row.kind == Kind::Sentinel {
            continue;
        }
        let Some(record) = row.record() else {
            all.without_record += 1;
            continue;
        };
        let judged = row.figure("seconds").unwrap_or_default() as usize;
        let mut seconds = seconds(record, &objectives, judged)?;
        let disturbed = cell.label(DISTURBED).unwrap_or_default().split_whitespace();
        for at in disturbed.filter_map(|number| number.parse::<usize>().ok()) {
            if let Some(second) = seconds.get_mut(at) {
                second.disturbed = true;
            }
        }
        let looks = row.figure("looks").unwrap_or(1.0) as usize;
        let evidence = Evidence::of_step(row.kind, &seconds, &objectives, looks);
        let mut measured = Measured::new(record, &[])?;
        let evidence = evidence.with_rate(measured.made(), &objectives);
        measured.limited = measured.limited.or_else(|| cell.label(LIMITED).map(str::to_owned));
        let found = if void(&measured, &unloaded, &objectives, &evidence).is_some() {
            Verdict::Void
        } else {
            evidence.verdict
        };
        rates.extend(row.rate.map(|rate| (row.kind, rate, found)));
        all.steps.push(Rechecked { cell: at, claimed: row.verdict, found, evidence });
    }
    let confirmed =
        rates.iter().filter(|(kind, _, found)| *kind == Kind::Confirm && *found == Verdict::Pass);
    all.confirmed = confirmed.map(|(_, rate, _)| *rate).max_by(f64::total_cmp);
    // A claim names no failure just above it, which may be chance.
    let named = match reading.answer {
        Answer::Claim { fails_at, .. } => fails_at.unwrap_or(f64::INFINITY),
        _ => 0.0,
    };
    let least = all.confirmed.unwrap_or(0.0).max(named * (1.0 - 1e-6));
    let failed = rates.iter().filter(|(_, rate, found)| *found == Verdict::Fail && *rate > least);
    all.fails_at = failed.map(|(_, rate, _)| *rate).min_by(f64::total_cmp);
    all.agrees = agrees(&all, &reading.answer);
    Ok(all)
}

fn agrees(all: &Recheck, answer: &Answer) -> bool {
    let steps = all.without_record == 0 && all.steps.iter().all(|step| step.claimed == step.found);
    let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => crate::document::same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    steps
        && match answer {
            Answer::Claim { rate, fails_at, .. } => {
                same(all.confirmed, Some(*rate)) && same(all.fails_at, *fails_at)
            }
            Answer::Floor { rate, confirmed: true, .. } => same(all.confirmed, Some(*rate)),
            _ => all.confirmed.is_none(),
        }
}

/// The first seconds of the steady phase, as many as were judged.
fn seconds(
    record: &Record,
    objectives: &Objectives,
    judged: usize,
) -> Result<Vec<Second>, HistogramError> {
    let measured = record.operations.iter().chain(&record.spans);
    let names: Vec<String> = measured.map(|operation| operation.name.clone()).collect();
    let mut seconds = Vec::new();
    let mut taken = 0;
    for step in record.series.iter().filter(|step| step.phase == Phase::Steady) {
        if taken >= judged {
            break;
        }
        taken += usize::try_from(step.intervals.max(1)).unwrap_or(usize::MAX);
        seconds.push(objectives.of_step(step, &names)?);
    }
    Ok(seconds)
}
