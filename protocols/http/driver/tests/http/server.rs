//! A scripted server over plain sockets, with a script for each connection. It keeps the requests that it received.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server on its own port. Its threads end with the connections.
pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// One request as received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    /// The number of its connection, counted from 0.
    pub(crate) connection: usize,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// The server's side of one connection.
pub(crate) struct Peer {
    stream: TcpStream,
    number: usize,
    log: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    /// Passes each connection to `script`, with the number of connections before it.
    pub(crate) fn start(script: impl Fn(usize, &mut Peer) + Send + Sync + 'static) -> Self {
        Self::handing_over(move |number, mut peer| script(number, &mut peer))
    }

    /// The same, with a script that closes the connection by dropping it.
    pub(crate) fn handing_over(script: impl Fn(usize, Peer) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (script, kept) = (Arc::new(script), Arc::clone(&log));
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { return };
                stream.set_nodelay(true).unwrap();
                let peer = Peer { stream, number, log: Arc::clone(&kept) };
                let script = Arc::clone(&script);
                std::thread::spawn(move || script(number, peer));
            }
        });
        Self { address, log }
    }

    /// Answers every request on every connection with the same bytes.
    pub(crate) fn answering(bytes: &'static [u8]) -> Self {
        Self::start(move |_, peer| while peer.request().is_some() && peer.say(bytes) {})
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests received so far.
    pub(crate) fn requested(&self) -> Vec<ReceivedRequest> {
        self.log.lock().unwrap().clone()
    }
}

impl Peer {
    /// Reads a complete request: its head, and a body of the length given in the head. `None` at the end.
    pub(crate) fn request(&mut self) -> Option<ReceivedRequest> {
        let head = self.head()?;
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        });
        let mut body = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut body).ok()?;
        let requested = ReceivedRequest { connection: self.number, head, body };
        self.log.lock().unwrap().push(requested.clone());
        Some(requested)
    }

    /// Reads only a head.
    pub(crate) fn head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            self.stream.read_exact(&mut byte).ok()?;
            head.push(byte[0]);
        }
        Some(String::from_utf8(head).unwrap())
    }

    /// Reads this many bytes.
    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Sends bytes. Returns whether the other side still accepts them.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends bytes a few at a time, each time in a separate packet.
    pub(crate) fn trickle(&mut self, bytes: &[u8], at_a_time: usize) -> bool {
        bytes.chunks(at_a_time).all(|some| {
            pause(1);
            self.say(some)
        })
    }

    /// Closes the sending side.
    pub(crate) fn end(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Resets the connection, whatever is in progress on it.
    pub(crate) fn reset(&mut self) {
        socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO)).unwrap();
        // The socket is closed, and thereby reset, when it is dropped: at the latest when the script ends.
    }

    /// Waits until the other side has closed the connection. Returns whether it closed it without an error.
    pub(crate) fn await_end(&mut self) -> bool {
        let mut rest = [0; 4096];
        loop {
            match self.stream.read(&mut rest) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }
}

/// Gives the other side time to process what was done before.
#[expect(clippy::disallowed_methods, reason = "a script has a thread of its own to wait on")]
pub(crate) fn pause(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}
