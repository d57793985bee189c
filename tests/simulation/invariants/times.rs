//! Times are those that passed, and nothing happens before its time.

use std::time::Duration;

use brunt_exchange::Moment;
use brunt_record::{Latency, Record};
use serde_json::Value;

use super::{Findings, Seen};
use crate::script::Model;

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    let record = &seen.share.record;
    ordered(&serde_json::to_value(record).expect("JSON"), findings);
    let Some(exchange) = record.operations.first() else { return };
    let sent = seen.steady().filter_map(|entry| Some(entry.ended - entry.sent?));
    latency("service", &exchange.service, sent.collect(), findings);
    response_is_longer(record, findings);
    let Some(schedule) = Schedule::from_run(seen) else { return };
    schedule.check(seen, findings);
    let took: Option<Vec<Duration>> =
        seen.steady().map(|entry| Some(entry.ended - schedule.due(entry.number)?)).collect();
    match took {
        Some(took) => latency("response", &exchange.response, took, findings),
        None => findings.unless(false, || "an exchange was made that never fell due".to_owned()),
    }
}

/// Percentiles rise, and lie between the least and the greatest, in everything that has some.
fn ordered(value: &Value, findings: &mut Findings) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| ordered(value, findings)),
        Value::Object(fields) => {
            fields.values().for_each(|value| ordered(value, findings));
            if let Ok(latency) = serde_json::from_value::<Latency>(value.clone()) {
                in_order(&latency, findings);
            }
        }
        _ => {}
    }
}

fn in_order(latency: &Latency, findings: &mut Findings) {
    let us = |nanos: Option<u64>| nanos.map_or(0.0, |nanos| nanos as f64 / 1e3);
    let (least, greatest) = (us(latency.min_ns), us(latency.max_ns));
    let mut values = vec![least];
    values.extend(latency.percentiles.iter().map(|percentile| percentile.us));
    values.push(greatest);
    let rises = values.windows(2).all(|pair| pair[0] <= pair[1] * 1.000_001);
    findings.unless(rises, || format!("percentiles: {values:?}"));
    if let Some(mean) = latency.mean_us {
        let between = least <= mean * 1.000_001 && mean <= greatest * 1.000_001;
        findings.unless(between, || format!("mean {mean} of {least}..{greatest}"));
    }
}

/// Compares a distribution with the times themselves.
pub(super) fn latency(
    what: &str,
    latency: &Latency,
    mut took: Vec<Duration>,
    findings: &mut Findings,
) {
    took.sort_unstable();
    let nanos = |took: &Duration| took.as_nanos() as u64;
    findings.equal(
        &format!("{what}: count, sum, least, greatest"),
        (latency.count, latency.sum_ns, latency.min_ns, latency.max_ns),
        (
            took.len() as u64,
            took.iter().map(nanos).sum(),
            took.first().map(nanos),
            took.last().map(nanos),
        ),
    );
    for percentile in &latency.percentiles {
        let Some(exact) = quantile(&took, percentile.percentile / 100.0) else { continue };
        let (exact, is) = (exact.as_nanos() as f64 / 1e3, percentile.us);
        findings.unless(exact * 0.998 - 1.0 <= is && is <= exact * 1.002 + 1.0, || {
            format!("{what}: p{} is {is} us, by the log {exact}", percentile.percentile)
        });
    }
}

/// The value of this rank, by the nearest rank.
pub(crate) fn quantile<T: Copy>(sorted: &[T], quantile: f64) -> Option<T> {
    let rank = ((quantile * sorted.len() as f64 - 1e-9).ceil() as usize).max(1);
    sorted.get(rank - 1).copied()
}

/// An exchange takes as long from when it was due as from when it was sent, or longer.
fn response_is_longer(record: &Record, findings: &mut Findings) {
    let Some(exchange) = record.operations.first() else { return };
    if exchange.response.count != exchange.service.count {
        return;
    }
    let both = exchange.response.percentiles.iter().zip(&exchange.service.percentiles);
    for (response, service) in both {
        findings.unless(response.us >= service.us * 0.998, || {
            format!("p{} response {} < service {}", response.percentile, response.us, service.us)
        });
    }
    findings.unless(exchange.response.sum_ns >= exchange.service.sum_ns, || {
        "responses took less than their services in all".to_owned()
    });
}

/// When exchanges become due in a load of constant rates: computed anew from what was drawn.
pub(super) struct Schedule {
    first: u64,
    origin: Moment,
    /// The rate of each stage, how long it is, and whether it counts.
    stages: Vec<(u64, Duration, bool)>,
}

impl Schedule {
    pub(super) fn from_run(seen: &Seen<'_>) -> Option<Self> {
        if seen.share.is_canary {
            return None;
        }
        let steps = match &seen.script.load.model {
            Model::Constant(per_second, lasting) => vec![(*per_second, *lasting)],
            Model::Steps(steps) => steps.clone(),
            Model::Poisson(..) | Model::Closed(..) => return None,
        };
        let warm_up = (steps.first()?.0, seen.script.load.warm_up, false);
        let steady = steps.into_iter().map(|(per_second, lasting)| (per_second, lasting, true));
        let stages = std::iter::once(warm_up).chain(steady).collect();
        let first = seen.share.record.plan.first_exchange;
        Some(Self { first, origin: seen.share.origin, stages })
    }

    /// When this exchange is due.
    pub(super) fn due(&self, number: u64) -> Option<Moment> {
        let mut left = number.checked_sub(self.first)?;
        let mut from = self.origin;
        for (per_second, lasting, _) in &self.stages {
            let of_stage = count(*per_second, *lasting);
            if left < of_stage {
                let nanos = u128::from(left) * 1_000_000_000 / u128::from(*per_second);
                return Some(from + Duration::from_nanos(nanos as u64));
            }
            left -= of_stage;
            from = from + *lasting;
        }
        None
    }

    /// How many exchanges become due in the whole run, and how many of them count.
    pub(super) fn counts(&self) -> (u64, u64) {
        let of = |steady_only: bool| -> u64 {
            let stages = self.stages.iter().filter(|(.., counts)| *counts || !steady_only);
            stages.map(|(per_second, lasting, _)| count(*per_second, *lasting)).sum()
        };
        (of(false), of(true))
    }

    fn check(&self, seen: &Seen<'_>, findings: &mut Findings) {
        for entry in &seen.log.entries {
            let due = self.due(entry.number);
            findings.unless(due.is_some_and(|due| due <= entry.began), || {
                format!("{entry:?} began before it was due at {due:?}")
            });
        }
        let (script, record) = (&seen.script.load, &seen.share.record);
        let is_whole = script.stops.is_empty() && seen.script.weights.len() == 1;
        if is_whole {
            let (all, counted) = self.counts();
            let counted = script.count.map_or(counted, |count| counted.min(count));
            if script.canary.is_none() {
                findings.equal("planned", record.counts.planned, counted);
            }
            if script.count.is_none() {
                findings.equal("planned in all", record.conservation.counts.planned, all);
            }
        }
    }
}

/// How many exchanges become due before a stage is over.
fn count(per_second: u64, lasting: Duration) -> u64 {
    (lasting.as_nanos() * u128::from(per_second)).div_ceil(1_000_000_000) as u64
}
