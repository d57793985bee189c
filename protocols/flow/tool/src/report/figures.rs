//! The figures of the table, by the formulas of the original tool.
//!
//! LoadGen computes in single precision, which affects the last digit in a table of a long run. The compatible manner
//! does the same; otherwise figures are exact, and a figure without measurements is unknown.

use std::time::Duration;

use super::{Compatibility, Report, Row, Sum};

/// The quotients of one row; `None` where the divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quotients {
    pub combined_per_second: Option<f64>,
    pub per_thread_per_second: Option<f64>,
    pub millis: Option<f64>,
    /// Passed, exceeded and failed of a hundred.
    pub percents: [Option<f64>; 3],
}

impl Compatibility {
    /// `one / other`.
    fn quotient(self, one: f64, other: f64) -> Option<f64> {
        match self {
            Self::Compatible => Some(f64::from(one as f32 / other as f32)),
            Self::Repaired => (other != 0.0).then(|| one / other),
        }
    }

    /// `one / other` times `by`.
    fn scaled(self, one: f64, other: f64, by: f64) -> Option<f64> {
        let quotient = self.quotient(one, other)?;
        Some(match self {
            Self::Compatible => f64::from(quotient as f32 * by as f32),
            Self::Repaired => quotient * by,
        })
    }

    /// A time in seconds.
    pub fn seconds(self, time: Duration) -> f64 {
        match self {
            Self::Compatible => f64::from(time.as_millis() as f32 / 1000.0),
            Self::Repaired => time.as_secs_f64(),
        }
    }

    fn millis(self, time: Duration) -> f64 {
        match self {
            Self::Compatible => time.as_millis() as f64,
            Self::Repaired => time.as_secs_f64() * 1e3,
        }
    }

    /// A thousand times `count`, divided by the time that each thread spent: what all threads could do in a second.
    fn combined(self, passed: Sum, threads: u32) -> Option<f64> {
        let each = self.quotient(self.millis(passed.time), f64::from(threads))?;
        self.scaled(passed.count as f64, each, 1000.0)
    }

    /// Of a hundred.
    pub fn percent(self, count: u64, of: u64) -> Option<f64> {
        self.scaled(count as f64, of as f64, 100.0)
    }
}

impl Row {
    /// How often the task was carried out.
    pub fn total(&self) -> Sum {
        let all = [self.passed, self.exceeded, self.failed];
        Sum {
            count: all.iter().map(|sum| sum.count).sum(),
            time: all.iter().map(|sum| sum.time).sum(),
        }
    }

    pub fn quotients(&self, manner: Compatibility, threads: u32) -> Quotients {
        let Sum { count, time } = self.passed;
        let total = self.total().count;
        let counts = [self.passed.count, self.exceeded.count, self.failed.count];
        Quotients {
            combined_per_second: manner.combined(self.passed, threads),
            per_thread_per_second: manner.scaled(count as f64, manner.millis(time), 1000.0),
            millis: manner.quotient(manner.millis(time), count as f64),
            percents: counts.map(|count| manner.percent(count, total)),
        }
    }
}

impl Report {
    /// The sum of what passed over all rows.
    pub fn passed(&self) -> Sum {
        Sum {
            count: self.rows.iter().map(|row| row.passed.count).sum(),
            time: self.rows.iter().map(|row| row.passed.time).sum(),
        }
    }

    /// How many tasks there would have been if none had failed: those carried out and those skipped.
    pub fn goal(&self) -> u64 {
        self.rows.iter().map(|row| row.total().count + row.skipped).sum()
    }

    /// Tasks that passed, divided by the time the threads spent on them.
    pub fn successful_per_second(&self) -> Option<f64> {
        self.manner.combined(self.passed(), self.threads)
    }

    /// Tasks that passed, divided by the time of the job.
    pub fn per_second(&self) -> Option<f64> {
        let lapsed = self.manner.millis(self.lapsed);
        self.manner.scaled(self.passed().count as f64, lapsed, 1000.0)
    }
}
