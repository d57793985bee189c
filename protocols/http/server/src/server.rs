//! Starts an embedded identity API, and stops it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use brunt_embedded::clock::Clock;
use brunt_embedded::tcp::accepted::{Accepted, ConnectionStats};
use brunt_embedded::tcp::server::{
    self, BindError, ServerOptions, Service, TcpServer, ThreadContext,
};
use brunt_embedded::tcp::tls::{Identity, IdentityError};

use super::config::Config;
use super::connection;
use super::log::Log;
use super::realm::Realm;
use super::stats::{Counters, Stats};
use super::worker::Worker;

/// The protocols offered by ALPN, in order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// An embedded identity API.
#[derive(Clone, Copy, Debug)]
pub struct Server;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] BindError),
    /// The log cannot be written.
    #[error("create the log {}: {source}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The system provides no random bytes.
    #[error("make a secret for tokens: {0}")]
    Secret(getrandom::Error),
    /// The system provides no random bytes for a key.
    #[error("make a key that signs: the system provides no random bytes")]
    Key,
    /// A thread or its timer cannot be created.
    #[error("start a thread: {0}")]
    Thread(io::Error),
}

/// A running identity API. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    server: TcpServer,
    realm: Arc<Realm>,
}

impl Server {
    /// Starts its threads. Returns once connections are accepted.
    pub fn start(config: Config) -> Result<Running, StartError> {
        let binds = server::bind(config.listen, config.listen_tls)?;
        let identity = identity(&config)?;
        let realm = realm(config)?;
        let options = ServerOptions {
            name: "rest",
            binds,
            identity,
            clock: Clock::new(),
            listener_stats: Arc::clone(&realm.listener_stats),
            connections_max: realm.config.connections_max,
            refusals: realm.rules.as_ref().map(|it| it.refusals().to_vec()).unwrap_or_default(),
        };
        let service = |counters: &Arc<Counters>| Api {
            realm: Arc::clone(&realm),
            counters: Arc::clone(counters),
        };
        let server = TcpServer::start(options, realm.counters.iter().map(service).collect());
        Ok(Running { server: server.map_err(StartError::Thread)?, realm })
    }
}

/// The certificate of a server.
pub(super) fn identity(config: &Config) -> Result<Identity, IdentityError> {
    Identity::generate("identity API", &config.host_names, &PROTOCOLS)
}

/// What all connections of a server share.
pub(super) fn realm(config: Config) -> Result<Arc<Realm>, StartError> {
    let log = match &config.log {
        Some(path) => Some(
            Log::create(path).map_err(|source| StartError::Log { path: path.clone(), source })?,
        ),
        None => None,
    };
    let secret = getrandom::u64().map_err(StartError::Secret)?;
    let count = config.threads.max(1);
    Realm::new(config, log, secret, count).map(Arc::new).map_err(|_| StartError::Key)
}

/// What a worker thread of the API receives.
struct Api {
    realm: Arc<Realm>,
    counters: Arc<Counters>,
}

impl Service for Api {
    type Worker = Worker;

    fn connection_stats(&self) -> Arc<ConnectionStats> {
        Arc::clone(&self.counters.connection_stats)
    }

    fn worker(self, context: ThreadContext) -> Worker {
        Worker::new(self.realm, self.counters, context)
    }

    async fn serve(worker: Rc<Worker>, accepted: Accepted) {
        connection::serve(worker, accepted).await;
    }
}

impl Running {
    /// The address it listens on for HTTP.
    pub const fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// The address it listens on for HTTPS, if it does.
    pub const fn tls_address(&self) -> Option<SocketAddr> {
        self.server.tls_address
    }

    /// The certificate of the authority that clients must trust.
    pub fn ca_pem(&self) -> &str {
        &self.server.ca_pem
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        self.realm.stats()
    }

    /// Stops listening, closes every connection, and returns what was received and answered in total.
    pub fn shutdown(mut self) -> Stats {
        self.server.close();
        self.stats()
    }
}
