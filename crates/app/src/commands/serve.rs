//! `brunt serve`: the website.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_envelope::ClusterSettings;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_serve::agents::Cluster;
use brunt_serve::backup::{self, Backup};
use brunt_serve::{Settings, Site};

use super::failed;
use super::serve_agents::AgentListener;
use super::serve_trial::trial;
use crate::cli::plane::BrokerArgs;
use crate::cli::serve::ServeArgs;

/// The default directory of a site.
const DIRECTORY: &str = "brunt-site";
/// How long a run waits for its agents by default.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves until a signal ends the program, or carries out another operation on the directory.
pub(crate) fn serve(args: &ServeArgs, world: &World) -> Result<Exit, Refusal> {
    let is_private = args.listen.ip().is_loopback();
    if !is_private && args.tls_cert.is_none() && args.behind_proxy.is_empty() {
        return Err(Refusal::usage(format!(
            "failed to listen on {}: without TLS, others could read passwords on the network. Give a certificate with \
             --tls-cert and --tls-key, or name the proxy in front of the site with --behind-proxy",
            args.listen
        )));
    }
    if args.trial {
        return trial(args, listener(args)?, world);
    }
    if let Some(done) = upkeep(args, world)? {
        return Ok(done);
    }
    let settings = Settings {
        hosts: args.hosts.clone(),
        public_url: args.public_url.as_ref().map(ToString::to_string),
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        proxies: args.behind_proxy.clone(),
        credentials: world.environment.path("CREDENTIALS_DIRECTORY"),
        runtime: world.environment.path("XDG_RUNTIME_DIR"),
        new_keys: args.new_keys,
        trial: None,
        search_second: args.search_second.clone(),
        cluster: cluster(args)?,
    };
    let console = world.console.clone();
    let log = Box::new(move |text: &str| console.message(text));
    let directory = directory(args);
    let of_site = settings.clone();
    let site = Site::open(directory, settings, log).map_err(failed)?;
    if args.reindex {
        let runs = site.reindex().map_err(failed)?;
        return world.console.print(&format!("{runs} runs are in the index\n"));
    }
    if args.verify_audit {
        let (lines, from) = site.verify_audit().map_err(failed)?;
        let lost = format!("; the key of the lines before line {from} was lost");
        let lost = if from > 1 { lost.as_str() } else { "" };
        return world.console.print(&format!("all {lines} lines are unchanged{lost}\n"));
    }
    if let Some(name) = &args.link {
        let link = site.link(name).map_err(failed)?;
        return world.console.print(&format!("{}{link}\n", of_site.origin(args.listen)));
    }
    let listener = listener(args)?;
    let begun = |at, link: Option<String>| {
        let origin = of_site.origin(at);
        match link {
            None => world.console.message(&format!("serve: {origin}/")),
            Some(link) => {
                world
                    .console
                    .message("To set the password of admin, open this link within 30 minutes:");
                // Complete on one line, so that it can be copied.
                world.console.report(&format!("serve: {origin}{link}\n"));
            }
        }
    };
    site.serve(listener, begun).map_err(failed)?;
    Ok(Exit::Ok)
}

fn directory(args: &ServeArgs) -> &Path {
    args.dir.as_deref().unwrap_or_else(|| Path::new(DIRECTORY))
}

/// Carries out what needs no open site: a backup, its check, its restoration.
fn upkeep(args: &ServeArgs, world: &World) -> Result<Option<Exit>, Refusal> {
    let (act, done) = if let Some(backups) = &args.backup {
        ("made", backup::make(directory(args), backups, world.now()))
    } else if let Some(at) = &args.verify_backup {
        ("unchanged", backup::verify(at))
    } else if let Some(at) = &args.restore {
        ("restored", backup::restore(at, directory(args)))
    } else {
        return Ok(None);
    };
    let Backup { at, made, files, bytes } = done.map_err(failed)?;
    let at = at.display();
    let reported = format!("{at}\n{act}: {files} files, {bytes} bytes, of {made}\n");
    world.console.print(&reported).map(Some)
}

/// The cluster of the site, if a broker was given.
fn cluster(args: &ServeArgs) -> Result<Option<Cluster>, Refusal> {
    if !args.broker.is_named() {
        let why = "error: --pool and --patience need the broker of the agents: add --keys DIR, or --nats \
                   tls://HOST:4222";
        let of_agents = args.broker.names_pool() || args.patience.is_some();
        return if of_agents { Err(Refusal::usage(why)) } else { Ok(None) };
    }
    let BrokerArgs { keys, nats, .. } = &args.broker;
    let agents = Arc::new(AgentListener::new(&args.broker)?);
    let absolute = |keys: &PathBuf| keys.canonicalize();
    let keys = keys.as_ref().map(absolute).transpose().map_err(failed)?;
    let meeting = ClusterSettings {
        keys,
        nats: nats.clone(),
        pool: args.broker.pool().to_string(),
        patience_s: args.patience.unwrap_or(PATIENCE).as_secs().max(1),
        run: String::new(),
    };
    Ok(Some(Cluster { meeting, agents }))
}

/// Listens on the requested address.
fn listener(args: &ServeArgs) -> Result<TcpListener, Refusal> {
    TcpListener::bind(args.listen).map_err(|error| {
        let another = "name another address with --listen; port 0 picks a free port";
        failed(format!("listen on {}: {error}; {another}", args.listen))
    })
}
