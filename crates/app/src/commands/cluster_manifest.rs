//! `brunt cluster manifest`: prints a manifest by which a launcher starts the agents of a run.

use brunt_cluster::manifest::{Kubernetes, LaunchOptions, Nomad, Slurm, Ssh};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use crate::cli::cluster_manifest::{Launcher, ManifestArgs};

/// The broker that a manifest for Kubernetes starts.
const BROKER: &str = "tls://brunt-nats:4222";

/// Prints the manifest.
pub(crate) fn cluster_manifest(args: &ManifestArgs, world: &World) -> Result<Exit, Refusal> {
    if let Some(option) = idle(args) {
        return Err(Refusal::usage(format!(
            "error: {option} is for another launcher: leave it out, or see 'brunt cluster manifest --help'"
        )));
    }
    let own = (args.launcher == Launcher::K8s).then(|| BROKER.to_owned());
    let nats = args.nats.clone().or(own).ok_or_else(|| {
        Refusal::usage("error: say where nats-server runs: --nats tls://HOST:4222, as cluster keys was told by --host")
    })?;
    let requested = LaunchOptions {
        agents: args.agents,
        nats,
        pool: args.pool.clone(),
        cores: args.cores,
        deadline: args.deadline,
        command: args.command.clone(),
    };
    let image = args.image.clone().unwrap_or_default();
    let text = match args.launcher {
        Launcher::K8s => Kubernetes {
            image,
            nats_image: args.nats_image.clone(),
            namespace: args.namespace.clone(),
        }
        .text(&requested),
        Launcher::Slurm => {
            Slurm { partition: args.partition.clone(), account: args.account.clone() }
                .text(&requested)
        }
        Launcher::Nomad => Nomad { image, datacenter: args.datacenter.clone() }.text(&requested),
        Launcher::Ssh => Ssh { hosts: args.ssh_hosts.clone() }.text(&requested),
    };
    world.console.print(&text.map_err(|error| Refusal::usage(format!("failed to {error}")))?)
}

/// An option that this launcher does not use.
fn idle(args: &ManifestArgs) -> Option<&'static str> {
    let given = [
        ("--image", args.image.is_some(), &[Launcher::K8s, Launcher::Nomad][..]),
        ("--namespace", args.namespace.is_some(), &[Launcher::K8s]),
        ("--partition", args.partition.is_some(), &[Launcher::Slurm]),
        ("--account", args.account.is_some(), &[Launcher::Slurm]),
        ("--ssh-host", !args.ssh_hosts.is_empty(), &[Launcher::Ssh]),
    ];
    let idle = given.into_iter().find(|(_, given, of)| *given && !of.contains(&args.launcher));
    idle.map(|(option, ..)| option)
}
