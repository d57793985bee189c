//! [`Socket`]: what a server reads and writes octets by: TCP, or memory that a client of the same process shares.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::net::sockopt;
#[cfg(feature = "memory")]
use tokio::io::DuplexStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// One end of a connection, in clear.
#[derive(Debug)]
pub enum Socket {
    /// To another process, or over the network.
    Tcp(TcpStream),
    /// To a client in this process.
    #[cfg(feature = "memory")]
    Memory(DuplexStream),
}

impl Socket {
    /// A connection that was accepted, for the runtime of this thread.
    pub fn accepted(stream: std::net::TcpStream) -> io::Result<Self> {
        TcpStream::from_std(stream).map(Self::Tcp)
    }

    /// Makes dropping the connection send a reset instead of an orderly close. In memory there are no resets.
    pub(super) fn reset_on_drop(&self) {
        match self {
            // This fails only if the connection has ended already.
            Self::Tcp(tcp) => drop(sockopt::set_socket_linger(tcp, Some(Duration::ZERO))),
            #[cfg(feature = "memory")]
            Self::Memory(_) => {}
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_read(cx, buffer),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_write(cx, bytes),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_write(cx, bytes),
        }
    }

    /// TLS writes all its records by one call of the kernel.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_write_vectored(cx, parts),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_write_vectored(cx, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_shutdown(cx),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_shutdown(cx),
        }
    }
}
