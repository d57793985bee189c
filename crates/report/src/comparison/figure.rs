//! The figures that are compared: [`Figure`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure of a run or of one of its operations.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Exchanges a second that were answered while the load ran, well or not.
    Achieved,
    /// Exchanges a second that succeeded while the load ran.
    Goodput,
    /// The share of all that was due which did not succeed.
    Errors,
    /// Processor time of the generator for each exchange that was answered.
    Cpu,
    /// Processor time of the target for each exchange that was answered, where a process was watched.
    TargetCpu,
    /// The mean response time.
    Mean,
    /// The median response time.
    P50,
    /// The response time that 90 % did not exceed.
    P90,
    /// The response time that 99 % did not exceed.
    P99,
    /// The response time that 99.9 % did not exceed.
    P999,
    /// The mean service time.
    ServiceMean,
    /// The median service time.
    ServiceP50,
    /// The service time that 99 % did not exceed.
    ServiceP99,
}

impl Figure {
    /// All, in the order of reports.
    pub const ALL: [Self; 13] = [
        Self::Achieved,
        Self::Goodput,
        Self::Errors,
        Self::Cpu,
        Self::TargetCpu,
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P99,
        Self::P999,
        Self::ServiceMean,
        Self::ServiceP50,
        Self::ServiceP99,
    ];

    /// The word of the command line and of documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Achieved => "achieved",
            Self::Goodput => "goodput",
            Self::Errors => "errors",
            Self::Cpu => "cpu",
            Self::TargetCpu => "target-cpu",
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::ServiceMean => "service-mean",
            Self::ServiceP50 => "service-p50",
            Self::ServiceP99 => "service-p99",
        }
    }

    /// The figure of this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.word() == word)
    }

    /// What a table calls it, with its unit.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Achieved => "achieved, per s",
            Self::Goodput => "goodput, per s",
            Self::Errors => "errors, %",
            Self::Cpu => "our CPU, us each",
            Self::TargetCpu => "target CPU, us each",
            Self::Mean => "response mean, ms",
            Self::P50 => "response p50, ms",
            Self::P90 => "response p90, ms",
            Self::P99 => "response p99, ms",
            Self::P999 => "response p99.9, ms",
            Self::ServiceMean => "service mean, ms",
            Self::ServiceP50 => "service p50, ms",
            Self::ServiceP99 => "service p99, ms",
        }
    }

    /// The unit of its values in documents.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Achieved | Self::Goodput => "per_second",
            Self::Errors => "share",
            _ => "us",
        }
    }

    /// Whether more of it is better.
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Achieved | Self::Goodput)
    }

    /// Whether it describes the target. The cost of brunt itself is reported, but makes no target worse.
    pub const fn is_of_target(self) -> bool {
        !matches!(self, Self::Cpu)
    }

    /// Whether it follows from the definition of rates.
    pub(super) const fn is_of_rate(self) -> bool {
        matches!(self, Self::Achieved | Self::Goodput | Self::Cpu | Self::TargetCpu)
    }

    /// Whether changes are differences, and not ratios: a share of errors is often zero.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Errors)
    }

    /// The quantile of a percentile, and whether it is of service times.
    pub(super) const fn quantile(self) -> Option<(f64, bool)> {
        match self {
            Self::P50 => Some((0.5, false)),
            Self::P90 => Some((0.9, false)),
            Self::P99 => Some((0.99, false)),
            Self::P999 => Some((0.999, false)),
            Self::ServiceP50 => Some((0.5, true)),
            Self::ServiceP99 => Some((0.99, true)),
            _ => None,
        }
    }
}
