//! [`Scripted`]: an HTTP server whose capacity is arithmetic, and its log of answers.
//!
//! A script says of each request when it is answered, and computes that from the moments of arrival alone, so a queue
//! is virtual: nothing waits in it but the threads of the connections. A thread reads a connection and answers its
//! requests one after another, so that a client meets real sockets and real time.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What comes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// 200, at this moment of the server's time, or at once if it has passed.
    At(Duration),
    /// This status, at once.
    Refused(u16),
}

/// Says what comes of a request that arrives at a moment of the server's time. These moments never decrease.
type Script = Box<dyn FnMut(Duration) -> Answer + Send>;

/// A running server. It accepts no more connections once it is dropped, and serves those that are open to their end.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    /// How many connections are served at a time. Others are accepted, and never answered.
    workers: usize,
    over: AtomicBool,
    state: Mutex<State>,
}

struct State {
    script: Script,
    /// How many connections are being served.
    served: usize,
    /// When the first request came.
    begun: Option<Duration>,
    /// When each answer was ready, whatever its status.
    answered: Vec<Duration>,
}

impl Scripted {
    /// Starts a server that serves every connection.
    pub fn start(script: impl FnMut(Duration) -> Answer + Send + 'static) -> Self {
        Self::with_workers(usize::MAX, script)
    }

    /// Starts a server that serves so many connections at a time: a connection has its worker until it is closed, and
    /// one that finds none free never has one.
    pub fn with_workers(
        workers: usize,
        script: impl FnMut(Duration) -> Answer + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let script: Script = Box::new(script);
        let state = State { script, served: 0, begun: None, answered: Vec::new() };
        let (over, state) = (AtomicBool::new(false), Mutex::new(state));
        let shared = Arc::new(Shared { started: now(), workers, over, state });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accepting.accept(&listener));
        Self { address, shared }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The time since it was started, by which its script is asked.
    pub fn time(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// How many answers were ready within this time after the first request.
    pub fn answered_within(&self, time: Duration) -> usize {
        let state = self.shared.state();
        let end = state.begun.expect("the tool sent something") + time;
        state.answered.iter().filter(|at| **at < end).count()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts; if it has ended, there is nothing to wake.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().map_while(Result::ok) {
            if self.over.load(Ordering::Relaxed) {
                return;
            }
            // In the order in which they came, which that of threads need not be.
            let mut state = self.state();
            let serves = state.served < self.workers;
            state.served += usize::from(serves);
            drop(state);
            let shared = Arc::clone(&self);
            thread::spawn(move || {
                shared.read(&stream, serves);
                shared.state().served -= usize::from(serves);
            });
        }
    }

    /// Reads the requests of a connection, none of which has a body, and answers them if it has a worker.
    fn read(&self, stream: &TcpStream, serves: bool) {
        let _ = stream.set_nodelay(true);
        let mut lines = BufReader::new(stream).lines();
        // A head ends with an empty line.
        while lines.by_ref().map_while(Result::ok).any(|line| line.is_empty()) {
            if serves && self.answer(stream).is_err() {
                return;
            }
        }
    }

    fn answer(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let status = match self.came() {
            Answer::At(at) => {
                wait(at.saturating_sub(self.started.elapsed()));
                200
            }
            Answer::Refused(status) => status,
        };
        let answer = format!("HTTP/1.1 {status} \r\nContent-Length: 3\r\n\r\nok\n");
        let at = self.started.elapsed();
        // Before whoever asked can look at the log.
        self.state().answered.push(at);
        stream.write_all(answer.as_bytes())
    }

    /// A request has come.
    fn came(&self) -> Answer {
        let mut state = self.state();
        // With the lock, so that moments do not decrease.
        let at = self.started.elapsed();
        state.begun.get_or_insert(at);
        (state.script)(at)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("workers", &self.workers).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "the server is a real one, and its time is real")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the time that a request takes is real")]
fn wait(time: Duration) {
    thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read as _};

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    fn connected(server: &Scripted) -> TcpStream {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.write_all(REQUEST).expect("it reads");
        stream
    }

    fn status(stream: &mut TcpStream) -> String {
        let mut answer = Vec::new();
        let mut part = [0; 64];
        while !answer.ends_with(b"ok\n") {
            let count = stream.read(&mut part).expect("it answers");
            assert!(count > 0, "it closed the connection");
            answer.extend_from_slice(&part[..count]);
        }
        String::from_utf8_lossy(&answer[9..12]).into_owned()
    }

    #[test]
    fn scripted_server_answers_at_the_scripted_time() {
        let mut count = 0;
        let server = Scripted::start(move |at| {
            count += 1;
            if count == 3 { Answer::Refused(429) } else { Answer::At(at + ms(20 * count)) }
        });
        let mut streams: Vec<TcpStream> = Vec::new();
        for expected in ["200", "200", "429"] {
            streams.push(connected(&server));
            assert_eq!(status(streams.last_mut().expect("it was pushed")), expected);
        }
        assert!(server.time() >= ms(60), "{:?}", server.time());
        assert_eq!(server.answered_within(Duration::MAX / 2), 3);
        assert_eq!(server.answered_within(ms(20)), 0);
    }

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn scripted_server_without_a_free_worker_does_not_answer() {
        let server = Scripted::with_workers(1, Answer::At);
        let mut first = connected(&server);
        let mut second = connected(&server);
        assert_eq!(status(&mut first), "200");
        first.write_all(REQUEST).expect("it reads");
        assert_eq!(status(&mut first), "200");
        second.set_nonblocking(true).expect("it is a socket");
        let nothing = second.read(&mut [0; 1]).expect_err("there is no answer");
        assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
        assert_eq!(server.answered_within(Duration::MAX / 2), 2);
    }
}
