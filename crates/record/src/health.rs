//! How the generator itself performed: the processor time of its workers and what its sockets lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a worker used of its core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLoad {
    /// The node it belongs to; 0 in a run of one machine.
    #[serde(default, skip_serializing_if = "is_first")]
    pub node: u32,
    /// The number of the worker.
    pub worker: u16,
    /// Processor time of the worker's thread.
    #[serde(rename = "cpu_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub cpu: Duration,
    /// The time over which it was measured.
    #[serde(rename = "wall_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub wall: Duration,
    /// How long the thread was ready to run but had no core (its run-queue delay).
    #[serde(rename = "waited_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub waited: Duration,
    /// How many times it was given a core.
    pub runs: u64,
    /// Whether these two could not be read, so that they are zero and unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

impl WorkerLoad {
    /// The share of one core, from 0 to 1; `None` before any time has passed.
    pub fn share(&self) -> Option<f64> {
        (!self.wall.is_zero()).then(|| self.cpu.as_secs_f64() / self.wall.as_secs_f64())
    }

    /// The share of the time in which it was ready to run but had no core.
    pub fn waited_share(&self) -> Option<f64> {
        let known = !self.wall.is_zero() && !self.unseen;
        // The kernel counts a wait when it ends, so one that began before the measurement may be longer than it.
        known.then(|| (self.waited.as_secs_f64() / self.wall.as_secs_f64()).min(1.0))
    }

    /// The share of the time in which it ran or waited for a core.
    pub(crate) fn awake_share(&self) -> Option<f64> {
        Some(self.share()? + self.waited_share().unwrap_or_default())
    }
}

/// What else the machine did while it ran the generator. Times are sums over the cores it may use, except `wall`,
/// `throttled` and `pressure`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The time over which it was observed.
    #[serde(rename = "wall_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub wall: Duration,
    /// The cores the generator may use.
    pub cores: u32,
    /// Processor time of other processes on those cores, the target's if it is on this machine.
    #[serde(rename = "others_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub others: Duration,
    /// Processor time that the host of a virtual machine kept for itself.
    #[serde(rename = "steal_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub steal: Duration,
    /// Time in which a quota of the control group kept the process from running.
    #[serde(rename = "throttled_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub throttled: Duration,
    /// Time in which some process waited for a core, from the kernel's pressure stall information.
    #[serde(rename = "pressure_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub pressure: Duration,
    /// Whether the kernel's counters could not be read, so that all but `wall` and `cores` are zero and unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

impl Machine {
    fn merge(&mut self, other: &Self) {
        self.wall += other.wall;
        self.cores = self.cores.max(other.cores);
        self.others += other.others;
        self.steal += other.steal;
        self.throttled += other.throttled;
        self.pressure += other.pressure;
        self.unseen |= other.unseen;
    }
}

/// A time in which the generator stood still: stopped, paused with its virtual machine, or without any core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
    /// The node that stood still; 0 in a run of one machine.
    #[serde(default, skip_serializing_if = "is_first")]
    pub node: u32,
    /// When it began, since the origin of the run.
    #[serde(rename = "from_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub from: Duration,
    /// How long it lasted.
    #[serde(rename = "lasted_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub lasted: Duration,
}

/// How much of the time from `from` to `to` the generator stood still.
pub(crate) fn overlap(stalls: &[Stall], from: Duration, to: Duration) -> Duration {
    let of =
        |stall: &Stall| (stall.from + stall.lasted).min(to).saturating_sub(stall.from.max(from));
    stalls.iter().map(of).sum()
}

/// How late this machine wakes up a thread that only sleeps, as long as nothing else disturbs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimerNoise {
    /// How many wake-ups were timed.
    pub samples: u64,
    /// How many more were left out, because a quota, other processes, a hypervisor or a pause may have made them late.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub disturbed: u64,
    /// The median of their lateness.
    #[serde(rename = "p50_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub p50: Duration,
    /// The 99th percentile.
    #[serde(rename = "p99_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub p99: Duration,
    /// The greatest.
    #[serde(rename = "max_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub max: Duration,
}

/// What one of several machines did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeMachine {
    /// The node.
    pub node: u32,
    /// What it did.
    #[serde(flatten)]
    pub machine: Machine,
}

/// What was observed of the generator. Everything is kept by node and worker: an average would hide a saturated worker
/// among idle ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// The workers, by node and number.
    pub workers: Vec<WorkerLoad>,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
    /// What else the machine did, in a run of one machine.
    pub machine: Machine,
    /// What else each machine did, in a run of several machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<NodeMachine>,
    /// The first few times in which the generator stood still, in order.
    pub stalls: Vec<Stall>,
    /// How long it stood still in all.
    #[serde(rename = "stalled_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub stalled: Duration,
}

