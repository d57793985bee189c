//! [`Threads`]: the threads of an embedded server, and how they wait and are stopped.
//!
//! A thread that waits is woken by the end of a socket pair, one that is busy looks at a flag. Both are set when the
//! server is dropped, which then waits for its threads. What a thread does is not known here.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The threads of a server. Dropping it stops them.
#[derive(Debug)]
pub struct Threads {
    /// Closing it wakes the threads that wait.
    waker: Option<UnixStream>,
    stop: Stop,
    running: Vec<JoinHandle<()>>,
}

/// Signals a thread to end.
#[derive(Debug)]
pub struct Stop {
    now: Arc<AtomicBool>,
    woken: UnixStream,
}

impl Threads {
    /// No threads yet.
    pub fn new() -> io::Result<Self> {
        let (waker, woken) = UnixStream::pair()?;
        let stop = Stop { now: Arc::default(), woken };
        Ok(Self { waker: Some(waker), stop, running: Vec::new() })
    }

    /// A function that signals one more thread to end.
    pub fn stop(&self) -> io::Result<Stop> {
        Ok(Stop { now: Arc::clone(&self.stop.now), woken: self.stop.woken.try_clone()? })
    }

    /// Starts a thread.
    pub fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.running.push(thread::Builder::new().name(name.to_owned()).spawn(run)?);
        Ok(())
    }

    /// Stops all threads, and waits for them.
    pub fn close(&mut self) {
        self.stop.now.store(true, Ordering::Relaxed);
        self.waker = None;
        for thread in self.running.drain(..) {
            // A thread that panicked has printed its message already.
            let _ = thread.join();
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.close();
    }
}

impl Stop {
    /// Whether the thread must end, for one that is busy.
    pub fn is_now(&self) -> bool {
        self.now.load(Ordering::Relaxed)
    }

    /// Waits for the stop, for one of these sockets to have something to read, and at most for `timeout`. Returns
    /// whether the thread must end. A signal ends the wait early.
    pub fn wait<S: AsFd>(
        &self,
        sockets: impl IntoIterator<Item = S>,
        timeout: Option<Duration>,
    ) -> io::Result<bool> {
        let sockets: Vec<S> = sockets.into_iter().collect();
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(sockets.iter().map(|socket| PollFd::new(socket, PollFlags::IN)));
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(timeout.subsec_nanos()),
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) => Ok(fds.first().is_some_and(|stop| !stop.revents().is_empty())),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::sync::mpsc;

    #[test]
    fn threads_waiting_or_busy_are_stopped() {
        let mut threads = Threads::new().unwrap();
        let (ended, ends) = mpsc::channel();
        for busy in [false, true, false] {
            let (stop, ended) = (threads.stop().unwrap(), ended.clone());
            let run = move || {
                while !stop.is_now() {
                    if !busy && stop.wait::<&UnixStream>([], None).unwrap() {
                        break;
                    }
                    std::thread::yield_now();
                }
                ended.send(busy).unwrap();
            };
            threads.spawn("it", run).unwrap();
        }
        drop((threads, ended));
        let mut ends: Vec<bool> = ends.iter().collect();
        ends.sort_unstable();
        assert_eq!(ends, [false, false, true]);
    }

    #[test]
    fn threads_wait_for_input_or_timeout() {
        let threads = Threads::new().unwrap();
        let stop = threads.stop().unwrap();
        let (mut one, other) = UnixStream::pair().unwrap();
        assert!(!stop.wait([&other], Some(Duration::ZERO)).unwrap());
        one.write_all(b"x").unwrap();
        assert!(!stop.wait([&other], None).unwrap());
        drop(threads);
        assert!(stop.wait([&other], None).unwrap() && stop.is_now());
    }
}
