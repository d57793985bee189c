//! When exchanges fall due, as given on a command line: [`Rate`] and [`Arrival`].

use std::path::PathBuf;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Evenly spaced.
    Uniform,
    /// Independently of each other.
    Poisson,
}
