//! A thread of a server: a runtime of its own, and the connections it was given.

use std::cell::RefCell;
use std::io;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::LocalSet;
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::session::Realm;
use super::stats::{Counters, add};
use super::timer::{Clock, Timer};

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

/// How much is read at once. A thread has one buffer of this size, whatever the number of its
/// connections, which is what lets thousands of them be idle for little.
const READ_BYTES: usize = 64 << 10;

/// What the connections of one thread share.
pub(super) struct Worker {
    pub(super) realm: Arc<Realm>,
    pub(super) counters: Arc<Counters>,
    pub(super) acceptor: TlsAcceptor,
    pub(super) clock: Clock,
    pub(super) timer: Rc<Timer>,
    /// Room to read into, used within one poll and then free again.
    pub(super) input: RefCell<Vec<u8>>,
}

/// What a thread is given at its start.
pub(super) struct Task {
    pub(super) realm: Arc<Realm>,
    pub(super) counters: Arc<Counters>,
    pub(super) acceptor: TlsAcceptor,
    pub(super) clock: Clock,
    pub(super) connections: UnboundedReceiver<Accepted>,
}

/// Serves connections until no more can come, then closes those that are left.
pub(super) fn run(task: Task, started: &std::sync::mpsc::Sender<io::Result<()>>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(started.send(Err(error))),
    };
    let local = LocalSet::new();
    local.block_on(&runtime, async move {
        let timer = match Timer::new(task.clock) {
            Ok(timer) => Rc::new(timer),
            Err(error) => return drop(started.send(Err(error))),
        };
        let running = Rc::clone(&timer);
        tokio::task::spawn_local(async move { running.run().await });
        let worker = Rc::new(Worker {
            realm: task.realm,
            counters: task.counters,
            acceptor: task.acceptor,
            clock: task.clock,
            timer,
            input: RefCell::new(vec![0; READ_BYTES]),
        });
        let _ = started.send(Ok(()));
        let mut connections = task.connections;
        while let Some(accepted) = connections.recv().await {
            tokio::task::spawn_local(connection::serve(Rc::clone(&worker), accepted));
        }
    });
}
