//! How the generators performed: each node's workers by their numbers, and the greatest of every
//! share.

use super::NodeRecord;
use crate::{Generator, Health, MachineRecord, PortBudget, StallRecord, WorkerRecord};

pub(super) fn generator(nodes: &[NodeRecord]) -> Generator {
    let of = || nodes.iter().map(|node| &node.generator);
    let greatest = |share: fn(&Generator) -> Option<f64>| of().filter_map(share).reduce(f64::max);
    // What is excused is excused at each node by its own timer; the one that is shown is the least precise.
    let timer = of().map(|one| one.timer).max_by(|a, b| a.p99_us.total_cmp(&b.p99_us));
    Generator {
        workers: nodes.iter().flat_map(workers).collect(),
        cpu_share_max: greatest(|one| one.cpu_share_max),
        cpu_share_peak: greatest(|one| one.cpu_share_peak),
        waited_share_max: greatest(|one| one.waited_share_max),
        in_process: of().any(|one| one.in_process),
        machine: MachineRecord {
            cores: of().map(|one| one.machine.cores).fold(0, u32::saturating_add),
            others_share: greatest(|one| one.machine.others_share),
            steal_share: greatest(|one| one.machine.steal_share),
            throttled_share: greatest(|one| one.machine.throttled_share),
            pressure_share: greatest(|one| one.machine.pressure_share),
            unseen: of().any(|one| one.machine.unseen),
        },
        stalls: stalls(nodes),
        stalled_s: of().map(|one| one.stalled_s).sum(),
        timer: timer.unwrap_or_default(),
        socket_drops: of().map(|one| one.socket_drops).sum(),
        ports: of().filter_map(|one| one.ports).reduce(|all, other| PortBudget {
            available: all.available + other.available,
            needed: all.needed + other.needed,
        }),
        ceiling: of().map(|one| one.ceiling).sum(),
        ceiling_ratio: greatest(|one| one.ceiling_ratio),
    }
}

fn workers(node: &NodeRecord) -> impl Iterator<Item = WorkerRecord> {
    let rank = Some(node.node.rank);
    node.generator.workers.iter().map(move |worker| WorkerRecord { node: rank, ..*worker })
}

fn stalls(nodes: &[NodeRecord]) -> Vec<StallRecord> {
    let of = |node: &NodeRecord| {
        let rank = Some(node.node.rank);
        let stalls = node.generator.stalls.iter();
        stalls.map(move |stall| StallRecord { node: rank, ..*stall }).collect::<Vec<_>>()
    };
    let mut all: Vec<StallRecord> = nodes.iter().flat_map(of).collect();
    all.sort_by(|a, b| a.from_s.total_cmp(&b.from_s));
    all.truncate(Health::STALLS_MAX);
    all
}
