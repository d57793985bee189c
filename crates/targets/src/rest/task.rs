//! The task of a thread of a server: a runtime of its own, and the connections it was given.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::LocalSet;
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::realm::Realm;
use super::stats::Counters;
use super::worker::{READ_BYTES, Worker};
use crate::clock::Clock;
use crate::tcp::accepted::Accepted;
use crate::timer::Timer;

/// What a thread is given at its start.
pub(super) struct Task {
    pub(super) realm: Arc<Realm>,
    pub(super) counters: Arc<Counters>,
    pub(super) acceptor: TlsAcceptor,
    pub(super) clock: Clock,
    pub(super) connections: UnboundedReceiver<Accepted>,
}

impl Task {
    /// Serves connections until no more can come, then closes those that are left.
    pub(super) fn run(self, started: &std::sync::mpsc::Sender<io::Result<()>>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(started.send(Err(error))),
        };
        let local = LocalSet::new();
        local.block_on(&runtime, async move {
            let timer = match Timer::new(self.clock) {
                Ok(timer) => Rc::new(timer),
                Err(error) => return drop(started.send(Err(error))),
            };
            let running = Rc::clone(&timer);
            tokio::task::spawn_local(async move { running.run().await });
            let worker = Rc::new(Worker {
                realm: self.realm,
                counters: self.counters,
                acceptor: self.acceptor,
                clock: self.clock,
                timer,
                input: RefCell::new(vec![0; READ_BYTES]),
                spare: RefCell::default(),
            });
            let _ = started.send(Ok(()));
            let mut connections = self.connections;
            while let Some(accepted) = connections.recv().await {
                tokio::task::spawn_local(connection::serve(Rc::clone(&worker), accepted));
            }
        });
    }
}
