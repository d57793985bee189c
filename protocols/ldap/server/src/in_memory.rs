//! [`InMemory`]: a directory without sockets and threads, for clients in the same process.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_embedded::clock::Clock;
use brunt_embedded::tcp::accepted::ConnectionStats;
use brunt_embedded::tcp::server::ThreadContext;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::tcp::tls::Identity;
use brunt_embedded::timer::Timer;
use tokio::io::DuplexStream;

use super::config::Config;
use super::connection;
use super::server::{StartError, realm};
use super::session::Realm;
use super::stats::{Counters, Stats};
use super::worker::Worker;

/// A directory without sockets and threads. Scripts with times go by the machine's clock.
pub struct InMemory {
    realm: Arc<Realm>,
    identity: Identity,
    counters: Arc<Counters>,
    connections: AtomicU64,
}

impl InMemory {
    /// Creates the entries.
    pub fn new(config: Config) -> Result<Self, StartError> {
        let identity = Identity::generate("directory", &config.host_names, &[])?;
        let (counters, connections) = (Arc::new(Counters::new()), AtomicU64::new(0));
        Ok(Self { realm: realm(config)?, identity, counters, connections })
    }

    /// Serves a connection to its end.
    pub fn serve(&self, stream: DuplexStream) -> impl Future<Output = ()> + use<> {
        let (realm, counters) = (Arc::clone(&self.realm), Arc::clone(&self.counters));
        let acceptor = self.identity.acceptor.clone();
        let number = 1 + self.connections.fetch_add(1, Ordering::Relaxed);
        async move {
            let clock = Clock::new();
            // Without a descriptor for its timer there is no server.
            let Ok(timer) = Timer::new(clock) else { return };
            let context = ThreadContext { acceptor, clock, timer: Rc::new(timer) };
            let worker = Rc::new(Worker::new(realm, counters, context));
            // Errors of a connection matter only to its client.
            let _ = connection::run(&worker, Stream::Memory(stream), false, number).await;
        }
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        Stats::gather(&ConnectionStats::default(), std::slice::from_ref(&self.counters))
    }
}
