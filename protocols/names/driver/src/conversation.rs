//! [`Conversation`]: requests to a directory and their answers, one at a time, on a thread that waits for them.
//!
//! It is the client of what has a thread of its own and one request in flight: a session that searches as nslcd would,
//! and the provision of a directory. It knows the bytes of LDAP, and not what a request means. Buffers are kept, so a
//! request and its answer need no memory.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use brunt_ldap_wire::ber::{DecodeError, Values};
use brunt_ldap_wire::response::{self, Scan};
use brunt_ldap_wire::{Skeleton, Text, request};
use rustls::{ClientConnection, StreamOwned};

/// The longest message that is read: an entry of a group with ten thousands of members.
const MESSAGE_MAX: usize = 4 << 20;
/// The minimum number of bytes for one read.
const PIECE: usize = 16 * 1024;

/// What messages are sent over. It is boxed, since the dynamic dispatch of `read` costs very little compared with the
/// system call.
pub trait Stream: Read + Write + Send {
    /// Sets whether a read returns at once if there is nothing to read.
    fn non_blocking(&self, on: bool) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn non_blocking(&self, on: bool) -> io::Result<()> {
        self.set_nonblocking(on)
    }
}

impl Stream for UnixStream {
    fn non_blocking(&self, on: bool) -> io::Result<()> {
        self.set_nonblocking(on)
    }
}

impl Stream for StreamOwned<ClientConnection, TcpStream> {
    fn non_blocking(&self, on: bool) -> io::Result<()> {
        self.sock.set_nonblocking(on)
    }
}

/// Why no answer was received. After each of these the next bytes on the connection are unknown.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The connection broke.
    #[error("talk over the connection: {0}")]
    Broken(io::Error),
    /// The connection ended, or the server announced that it ends it.
    #[error("read the answer: the connection was closed before its end")]
    Closed,
    /// The bytes received are not an LDAP message.
    #[error("understand the answer: {0}")]
    Message(#[from] DecodeError),
    /// The message answers another request.
    #[error("understand the answer: it is the answer to another request")]
    Other,
}

/// A connection to a directory.
pub struct Conversation {
    stream: Box<dyn Stream>,
    message_id: i32,
    /// Bytes have arrived since the exchange began.
    answering: bool,
    /// The bytes that arrived and were not read yet, from `read` to `come`, and room for more.
    buffer: Vec<u8>,
    read: usize,
    come: usize,
    /// The request, where it is not encoded elsewhere.
    out: Vec<u8>,
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversation").field("message_id", &self.message_id).finish_non_exhaustive()
    }
}

/// The values of a request with up to two slots.
pub struct Filled<'a>(pub &'a [u8], pub &'a [u8]);

impl Values for Filled<'_> {
    fn value(&self, slot: usize) -> &[u8] {
        if slot == 0 { self.0 } else { self.1 }
    }
}

impl Conversation {
    /// A conversation over this connection, on which nothing was sent yet.
    pub fn new(stream: Box<dyn Stream>) -> Self {
        let buffer = vec![0; PIECE];
        let (read, come, out) = (0, 0, Vec::new());
        Self { stream, message_id: 0, answering: false, buffer, read, come, out }
    }

    /// Begins an exchange, of one request or several.
    pub const fn begin(&mut self) {
        self.answering = false;
    }

    /// The number of the next request.
    pub fn next_id(&mut self) -> i32 {
        self.message_id = self.message_id.checked_add(1).unwrap_or(1);
        self.message_id
    }

    /// Sends a request that was encoded with [`Self::next_id`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), ConversationError> {
        self.stream
            .write_all(bytes)
            .and_then(|()| self.stream.flush())
            .map_err(ConversationError::Broken)
    }

    /// Sends the request that `encode` writes with the number that it is given.
    pub fn request(
        &mut self,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Result<(), ConversationError> {
        let (id, mut out) = (self.next_id(), std::mem::take(&mut self.out));
        out.clear();
        encode(id, &mut out);
        let sent = self.send(&out);
        self.out = out;
        sent
    }

    /// Sends a request without slots.
    pub fn request_fixed(&mut self, request: &Skeleton) -> Result<(), ConversationError> {
        self.request(|id, out| request.encode(id, &Filled(b"", b""), out))
    }

    /// Sends a simple bind.
    pub fn bind(&mut self, dn: &[u8], password: &[u8]) -> Result<(), ConversationError> {
        let skeleton = request::bind_simple(&Text::slot(0), &Text::slot(1), &[]);
        self.request(|id, out| skeleton.encode(id, &Filled(dn, password), out))
    }

    /// Waits for the next message that answers the last request.
    pub fn answer(&mut self) -> Result<Scan<'_>, ConversationError> {
        let (begin, id) = (self.receive()?, self.message_id);
        let scan = response::scan(&self.buffer[begin..self.read])?;
        if scan.is_notice_of_disconnection() {
            return Err(ConversationError::Closed);
        }
        if scan.message_id != id {
            return Err(ConversationError::Other);
        }
        Ok(scan)
    }

    /// Whether a part of an answer has arrived since the exchange began.
    pub const fn is_answering(&self) -> bool {
        self.answering
    }

    /// Whether the server left the connection open and silent while no request was pending. Any bytes are its notice of
    /// disconnection, even if they arrived together with the last answer. Under TLS a read processes the other records
    /// as well.
    pub fn is_quiet(&mut self) -> bool {
        let quiet = |read: io::Result<usize>| {
            read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
        };
        self.read == self.come
            && self.stream.non_blocking(true).is_ok()
            && quiet(self.stream.read(&mut self.buffer))
            && self.stream.non_blocking(false).is_ok()
    }

    /// Tells the server that the connection ends. It ends either way.
    pub fn leave(mut self) {
        let mut bytes = Vec::new();
        request::encode_unbind(&mut bytes, self.message_id.wrapping_add(1).max(1));
        let _ = self.send(&bytes);
    }

    /// Waits for the next message, which is then in the buffer from the returned position to `read`.
    fn receive(&mut self) -> Result<usize, ConversationError> {
        loop {
            let come = self.buffer.get(self.read..self.come).unwrap_or_default();
            let wanted = match response::frame_limited(come, MESSAGE_MAX)? {
                Some(length) if length <= come.len() => {
                    let begin = self.read;
                    self.read += length;
                    return Ok(begin);
                }
                wanted => wanted.unwrap_or(0),
            };
            self.buffer.copy_within(self.read..self.come, 0);
            (self.read, self.come) = (0, self.come - self.read);
            if self.buffer.len() < wanted.max(self.come + 1) {
                self.buffer.resize(wanted + PIECE, 0);
            }
            match self.stream.read(&mut self.buffer[self.come..]) {
                Ok(0) => return Err(ConversationError::Closed),
                Ok(count) => {
                    self.answering = true;
                    self.come += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ConversationError::Broken(error)),
            }
        }
    }
}
