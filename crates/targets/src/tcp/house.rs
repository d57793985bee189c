//! A server that listens: doors, threads that serve, and how all of it ends.
//!
//! What is said on a connection is a [`Service`]'s affair. A service is given to each thread once and makes there what
//! the connections of that thread share, so that nothing of it is ever sent or locked.

use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::LocalSet;
use tokio_rustls::TlsAcceptor;

use super::accepted::{Accepted, Attendance};
use super::listener::{Door, Listener};
use super::tls::Identity;
use crate::clock::Clock;
use crate::script::Span;
use crate::timer::Timer;

/// What a thread does with the connections it is given.
pub(crate) trait Service: Send + 'static {
    /// What the connections of one thread share.
    type Worker: 'static;

    /// How the connections of this thread are counted.
    fn attendance(&self) -> Arc<Attendance>;

    /// Makes, on its thread, what the connections of it share.
    fn settle(self, thread: Thread) -> Self::Worker;

    /// Serves one connection to its end.
    fn serve(worker: Rc<Self::Worker>, accepted: Accepted) -> impl Future<Output = ()> + 'static;
}

/// What the house gives each thread.
pub(crate) struct Thread {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) clock: Clock,
    pub(crate) timer: Rc<Timer>,
}

/// How a house is opened.
pub(crate) struct Opening {
    /// What its threads are called.
    pub(crate) name: &'static str,
    pub(crate) doors: Vec<Door>,
    pub(crate) identity: Identity,
    pub(crate) clock: Clock,
    /// What the listener counts.
    pub(crate) own: Arc<Attendance>,
    /// How many connections there may be at once.
    pub(crate) connections_max: usize,
    /// When nobody listens.
    pub(crate) refusals: Vec<Span>,
}

/// A server at work. Dropped, it stops.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) tls_address: Option<SocketAddr>,
    pub(crate) ca_pem: String,
    /// Closed to stop.
    stop: Option<UnixStream>,
    threads: Vec<JoinHandle<()>>,
}

/// An address cannot be listened at.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) address: SocketAddr,
    pub(crate) source: io::Error,
}

/// Listens at an address, and for TLS at another if there is one.
pub(crate) fn doors(plain: SocketAddr, tls: Option<SocketAddr>) -> Result<Vec<Door>, Closed> {
    let door =
        |(address, tls)| Door::open(address, tls).map_err(|source| Closed { address, source });
    std::iter::once((plain, false)).chain(tls.map(|address| (address, true))).map(door).collect()
}

impl House {
    /// Serves, with a thread for each service. Returns once connections are accepted; fails if the system gives no
    /// thread, or a thread no timer.
    pub(crate) fn open<S: Service>(opening: Opening, services: Vec<S>) -> io::Result<Self> {
        let Opening { name, doors, identity, clock, own, connections_max, refusals } = opening;
        let (stop, stopped) = UnixStream::pair()?;
        let mut house = Self {
            address: doors[0].address,
            tls_address: doors.get(1).map(|door| door.address),
            ca_pem: identity.ca_pem,
            stop: Some(stop),
            threads: Vec::new(),
        };
        let count = services.len();
        let (started, starts) = std::sync::mpsc::channel();
        let (mut workers, mut theirs) = (Vec::new(), Vec::new());
        for service in services {
            let (sender, connections) = mpsc::unbounded_channel();
            workers.push(sender);
            theirs.push(service.attendance());
            let (acceptor, started) = (identity.acceptor.clone(), started.clone());
            house.spawn(name, move || live(service, acceptor, clock, connections, &started))?;
        }
        drop(started);
        let listener = Listener {
            doors,
            stop: stopped,
            workers,
            theirs,
            own,
            connections_max,
            refusals,
            clock,
        };
        house.spawn(&format!("{name}-accept"), move || listener.run())?;
        for _ in 0..count {
            starts.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))?;
        }
        Ok(house)
    }

    /// Stops listening and closes every connection.
    pub(crate) fn close(&mut self) {
        // The listener ends at this, and with it the channels that keep the other threads going.
        self.stop = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so itself.
            let _ = thread.join();
        }
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(thread::Builder::new().name(name.to_owned()).spawn(run)?);
        Ok(())
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.close();
    }
}

/// Serves connections until no more can come, then closes those that are left.
fn live<S: Service>(
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
        let timer = match Timer::new(clock) {
            Ok(timer) => Rc::new(timer),
            Err(error) => return drop(started.send(Err(error))),
        };
        let running = Rc::clone(&timer);
        tokio::task::spawn_local(async move { running.run().await });
        let worker = Rc::new(service.settle(Thread { acceptor, clock, timer }));
        let _ = started.send(Ok(()));
        while let Some(accepted) = connections.recv().await {
            tokio::task::spawn_local(S::serve(Rc::clone(&worker), accepted));
        }
    });
}
