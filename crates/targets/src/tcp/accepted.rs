//! A connection that was accepted and is served by nobody yet, and the count of those that are open.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counter::add;

/// A connection on its way from the listener to the thread that will serve it.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) stream: TcpStream,
    /// Whether TLS begins at once.
    pub(crate) tls: bool,
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) open: Open,
}

/// How many connections came and went: the listener counts those that came, a thread those of its own that went.
#[derive(Debug, Default)]
pub(crate) struct Attendance {
    pub(crate) accepted: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) closed: AtomicU64,
}

impl Attendance {
    /// How many there were in all: accepted, refused, and closed again.
    pub(crate) fn sum<'a>(all: impl Iterator<Item = &'a Self>) -> (u64, u64, u64) {
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

/// A connection that is open. Dropped, however that comes about, it counts as closed.
#[derive(Debug)]
pub(crate) struct Open(pub(crate) Arc<Attendance>);

impl Drop for Open {
    fn drop(&mut self) {
        add(&self.0.closed, 1);
    }
}
