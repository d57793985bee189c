//! Makes one record from those of the nodes that shared a run.
//!
//! Counts, sums and buckets are integers and are added, so the merged record contains what a single
//! machine would have measured if it had carried out every exchange. The order in which nodes are
//! merged does not matter. Data about a machine is not added: how the generator performed and what
//! it is blamed for is kept node by node ([`NodeRecord`]), because a mean over machines hides the
//! one that was too slow. Fingerprints, never file names, decide which records belong together.

mod away;
mod generator;
mod node;
mod operations;
mod rates;
mod refusal;
mod series;
mod verdict;

#[cfg(test)]
mod tests;

pub use node::NodeRecord;
pub use refusal::MergeError;

use crate::{
    Basis, Conservation, Counts, HistogramError, Latency, Noun, OperationRecord, Phase,
    PhaseRecord, Plan, Record, SCHEMA, SampleRecord, Samples, ScenarioCounts, ScenarioRecord,
};
use operations::distinct;
use std::path::{Path, PathBuf};

/// Records with their files, which errors name.
type Files = [(PathBuf, Record)];

/// Merges the records of the nodes of one run. A merged record may be among them.
pub fn merge(files: &Files) -> Result<Record, MergeError> {
    let nodes = refusal::nodes(files)?;
    let mut records: Vec<(&Path, &Record)> =
        files.iter().map(|(path, record)| (path.as_path(), record)).collect();
    records.sort_by_key(|(_, record)| refusal::shares(record).first().map(|share| share.node.rank));
    let Some((path, _)) = records.first().copied() else { return Err(MergeError::Nothing) };
    let records: Vec<&Record> = records.into_iter().map(|(_, record)| record).collect();
    let damaged = |source| MergeError::Histogram { path: path.to_owned(), source };
    let mut whole = whole(&records, nodes).map_err(damaged)?;
    let objectives = records.iter().flat_map(|record| &record.slo);
    whole.judge(objectives.map(|slo| slo.expr.as_str()))?;
    Ok(whole)
}

/// Everything except the objectives, which are evaluated against the rest.
fn whole(records: &[&Record], nodes: Vec<NodeRecord>) -> Result<Record, HistogramError> {
    let first = records[0];
    let percentiles = percentiles(records);
    let of = |field: fn(&Record) -> &Latency| {
        Latency::together(records.iter().map(|record| field(record)), &percentiles)
    };
    let series = series::series(records)?;
    let plan = plan(records);
    let pace = rates::pace(records);
    let rates = rates::rates(records, &plan, pace.as_ref());
    let spans = operations::spans(records, &percentiles, &rates)?;
    Ok(Record {
        schema: SCHEMA.to_owned(),
        run: first.run.clone(),
        node: None,
        fingerprint: first.fingerprint.clone(),
        tool: first.tool.clone(),
        started: verdict::began(&nodes),
        command: first.command.clone(),
        search: Vec::new(),
        environment: first.environment.clone(),
        phases: phases(records),
        counts: counts(records.iter().map(|record| &record.counts)),
        conservation: conservation(records),
        operations: operations::operations(records, &percentiles, &rates)?,
        scenarios: scenarios(records, &spans),
        spans,
        parts: operations::parts(records, &percentiles)?,
        response: operations::response(records, &percentiles)?,
        dropped_after: of(|record| &record.dropped_after)?,
        dropped_tainted: records.iter().map(|record| record.dropped_tainted).sum(),
        away: away::away(records),
        connections: operations::connections(records),
        lag: of(|record| &record.lag)?,
        lateness: of(|record| &record.lateness)?,
        backlog_peak: series::backlog_peak(&series),
        orphans: records.iter().map(|record| record.orphans).sum(),
        tallies: operations::tallies(records),
        monitors: records.iter().flat_map(|record| record.monitors.clone()).collect(),
        generator: generator::generator(&nodes),
        slo: Vec::new(),
        verdict: verdict::verdict(&nodes, rates.seconds, &plan.noun),
        outcome: None,
        samples: samples(records),
        series,
        plan,
        rates,
        pace: pace.map(|pace| pace.to_text()),
        nodes,
    })
}

