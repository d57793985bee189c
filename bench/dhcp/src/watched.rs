//! The resources and the output of a running tool in a window of time.
//!
//! Its processor time is read at both ends of the window, and its output is counted by another program; so neither its
//! start nor its own counts affect the result.

use brunt_bench_tool::{Process, median, pass, stopwatch};
use std::time::Duration;

/// A window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// Processor time of all threads.
    pub(crate) cpu: Duration,
    /// How long the window was.
    pub(crate) lasted: Duration,
    /// How much the count grew.
    pub(crate) count: u64,
}

impl Watched {
    /// Lets the tool run for `warm_s`, then watches it for `window_s`.
    pub(crate) fn new(
        tool: &mut Process,
        warm_s: u64,
        window_s: u64,
        count: impl Fn() -> u64,
    ) -> Self {
        pass(warm_s);
        let clock = stopwatch();
        let (cpu, before) = (tool.cpu(), count());
        pass(window_s);
        let (cpu, grown) = (tool.cpu().saturating_sub(cpu), count() - before);
        Self { cpu, lasted: clock(), count: grown }
    }

    /// Processor time for one of what was counted, in microseconds.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.count as f64
    }

    /// The share of one core.
    pub(crate) fn cores(&self) -> f64 {
        self.cpu.as_secs_f64() / self.lasted.as_secs_f64()
    }

    /// How much was counted in a second.
    pub(crate) fn per_second(&self) -> f64 {
        self.count as f64 / self.lasted.as_secs_f64()
    }
}

/// The middle of one figure over all rounds.
pub(crate) fn middle<T>(rounds: &[T], pick: impl Fn(&T) -> f64) -> f64 {
    median(rounds.iter().map(pick))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_cover_the_window() {
        let window = Watched {
            cpu: Duration::from_millis(500),
            lasted: Duration::from_secs(10),
            count: 20_000,
        };
        assert!((window.cpu_us() - 25.0).abs() < 1e-9);
        assert!((window.cores() - 0.05).abs() < 1e-9);
        assert!((window.per_second() - 2_000.0).abs() < 1e-9);
        assert!((middle(&[1_u32, 9, 2], |it| f64::from(*it)) - 2.0).abs() < 1e-9);
    }
}
