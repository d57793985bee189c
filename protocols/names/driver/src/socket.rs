//! [`DaemonSocket`]: the socket of a daemon that accepts one request per connection.
//!
//! Both daemons close a connection after its reply, as their own clients expect, so a question needs a new connection
//! here, as in any program. Buffers are kept, and a reply is read only up to the length that its reader gives.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_net::unix;

use super::error::LookupError;

/// The minimum number of bytes for one read.
const PIECE: usize = 1024;

/// The socket of a daemon.
pub(super) struct DaemonSocket {
    to: Arc<Path>,
    timeout: Option<Duration>,
    /// The request, filled in by the caller.
    pub(super) request: Vec<u8>,
    /// The bytes received, and room for more.
    reply: Vec<u8>,
    come: usize,
}

impl DaemonSocket {
    pub(super) fn new(to: Arc<Path>, timeout: Option<Duration>) -> Self {
        Self { to, timeout, request: Vec::new(), reply: vec![0; PIECE], come: 0 }
    }

    /// Connects and sends the request.
    pub(super) fn send(&mut self) -> Result<UnixStream, LookupError> {
        self.come = 0;
        let connected = unix::connect_to_system(&self.to, self.timeout);
        let mut socket = connected.map_err(|error| LookupError::Connect {
            to: format!("unix:{}", self.to.display()).into(),
            error,
        })?;
        socket.write_all(&self.request).map_err(LookupError::of_stream)?;
        Ok(socket)
    }

    /// The bytes received.
    pub(super) fn reply(&self) -> &[u8] {
        self.reply.get(..self.come).unwrap_or_default()
    }

    /// Waits until this total number of bytes has arrived.
    pub(super) fn receive(
        &mut self,
        socket: &mut UnixStream,
        needed: usize,
    ) -> Result<(), LookupError> {
        if self.reply.len() < needed {
            self.reply.resize(needed.max(self.reply.len() * 2), 0);
        }
        while self.come < needed {
            let room = self.reply.get_mut(self.come..).unwrap_or_default();
            match socket.read(room) {
                Ok(0) => return Err(LookupError::Closed),
                Ok(count) => self.come += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(LookupError::of_stream(error)),
            }
        }
        Ok(())
    }
}
