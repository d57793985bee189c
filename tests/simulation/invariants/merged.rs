//! The shares of several nodes add up to the whole.

use std::collections::BTreeSet;

use brunt_record::{Counts, Record};

use super::times::{self, Schedule};
use super::{Findings, Seen, blame};
use crate::run::Share;
use crate::script::{Model, Script};

pub(super) fn check(script: &Script, shares: &[Share], whole: &Record, findings: &mut Findings) {
    let sum = |of: fn(&Record) -> &Counts| {
        let mut sum = Counts::default();
        for share in shares {
            sum.merge(of(&share.record));
        }
        sum
    };
    findings.equal("the counts of all nodes", whole.counts, sum(|record| &record.counts));
    findings.equal(
        "all counts of all nodes",
        whole.conservation.counts,
        sum(|record| &record.conservation.counts),
    );
    findings.equal("the sessions", whole.plan.sessions, u64::from(script.load.sessions));
    let seen: Vec<_> = shares
        .iter()
        .filter_map(|share| Some(Seen { script, share, log: share.logs.last()? }))
        .collect();
    let service = |seen: &Seen<'_>| {
        let sent = seen.steady().filter_map(|entry| Some(entry.ended - entry.sent?));
        sent.collect::<Vec<_>>()
    };
    if let Some(exchange) = whole.operations.first() {
        let took = seen.iter().flat_map(service).collect();
        times::latency("service of all nodes", &exchange.service, took, findings);
    }
    numbers(script, &seen, findings);
    blame::examine(whole, &script.machine, findings);
}

/// Each number is one node's, and none is left out.
fn numbers(script: &Script, seen: &[Seen<'_>], findings: &mut Findings) {
    let mut known = BTreeSet::new();
    for entry in seen.iter().flat_map(|seen| &seen.log.entries) {
        findings.unless(known.insert(entry.number), || format!("{} of two nodes", entry.number));
    }
    let Some(schedule) = seen.first().and_then(Schedule::from_run) else { return };
    let of = |count: fn(&Counts) -> u64| -> u64 {
        seen.iter().map(|seen| count(&seen.share.record.conservation.counts)).sum()
    };
    let is_whole = script.load.stops.is_empty() && !matches!(script.load.model, Model::Poisson(..));
    if !is_whole {
        return;
    }
    let (all, counted) = schedule.counts();
    match script.load.count {
        None => {
            findings.equal("planned by all nodes", of(|counts| counts.planned), all);
        }
        Some(count) => {
            let planned = seen.iter().map(|seen| seen.share.record.counts.planned).sum::<u64>();
            if script.load.canary.is_none() {
                findings.equal("counted by all nodes", planned, counted.min(count));
            }
        }
    }
}
