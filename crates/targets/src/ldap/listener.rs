//! Accepts connections and deals them out, one thread after the other.
//!
//! The kernel could spread connections over several listeners by itself, but ten of them would then
//! fall on two threads as dice fall. Dealt out in turn, each thread has as many as the next.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::mpsc::UnboundedSender;

use super::stats::{Counters, add};
use super::worker::Accepted;

/// What accepts connections.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) clear: TcpListener,
    pub(super) tls: Option<TcpListener>,
    /// Ends the accepting when the other end is closed.
    pub(super) stop: UnixStream,
    pub(super) workers: Vec<UnboundedSender<Accepted>>,
    /// The counters of the threads, and behind them those of the listener.
    pub(super) counters: Vec<Arc<Counters>>,
    pub(super) connections_max: usize,
}

impl Listener {
    /// Accepts until it is stopped.
    pub(super) fn run(&self) {
        let mut number = 0;
        loop {
            let ready = match self.wait() {
                Ok(ready) => ready,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if ready.stop {
                return;
            }
            if ready.clear {
                self.accept(&self.clear, false, &mut number);
            }
            if let Some(listener) = self.tls.as_ref().filter(|_| ready.tls) {
                self.accept(listener, true, &mut number);
            }
        }
    }

    fn wait(&self) -> io::Result<Ready> {
        let mut fds =
            vec![PollFd::new(&self.stop, PollFlags::IN), PollFd::new(&self.clear, PollFlags::IN)];
        fds.extend(self.tls.as_ref().map(|listener| PollFd::new(listener, PollFlags::IN)));
        poll(&mut fds, None)?;
        let ready = |n: usize| fds.get(n).is_some_and(|fd: &PollFd<'_>| !fd.revents().is_empty());
        Ok(Ready { stop: ready(0), clear: ready(1), tls: ready(2) })
    }

    /// Accepts whatever waits.
    fn accept(&self, listener: &TcpListener, tls: bool, number: &mut u64) {
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    if self.open() >= self.connections_max as u64 {
                        if let Some(own) = self.counters.last() {
                            add(&own.connections_refused, 1);
                        }
                        continue;
                    }
                    *number += 1;
                    let worker = *number as usize % self.workers.len();
                    // Small answers must not wait for the client's acknowledgements.
                    let prepared =
                        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true));
                    if prepared.is_ok() {
                        let accepted = Accepted { stream, tls, number: *number };
                        let _ = self.workers[worker].send(accepted);
                    }
                }
                Err(error) if is_lasting(&error) => return,
                Err(_) => {}
            }
        }
    }

    /// How many connections there are.
    fn open(&self) -> u64 {
        let open = |counters: &Arc<Counters>| {
            let closed = counters.connections_closed.load(Ordering::Acquire);
            counters.connections_accepted.load(Ordering::Acquire).saturating_sub(closed)
        };
        self.counters.iter().map(open).sum()
    }
}

/// Which of the descriptors have something.
struct Ready {
    stop: bool,
    clear: bool,
    tls: bool,
}

/// Whether to go back to waiting. A connection that was reset before it was accepted is no reason to.
fn is_lasting(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}
