//! An HTTP server whose capacity is arithmetic, and its log: a thread for each connection, and a time for each request.

use brunt_bench_tool::{pass_for, stopwatch};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long requests take.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Service {
    /// Each takes this long, however many there are.
    Each(Duration),
    /// A single worker takes this long for one after the other.
    OneWorker(Duration),
    /// Every other one takes the second time.
    InTurn(Duration, Duration),
}

/// A running server. Its threads end with the connections.
pub(crate) struct Scripted {
    address: SocketAddr,
    log: Arc<Log>,
}

struct Log {
    now: Box<dyn Fn() -> Duration + Send + Sync>,
    worker: Mutex<()>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// When the first request came.
    begun: Option<Duration>,
    requests: usize,
    /// When each answer was written.
    answered: Vec<Duration>,
}

impl Scripted {
    pub(crate) fn start(service: Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let log = Arc::new(Log {
            now: Box::new(stopwatch()),
            worker: Mutex::default(),
            seen: Mutex::default(),
        });
        let shared = Arc::clone(&log);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let log = Arc::clone(&shared);
                thread::spawn(move || serve(&stream, service, &log));
            }
        });
        Self { address, log }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// How many answers were written within this time after the first request.
    pub(crate) fn answered_within(&self, time: Duration) -> usize {
        let seen = self.log.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let end = seen.begun.expect("the tool sent something") + time;
        seen.answered.iter().filter(|at| **at < end).count()
    }
}

/// Answers the requests of a connection, none of which has a body.
fn serve(stream: &TcpStream, service: Service, log: &Log) {
    let _ = stream.set_nodelay(true);
    let mut heads = BufReader::new(stream).lines();
    let mut writer = stream;
    // A head ends with an empty line.
    while heads.by_ref().map_while(Result::ok).any(|line| line.is_empty()) {
        let number = log.came();
        log.take(service, number);
        if writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n").is_err() {
            return;
        }
        log.answered();
    }
}

impl Log {
    /// Notes a request, and tells its number.
    fn came(&self) -> usize {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (self.now)();
        seen.begun.get_or_insert(now);
        seen.requests += 1;
        seen.requests
    }

    fn take(&self, service: Service, number: usize) {
        match service {
            Service::Each(time) => pass_for(time),
            Service::OneWorker(time) => {
                let _turn = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
                pass_for(time);
            }
            Service::InTurn(odd, even) => pass_for(if number % 2 == 1 { odd } else { even }),
        }
    }

    fn answered(&self) {
        let at = (self.now)();
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).answered.push(at);
    }
}
