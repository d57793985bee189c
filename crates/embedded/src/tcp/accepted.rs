//! An accepted connection on its way to a worker, and the counters of connections.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counter::add;

/// A connection on its way from the listener to the worker thread that will serve it.
#[derive(Debug)]
pub struct Accepted {
    /// The connection.
    pub stream: TcpStream,
    /// Whether the connection begins with a TLS handshake.
    pub tls: bool,
    /// Counted from 1.
    pub number: u64,
    /// Counts it among those that are open.
    pub open: OpenConnection,
}

/// Counters of connections. The listener counts those it accepts and refuses; each worker counts those that end.
#[derive(Debug, Default)]
pub struct ConnectionStats {
    /// Those that were accepted.
    pub accepted: AtomicU64,
    /// Those that were refused.
    pub refused: AtomicU64,
    /// Those that have ended.
    pub closed: AtomicU64,
}

impl ConnectionStats {
    /// The totals of several counters: accepted, refused, closed.
    pub fn sum<'a>(all: impl Iterator<Item = &'a Self>) -> (u64, u64, u64) {
        let read = |cell: &AtomicU64| cell.load(Ordering::Acquire);
        all.fold((0, 0, 0), |(accepted, refused, closed), one| {
            (
                accepted + read(&one.accepted),
                refused + read(&one.refused),
                closed + read(&one.closed),
            )
        })
    }
}

/// An open connection. Dropping it counts the connection as closed.
#[derive(Debug)]
pub struct OpenConnection(pub(crate) Arc<ConnectionStats>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        add(&self.0.closed, 1);
    }
}
