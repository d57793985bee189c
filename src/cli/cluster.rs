//! The options of `brunt cluster`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use super::cluster_check::CheckArgs;
use super::cluster_keys::KeysArgs;
use super::cluster_manifest::ManifestArgs;
use super::cluster_run::ClusterRunArgs;

/// What is done about a cluster.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum ClusterKind {
    /// Carry out one run with several agents: one table, one record, one verdict
    Run(Box<ClusterRunArgs>),
    /// Make the keys, certificates and broker configuration of a cluster
    Keys(KeysArgs),
    /// Show what a command needs of agents, and whether they may carry it out
    Check(CheckArgs),
    /// Write what has Kubernetes, Slurm, Nomad or ssh start the agents of a run
    Manifest(Box<ManifestArgs>),
}
