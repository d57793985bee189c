//! A connection that was accepted and is served by nobody yet, and the count of those that are open.

use std::net::TcpStream;
use std::sync::Arc;

use super::stats::{Counters, add};

/// A connection on its way from the listener to the thread that will serve it.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) stream: TcpStream,
    /// Whether TLS begins at once.
    pub(super) tls: bool,
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) open: Open,
}

/// A connection that is open. Dropped, however that comes about, it counts as closed.
#[derive(Debug)]
pub(super) struct Open(pub(super) Arc<Counters>);

impl Drop for Open {
    fn drop(&mut self) {
        add(&self.0.connections_closed, 1);
    }
}
