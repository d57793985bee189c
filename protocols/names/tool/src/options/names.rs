//! The options of `brunt names`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::{Args, Subcommand};

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

/// The hidden command by which a private environment starts its own processes. Not for users.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct CellArgs {
    /// What the environment is to be, as JSON.
    #[arg(long)]
    pub spec: Option<String>,
    /// Be process 1.
    #[arg(long)]
    pub inner: bool,
    /// Only find out whether such an environment can be had: root or user.
    #[arg(long = "try", value_parser = ["root", "user"])]
    pub attempt: Option<String>,
    /// Become this program, and end with whoever asked.
    #[arg(last = true)]
    pub leash: Vec<String>,
}
