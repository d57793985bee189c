//! The options of `brunt cluster manifest`, declared for clap. Their doc comments are their help; there is no logic
//! here.

use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use clap::{Args, ValueEnum};

/// Options of `brunt cluster manifest`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(override_usage = "brunt cluster manifest <LAUNCHER> --agents <NUMBER> [OPTIONS] -- ...")]
pub(crate) struct ManifestArgs {
    /// Launcher to print it for
    #[arg(value_enum)]
    pub(crate) launcher: Launcher,
    /// Number of agents
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: u32,
    /// Address of nats-server. Default for k8s: the nats-server of the manifest
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    /// Pool of the agents
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) pool: String,
    /// Whole processor cores of each agent (k8s, slurm, nomad)
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) cores: u32,
    /// How long the run may take, including all waiting times
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    pub(crate) deadline: Duration,
    /// Image that holds brunt, such as registry.lab/brunt:0.1 (k8s, nomad)
    #[arg(long, value_name = "IMAGE", required_if_eq_any([("launcher", "k8s"), ("launcher", "nomad")]))]
    pub(crate) image: Option<String>,
    /// Image that holds nats-server (k8s)
    #[arg(long, value_name = "IMAGE", default_value = "docker.io/library/nats:2.10-alpine")]
    pub(crate) nats_image: String,
    /// Namespace (k8s). Default: that of kubectl
    #[arg(long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
    /// Partition (slurm)
    #[arg(long, value_name = "NAME")]
    pub(crate) partition: Option<String>,
    /// Account (slurm)
    #[arg(long, value_name = "NAME")]
    pub(crate) account: Option<String>,
    /// Data centre (nomad)
    #[arg(long, value_name = "NAME", default_value = "dc1")]
    pub(crate) datacenter: String,
    /// Host of an agent, as for the ssh command; once for each agent (ssh)
    #[arg(long = "ssh-host", value_name = "HOST", required_if_eq("launcher", "ssh"))]
    pub(crate) ssh_hosts: Vec<String>,
    /// Command that makes the load, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// What starts the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Launcher {
    /// Kubernetes: an indexed Job, a broker, and a Job that orders the run
    K8s,
    /// Slurm: a batch script
    Slurm,
    /// Nomad: a batch job
    Nomad,
    /// A shell script that starts agents over ssh
    Ssh,
}

/// The help and the page of `brunt cluster manifest` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/cluster-manifest.txt").trim_ascii_end(),
    examples: &[
        (
            "Run a plan on four nodes of Kubernetes:",
            "brunt cluster manifest k8s --agents 4 --image registry.lab/brunt:0.1 \\\n\
             \x20 -- run login.toml > brunt.yaml",
        ),
        (
            "The same over ssh:",
            "brunt cluster manifest ssh --agents 2 --nats tls://nats.lab:4222 \\\n\
             \x20 --ssh-host load1 --ssh-host load2 -- run login.toml > run.sh",
        ),
        (
            "A batch script for Slurm:",
            "brunt cluster manifest slurm --agents 8 --nats tls://head:4222 \\\n\
             \x20 --deadline 20m -- perfdhcp -4 -r 5000 -p 60 172.16.1.1 > run.sbatch",
        ),
    ],
    short: &[
        ("launcher", "k8s, slurm, nomad or ssh"),
        ("agents", "Number of agents"),
        ("nats", "Address of nats-server: tls://HOST:4222"),
        ("cores", "Whole cores of each agent [default: 2]"),
        ("deadline", "How long it may take [default: 1h]"),
        ("image", "Image that holds brunt (k8s, nomad)"),
        ("ssh_hosts", "Host of an agent, once for each (ssh)"),
        ("command", "Command that makes the load"),
    ],
};
