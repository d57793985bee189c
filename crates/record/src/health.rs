//! How the generator itself fared: the processor time of its workers and what its sockets lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a worker used of its core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLoad {
    /// The number of the worker.
    pub worker: u16,
    /// Processor time of the worker's thread.
    #[serde(rename = "cpu_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub cpu: Duration,
    /// The time in which it was used.
    #[serde(rename = "wall_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub wall: Duration,
    /// How long the thread could have run and had no core to run on (its run-queue delay).
    #[serde(rename = "waited_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub waited: Duration,
    /// How many times it was given a core.
    pub runs: u64,
}

impl WorkerLoad {
    /// The share of one core, from 0 to 1; `None` before any time has passed.
    pub fn share(&self) -> Option<f64> {
        (!self.wall.is_zero()).then(|| self.cpu.as_secs_f64() / self.wall.as_secs_f64())
    }

    /// The share of the time in which it could have run and had no core to run on.
    pub fn waited_share(&self) -> Option<f64> {
        (!self.wall.is_zero()).then(|| self.waited.as_secs_f64() / self.wall.as_secs_f64())
    }
}

/// What the machine did beside running the generator. Times are sums over the cores it may use, except
/// `wall`, `throttled` and `pressure`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The time in which it was looked at.
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
    /// Time in which some process waited for a core, as the kernel's pressure stall information has it.
    #[serde(rename = "pressure_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub pressure: Duration,
}

impl Machine {
    fn merge(&mut self, other: &Self) {
        self.wall += other.wall;
        self.cores = self.cores.max(other.cores);
        self.others += other.others;
        self.steal += other.steal;
        self.throttled += other.throttled;
        self.pressure += other.pressure;
    }
}

/// A time in which the generator stood still: stopped, paused with its virtual machine, or kept from every core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
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

/// How late this machine wakes up a thread that does nothing but sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimerNoise {
    /// How many wake-ups were timed.
    pub samples: u64,
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

/// What was seen of the generator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// The workers, by number.
    pub workers: Vec<WorkerLoad>,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
    /// What the machine did beside.
    pub machine: Machine,
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

    /// Adds what was seen of a worker.
    pub fn record(&mut self, load: WorkerLoad) {
        match self.workers.binary_search_by_key(&load.worker, |known| known.worker) {
            Ok(at) => {
                self.workers[at].cpu += load.cpu;
                self.workers[at].wall += load.wall;
                self.workers[at].waited += load.waited;
                self.workers[at].runs += load.runs;
            }
            Err(at) => self.workers.insert(at, load),
        }
    }

    /// Adds what another saw.
    pub fn merge(&mut self, other: &Self) {
        other.workers.iter().for_each(|load| self.record(*load));
        self.socket_drops += other.socket_drops;
        self.machine.merge(&other.machine);
        self.stalled += other.stalled;
        self.keep(&other.stalls);
    }

    /// Adds what was seen of the machine, and the times in which the generator stood still.
    pub fn observe(&mut self, machine: &Machine, stalls: &[Stall]) {
        self.machine.merge(machine);
        self.stalled += stalls.iter().map(|stall| stall.lasted).sum::<Duration>();
        self.keep(stalls);
    }

    fn keep(&mut self, stalls: &[Stall]) {
        self.stalls.extend(stalls);
        self.stalls.sort_by_key(|stall| (stall.from, stall.lasted));
        self.stalls.truncate(Self::STALLS_MAX);
    }

    /// The share of its core that the busiest worker used.
    pub fn busiest(&self) -> Option<f64> {
        self.workers.iter().filter_map(WorkerLoad::share).reduce(f64::max)
    }

    /// Forgets everything but keeps its memory.
    pub fn reset(&mut self) {
        self.workers.clear();
        self.socket_drops = 0;
        self.machine = Machine::default();
        self.stalls.clear();
        self.stalled = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_worker_is_not_averaged_away() {
        let load = |worker, cpu| WorkerLoad {
            worker,
            cpu: Duration::from_millis(cpu),
            wall: Duration::from_secs(1),
            waited: Duration::ZERO,
            runs: 0,
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
}
