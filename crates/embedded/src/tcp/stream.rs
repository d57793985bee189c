//! The byte stream of a connection, in clear or under TLS. LDAP's StartTLS turns the first into the second.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::socket::Socket;

/// A connection.
pub enum Stream {
    /// As it is.
    Clear(Socket),
    /// Encrypted.
    Tls(Box<TlsStream<Socket>>),
}

impl Stream {
    /// Whether it is encrypted.
    pub const fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// The protocol that ALPN negotiated (RFC 7301).
    pub fn protocol(&self) -> Option<&[u8]> {
        match self {
            Self::Clear(_) => None,
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol(),
        }
    }

    /// Whether TLS resumed an earlier session.
    pub fn resumed(&self) -> bool {
        match self {
            Self::Clear(_) => false,
            Self::Tls(stream) => {
                stream.get_ref().1.handshake_kind() == Some(rustls::HandshakeKind::Resumed)
            }
        }
    }

    /// Performs the TLS handshake. Fails if the connection is under TLS already.
    pub async fn secure(self, acceptor: &TlsAcceptor) -> io::Result<Self> {
        match self {
            Self::Clear(socket) => Ok(Self::Tls(Box::new(acceptor.accept(socket).await?))),
            Self::Tls(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Makes dropping the connection send a reset instead of an orderly close.
    pub fn reset_on_drop(&self) {
        let socket = match self {
            Self::Clear(socket) => socket,
            Self::Tls(stream) => stream.get_ref().0,
        };
        socket.reset_on_drop();
    }

    /// Reads what is there.
    pub fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(into);
        let read = match self {
            Self::Clear(socket) => Pin::new(socket).poll_read(cx, &mut buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, &mut buffer),
        };
        read.map_ok(|()| buffer.filled().len())
    }

    /// Writes what there is room for.
    pub fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Clear(socket) => Pin::new(socket).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    /// Sends what TLS has buffered.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Clear(_) => Poll::Ready(Ok(())),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    /// Ends what is written.
    pub fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Clear(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
