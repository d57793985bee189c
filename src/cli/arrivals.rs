//! When exchanges fall due, as a command line asks for it: [`Rate`] and [`Arrival`].

use std::path::PathBuf;

/// When operations start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rate {
    /// Each as soon as the one before it is answered.
    Unlimited,
    /// So many a second, whatever is answered.
    Constant {
        /// How many.
        per_second: f64,
        /// How they are spread.
        arrival: Arrival,
    },
    /// As this text says.
    Stages(String),
    /// As this file says.
    File {
        /// The file.
        path: PathBuf,
        /// What its multiples are of.
        base: Option<f64>,
    },
}

/// How arrivals are spread over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Evenly.
    Uniform,
    /// Independently of each other.
    Poisson,
}
