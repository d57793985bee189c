//! A [`Link`]: one connection and the runtime that runs only this connection.
//!
//! The crate's connection is a task that must be polled; here the caller that waits for an answer polls it. Each wait
//! has a limit, after which the connection cannot be used any more, as an answer may still arrive.

use super::error::{logging_in, opening, request_failed};
use super::messages::{Messages, Passwords};
use super::secured::{Secured, Watched};
use crate::error::BackendError;
use crate::sql::{Server, ServerEndpoint, Tls};
use brunt_exchange::Class;
use brunt_net::keystore::Store;
use brunt_net::stream::Stream;
use brunt_net::{Network, tls, unix};
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, Error, SimpleQueryMessage};

/// How many times the task of a connection may run until it has read what has arrived: the server's last message, and
/// the end.
const LOOKS: usize = 4;
/// The system's number for an answer that did not come in time.
const TIMED_OUT: u32 = libc::ETIMEDOUT.unsigned_abs();

/// A connection, and its runtime.
pub(super) struct Link {
    runtime: Runtime,
    client: Client,
    limit: Duration,
}

impl Link {
    /// Connects and logs in.
    pub(super) fn open(
        network: &Network,
        server: &Server,
        database: &str,
        limit: Duration,
    ) -> Result<Self, BackendError> {
        let endpoint = &server.endpoint;
        let refused = |error: &io::Error| opening(endpoint, error);
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| refused(&error))?;
        let secured = secured(server, network)?;
        let config = config(server, database);
        let opened = runtime.block_on(async {
            let late = || {
                let why = format!("no answer within {limit:?}");
                BackendError::unconnected(Class::Connect, TIMED_OUT, (endpoint, why), "")
            };
            let stream = timeout(limit, connect(network, endpoint)).await.map_err(|_| late())?;
            let stream = stream.map_err(|error| refused(&error))?;
            // Before TLS the server sends one octet, which is not a message.
            let private = endpoint.is_socket();
            let messages =
                matches!(server.tls, Tls::Off).then(|| Messages::new(passwords(server, private)));
            let stream = Watched { stream, messages };
            let shaken = timeout(limit, config.connect_raw(stream, secured)).await;
            let shaken = shaken.map_err(|_| late())?;
            shaken.map_err(|error| logging_in(endpoint, &error))
        });
        let (client, connection) = opened?;
        runtime.spawn(async move {
            // The error that ends a connection is returned by the next call on it.
            drop(connection.await);
        });
        Ok(Self { runtime, client, limit })
    }

    /// Whether the connection can no longer be used.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Checks whether the server has closed the connection, which the task that reads it notices only when it runs.
    pub(super) fn has_lapsed(&mut self) -> bool {
        let Self { runtime, client, .. } = self;
        runtime.block_on(async {
            for _ in 0..LOOKS {
                tokio::task::yield_now().await;
            }
        });
        client.is_closed()
    }

    /// Waits for the result of `request`.
    pub(super) fn wait<'a, T, F>(
        &'a mut self,
        what: &str,
        request: impl FnOnce(&'a Client) -> F,
    ) -> Result<T, BackendError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Self { runtime, client, limit } = self;
        let requested = runtime.block_on(async { timeout(*limit, request(client)).await });
        if let Ok(answer) = requested {
            return answer.map_err(|error| request_failed(what, &error));
        }
        Err(late(what, *limit))
    }

    /// Executes one statement or several, without results.
    pub(super) fn batch(&mut self, text: &str, what: &str) -> Result<(), BackendError> {
        self.wait(what, |client| client.batch_execute(text))
    }

    /// The first column of the first row returned, as text.
    pub(super) fn word(&mut self, text: &str, what: &str) -> Result<String, BackendError> {
        let messages = self.wait(what, |client| client.simple_query(text))?;
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten(),
            _ => None,
        });
        Ok(row.unwrap_or_default().to_owned())
    }

    /// The same for a number.
    pub(super) fn number(&mut self, text: &str, what: &str) -> Result<u64, BackendError> {
        let word = self.word(text, what)?;
        word.parse().map_err(|_| {
            BackendError::new(Class::Protocol, 0, format!("{what}: '{word}' is no count"))
        })
    }
}

async fn connect(network: &Network, endpoint: &ServerEndpoint) -> io::Result<Stream> {
    match endpoint {
        ServerEndpoint::Socket(path) => {
            unix::until_taken(path, network.files()).await.map(Stream::Unix)
        }
        ServerEndpoint::Tcp { host, port } => {
            let found = lookup_host((host.as_str(), *port)).await?;
            network.connect_first(found).await.map(Stream::Plain)
        }
    }
}

fn config(server: &Server, database: &str) -> Config {
    let mut config = Config::new();
    config.user(server.user.as_deref().unwrap_or("postgres"));
    config.dbname(database).application_name("brunt");
    if let Some(password) = &server.password {
        config.password(password.expose());
    }
    config.ssl_mode(match server.tls {
        Tls::Off => SslMode::Disable,
        Tls::Unverified | Tls::Verified(_) => SslMode::Require,
    });
    config
}

fn secured(server: &Server, network: &Network) -> Result<Secured, BackendError> {
    let trust = match &server.tls {
        Tls::Off => return Ok(Secured::off()),
        Tls::Unverified => tls::Trust::Anything,
        Tls::Verified(None) => tls::Trust::System,
        Tls::Verified(Some(path)) => {
            tls::Trust::Stores(vec![Store { path: path.clone(), password: None }])
        }
    };
    let unusable = |error: tls::TlsError| BackendError::new(Class::Tls, 0, error.to_string());
    let client =
        tls::Client::new(&tls::Options { trust, ..tls::Options::default() }, network.files())
            .map_err(unusable)?;
    let (verified, local) = (server.tls != Tls::Unverified, server.endpoint.is_socket());
    let passwords = passwords(server, verified || local);
    let host = match &server.endpoint {
        ServerEndpoint::Tcp { host, .. } => host.as_str(),
        ServerEndpoint::Socket(_) => "localhost",
    };
    let name = client.name_for(host).map_err(unusable)?;
    Ok(Secured::by(client, name, passwords))
}

/// The passwords that a server may request over a connection that others can read or not.
fn passwords(server: &Server, is_private: bool) -> Passwords {
    match server.password {
        None => Passwords::None,
        Some(_) if is_private || server.clear_password => Passwords::Clear,
        Some(_) => Passwords::Protected,
    }
}

fn late(what: &str, limit: Duration) -> BackendError {
    BackendError::new(Class::Closed, TIMED_OUT, format!("{what}: no answer within {limit:?}"))
}
