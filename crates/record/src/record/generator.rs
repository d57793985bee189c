//! How the generator performed, in the form of a [`Generator`].

use super::{Generator, MachineRecord, PortBudget, StallRecord, TimerRecord, WorkerRecord};
use crate::{Health, Interval, Machine, Phase, Series, TimerNoise};
use std::time::Duration;

/// What was observed of the generator.
pub(super) struct Seen<'a> {
    /// The steady phase.
    pub(super) steady: &'a Interval,
    /// The whole run.
    pub(super) health: &'a Health,
    pub(super) series: &'a Series,
    pub(super) noise: TimerNoise,
    pub(super) in_process: bool,
    pub(super) ports: Option<PortBudget>,
    pub(super) ceiling: Option<f64>,
    pub(super) achieved: Option<f64>,
}

pub(super) fn record(seen: &Seen<'_>) -> Generator {
    let health = &seen.steady.health;
    let several = health.machines.len() > 1;
    let steps = seen.series.steps().iter().filter(|step| step.phase == Phase::Steady);
    let workers = health.workers.iter().map(|load| WorkerRecord {
        node: several.then_some(load.node),
        worker: load.worker,
        cpu_share: load.share(),
        waited_share: load.waited_share(),
    });
    Generator {
        workers: workers.collect(),
        cpu_share_max: health.busiest(),
        cpu_share_peak: steps.filter_map(|step| step.busiest).reduce(f64::max),
        waited_share_max: health
            .workers
            .iter()
            .filter_map(crate::WorkerLoad::waited_share)
            .reduce(f64::max),
        in_process: seen.in_process,
        machine: machines(health),
        stalls: seen
            .health
            .stalls
            .iter()
            .map(|stall| StallRecord {
                node: several.then_some(stall.node),
                from_s: stall.from.as_secs_f64(),
                lasted_s: stall.lasted.as_secs_f64(),
            })
            .collect(),
        stalled_s: seen.health.stalled.as_secs_f64(),
        timer: timer(&seen.noise),
        socket_drops: health.socket_drops,
        ports: seen.ports,
        ceiling: seen.ceiling,
        ceiling_ratio: seen
            .achieved
            .zip(seen.ceiling.filter(|ceiling| *ceiling > 0.0))
            .map(|(achieved, ceiling)| achieved / ceiling),
    }
}

/// For several machines, the greatest of each share: an average would hide the one that has no time left.
fn machines(health: &Health) -> MachineRecord {
    let Some((first, others)) = health.machines.split_first() else {
        return machine(&health.machine);
    };
    others.iter().fold(machine(&first.machine), |all, one| {
        let one = machine(&one.machine);
        let greatest = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        MachineRecord {
            cores: all.cores.saturating_add(one.cores),
            others_share: greatest(all.others_share, one.others_share),
            steal_share: greatest(all.steal_share, one.steal_share),
            throttled_share: greatest(all.throttled_share, one.throttled_share),
            pressure_share: greatest(all.pressure_share, one.pressure_share),
            unseen: all.unseen || one.unseen,
        }
    })
}

fn machine(machine: &Machine) -> MachineRecord {
    let share = |part: Duration, whole: Duration| {
        let known = !whole.is_zero() && !machine.unseen;
        known.then(|| part.as_secs_f64() / whole.as_secs_f64())
    };
    let cores = machine.wall * machine.cores;
    MachineRecord {
        cores: machine.cores,
        others_share: share(machine.others, cores),
        steal_share: share(machine.steal, cores),
        throttled_share: share(machine.throttled, machine.wall),
        pressure_share: share(machine.pressure, machine.wall),
        unseen: machine.unseen,
    }
}

fn timer(noise: &TimerNoise) -> TimerRecord {
    let micros = |late: Duration| late.as_nanos() as f64 / 1e3;
    TimerRecord {
        samples: noise.samples,
        disturbed: noise.disturbed,
        p50_us: micros(noise.p50),
        p99_us: micros(noise.p99),
        max_us: micros(noise.max),
    }
}
