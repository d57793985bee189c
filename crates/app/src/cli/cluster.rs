//! The options of `brunt cluster`, declared for clap. Their doc comments are their help; there is no logic here.

use clap::Subcommand;

use super::cluster_check::CheckArgs;
use super::cluster_keys::KeysArgs;
use super::cluster_manifest::ManifestArgs;
use super::cluster_run::ClusterRunArgs;

/// What is done about a cluster.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum ClusterKind {
    /// Carry out one run on several agents, with one record and one verdict
    Run(Box<ClusterRunArgs>),
    /// Make the keys, certificates and broker configuration of a cluster
    Keys(KeysArgs),
    /// Show what a command needs on agents, and whether their policy permits it
    Check(CheckArgs),
    /// Print a manifest or script that starts agents with Kubernetes, Slurm, Nomad or ssh
    Manifest(Box<ManifestArgs>),
}
