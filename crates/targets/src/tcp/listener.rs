//! Accepts connections and deals them out, one thread after the other.
//!
//! The kernel could spread connections over several listeners by itself, but ten of them would then
//! fall on two threads as dice fall. Dealt out in turn, each thread has as many as the next.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::mpsc::UnboundedSender;

use super::accepted::{Accepted, Attendance, Open};
use crate::clock::Clock;
use crate::counter::add;
use crate::script::Span;

/// How many connections may wait to be accepted. The standard library asks for 128; a run opens
/// thousands at once.
const BACKLOG: i32 = 4096;

/// A place where connections are accepted.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    /// Whether TLS begins at once.
    tls: bool,
    /// Nothing while a script has it that nobody listens.
    socket: Option<TcpListener>,
}

impl Door {
    /// Listens at an address. The door's own address has the port that was found.
    pub(crate) fn open(address: SocketAddr, tls: bool) -> io::Result<Self> {
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

/// What accepts connections.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) doors: Vec<Door>,
    /// Ends the accepting when the other end is closed.
    pub(crate) stop: UnixStream,
    pub(crate) workers: Vec<UnboundedSender<Accepted>>,
    /// The counts of the threads, in their order.
    pub(crate) theirs: Vec<Arc<Attendance>>,
    /// The counts of the listener itself.
    pub(crate) own: Arc<Attendance>,
    /// How many connections there may be at once.
    pub(crate) connections_max: usize,
    /// When nobody listens.
    pub(crate) refusals: Vec<Span>,
    pub(crate) clock: Clock,
}

impl Listener {
    /// Accepts until it is stopped.
    pub(crate) fn run(mut self) {
        let mut number = 0;
        loop {
            let timeout = self.obey_script();
            match self.wait(timeout) {
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(true) | Err(_) => return,
            }
            for door in &self.doors {
                if let Some(socket) = &door.socket {
                    self.accept(socket, door.tls, &mut number);
                }
            }
        }
    }

    /// Closes or opens the doors as the script has it, and says how long that holds.
    fn obey_script(&mut self) -> Option<Duration> {
        let refusals = &self.refusals;
        if refusals.is_empty() {
            return None;
        }
        let now = self.clock.now();
        if let Some(end) = refusals.iter().filter_map(|span| span.end_if_in(now)).max() {
            self.doors.iter_mut().for_each(|door| door.socket = None);
            return Some(end.saturating_sub(now));
        }
        let mut retry = None;
        for door in self.doors.iter_mut().filter(|door| door.socket.is_none()) {
            match listen(door.address) {
                Ok(socket) => door.socket = Some(socket),
                // Somebody else took the port meanwhile; they may give it back.
                Err(_) => retry = Some(Duration::from_millis(50)),
            }
        }
        let next = refusals.iter().copied().map(Span::begin).filter(|begin| *begin > now).min();
        retry.or(next.map(|begin| begin.saturating_sub(now)))
    }

    /// Waits for a connection, and says whether to stop instead.
    fn wait(&self, timeout: Option<Duration>) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(&self.stop, PollFlags::IN)];
        let sockets = self.doors.iter().filter_map(|door| door.socket.as_ref());
        fds.extend(sockets.map(|socket| PollFd::new(socket, PollFlags::IN)));
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(timeout.subsec_nanos()),
        });
        poll(&mut fds, timeout.as_ref())?;
        Ok(fds.first().is_some_and(|stop| !stop.revents().is_empty()))
    }

    /// Accepts whatever waits.
    fn accept(&self, socket: &TcpListener, tls: bool, number: &mut u64) {
        loop {
            let stream = match socket.accept() {
                Ok((stream, _)) => stream,
                // A connection that was reset before it was accepted is no reason to wait.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => {
                    if error.kind() != io::ErrorKind::WouldBlock {
                        // Out of descriptors, most likely: it would be tried again at once, and again.
                        let pause = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
                        let _ = poll(&mut [PollFd::new(&self.stop, PollFlags::IN)], Some(&pause));
                    }
                    return;
                }
            };
            if self.open() >= self.connections_max as u64 {
                add(&self.own.refused, 1);
                continue;
            }
            // Small answers must not wait for the client's acknowledgements.
            let prepared = stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true));
            if prepared.is_err() {
                continue;
            }
            *number += 1;
            add(&self.own.accepted, 1);
            let worker = *number as usize % self.workers.len();
            let open = Open(Arc::clone(&self.theirs[worker]));
            // A thread that is gone takes no connection; dropped, this one counts as closed.
            let _ = self.workers[worker].send(Accepted { stream, tls, number: *number, open });
        }
    }

    /// How many connections there are.
    fn open(&self) -> u64 {
        let closed: u64 = self.theirs.iter().map(|c| c.closed.load(Ordering::Acquire)).sum();
        self.own.accepted.load(Ordering::Acquire).saturating_sub(closed)
    }
}
