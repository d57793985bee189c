//! Options for the connection to the broker of a cluster, for the agent, its coordinator and the list of agents.

use std::path::PathBuf;

use brunt_cluster::message::Name;
use clap::Args;

use super::value_error::ValueError;

/// The default pool.
const POOL: &str = "default";

/// Where the broker is: options that all commands with a broker share.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Broker")]
#[expect(clippy::doc_markdown, reason = "what stands here is shown on a terminal")]
pub(crate) struct BrokerArgs {
    /// Directory that 'brunt cluster keys' made for this machine: broker, login and certificates
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: Option<PathBuf>,
    /// Address of nats-server, such as tls://nats.lab:4222
    ///
    /// Without TLS, only addresses of this machine are accepted.
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    /// Pool of agents, one of several that share a broker
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = name)]
    pub(crate) pool: Option<Name>,
}

impl BrokerArgs {
    /// The pool of agents.
    pub(crate) fn pool(&self) -> Name {
        self.pool.clone().unwrap_or_else(|| Name::of_host(POOL))
    }

    /// Whether a broker was named.
    #[cfg(feature = "website")]
    pub(crate) const fn is_named(&self) -> bool {
        self.keys.is_some() || self.nats.is_some()
    }

    /// Whether a pool other than the default was named.
    #[cfg(feature = "website")]
    pub(crate) fn names_pool(&self) -> bool {
        self.pool().as_str() != POOL
    }
}

/// How the broker is reached.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Broker")]
pub(crate) struct PlaneArgs {
    /// Where it is.
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
    /// Credentials file (JWT and seed), or a file with the seed of an nkey
    #[arg(long, value_name = "FILE", conflicts_with = "keys")]
    pub(crate) creds: Option<PathBuf>,
    /// File with the token of the broker
    #[arg(long, value_name = "FILE", conflicts_with = "keys")]
    pub(crate) token: Option<PathBuf>,
    /// CA certificates to verify the broker with (PEM). Default: those of the system
    #[arg(long, value_name = "FILE", conflicts_with = "keys")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Certificate of this client (PEM), for mutual TLS
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "keys")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) for --tls-cert
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "keys")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// The name of an agent or a pool.
pub(crate) fn name(text: &str) -> Result<Name, ValueError> {
    text.parse().map_err(|_| ValueError::Name)
}
