//! The verdict of a merged run: as good as its worst node, and which node that is.

use super::NodeRecord;
use crate::verdict::{Compared, ReasonNode};
use crate::{Effect, Noun, OwnPart, Reason, Remedy, Status, Verdict};
use std::cmp::Reverse;

/// If nodes began further apart than this share of the window, they did not load the target together.
const APART_SHARE: f64 = 0.05;
/// A smaller difference between their beginnings, in seconds, is within the error of clocks.
const APART_MIN_S: f64 = 0.1;

/// A node that sends later than this at p99, in milliseconds, is late.
const LATE_MIN_MS: f64 = 1.0;
/// A node is later than the others if it is this many times as late as the latest of them.
const LATER: f64 = 2.0;

/// When the first of the nodes began.
pub(super) fn began(nodes: &[NodeRecord]) -> String {
    let first = nodes.iter().min_by_key(|node| moment(node));
    first.map(|node| node.started.clone()).unwrap_or_default()
}

pub(super) fn verdict(nodes: &[NodeRecord], window_s: f64, noun: &Noun) -> Verdict {
    let due: u64 = nodes.iter().map(|node| node.counts.due()).sum();
    let named = |node: &NodeRecord| ReasonNode {
        rank: node.node.rank,
        of: node.node.of,
        name: node.name.as_ref().unwrap_or(&node.environment.host).clone(),
        share: node.counts.due() as f64 / due.max(1) as f64,
        compared: None,
    };
    let mut reasons: Vec<Reason> = Vec::new();
    let mut asides: Vec<String> = Vec::new();
    let mut own: Vec<OwnPart> = Vec::new();
    for node in nodes {
        reasons.extend(node.verdict.reasons.iter().map(|reason| {
            let limited = reason.status == Status::GeneratorLimited;
            let compared = limited.then(|| compared(node, nodes)).flatten();
            reason.of_node(ReasonNode { compared, ..named(node) })
        }));
        let words = named(node).words();
        asides.extend(node.verdict.notes.iter().map(|note| format!("{words}: {note}")));
        let of_node = |part: &OwnPart| OwnPart { node: Some(node.node.rank), ..part.clone() };
        own.extend(node.verdict.own.iter().map(of_node));
    }
    let missing = missing(nodes, noun);
    let cut_short = missing.is_some() || nodes.iter().any(|node| node.verdict.cut_short);
    reasons.extend(missing);
    match apart(nodes) {
        Some(seconds) if seconds > APART_SHARE * window_s => {
            let why = (None, Some(Remedy::StartTogether));
            let effect = Effect::NodesApart { seconds };
            reasons.push(Reason::new(Status::Unstable, effect, why, noun));
        }
        Some(seconds) => {
            asides.push(format!("the nodes began up to {seconds:.1} s apart by their own clocks"));
        }
        None => {}
    }
    asides.extend(windows(nodes));
    reasons.sort_by_key(|reason| Reverse(reason.status));
    let status = reasons.first().map(|reason| reason.status).unwrap_or_default();
    // One node whose target was not seen to be there is enough for an absence.
    let present: Option<Vec<&str>> =
        nodes.iter().map(|node| node.verdict.present.as_deref()).collect();
    let present = present.filter(|all| !all.is_empty()).map(|all| all.join("; "));
    Verdict { status, cut_short, reasons, notes: asides, own, present }
}

/// How a node that was too slow compares with the others: whether all machines are too few, or one is too weak.
fn compared(node: &NodeRecord, nodes: &[NodeRecord]) -> Option<Compared> {
    let others = || nodes.iter().filter(|other| other.node.rank != node.node.rank);
    if others().next().is_none()
        || others().any(|other| other.verdict.status == Status::GeneratorLimited)
    {
        return None;
    }
    let late_ms = |node: &NodeRecord| {
        let late = node.lateness.histogram().ok()?.quantile(0.99)?;
        Some(late.as_secs_f64() * 1e3)
    };
    Some(match (late_ms(node), others().filter_map(late_ms).reduce(f64::max)) {
        (Some(late_ms), Some(others_ms))
            if late_ms >= LATE_MIN_MS && late_ms > LATER * others_ms =>
        {
            Compared::Later { late_ms, others_ms }
        }
        _ => Compared::Alone,
    })
}

/// Nodes of which there is no record.
fn missing(nodes: &[NodeRecord], noun: &Noun) -> Option<Reason> {
    let of = nodes.first()?.node.of;
    let known = |rank: &u32| nodes.iter().any(|node| node.node.rank == *rank);
    // As many as are useful to a reader.
    let ranks: Vec<u32> = (0..of).filter(|rank| !known(rank)).take(10).collect();
    let count = u64::from(of) - (nodes.len() as u64).min(u64::from(of));
    (count > 0).then(|| {
        let effect = Effect::NodesMissing { count, of, ranks };
        Reason::new(Status::Partial, effect, (None, None), noun)
    })
}

/// How many seconds lie between the first and the last beginning, if that is worth reporting.
fn apart(nodes: &[NodeRecord]) -> Option<f64> {
    let began = nodes.iter().filter_map(moment);
    let (first, last) = (began.clone().min()?, began.max()?);
    let seconds = last.duration_since(first).as_secs_f64();
    (seconds > APART_MIN_S).then_some(seconds)
}

fn moment(node: &NodeRecord) -> Option<jiff::Timestamp> {
    node.started.parse().ok()
}

/// A remark if the nodes did not measure equally long.
fn windows(nodes: &[NodeRecord]) -> Option<String> {
    let seconds = nodes.iter().map(|node| node.rates.seconds);
    let (least, most) =
        (seconds.clone().fold(f64::INFINITY, f64::min), seconds.fold(0.0, f64::max));
    (most - least > APART_SHARE * most).then(|| {
        format!(
            "rates are over the longest of the nodes' windows, which last from {least:.1} s to {most:.1} s: what a \
             node did after its own is unknown, so they are at least these"
        )
    })
}
