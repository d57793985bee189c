//! [`MonitorRecord`]: what a server, or its host, reported while a run was in progress, beside the run's own figures.
//!
//! Readings are numbers by name, taken once a second. For each, a record keeps the first and the last value, the bounds
//! and, where it only rises, the rate. That is enough to compare a server's count of requests with the generator's, and
//! its size does not grow with the length of the run. The server decides which numbers there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most readings that are kept of one source.
const READINGS_MAX: usize = 256;

/// What was read from one source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorRecord {
    /// Where it was read: `ldap`, `kea:/run/kea/kea4.sock`, `pid:4711`.
    pub source: String,
    /// The node that read it; 0 if the run was not shared.
    #[serde(default)]
    pub node: u32,
    /// How many times it was read.
    pub samples: u64,
    /// How many times it could not be read.
    pub failed: u64,
    /// The reason of the first failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The time from the first reading to the last, in seconds.
    pub seconds: f64,
    /// The readings, by name.
    pub readings: Vec<ReadingRecord>,
}

/// One number that was read repeatedly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingRecord {
    /// Its name, as the source gives it.
    pub name: String,
    /// At the first reading.
    pub first: f64,
    /// At the last.
    pub last: f64,
    /// The least it was.
    pub least: f64,
    /// The most it was.
    pub most: f64,
    /// The mean of the readings.
    pub mean: f64,
    /// Where it rose and never fell: by how much a second over the whole time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The most it rose in a second, between two readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_most: Option<f64>,
}

/// The readings of one source so far.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    samples: u64,
    failed: u64,
    failure: Option<String>,
    first: Duration,
    last: Duration,
    of: BTreeMap<String, Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    first: f64,
    last: f64,
    at: Duration,
    least: f64,
    most: f64,
    sum: f64,
    count: u64,
    fell: bool,
    rate_most: f64,
}

impl Readings {
    /// Takes in one reading of all numbers.
    pub fn absorb(&mut self, at: Duration, values: impl IntoIterator<Item = (String, f64)>) {
        if self.samples == 0 {
            self.first = at;
        }
        self.samples += 1;
        self.last = at;
        for (name, value) in values {
            if let Some(reading) = self.of.get_mut(&name) {
                reading.absorb(at, value);
            } else if self.of.len() < READINGS_MAX && value.is_finite() {
                self.of.insert(name, Reading::new(at, value));
            }
        }
    }

    /// Takes in that nothing could be read.
    pub fn failed(&mut self, why: impl Into<String>) {
        self.failed += 1;
        self.failure.get_or_insert_with(|| why.into());
    }

    /// What is recorded of them.
    pub fn record(&self, source: String, node: u32) -> MonitorRecord {
        MonitorRecord {
            source,
            node,
            samples: self.samples,
            failed: self.failed,
            failure: self.failure.clone(),
            seconds: self.last.saturating_sub(self.first).as_secs_f64(),
            readings: self
                .of
                .iter()
                .map(|(name, reading)| reading.record(name, self.first))
                .collect(),
        }
    }
}

impl Reading {
    const fn new(at: Duration, value: f64) -> Self {
        Self {
            first: value,
            last: value,
            at,
            least: value,
            most: value,
            sum: value,
            count: 1,
            fell: false,
            rate_most: 0.0,
        }
    }

    fn absorb(&mut self, at: Duration, value: f64) {
        if !value.is_finite() {
            return;
        }
        let seconds = at.saturating_sub(self.at).as_secs_f64();
        if seconds > 0.0 {
            self.rate_most = self.rate_most.max((value - self.last) / seconds);
        }
        self.fell |= value < self.last;
        (self.last, self.at) = (value, at);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.sum += value;
        self.count += 1;
    }

    fn record(&self, name: &str, since: Duration) -> ReadingRecord {
        let seconds = self.at.saturating_sub(since).as_secs_f64();
        let rises = !self.fell && self.last > self.first && seconds > 0.0;
        ReadingRecord {
            name: name.to_owned(),
            first: self.first,
            last: self.last,
            least: self.least,
            most: self.most,
            mean: self.sum / self.count as f64,
            rate: rises.then(|| (self.last - self.first) / seconds),
            rate_most: rises.then_some(self.rate_most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_rates_and_gauges_have_bounds() {
        let mut readings = Readings::default();
        for (second, requests, threads) in [(0, 100.0, 4.0), (1, 300.0, 8.0), (3, 400.0, 2.0)] {
            let values = [("requests".to_owned(), requests), ("threads".to_owned(), threads)];
            readings.absorb(Duration::from_secs(second), values);
        }
        readings.failed("gone");
        readings.failed("still gone");
        let record = readings.record("pid:1".to_owned(), 2);
        assert_eq!((record.samples, record.failed, record.node), (3, 2, 2));
        assert_eq!((record.failure.as_deref(), record.seconds), (Some("gone"), 3.0));
        let [requests, threads] = &record.readings[..] else { panic!("{record:?}") };
        assert_eq!((requests.first, requests.last), (100.0, 400.0));
        assert_eq!((requests.rate, requests.rate_most), (Some(100.0), Some(200.0)));
        assert_eq!((threads.least, threads.most, threads.rate), (2.0, 8.0, None));
        assert!((threads.mean - 14.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn readings_are_bounded_in_memory() {
        let mut readings = Readings::default();
        for second in 0..10_u64 {
            let values = (0..1_000).map(|number| (format!("{second}.{number}"), 1.0));
            readings.absorb(Duration::from_secs(second), values);
        }
        assert_eq!(readings.record(String::new(), 0).readings.len(), READINGS_MAX);
        readings.absorb(Duration::from_secs(11), [("0.0".to_owned(), f64::NAN)]);
        assert!((readings.record(String::new(), 0).readings[0].last - 1.0).abs() < 1e-9);
    }
}
