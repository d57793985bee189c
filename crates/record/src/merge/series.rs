//! The run over time: steps of all nodes, combined by the numbers of their intervals.
//!
//! Intervals are counted from the origin of the run, so the same number is the same time on every
//! node. A node whose series had to halve its resolution has longer steps than a node whose series
//! did not: steps that overlap become one step, as long as the longest of them.

use super::{counts, operations};
use crate::{HistogramError, Latency, Phase, Record, StepOperationRecord, StepRecord};

/// The percentiles that a step lists.
const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];

/// A step, and which of the records it is from.
type Placed<'a> = (usize, &'a StepRecord);

pub(super) fn series(records: &[&Record]) -> Result<Vec<StepRecord>, HistogramError> {
    let mut merged = Vec::new();
    for phase in Phase::ALL {
        for group in groups(records, phase) {
            merged.push(step(&group, records)?);
        }
    }
    merged.sort_by_key(|step| (step.index, step.phase));
    Ok(merged)
}

/// The most exchanges that waited at once from the steady phase on, as far as steps show.
pub(super) fn backlog_peak(series: &[StepRecord]) -> u64 {
    let measured = series.iter().filter(|step| matches!(step.phase, Phase::Steady | Phase::Drain));
    measured.map(|step| step.backlog_peak).max().unwrap_or_default()
}

/// The steps of a phase, those that overlap together.
fn groups<'a>(records: &[&'a Record], phase: Phase) -> Vec<Vec<Placed<'a>>> {
    let placed = records.iter().enumerate().flat_map(|(number, record)| {
        record.series.iter().filter(move |step| step.phase == phase).map(move |step| (number, step))
    });
    let mut placed: Vec<Placed<'_>> = placed.collect();
    placed.sort_by_key(|(number, step)| (step.index, *number));
    let mut groups: Vec<Vec<Placed<'_>>> = Vec::new();
    let mut end = 0;
    for (number, step) in placed {
        let after = step.index.saturating_add(step.intervals.max(1));
        match groups.last_mut().filter(|_| step.index < end) {
            Some(group) => group.push((number, step)),
            None => groups.push(vec![(number, step)]),
        }
        end = end.max(after);
    }
    groups
}

fn step(group: &[Placed<'_>], records: &[&Record]) -> Result<StepRecord, HistogramError> {
    let steps = || group.iter().map(|(_, step)| *step);
    let together =
        |of: fn(&StepRecord) -> &Latency| Latency::together(steps().map(of), &PERCENTILES);
    // A level is of one node at a time; levels of different nodes are added.
    let level = |of: fn(&StepRecord) -> u64, over: fn(u64, u64) -> u64| -> u64 {
        let node = |number| {
            let own = group.iter().filter(move |(from, _)| *from == number);
            own.map(|(_, step)| of(step)).reduce(over).unwrap_or_default()
        };
        (0..records.len()).map(node).sum()
    };
    let last = |_, later| later;
    let width = |number| -> u64 {
        group.iter().filter(|(from, _)| *from == number).map(|(_, step)| step.intervals).sum()
    };
    let first = group[0].1;
    Ok(StepRecord {
        index: first.index,
        intervals: (0..records.len()).map(width).max().unwrap_or_default(),
        phase: first.phase,
        from_s: steps().map(|step| step.from_s).fold(f64::INFINITY, f64::min),
        to_s: steps().map(|step| step.to_s).fold(0.0, f64::max),
        due: counts(steps().map(|step| &step.due)),
        ended: counts(steps().map(|step| &step.ended)),
        backlog_peak: level(|step| step.backlog_peak, u64::max),
        in_flight: level(|step| step.in_flight, last),
        orphans: steps().map(|step| step.orphans).sum(),
        tallies: tallies(group, records),
        busiest: steps().filter_map(|step| step.busiest).reduce(f64::max),
        operations: step_operations(group, |step| &step.operations)?,
        spans: step_operations(group, |step| &step.spans)?,
        lag: together(|step| &step.lag)?,
        lateness: together(|step| &step.lateness)?,
    })
}

/// The tallies in the order of the merged record, which may have more of them than a node.
fn tallies(group: &[Placed<'_>], records: &[&Record]) -> Vec<u64> {
    let names = records.iter().flat_map(|record| &record.tallies).map(|tally| tally.name.as_str());
    let names = operations::distinct(names);
    let of = |name: &str| {
        let counts = group.iter().filter_map(|(number, step)| {
            let at = records[*number].tallies.iter().position(|tally| tally.name == name)?;
            step.tallies.get(at).copied()
        });
        counts.sum()
    };
    let mut tallies: Vec<u64> = names.into_iter().map(of).collect();
    // As in a node's own record: without the tallies after the last one that any node has counted.
    let counted = group.iter().any(|(_, step)| !step.tallies.is_empty());
    tallies.truncate(if counted { tallies.len() } else { 0 });
    tallies
}

fn step_operations(
    group: &[Placed<'_>],
    measured: fn(&StepRecord) -> &[StepOperationRecord],
) -> Result<Vec<StepOperationRecord>, HistogramError> {
    let most = group.iter().map(|(_, step)| measured(step).len()).max().unwrap_or_default();
    let operations = (0..most).map(|number| {
        let of: Vec<&StepOperationRecord> =
            group.iter().filter_map(|(_, step)| measured(step).get(number)).collect();
        Ok(StepOperationRecord {
            counts: counts(of.iter().map(|one| &one.counts)),
            codes: operations::codes(of.iter().map(|one| one.codes.as_slice())),
            response: Latency::together(of.iter().map(|one| &one.response), &PERCENTILES)?,
            service: Latency::together(of.iter().map(|one| &one.service), &PERCENTILES)?,
        })
    });
    operations.collect()
}
