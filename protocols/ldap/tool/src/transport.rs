//! How connections are made and secured: the driver's route for a command line.

use std::sync::Arc;

use brunt_ldap_driver::{Route, Security, Servers};
use brunt_net::Network;
use brunt_net::keystore::Store;
use brunt_net::source::Sources;
use brunt_net::tcp::{self, Close, Dialer, Endpoint};
use brunt_net::tls::{self, Identity, Resume, Token, TokenModule, Version};

use super::problem::Problem;
use crate::options::rate::RateArgs;
use crate::options::rate::security::{ClientCertificate, Transport, Trust};

/// Resolves the servers and opens the stores.
pub(crate) fn route(args: &RateArgs, network: &Network) -> Result<Route, Problem> {
    Ok(Route {
        servers: servers(args, network)?,
        security: security(args, network)?,
        step_timeout: args.connect_timeout,
    })
}

fn servers(args: &RateArgs, network: &Network) -> Result<Servers, Problem> {
    if !args.sockets.is_empty() {
        return Ok(Servers::Sockets(args.sockets.clone(), network.clone()));
    }
    let endpoints: Vec<Endpoint> =
        args.servers.iter().map(|s| Endpoint { host: s.host.clone(), port: s.port }).collect();
    let options = tcp::Options {
        sources: sources(args)?,
        timeout: args.connect_timeout,
        close: if args.close_by_reset { Close::Reset } else { Close::Fin },
    };
    let dialer = Dialer::new(network, &endpoints, options).map_err(Problem::unreachable)?;
    Ok(Servers::Network(Arc::new(dialer)))
}

fn sources(args: &RateArgs) -> Result<Sources, Problem> {
    if args.source_ips.is_empty() {
        return Ok(Sources::default());
    }
    args.source_ips
        .join(",")
        .parse()
        .map_err(|error| Problem::usage(format!("--source-ip: failed to {error}")))
}

fn security(args: &RateArgs, network: &Network) -> Result<Security, Problem> {
    let client = || {
        tls::Client::new(&options(args)?, network.files()).map(Arc::new).map_err(Problem::failed)
    };
    Ok(match args.security.transport {
        Transport::Plain => Security::Plain,
        Transport::Ldaps => Security::Tls(client()?),
        Transport::StartTls => Security::StartTls(client()?),
    })
}

fn options(args: &RateArgs) -> Result<tls::Options, Problem> {
    let security = &args.security;
    Ok(tls::Options {
        trust: match &security.trust {
            Trust::All => tls::Trust::Anything,
            Trust::System => tls::Trust::System,
            Trust::Pem(path) => {
                tls::Trust::Stores(vec![Store { path: path.clone(), password: None }])
            }
            Trust::Store { path, password, .. } => {
                tls::Trust::Stores(vec![Store { path: path.clone(), password: password.clone() }])
            }
        },
        identity: security
            .client
            .as_ref()
            .map(|client| identity(client, security.nickname.clone()))
            .transpose()?,
        name: security.name.clone(),
        lowest: if security.versions.0 { Version::Tls12 } else { Version::Tls13 },
        highest: if security.versions.1 { Version::Tls13 } else { Version::Tls12 },
        ciphers: security.ciphers.clone(),
        resume: if security.resume { Resume::Always } else { Resume::Never },
        alpn: Vec::new(),
    })
}

fn identity(client: &ClientCertificate, alias: Option<String>) -> Result<Identity, Problem> {
    Ok(match client {
        ClientCertificate::Store { path, password, .. } => Identity::Store {
            store: Store { path: path.clone(), password: password.clone() },
            alias,
        },
        ClientCertificate::Pem { certificate, key, password } => {
            let store = Store { path: certificate.clone(), password: password.clone() };
            match key {
                None => Identity::Store { store, alias },
                Some(key) => Identity::Pair { certificate: store, key: key.clone() },
            }
        }
        ClientCertificate::Pkcs11 { provider, name, pin } => {
            let module = TokenModule::from_java(Some(provider), None, name.as_deref())
                .map_err(Problem::failed)?;
            Identity::Token(Token { module, pin: pin.clone(), alias })
        }
    })
}
