//! The connection of agents, coordinators and `brunt agents` to the broker of a cluster.

use std::path::PathBuf;
use std::time::Duration;

use brunt_cluster::keys::{Login, inbox};
use brunt_cluster::plane::{Nats, NatsOptions};
use brunt_run::options::refusal::Refusal;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::failed;
use crate::cli::plane::PlaneArgs;

/// A runtime on the current thread.
pub(super) fn runtime() -> Result<Runtime, Refusal> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| failed(format!("start a runtime: {error}")))
}

/// The login in a directory of keys, if one is named.
pub(super) fn login(args: &PlaneArgs) -> Result<Option<Login>, Refusal> {
    args.broker.keys.as_deref().map(Login::read).transpose().map_err(failed)
}

/// A file in the directory of keys, if there is one.
pub(super) fn key_file(args: &PlaneArgs, name: &str) -> Option<PathBuf> {
    args.broker.keys.as_ref().map(|keys| keys.join(name)).filter(|path| path.exists())
}

/// Connects to the broker.
pub(super) async fn connect(args: &PlaneArgs, name: &str) -> Result<Nats, Refusal> {
    Nats::connect(&options(args, name)?).await.map_err(failed)
}

/// The address of the broker, to be shown. A broker to which no connection would be made is refused: its keys cannot be
/// read, or the connection would be unencrypted.
#[cfg(feature = "website")]
pub(super) fn check(args: &PlaneArgs, name: &str) -> Result<String, Refusal> {
    let options = options(args, name)?;
    options.check().map_err(failed)?;
    Ok(options.shown_url())
}

fn options(args: &PlaneArgs, name: &str) -> Result<NatsOptions, Refusal> {
    let login = login(args)?;
    Ok(match (&login, &args.broker.keys) {
        (Some(login), Some(keys)) => NatsOptions {
            url: args.broker.nats.clone().unwrap_or_else(|| login.nats.clone()),
            name: login.name.clone(),
            inbox: inbox(&login.name),
            credentials: Some(keys.join("login.seed")),
            token: None,
            ca: Some(keys.join("ca.pem")),
            certificate: Some((keys.join("client.pem"), keys.join("client.key"))),
        },
        _ => without_keys(args, name)?,
    })
}

fn without_keys(args: &PlaneArgs, name: &str) -> Result<NatsOptions, Refusal> {
    let Some(url) = args.broker.nats.clone() else {
        let why = "error: say where the broker is: --keys DIR, or --nats tls://HOST:4222";
        return Err(Refusal::usage(why));
    };
    Ok(NatsOptions {
        url,
        name: name.to_owned(),
        inbox: inbox(name),
        credentials: args.creds.clone(),
        token: args.token.clone(),
        ca: args.tls_ca.clone(),
        certificate: args.tls_cert.clone().zip(args.tls_key.clone()),
    })
}

/// Regular moments. Missed moments are not made up for.
pub(super) struct Ticks(Interval);

impl Ticks {
    /// The first tick is now, and the others follow at this period. Needs a runtime.
    pub(super) fn every(time: Duration) -> Self {
        let mut ticks = interval(time);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self(ticks)
    }

    /// Waits for the next tick.
    pub(super) async fn next(&mut self) {
        self.0.tick().await;
    }
}
