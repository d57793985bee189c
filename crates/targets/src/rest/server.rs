//! Starts an embedded identity API, and stops it.

use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc;

use super::config::Config;
use super::log::Log;
use super::realm::Realm;
use super::stats::Stats;
use super::task::Task;
use crate::clock::Clock;
use crate::tcp::listener::{Door, Listener};
use crate::tcp::tls::{Identity, IdentityError};

/// The protocols that TLS may settle on, the best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// An embedded identity API.
#[derive(Clone, Copy, Debug)]
pub struct Server;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened at.
    #[error("listen at {address}: {source}; choose another port, or 0 for a free one")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The log cannot be written.
    #[error("create the log {}: {source}", path.display())]
    Log {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The system gives nothing that cannot be foreseen.
    #[error("make a secret for tokens: {0}")]
    Secret(getrandom::Error),
    /// The system gives no thread, or a thread no timer.
    #[error("start a thread: {0}")]
    Thread(io::Error),
}

/// An identity API at work. Dropped, it stops.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    tls_address: Option<SocketAddr>,
    ca_pem: String,
    realm: Arc<Realm>,
    stop: Option<UnixStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Listens, and serves from threads of its own. Returns once connections are accepted.
    pub fn start(config: Config) -> Result<Running, StartError> {
        let mut doors = vec![door(config.listen, false)?];
        if let Some(address) = config.listen_tls {
            doors.push(door(address, true)?);
        }
        let identity = Identity::generate("identity API", &config.host_names, &PROTOCOLS)?;
        let log = match &config.log {
            Some(path) => Some(
                Log::create(path)
                    .map_err(|source| StartError::Log { path: path.clone(), source })?,
            ),
            None => None,
        };
        let secret = getrandom::u64().map_err(StartError::Secret)?;
        let count = config.threads.max(1);
        let realm = Arc::new(Realm::new(config, log, secret, count));
        let clock = Clock::new();
        let (stop, stopped) = UnixStream::pair().map_err(StartError::Thread)?;
        let mut running = Running {
            address: doors[0].address,
            tls_address: doors.get(1).map(|door| door.address),
            ca_pem: identity.ca_pem,
            realm: Arc::clone(&realm),
            stop: Some(stop),
            threads: Vec::new(),
        };
        let (started, starts) = std::sync::mpsc::channel();
        let mut workers = Vec::new();
        for counters in &realm.counters {
            let (sender, connections) = mpsc::unbounded_channel();
            workers.push(sender);
            let task = Task {
                realm: Arc::clone(&realm),
                counters: Arc::clone(counters),
                acceptor: identity.acceptor.clone(),
                clock,
                connections,
            };
            let started = started.clone();
            running.spawn("rest", move || task.run(&started))?;
        }
        drop(started);
        let listener = Listener {
            doors,
            stop: stopped,
            workers,
            theirs: realm.counters.iter().map(|c| Arc::clone(&c.attendance)).collect(),
            own: Arc::clone(&realm.own),
            connections_max: realm.config.connections_max,
            refusals: realm.rules.as_ref().map(|it| it.refusals().to_vec()).unwrap_or_default(),
            clock,
        };
        running.spawn("rest-accept", move || listener.run())?;
        for _ in 0..count {
            starts
                .recv()
                .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
                .map_err(StartError::Thread)?;
        }
        Ok(running)
    }
}

impl Running {
    /// Where it listens for HTTP.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens for HTTPS, if it does.
    pub const fn tls_address(&self) -> Option<SocketAddr> {
        self.tls_address
    }

    /// The certificate of the authority that clients have to trust.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// What it has seen and answered so far.
    pub fn stats(&self) -> Stats {
        self.realm.stats()
    }

    /// Stops listening, closes every connection, and says what was seen and answered in all.
    pub fn shutdown(mut self) -> Stats {
        self.end();
        self.stats()
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StartError> {
        let thread =
            thread::Builder::new().name(name.to_owned()).spawn(run).map_err(StartError::Thread)?;
        self.threads.push(thread);
        Ok(())
    }

    fn end(&mut self) {
        // The listener ends at this, and with it the channels that keep the other threads going.
        self.stop = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so itself.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn door(address: SocketAddr, tls: bool) -> Result<Door, StartError> {
    Door::open(address, tls).map_err(|source| StartError::Listen { address, source })
}
