//! A server with one worker, which answers the requests of all connections one after another and takes the same time
//! for each: its capacity is known by arithmetic, and its queue is at the target.

use brunt_bench_tool::pass_for;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

/// The server. It ends when its value is dropped, except for connections that are still open.
pub(crate) struct OneWorker {
    port: u16,
    over: Arc<AtomicBool>,
}

impl OneWorker {
    /// Starts it; each request takes its worker this time.
    pub(crate) fn start(service: Duration) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let over = Arc::new(AtomicBool::new(false));
        let (queue, queued) = channel();
        thread::spawn(move || work(&queued, service));
        let ended = Arc::clone(&over);
        thread::spawn(move || accept(&listener, &queue, &ended));
        Ok(Self { port, over })
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for OneWorker {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts; if it has ended, there is nothing to wake.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn accept(listener: &TcpListener, queue: &Sender<TcpStream>, over: &AtomicBool) {
    for connection in listener.incoming().map_while(Result::ok) {
        if over.load(Ordering::Relaxed) {
            return;
        }
        let queue = queue.clone();
        thread::spawn(move || read(&connection, &queue));
    }
}

/// Queues the requests of a connection, which have no body, until it is closed.
fn read(connection: &TcpStream, queue: &Sender<TcpStream>) -> Option<()> {
    let mut lines = BufReader::new(connection.try_clone().ok()?);
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            queue.send(connection.try_clone().ok()?).ok()?;
        }
    }
}

fn work(queued: &Receiver<TcpStream>, service: Duration) {
    for mut connection in queued {
        pass_for(service);
        // Whoever asked may be gone.
        let _ = connection.write_all(ANSWER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_bench_tool::stopwatch;
    use std::io::Read as _;

    #[test]
    fn connections_share_one_worker() {
        let service = Duration::from_millis(20);
        let server = OneWorker::start(service).unwrap();
        let since = stopwatch();
        let mut connections: Vec<_> =
            (0..5).map(|_| TcpStream::connect(("127.0.0.1", server.port())).unwrap()).collect();
        for connection in &mut connections {
            connection.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        }
        for connection in &mut connections {
            let mut answer = vec![0; ANSWER.len()];
            connection.read_exact(&mut answer).unwrap();
            assert_eq!(answer, ANSWER);
        }
        assert!(since() >= 5 * service, "{:?}", since());
    }
}
