//! [`Spread`]: how what a rate asks for is spread over time.

use clap::ValueEnum;

/// How the requests of a rate are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Spread {
    /// Evenly spaced
    Uniform,
    /// Independent of each other, as the requests of many users are
    Poisson,
}
