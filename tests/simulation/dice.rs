//! [`Dice`]: everything that is drawn, from one seed.

use std::time::Duration;

use brunt_exchange::chance::{Stream, mix};

/// Draws of one kind. Those of another kind do not change when more are made.
pub(crate) struct Dice(Stream);

impl Dice {
    pub(crate) fn new(seed: u64, kind: u64) -> Self {
        Self(Stream::new(mix(seed, kind)))
    }

    /// In (0, 1].
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// A whole number of this range, both ends included.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        let range = most - least + 1;
        least + ((self.unit() * range as f64).ceil() as u64 - 1).min(range - 1)
    }

    pub(crate) fn millis(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(self.between(least, most))
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.unit() <= share
    }

    pub(crate) fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.between(0, of.len() as u64 - 1) as usize]
    }

    /// Exponential with this mean.
    pub(crate) fn exponential(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(self.0.exponential())
    }
}
