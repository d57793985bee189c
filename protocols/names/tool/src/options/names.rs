//! The options of `brunt names`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use crate::options::cell::CellArgs;
use crate::options::lookup::LookupArgs;
use crate::options::matrix::{MatrixArgs, SweepArgs};

/// What is done about names.
#[derive(Debug, PartialEq, Subcommand)]
pub enum NamesKind {
    /// Look up users and groups on this machine, at a rate or as fast as possible
    Lookup(Box<LookupArgs>),
    /// Compare files, directories and caches: insert, look up and delete users
    Matrix(Box<MatrixArgs>),
    /// Vary a cache setting and measure hit ratio, throughput and latency
    Sweep(Box<SweepArgs>),
    /// Be one of the processes of a private environment
    #[command(hide = true)]
    Cell(CellArgs),
}
