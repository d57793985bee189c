//! [`Counted`]: an HTTP server that counts connections and requests, and gives all of them the same answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Answers with nothing.
const EMPTY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// A server that lives as long as the test.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    at: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    connections: AtomicU64,
    requests: AtomicU64,
}

impl Counted {
    /// One on 127.0.0.1 that answers with nothing.
    pub(crate) fn start() -> Self {
        Self::answering("127.0.0.1:0", EMPTY.to_owned())
    }

    /// One that fails whatever it is asked.
    pub(crate) fn failing() -> Self {
        let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
        Self::answering("127.0.0.1:0", answer.to_owned())
    }

    /// A server that redirects every client.
    pub(crate) fn redirecting(to: &str) -> Self {
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        Self::answering("127.0.0.1:0", answer)
    }

    fn answering(at: &str, answer: String) -> Self {
        let listener = TcpListener::bind(at).expect("a free port");
        let at = listener.local_addr().expect("it is bound");
        let server = Self { at, seen: Arc::default() };
        let seen = Arc::clone(&server.seen);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                seen.connections.fetch_add(1, Ordering::SeqCst);
                let (seen, answer) = (Arc::clone(&seen), answer.clone());
                thread::spawn(move || drop(serve(&stream, &seen, &answer)));
            }
        });
        server
    }

    /// Where it is.
    pub(crate) fn at(&self) -> SocketAddr {
        self.at
    }

    /// How many connections were made to it.
    pub(crate) fn connections(&self) -> u64 {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// How many requests it was asked.
    pub(crate) fn requests(&self) -> u64 {
        self.seen.requests.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: &TcpStream, seen: &Seen, answer: &str) -> std::io::Result<()> {
    for line in BufReader::new(stream.try_clone()?).lines() {
        // A request without a body ends with an empty line.
        if line?.is_empty() {
            seen.requests.fetch_add(1, Ordering::SeqCst);
            stream.write_all(answer.as_bytes())?;
        }
    }
    Ok(())
}
