//! A server that reads and writes individual frames (RFC 9113 section 4.1), so that it can also violate the protocol.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;

/// Both flags of a head that is a complete answer.
pub(crate) const WHOLE: u8 = END_STREAM | END_HEADERS;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// `:status: 200`, by its index in the HPACK table (RFC 7541 appendix A).
pub(crate) const OK: &[u8] = &[0x88];

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// A server on its own port. Its threads end with the connections.
pub(crate) struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<(usize, Frame)>>>,
}

/// The server's side of one connection.
pub(crate) struct Peer {
    stream: TcpStream,
    number: usize,
    heard: Arc<Mutex<Vec<(usize, Frame)>>>,
}

impl Server {
    /// Passes each connection to `script`, after reading its preface and sending settings.
    pub(crate) fn start(script: impl Fn(usize, &mut Peer) + Send + Sync + 'static) -> Self {
        Self::with_settings(&[], script)
    }

    /// The same, with one setting: its number and its value.
    pub(crate) fn with_settings(
        settings: &[(u16, u32)],
        script: impl Fn(usize, &mut Peer) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (script, kept) = (Arc::new(script), Arc::clone(&heard));
        let settings: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { return };
                stream.set_nodelay(true).unwrap();
                let mut peer = Peer { stream, number, heard: Arc::clone(&kept) };
                let (script, settings) = (Arc::clone(&script), settings.clone());
                std::thread::spawn(move || {
                    let mut preface = [0; 24];
                    if peer.stream.read_exact(&mut preface).is_ok() {
                        assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
                        peer.say(SETTINGS, 0, 0, &settings);
                        script(number, &mut peer);
                    }
                });
            }
        });
        Self { port, heard }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every frame received, with the number of its connection.
    pub(crate) fn heard(&self) -> Vec<(usize, Frame)> {
        self.heard.lock().unwrap().clone()
    }
}

impl Peer {
    /// The next frame; `None` at the end. Settings and pings are handled.
    pub(crate) fn frame(&mut self) -> Option<Frame> {
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).ok()?;
            let [a, b, c, kind, flags, stream @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            self.stream.read_exact(&mut payload).ok()?;
            let frame = Frame { kind, flags, stream: u32::from_be_bytes(stream), payload };
            self.heard.lock().unwrap().push((self.number, frame.clone()));
            match (kind, flags & ACK) {
                (SETTINGS, 0) => self.say(SETTINGS, ACK, 0, &[]),
                (PING, 0) => self.say(PING, ACK, 0, &frame.payload),
                _ => return Some(frame),
            };
        }
    }

    /// The stream of the next request, after its body has been read as well.
    pub(crate) fn request(&mut self) -> Option<u32> {
        loop {
            let frame = self.frame()?;
            if matches!(frame.kind, HEADERS | DATA) && frame.flags & END_STREAM != 0 {
                return Some(frame.stream);
            }
        }
    }

    /// Sends a frame. Returns whether the other side still accepts it.
    pub(crate) fn say(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        let length = (payload.len() as u32).to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat();
        self.say_bytes(&head)
    }

    /// Sends arbitrary bytes.
    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Announces that streams after `last` will not be processed, and why.
    pub(crate) fn go_away(&mut self, last: u32, code: u32) -> bool {
        self.say(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
    }

    /// Answers with 200 and no body.
    pub(crate) fn answer(&mut self, stream: u32) -> bool {
        self.say(HEADERS, WHOLE, stream, OK)
    }

    /// Answers every request until the other side closes the connection.
    pub(crate) fn serve(&mut self) {
        while let Some(stream) = self.request() {
            self.answer(stream);
        }
    }

    /// Whether nothing more arrives for some milliseconds.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.stream.set_read_timeout(Some(std::time::Duration::from_millis(5))).unwrap();
        let peeked = self.stream.peek(&mut [0]);
        self.stream.set_read_timeout(None).unwrap();
        peeked.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }

    /// Reads until the other side closes the connection.
    pub(crate) fn await_end(&mut self) {
        while self.frame().is_some() {}
    }

    /// Closes the sending side.
    pub(crate) fn end(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }
}
