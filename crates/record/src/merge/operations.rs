//! What is counted by name: operations, codes, parts, tallies.

use super::counts;
use crate::codes::rank;
use crate::record::outcome;
use crate::{
    CodeRecord, ConnectionRecord, Counts, HistogramError, Latency, OperationRecord, PartRecord,
    Rates, Record, TallyRecord,
};
use std::cmp::Reverse;

/// The operations, which have the same names in all records.
pub(super) fn operations(
    records: &[&Record],
    percentiles: &[f64],
    rates: &Rates,
) -> Result<Vec<OperationRecord>, HistogramError> {
    let names = records[0].operations.iter().map(|operation| operation.name.as_str());
    names
        .map(|name| {
            let all = records.iter().flat_map(|record| &record.operations);
            let rates = super::rates::of_operation(records, name, rates);
            operation(name, all.filter(|of| of.name == name), rates, percentiles)
        })
        .collect()
}

/// The spans.
pub(super) fn spans(
    records: &[&Record],
    percentiles: &[f64],
    rates: &Rates,
) -> Result<Vec<OperationRecord>, HistogramError> {
    let all = || records.iter().flat_map(|record| &record.spans);
    let names = distinct(all().map(|span| span.name.as_str()));
    let span = |name| {
        let goodput = super::rates::of_span(records, name, rates);
        operation(name, all().filter(|of| of.name == name), [None, goodput], percentiles)
    };
    names.into_iter().map(span).collect()
}

fn operation<'a>(
    name: &str,
    all: impl Iterator<Item = &'a OperationRecord>,
    [achieved, goodput]: [Option<f64>; 2],
    percentiles: &[f64],
) -> Result<OperationRecord, HistogramError> {
    let all: Vec<&OperationRecord> = all.collect();
    let together = |of: fn(&OperationRecord) -> &Latency| {
        Latency::together(all.iter().map(|one| of(one)), percentiles)
    };
    // Where a node leaves them out, all of its exchanges succeeded and had no own part of the
    // generator.
    let ok = |one: &OperationRecord| one.ok.is_some();
    let cleared = |one: &OperationRecord| one.ok_without_own.is_some();
    let tainted: Vec<Counts> = all.iter().filter_map(|one| one.tainted).collect();
    Ok(OperationRecord {
        name: name.to_owned(),
        within: all.iter().find_map(|one| one.within.clone()),
        counts: counts(all.iter().map(|one| &one.counts)),
        achieved,
        goodput,
        codes: codes(all.iter().map(|one| one.codes.as_slice())),
        response: together(|one| &one.response)?,
        ok: all.iter().any(|one| ok(one)).then(|| together(successes)).transpose()?,
        ok_without_own: all
            .iter()
            .any(|one| cleared(one))
            .then(|| together(|one| one.ok_without_own.as_ref().unwrap_or(successes(one))))
            .transpose()?,
        service: together(|one| &one.service)?,
        tainted: (!tainted.is_empty()).then(|| counts(tainted.iter())),
    })
}

fn successes(operation: &OperationRecord) -> &Latency {
    operation.ok.as_ref().unwrap_or(&operation.response)
}

/// The outcomes, the most frequent first.
pub(super) fn codes<'a>(parts: impl Iterator<Item = &'a [CodeRecord]>) -> Vec<CodeRecord> {
    let mut all: Vec<CodeRecord> = Vec::new();
    for code in parts.flatten() {
        match all.iter_mut().find(|known| (&known.class, known.code) == (&code.class, code.code)) {
            Some(known) => known.count += code.count,
            None => all.push(code.clone()),
        }
    }
    // Codes that are not counted separately have no outcome, and come last however frequent they
    // are.
    all.sort_by_key(|code| {
        let outcome = outcome::outcome(&code.class, code.code);
        (outcome.is_none(), Reverse(code.count), outcome.map(rank))
    });
    all
}

/// The response time of all that was due. Where a node leaves it out, its only operation has the
/// same.
pub(super) fn response(
    records: &[&Record],
    percentiles: &[f64],
) -> Result<Option<Latency>, HistogramError> {
    if records.iter().all(|record| record.response.is_none()) {
        return Ok(None);
    }
    let of = |record: &&'_ Record| -> Vec<Latency> {
        match &record.response {
            Some(response) => vec![response.clone()],
            None => record.operations.iter().map(|one| one.response.clone()).collect(),
        }
    };
    let all: Vec<Latency> = records.iter().flat_map(of).collect();
    Latency::together(&all, percentiles).map(Some)
}

pub(super) fn parts(
    records: &[&Record],
    percentiles: &[f64],
) -> Result<Vec<PartRecord>, HistogramError> {
    let all = || records.iter().flat_map(|record| &record.parts);
    let names = distinct(all().map(|part| part.name.as_str()));
    let parts = names.into_iter().map(|name| {
        let took = all().filter(|part| part.name == name).map(|part| &part.took);
        Ok(PartRecord { name: name.to_owned(), took: Latency::together(took, percentiles)? })
    });
    parts.collect()
}

pub(super) fn tallies(records: &[&Record]) -> Vec<TallyRecord> {
    let all = || records.iter().flat_map(|record| &record.tallies);
    let names = distinct(all().map(|tally| tally.name.as_str()));
    let tallies = names.into_iter().map(|name| TallyRecord {
        name: name.to_owned(),
        count: all().filter(|tally| tally.name == name).map(|tally| tally.count).sum(),
    });
    tallies.collect()
}

pub(super) fn connections(records: &[&Record]) -> ConnectionRecord {
    let all = || records.iter().map(|record| &record.connections);
    ConnectionRecord {
        reconnected: all().map(|of| of.reconnected).sum(),
        resent: all().map(|of| of.resent).sum(),
        unready: codes(all().map(|of| of.unready.as_slice())),
    }
}

/// Each name once, in the order of first appearance.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}