impl Health {
    /// The most stalls that are kept one by one.
    pub const STALLS_MAX: usize = 32;

    /// Adds an observation of a worker.
    pub fn record(&mut self, load: WorkerLoad) {
        let key = |of: &WorkerLoad| (of.node, of.worker);
        match self.workers.binary_search_by_key(&key(&load), key) {
            Ok(at) => {
                self.workers[at].cpu += load.cpu;
                self.workers[at].wall += load.wall;
                self.workers[at].waited += load.waited;
                self.workers[at].runs += load.runs;
                self.workers[at].unseen |= load.unseen;
            }
            Err(at) => self.workers.insert(at, load),
        }
    }

    /// Adds the observations of another.
    pub fn merge(&mut self, other: &Self) {
        other.workers.iter().for_each(|load| self.record(*load));
        self.socket_drops += other.socket_drops;
        self.machine.merge(&other.machine);
        for theirs in &other.machines {
            match self.machines.binary_search_by_key(&theirs.node, |known| known.node) {
                Ok(at) => self.machines[at].machine.merge(&theirs.machine),
                Err(at) => self.machines.insert(at, *theirs),
            }
        }
        self.stalled += other.stalled;
        self.keep(&other.stalls);
    }

    /// Adds an observation of the machine, and the times in which the generator stood still.
    pub fn observe(&mut self, machine: &Machine, stalls: &[Stall]) {
        self.machine.merge(machine);
        self.stalled += stalls.iter().map(|stall| stall.lasted).sum::<Duration>();
        self.keep(stalls);
    }

    /// Sets which of the machines of a run this was, so that it can be merged with others.
    pub fn of_node(&mut self, node: u32) {
        self.workers.iter_mut().for_each(|load| load.node = node);
        self.stalls.iter_mut().for_each(|stall| stall.node = node);
        let machine = std::mem::take(&mut self.machine);
        self.machines = vec![NodeMachine { node, machine }];
    }

    fn keep(&mut self, stalls: &[Stall]) {
        self.stalls.extend(stalls);
        self.stalls.sort_by_key(|stall| (stall.from, stall.node, stall.lasted));
        self.stalls.truncate(Self::STALLS_MAX);
    }

    /// The share of its core that the busiest worker used.
    pub fn busiest(&self) -> Option<f64> {
        self.workers.iter().filter_map(WorkerLoad::share).reduce(f64::max)
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        self.workers.clear();
        self.socket_drops = 0;
        self.machine = Machine::default();
        self.machines.clear();
        self.stalls.clear();
        self.stalled = Duration::ZERO;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it by reference")]
fn is_first(node: &u32) -> bool {
    *node == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it by reference")]
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busiest_worker_is_kept() {
        let load = |worker, cpu| WorkerLoad {
            worker,
            cpu: Duration::from_millis(cpu),
            wall: Duration::from_secs(1),
            ..WorkerLoad::default()
        };
        let mut health = Health::default();
        health.record(load(3, 950));
        health.record(load(1, 100));
        health.merge(&Health { workers: vec![load(1, 300)], socket_drops: 2, ..Health::default() });
        assert_eq!(health.busiest(), Some(0.95));
        assert_eq!(health.workers[0].share(), Some(0.2));
        assert_eq!(health.socket_drops, 2);
        assert_eq!(WorkerLoad::default().share(), None);
    }
    #[test]
    fn saturated_node_is_kept() {
        let of_node = |node, cpu, steal| {
            let (cpu, wall) = (Duration::from_millis(cpu), Duration::from_secs(1));
            let mut health = Health::default();
            health.record(WorkerLoad { cpu, wall, ..WorkerLoad::default() });
            let steal = Duration::from_millis(steal);
            let stall = Stall { from: wall, ..Stall::default() };
            health.observe(&Machine { wall, cores: 2, steal, ..Machine::default() }, &[stall]);
            health.of_node(node);
            health
        };
        let mut all = of_node(0, 100, 0);
        all.merge(&of_node(1, 990, 500));
        all.merge(&of_node(1, 990, 500));
        assert_eq!(all.workers.len(), 2, "worker 0 of each node is another");
        assert_eq!(all.busiest(), Some(0.99));
        let steal = |at: usize| all.machines[at].machine.steal;
        assert_eq!((steal(0), steal(1)), (Duration::ZERO, Duration::from_secs(1)));
        assert_eq!(all.stalls.iter().map(|stall| stall.node).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
