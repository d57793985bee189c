//! [`InMemory`]: an identity API without sockets and threads, for clients in the same process.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_embedded::clock::Clock;
use brunt_embedded::counter::add;
use brunt_embedded::tcp::server::ThreadContext;
use brunt_embedded::tcp::socket::Socket;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::tcp::tls::Identity;
use tokio::io::DuplexStream;

use super::config::Config;
use super::connection;
use super::realm::Realm;
use super::server::{StartError, identity, realm};
use super::stats::Stats;
use super::worker::Worker;

/// An identity API without sockets and threads, whose time is given.
pub struct InMemory {
    realm: Arc<Realm>,
    identity: Identity,
    clock: Clock,
    connections: AtomicU64,
}

impl InMemory {
    /// A server with this clock.
    pub fn new(config: Config, clock: Clock) -> Result<Self, StartError> {
        let identity = identity(&config)?;
        Ok(Self { realm: realm(config)?, identity, clock, connections: AtomicU64::new(0) })
    }

    /// The certificate of the authority that clients must trust.
    pub fn ca_pem(&self) -> &str {
        &self.identity.ca_pem
    }

    /// Serves a connection to its end, as one for HTTPS if it begins with a TLS handshake.
    pub fn serve(&self, stream: DuplexStream, tls: bool) -> impl Future<Output = ()> + use<> {
        let stream = Stream::Clear(Socket::Memory(stream));
        let (realm, clock) = (Arc::clone(&self.realm), self.clock.clone());
        let acceptor = self.identity.acceptor.clone();
        let number = 1 + self.connections.fetch_add(1, Ordering::Relaxed);
        async move {
            let counters = Arc::clone(&realm.counters[0]);
            let stats = Arc::clone(&counters.connection_stats);
            add(&stats.accepted, 1);
            let worker = Worker::new(realm, counters, ThreadContext::given(acceptor, clock));
            // Errors of a connection matter only to its client.
            let _ = connection::run(Rc::new(worker), stream, tls, number).await;
            add(&stats.closed, 1);
        }
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        self.realm.stats()
    }
}
