//! The options of `brunt names`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use super::names_cell::CellArgs;
use super::names_lookup::LookupArgs;
use super::names_matrix::{MatrixArgs, SweepArgs};

/// What is done about names.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum NamesKind {
    /// Look users and groups up, at a rate or as fast as it goes, and see what that costs
    Lookup(Box<LookupArgs>),
    /// Compare flat files, directories and caches: insert, look up, delete, each in an environment of its own
    Matrix(Box<MatrixArgs>),
    /// Vary what a cache is set to, and see what that does to hits and to latency
    Sweep(Box<SweepArgs>),
    /// Be one of the processes of a private environment
    #[command(hide = true)]
    Cell(CellArgs),
}

impl NamesKind {
    /// The same with the command line as a record may show it.
    pub(super) fn with(self, typed: Vec<String>) -> Self {
        match self {
            Self::Lookup(args) => Self::Lookup(Box::new(LookupArgs { typed, ..*args })),
            Self::Matrix(args) => Self::Matrix(Box::new(MatrixArgs { typed, ..*args })),
            Self::Sweep(args) => Self::Sweep(Box::new(SweepArgs { typed, ..*args })),
            Self::Cell(args) => Self::Cell(args),
        }
    }
}
