//! Starts an embedded directory, and stops it.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use brunt_embedded::clock::Clock;
use brunt_embedded::tcp::accepted::{Accepted, ConnectionStats};
use brunt_embedded::tcp::server::{
    self, BindError, ServerOptions, Service, TcpServer, ThreadContext,
};
use brunt_embedded::tcp::tls::{Identity, IdentityError};
use brunt_ldap_wire::dn;

use super::config::Config;
use super::connection;
use super::refusal::Refusal;
use super::script::Rules;
use super::session::Realm;
use super::stats::{Counters, Stats};
use super::users;
use super::worker::Worker;

/// An embedded directory.
#[derive(Clone, Copy, Debug)]
pub struct Server;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] BindError),
    /// The entries cannot be made.
    #[error("fill the directory: {0}")]
    Entries(String),
    /// There is no certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// A thread or its timer cannot be created.
    #[error("start a thread: {0}")]
    Thread(io::Error),
}

/// A running directory. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    server: TcpServer,
    realm: Arc<Realm>,
    /// The counters of the listener.
    listener_stats: Arc<ConnectionStats>,
    counters: Vec<Arc<Counters>>,
}

impl Server {
    /// Creates the entries and starts the threads. Returns once connections are accepted.
    pub fn start(config: Config) -> Result<Running, StartError> {
        let binds = server::bind(config.listen, config.listen_tls)?;
        let identity = Identity::generate("directory", &config.host_names, &[])?;
        let count = config.threads.max(1);
        let realm = realm(config)?;
        let listener_stats = Arc::new(ConnectionStats::default());
        let counters: Vec<_> = (0..count).map(|_| Arc::new(Counters::new())).collect();
        let options = ServerOptions {
            name: "directory",
            binds,
            identity,
            clock: Clock::new(),
            listener_stats: Arc::clone(&listener_stats),
            connections_max: realm.config.connections_max,
            refusals: realm.rules.as_ref().map(|it| it.refusals().to_vec()).unwrap_or_default(),
        };
        let service = |counters: &Arc<Counters>| Directory {
            realm: Arc::clone(&realm),
            counters: Arc::clone(counters),
        };
        let server = TcpServer::start(options, counters.iter().map(service).collect());
        let server = server.map_err(StartError::Thread)?;
        Ok(Running { server, realm, listener_stats, counters })
    }
}

/// What a worker thread of the directory receives.
struct Directory {
    realm: Arc<Realm>,
    counters: Arc<Counters>,
}

impl Service for Directory {
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
    /// The address it listens on for LDAP.
    pub const fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// The address it listens on for LDAPS, if it does.
    pub const fn tls_address(&self) -> Option<SocketAddr> {
        self.server.tls_address
    }

    /// The certificate of the authority that clients must trust.
    pub fn ca_pem(&self) -> &str {
        &self.server.ca_pem
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        let faults = self.realm.rules.as_ref().map(Rules::done).unwrap_or_default();
        Stats { faults, ..Stats::gather(&self.listener_stats, &self.counters) }
    }

    /// Stops listening, closes every connection, and returns what was received and answered in total.
    pub fn shutdown(mut self) -> Stats {
        self.server.close();
        self.stats()
    }
}

/// The directory of a server.
pub(super) fn realm(config: Config) -> Result<Arc<Realm>, StartError> {
    let directory = users::populate(&config).map_err(|refusal| entries(&refusal))?;
    let mut suffix = Vec::new();
    dn::normalize(config.suffix.as_bytes(), &mut suffix)
        .map_err(|error| StartError::Entries(error.to_string()))?;
    Ok(Arc::new(Realm::new(config, suffix, directory)))
}

fn entries(refusal: &Refusal) -> StartError {
    StartError::Entries(refusal.reason.to_string())
}
