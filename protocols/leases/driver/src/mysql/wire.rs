//! [`Wire`]: the transport of packets to a MySQL server and back: a socket, TCP, or TLS over TCP.
//!
//! Its calls block the thread, each for a limited time. A packet has a number, which increases by one until the next
//! command.

use super::packet::Malformed;
use crate::sql::{Server, ServerEndpoint, Tls};
use brunt_net::keystore::Store;
use brunt_net::{Network, tls, unix};
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The longest packet that is read or written: longer data is split into several packets, which no lease needs.
const PACKET_MAX: usize = 0xff_ffff;

/// Why sending or receiving failed.
#[derive(Debug)]
pub(super) enum WireError {
    Io(io::Error),
    Malformed(Malformed),
    Tls(String),
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Malformed> for WireError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// A connection that sends and receives packets.
pub(super) struct Wire {
    stream: BufReader<Carrier>,
    /// The packet that was read last.
    packet: Vec<u8>,
    /// The packet that is written.
    out: Vec<u8>,
    number: u8,
}

enum Carrier {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    /// The state between plain and secured.
    Gone,
}

impl Wire {
    /// Connects.
    pub(super) fn connect(
        network: &Network,
        endpoint: &ServerEndpoint,
        limit: Duration,
    ) -> io::Result<Self> {
        let carrier = match endpoint {
            ServerEndpoint::Socket(path) => {
                Carrier::Unix(unix::connect_blocking(path, network.files(), Some(limit))?)
            }
            ServerEndpoint::Tcp { host, port } => {
                let addresses = (host.as_str(), *port).to_socket_addrs()?;
                Carrier::Tcp(network.connect_blocking(addresses, Some(limit))?)
            }
        };
        Ok(Self { stream: BufReader::new(carrier), packet: Vec::new(), out: Vec::new(), number: 0 })
    }

    /// Secures the connection, after TLS was requested from the server.
    pub(super) fn secure(&mut self, server: &Server, network: &Network) -> Result<(), WireError> {
        let trust = match &server.tls {
            Tls::Off => return Ok(()),
            Tls::Unverified => tls::Trust::Anything,
            Tls::Verified(None) => tls::Trust::System,
            Tls::Verified(Some(path)) => {
                tls::Trust::Stores(vec![Store { path: path.clone(), password: None }])
            }
        };
        let ServerEndpoint::Tcp { host, .. } = &server.endpoint else { return Ok(()) };
        if !self.stream.buffer().is_empty() {
            return Err(WireError::Tls("the server spoke before TLS began".to_owned()));
        }
        let client =
            tls::Client::new(&tls::Options { trust, ..tls::Options::default() }, network.files());
        let client = client.map_err(|error| WireError::Tls(error.to_string()))?;
        let carrier = std::mem::replace(self.stream.get_mut(), Carrier::Gone);
        if let Carrier::Tcp(stream) = carrier {
            let secured = client.secure_blocking(stream, host);
            let secured = secured.map_err(|error| WireError::Tls(error.to_string()))?;
            *self.stream.get_mut() = Carrier::Tls(Box::new(secured));
        }
        Ok(())
    }

    /// Whether the connection is under TLS.
    pub(super) fn is_secured(&self) -> bool {
        matches!(self.stream.get_ref(), Carrier::Tls(_))
    }

    /// Whether the connection does not leave this machine.
    pub(super) fn is_local(&self) -> bool {
        matches!(self.stream.get_ref(), Carrier::Unix(_))
    }

    /// Begins a command with its arguments.
    pub(super) fn begin(&mut self) -> &mut Vec<u8> {
        self.number = 0;
        self.body()
    }

    /// A packet that answers the last one.
    pub(super) fn body(&mut self) -> &mut Vec<u8> {
        self.out.clear();
        self.out.extend_from_slice(&[0; 4]);
        &mut self.out
    }

    /// Sends the packet that was begun.
    pub(super) fn send(&mut self) -> Result<(), WireError> {
        let length = self.out.len() - 4;
        if length >= PACKET_MAX {
            return Err(Malformed("what is asked is longer than 16 MB").into());
        }
        self.out[..3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
        self.out[3] = self.number;
        self.number = self.number.wrapping_add(1);
        let carrier = self.stream.get_mut();
        carrier.write_all(&self.out)?;
        Ok(carrier.flush()?)
    }

    /// The next packet.
    pub(super) fn receive(&mut self) -> Result<&[u8], WireError> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
        if length == PACKET_MAX {
            return Err(Malformed("it is longer than 16 MB").into());
        }
        self.number = head[3].wrapping_add(1);
        self.packet.clear();
        // The buffer grows with the octets received, whatever the announced length.
        let read = self.stream.by_ref().take(length as u64).read_to_end(&mut self.packet)?;
        if read < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(&self.packet)
    }
}

impl Read for Carrier {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
            Self::Tls(stream) => stream.read(bytes),
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl Write for Carrier {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tls(stream) => stream.flush(),
            Self::Unix(_) | Self::Tcp(_) | Self::Gone => Ok(()),
        }
    }
}
