//! A TCP server: its listening sockets, its worker threads and their shutdown.
//!
//! A [`Service`] defines the protocol. Each worker thread owns one service and creates on its own thread the state that
//! its connections share, so that this state needs neither `Send` nor a lock.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::LocalSet;
use tokio_rustls::TlsAcceptor;

use super::accepted::{Accepted, ConnectionStats};
use super::listener::{Bind, Listener};
use super::tls::Identity;
use crate::clock::Clock;
use crate::script::Span;
use crate::threads::Threads;
use crate::timer::Timer;

/// The protocol of a server, as one worker thread speaks it.
pub trait Service: Send + 'static {
    /// The state that the connections of one thread share.
    type Worker: 'static;

    /// The counters for the connections of this thread.
    fn connection_stats(&self) -> Arc<ConnectionStats>;

    /// Creates the shared state, on the thread that will use it.
    fn worker(self, context: ThreadContext) -> Self::Worker;

    /// Serves one connection to its end.
    fn serve(worker: Rc<Self::Worker>, accepted: Accepted) -> impl Future<Output = ()> + 'static;
}

/// What the server provides to each worker thread.
pub struct ThreadContext {
    /// Makes TLS of a connection.
    pub acceptor: TlsAcceptor,
    /// The time that scripts go by.
    pub clock: Clock,
    /// What wakes what waits.
    pub timer: Rc<Timer>,
}

impl ThreadContext {
    /// That of a server in memory, whose time is given.
    #[cfg(feature = "memory")]
    pub fn given(acceptor: TlsAcceptor, clock: Clock) -> Self {
        let timer = Rc::new(Timer::given(clock.clone()));
        Self { acceptor, clock, timer }
    }
}

/// How to start a server.
pub struct ServerOptions {
    /// The name of its threads.
    pub name: &'static str,
    /// The addresses that it listens on.
    pub binds: Vec<Bind>,
    /// Its certificate and key.
    pub identity: Identity,
    /// The time that scripts go by.
    pub clock: Clock,
    /// The counters of the listener.
    pub listener_stats: Arc<ConnectionStats>,
    /// The most connections that may be open at once.
    pub connections_max: usize,
    /// When the server does not listen.
    pub refusals: Vec<Span>,
}

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub struct TcpServer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it listens for TLS, if it does.
    pub tls_address: Option<SocketAddr>,
    /// The authority of its certificate.
    pub ca_pem: String,
    /// The listener, whose end closes the channels, which ends the workers.
    threads: Threads,
}

/// Why an address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("listen at {address}: {source}; choose another port, or 0 for a free one")]
pub struct BindError {
    address: SocketAddr,
    source: io::Error,
}

/// Listens on an address, and on a second one for TLS if it is given.
pub fn bind(plain: SocketAddr, tls: Option<SocketAddr>) -> Result<Vec<Bind>, BindError> {
    let bind =
        |(address, tls)| Bind::open(address, tls).map_err(|source| BindError { address, source });
    std::iter::once((plain, false)).chain(tls.map(|address| (address, true))).map(bind).collect()
}

impl TcpServer {
    /// Starts a thread for each service. Returns once connections are accepted; fails if a thread or its timer cannot
    /// be created.
    pub fn start<S: Service>(options: ServerOptions, services: Vec<S>) -> io::Result<Self> {
        let ServerOptions {
            name,
            binds,
            identity,
            clock,
            listener_stats,
            connections_max,
            refusals,
        } = options;
        let threads = Threads::new()?;
        let stop = threads.stop()?;
        let mut server = Self {
            address: binds[0].address,
            tls_address: binds.get(1).map(|bind| bind.address),
            ca_pem: identity.ca_pem,
            threads,
        };
        let count = services.len();
        let (started, starts) = std::sync::mpsc::channel();
        let (mut workers, mut worker_stats) = (Vec::new(), Vec::new());
        for service in services {
            let (sender, connections) = mpsc::unbounded_channel();
            workers.push(sender);
            worker_stats.push(service.connection_stats());
            let (acceptor, started) = (identity.acceptor.clone(), started.clone());
            let clock = clock.clone();
            let run = move || run_worker(service, acceptor, clock, connections, &started);
            server.threads.spawn(name, run)?;
        }
        drop(started);
        let listener = Listener {
            binds,
            stop,
            workers,
            worker_stats,
            own_stats: listener_stats,
            connections_max,
            refusals,
            clock,
        };
        server.threads.spawn(&format!("{name}-accept"), move || listener.run())?;
        for _ in 0..count {
            starts.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))?;
        }
        Ok(server)
    }

    /// Stops listening and closes every connection.
    pub fn close(&mut self) {
        self.threads.close();
    }
}

/// Serves connections until the channel closes, then drops those that are left.
fn run_worker<S: Service>(
    service: S,
    acceptor: TlsAcceptor,
    clock: Clock,
    mut connections: UnboundedReceiver<Accepted>,
    started: &std::sync::mpsc::Sender<io::Result<()>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(started.send(Err(error))),
    };
    LocalSet::new().block_on(&runtime, async move {
        let timer = match Timer::new(clock.clone()) {
            Ok(timer) => Rc::new(timer),
            Err(error) => return drop(started.send(Err(error))),
        };
        let running = Rc::clone(&timer);
        tokio::task::spawn_local(async move { running.run().await });
        let worker = Rc::new(service.worker(ThreadContext { acceptor, clock, timer }));
        let _ = started.send(Ok(()));
        while let Some(accepted) = connections.recv().await {
            tokio::task::spawn_local(S::serve(Rc::clone(&worker), accepted));
        }
    });
}
