//! How the generator itself fared: the processor time of its workers and what its sockets lost.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a worker used of its core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerLoad {
    /// The number of the worker.
    pub worker: u16,
    /// Processor time of the worker's thread.
    pub cpu: Duration,
    /// The time in which it was used.
    pub wall: Duration,
}

impl WorkerLoad {
    /// The share of one core, from 0 to 1; `None` before any time has passed.
    pub fn share(&self) -> Option<f64> {
        (!self.wall.is_zero()).then(|| self.cpu.as_secs_f64() / self.wall.as_secs_f64())
    }
}

/// What was seen of the generator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The workers, by number.
    pub workers: Vec<WorkerLoad>,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
}

impl Health {
    /// Adds what was seen of a worker.
    pub fn record(&mut self, load: WorkerLoad) {
        match self.workers.binary_search_by_key(&load.worker, |known| known.worker) {
            Ok(at) => {
                self.workers[at].cpu += load.cpu;
                self.workers[at].wall += load.wall;
            }
            Err(at) => self.workers.insert(at, load),
        }
    }

    /// Adds what another saw.
    pub fn merge(&mut self, other: &Self) {
        other.workers.iter().for_each(|load| self.record(*load));
        self.socket_drops += other.socket_drops;
    }

    /// The share of its core that the busiest worker used.
    pub fn busiest(&self) -> Option<f64> {
        self.workers.iter().filter_map(WorkerLoad::share).reduce(f64::max)
    }

    /// Forgets everything but keeps its memory.
    pub fn reset(&mut self) {
        self.workers.clear();
        self.socket_drops = 0;
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
        };
        let mut health = Health::default();
        health.record(load(3, 950));
        health.record(load(1, 100));
        health.merge(&Health { workers: vec![load(1, 300)], socket_drops: 2 });
        assert_eq!(health.busiest(), Some(0.95));
        assert_eq!(health.workers[0].share(), Some(0.2));
        assert_eq!(health.socket_drops, 2);
        assert_eq!(WorkerLoad::default().share(), None);
    }
}