/// The percentiles that any of the records lists.
fn percentiles(records: &[&Record]) -> Vec<f64> {
    let latencies = records.iter().flat_map(|record| {
        let operations = record.operations.iter().map(|operation| &operation.response);
        operations.chain(record.parts.iter().map(|part| &part.took)).chain([&record.lag])
    });
    let mut all: Vec<f64> = latencies
        .flat_map(|latency| &latency.percentiles)
        .map(|percentile| percentile.percentile)
        .collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if all.is_empty() { Latency::PERCENTILES.to_vec() } else { all }
}

fn counts<'a>(parts: impl Iterator<Item = &'a Counts>) -> Counts {
    let mut counts = Counts::default();
    parts.for_each(|part| counts.merge(part));
    counts
}

fn conservation(records: &[&Record]) -> Conservation {
    let parts = records.iter().map(|record| &record.conservation);
    let counts = counts(parts.clone().map(|part| &part.counts));
    let imbalance = counts.conserved().err().map(|error| error.to_string());
    let imbalance = imbalance.or_else(|| parts.clone().find_map(|part| part.imbalance.clone()));
    Conservation {
        counts,
        holds: imbalance.is_none() && parts.clone().all(|part| part.holds),
        imbalance,
    }
}

fn plan(records: &[&Record]) -> Plan {
    let plans = || records.iter().map(|record| &record.plan);
    let first = &records[0].plan;
    Plan {
        mode: first.mode,
        target_rate: plans().map(|plan| plan.target_rate).sum(),
        target_iterations: plans().map(|plan| plan.target_iterations).sum(),
        constant: plans().all(|plan| plan.constant),
        stages_s: if plans().all(|plan| plan.stages_s == first.stages_s) {
            first.stages_s.clone()
        } else {
            Vec::new()
        },
        sessions: plans().map(|plan| plan.sessions).sum(),
        seed: first.seed,
        first_exchange: first.first_exchange,
        latency_basis: if plans().any(|plan| plan.latency_basis == Basis::Service) {
            Basis::Service
        } else {
            Basis::Response
        },
        target: first.target.clone(),
        noun: Noun::common(plans().map(|plan| &plan.noun)),
    }
}

fn phases(records: &[&Record]) -> Vec<PhaseRecord> {
    let phases = Phase::ALL.into_iter().filter_map(|name| {
        let of = |record: &&Record| record.phases.iter().find(|phase| phase.name == name).cloned();
        records.iter().filter_map(of).reduce(|mut all, other| {
            all.from_s = all.from_s.min(other.from_s);
            all.to_s = all.to_s.max(other.to_s);
            all.counts.merge(&other.counts);
            all
        })
    });
    phases.collect()
}

/// The first few failures of each kind, over all nodes.
fn samples(records: &[&Record]) -> Vec<SampleRecord> {
    let mut all: Vec<&SampleRecord> = records.iter().flat_map(|record| &record.samples).collect();
    all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    let mut kept: Vec<SampleRecord> = Vec::new();
    for sample in all {
        let alike = |known: &&SampleRecord| {
            (&known.operation, &known.class, known.code)
                == (&sample.operation, &sample.class, sample.code)
        };
        if kept.iter().filter(alike).count() < Samples::PER_OUTCOME {
            kept.push(sample.clone());
        }
    }
    kept
}

fn scenarios(records: &[&Record], spans: &[OperationRecord]) -> Vec<ScenarioRecord> {
    let all = || records.iter().flat_map(|record| &record.scenarios);
    let names = distinct(all().map(|scenario| scenario.name.as_str()));
    let one = |name| {
        let counts = all().filter(|it| it.name == name).map(ScenarioRecord::counts);
        counts
            .reduce(|one, other| together(one, &other))
            .map(|counts| ScenarioRecord::new(counts, spans))
    };
    names.into_iter().filter_map(one).collect()
}

fn together(one: ScenarioCounts, other: &ScenarioCounts) -> ScenarioCounts {
    let both = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
    ScenarioCounts {
        users: one.users + other.users,
        seconds: one.seconds.max(other.seconds),
        due: both(one.due, other.due),
        begun: one.begun + other.begun,
        completed: one.completed + other.completed,
        failed: one.failed + other.failed,
        ..one
    }
}
