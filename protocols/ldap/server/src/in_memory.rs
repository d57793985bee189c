//! [`InMemory`]: a directory without sockets and threads, for clients in the same process.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_embedded::clock::Clock;
use brunt_embedded::counter::add;
use brunt_embedded::tcp::accepted::ConnectionStats;
use brunt_embedded::tcp::server::ThreadContext;
use brunt_embedded::tcp::socket::Socket;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::tcp::tls::Identity;
use tokio::io::DuplexStream;

use super::config::Config;
use super::connection;
use super::server::{StartError, realm};
use super::session::Realm;
use super::stats::{Counters, Stats};
use super::worker::Worker;

/// A directory without sockets and threads, whose time is given.
pub struct InMemory {
    realm: Arc<Realm>,
    identity: Identity,
    clock: Clock,
    counters: Arc<Counters>,
    connections: AtomicU64,
}

impl InMemory {
    /// Creates the entries of a directory with this clock.
    pub fn new(config: Config, clock: Clock) -> Result<Self, StartError> {
        let identity = Identity::generate("directory", &config.host_names, &[])?;
        let (counters, connections) = (Arc::new(Counters::new()), AtomicU64::new(0));
        Ok(Self { realm: realm(config)?, identity, clock, counters, connections })
    }

    /// The certificate of the authority that clients must trust.
    pub fn ca_pem(&self) -> &str {
        &self.identity.ca_pem
    }

    /// Serves a connection to its end, as one for LDAPS if it begins with a TLS handshake.
    pub fn serve(&self, stream: DuplexStream, tls: bool) -> impl Future<Output = ()> + use<> {
        let stream = Stream::Clear(Socket::Memory(stream));
        let (realm, counters) = (Arc::clone(&self.realm), Arc::clone(&self.counters));
        let (acceptor, clock) = (self.identity.acceptor.clone(), self.clock.clone());
        let number = 1 + self.connections.fetch_add(1, Ordering::Relaxed);
        async move {
            let stats = Arc::clone(&counters.connection_stats);
            add(&stats.accepted, 1);
            let context = ThreadContext::given(acceptor, clock);
            let worker = Rc::new(Worker::new(realm, counters, context));
            // Errors of a connection matter only to its client.
            let _ = connection::run(&worker, stream, tls, number).await;
            add(&stats.closed, 1);
        }
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        Stats::gather(&ConnectionStats::default(), std::slice::from_ref(&self.counters))
    }
}
