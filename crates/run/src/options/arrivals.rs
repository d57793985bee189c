//! When exchanges become due, as given on a command line: [`TargetRate`], [`Rate`] and [`Arrival`].

use std::path::PathBuf;
use std::str::FromStr;

use brunt_engine::schedule::Rate as PerSecond;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rate as it was written: a third of an exchange per second has no exact number.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetRate {
    text: String,
    per_second: f64,
}

impl TargetRate {
    /// The text, such as `90/m`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The nearest number per second.
    pub const fn per_second(&self) -> f64 {
        self.per_second
    }

    /// The exact rate, if one can be kept.
    pub fn exact(&self) -> Option<PerSecond> {
        self.text.parse().ok().or_else(|| PerSecond::from_per_second(self.per_second))
    }
}

impl From<f64> for TargetRate {
    fn from(per_second: f64) -> Self {
        Self { text: per_second.to_string(), per_second }
    }
}

impl FromStr for TargetRate {
    type Err = <PerSecond as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rate: PerSecond = text.parse()?;
        Ok(Self { text: text.trim().to_owned(), per_second: rate.as_per_second() })
    }
}

/// When operations start.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Each as soon as the previous one is answered.
    Unlimited,
    /// This number a second, regardless of the answers.
    Constant {
        /// The number.
        per_second: f64,
        /// How they are spread over time.
        arrival: Arrival,
    },
    /// As described by this text.
    Stages(String),
    /// As described by this file.
    File {
        /// The file.
        path: PathBuf,
        /// The rate that its multipliers apply to.
        base: Option<f64>,
    },
}

/// How arrivals are spread over time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// Evenly spaced.
    #[default]
    Uniform,
    /// Independently of each other, as those of many users.
    Poisson,
}
