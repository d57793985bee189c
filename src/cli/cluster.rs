//! The options of `brunt cluster`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use super::cluster_run::ClusterRunArgs;

/// What is done about a cluster.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum ClusterKind {
    /// Carry out one run with several agents: one table, one record, one verdict
    Run(Box<ClusterRunArgs>),
}
