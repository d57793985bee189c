//! Accepts connections and assigns them to the workers in turn (round robin).
//!
//! `SO_REUSEPORT` would have the kernel distribute connections by a hash, which spreads a few of them unevenly.
//! Assigned in turn, every worker has the same number.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::accepted::{Accepted, ConnectionStats, OpenConnection};
use crate::clock::Clock;
use crate::counter::add;
use crate::script::Span;
use crate::threads::Stop;

/// How many connections may wait to be accepted. The standard library requests 128; a run opens thousands at once.
const BACKLOG: i32 = 4096;
/// How long to wait when no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(10);

/// An address that connections are accepted on.
#[derive(Debug)]
pub struct Bind {
    /// The address, with the port that the system chose.
    pub address: SocketAddr,
    /// Whether connections begin with a TLS handshake.
    tls: bool,
    /// `None` while the script makes the server refuse connections.
    socket: Option<TcpListener>,
}

impl Bind {
    /// Listens on an address. Port 0 is replaced by the port that the system chose.
    pub fn open(address: SocketAddr, tls: bool) -> io::Result<Self> {
        let socket = listen(address)?;
        Ok(Self { address: socket.local_addr()?, tls, socket: Some(socket) })
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpListener::bind(address)?;
    rustix::net::listen(&socket, BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Accepts connections, on a thread of its own.
#[derive(Debug)]
pub struct Listener {
    /// The addresses that it listens on.
    pub binds: Vec<Bind>,
    /// When the listener ends.
    pub stop: Stop,
    /// What takes connections to the workers.
    pub workers: Vec<UnboundedSender<Accepted>>,
    /// The counters of the workers, in the order of `workers`.
    pub worker_stats: Vec<Arc<ConnectionStats>>,
    /// The counters of the listener itself.
    pub own_stats: Arc<ConnectionStats>,
    /// The most connections that may be open at once.
    pub connections_max: usize,
    /// When the server does not listen.
    pub refusals: Vec<Span>,
    /// The time that scripts go by.
    pub clock: Clock,
}

impl Listener {
    /// Accepts until it is stopped.
    pub fn run(mut self) {
        let mut number = 0;
        loop {
            let timeout = self.obey_script();
            let sockets = self.binds.iter().filter_map(|bind| bind.socket.as_ref());
            if self.stop.wait(sockets, timeout).unwrap_or(true) {
                return;
            }
            for bind in &self.binds {
                if let Some(socket) = &bind.socket {
                    self.accept(socket, bind.tls, &mut number);
                }
            }
        }
    }

    /// Closes or opens the sockets as the script demands. Returns how long that state lasts.
    fn obey_script(&mut self) -> Option<Duration> {
        let refusals = &self.refusals;
        if refusals.is_empty() {
            return None;
        }
        let now = self.clock.now();
        if let Some(end) = refusals.iter().filter_map(|span| span.end_if_in(now)).max() {
            self.binds.iter_mut().for_each(|bind| bind.socket = None);
            return Some(end.saturating_sub(now));
        }
        let mut retry = None;
        for bind in self.binds.iter_mut().filter(|bind| bind.socket.is_none()) {
            match listen(bind.address) {
                Ok(socket) => bind.socket = Some(socket),
                // Another process took the port meanwhile and may release it.
                Err(_) => retry = Some(Duration::from_millis(50)),
            }
        }
        let next = refusals.iter().copied().map(Span::begin).filter(|begin| *begin > now).min();
        retry.or(next.map(|begin| begin.saturating_sub(now)))
    }

    /// Accepts every connection that is waiting.
    fn accept(&self, socket: &TcpListener, tls: bool, number: &mut u64) {
        loop {
            let stream = match socket.accept() {
                Ok((stream, _)) => stream,
                // The client reset this connection before it was accepted; there may be others.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => {
                    if error.kind() != io::ErrorKind::WouldBlock {
                        // Most likely out of descriptors. Without a pause this loop would spin.
                        let _ = self.stop.wait::<&TcpListener>([], Some(PAUSE));
                    }
                    return;
                }
            };
            if self.open() >= self.connections_max as u64 {
                add(&self.own_stats.refused, 1);
                continue;
            }
            // Small responses must not wait for the client's acknowledgements (Nagle).
            let prepared = stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true));
            if prepared.is_err() {
                continue;
            }
            *number += 1;
            add(&self.own_stats.accepted, 1);
            let worker = *number as usize % self.workers.len();
            let open = OpenConnection(Arc::clone(&self.worker_stats[worker]));
            // If the worker has ended, the connection is dropped here and counts as closed.
            let _ = self.workers[worker].send(Accepted { stream, tls, number: *number, open });
        }
    }

    /// How many connections are open.
    fn open(&self) -> u64 {
        let closed: u64 = self.worker_stats.iter().map(|c| c.closed.load(Ordering::Acquire)).sum();
        self.own_stats.accepted.load(Ordering::Acquire).saturating_sub(closed)
    }
}
