//! [`NodeRows`]: the intervals of the machines of one run, which arrive over a network that loses, duplicates and
//! delays messages.

use super::received::Received;
use super::{Key, Rows};
use crate::Interval;
use std::ops::Range;
use std::time::Duration;

/// What happened to an interval that a node sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It is in the figures and must be acknowledged.
    Taken,
    /// It had arrived before, and is in the figures once: it must be acknowledged again.
    Known,
    /// It is of no node of this run, too far beyond what its node has delivered, or too far beyond the current step of
    /// the run. It is in no figure and must not be acknowledged.
    Refused,
}

/// What is missing of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The node, counted from 0.
    pub node: usize,
    /// The numbers of messages that were certainly sent and did not arrive, in order: these must be requested again.
    pub gaps: Vec<Range<u64>>,
    /// Whether it has reported how many it sent. If not, there may be more after the last one that arrived.
    pub ended: bool,
}

/// One row over all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRow {
    /// What was measured, over the nodes that are in it.
    pub interval: Interval,
    /// The nodes that the row no longer waited for. Their measurements are merged into a later row, or were lost.
    pub missing: Vec<usize>,
}

/// Merges the intervals of nodes into rows, each interval once.
///
/// There is one for each run that a coordinator carries out (its epoch); it does not take messages of other runs. A
/// node numbers its intervals from 0 without gaps, in the order in which its run made them (by step, then by phase),
/// and sends each until it is acknowledged. Intervals that a node merged before it sent them are one interval, with the
/// index of the first.
///
/// For every message: [`take`](Self::take), and an acknowledgement unless it was refused. After each, and when
/// [`wait`](Self::wait) is over: [`next`](Self::next) until it returns `None`. When a node has ended:
/// [`sent`](Self::sent), and [`missing`](Self::missing) gives what to request again. When it is lost:
/// [`lost`](Self::lost). Once [`is_over`](Self::is_over), `next` returns the remaining rows.
#[derive(Clone, Debug)]
pub struct NodeRows {
    rows: Rows,
    nodes: Vec<Received>,
}

impl NodeRows {
    /// How long a row waits for a late node, from its first interval on.
    pub const PATIENCE: Duration = Duration::from_secs(2);
    /// An interval this many steps beyond the last row does not belong to this run.
    pub const STEPS_AHEAD_MAX: u64 = 100_000;

    /// The rows of a run of this many nodes, all of which are waited for.
    pub fn new(nodes: usize) -> Self {
        Self {
            rows: Rows::new(nodes, Self::PATIENCE),
            nodes: (0..nodes).map(|_| Received::default()).collect(),
        }
    }

    /// Takes message `seq` of a node. How its generator performed is kept by node from here on.
    pub fn take(&mut self, node: usize, seq: u64, interval: Interval, now: Duration) -> Receipt {
        let Some(received) = self.nodes.get_mut(node) else { return Receipt::Refused };
        if received.has(seq) {
            return Receipt::Known;
        }
        let far =
            self.rows.last.map_or(0, |(index, _)| index).saturating_add(Self::STEPS_AHEAD_MAX);
        if !received.has_room(seq) || interval.index > far {
            return Receipt::Refused;
        }
        received.note(seq, (interval.index, interval.phase));
        let mut interval = interval;
        interval.health.of_node(node as u32);
        self.rows.lay(node, interval, now);
        self.progress(node);
        Receipt::Taken
    }

    /// Notes how many messages a node has sent in all: it ended.
    pub fn sent(&mut self, node: usize, count: u64) {
        if let Some(received) = self.nodes.get_mut(node) {
            received.sent(count);
            self.progress(node);
        }
    }

    /// Stops waiting for a node. If it delivers more, that is still taken.
    pub fn lost(&mut self, node: usize) {
        self.rows.over(node);
    }

    /// Whether every node has ended with all it sent, or is lost.
    pub fn is_over(&self) -> bool {
        self.rows.is_over()
    }

    /// The next row, if it is complete or has waited long enough.
    pub fn next(&mut self, now: Duration) -> Option<NodeRow> {
        let row = self.rows.next(now)?;
        Some(NodeRow { interval: row.interval, missing: row.missing })
    }

    /// How long until a row is returned even if nodes are missing.
    pub fn wait(&self, now: Duration) -> Option<Duration> {
        self.rows.wait(now)
    }

    /// What is missing of each node, without the nodes of which nothing is missing.
    pub fn missing(&self) -> Vec<Missing> {
        let of = |(node, received): (usize, &Received)| Missing {
            node,
            gaps: received.gaps(),
            ended: received.has_ended(),
        };
        let all = self.nodes.iter().enumerate().map(of);
        all.filter(|missing| !missing.gaps.is_empty() || !missing.ended).collect()
    }

    fn progress(&mut self, node: usize) {
        let Some(received) = self.nodes.get(node) else { return };
        let past: Option<Key> = received.past;
        if let Some((index, phase)) = past {
            self.rows.reached(node, index, phase);
        }
        if received.is_whole() {
            self.rows.over(node);
        }
    }
}
