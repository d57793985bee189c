//! [`Stream`]: a connection, plain or secured, as a session reads and writes it.
//!
//! It is an enum and not a boxed trait: the plain path is one branch away from the socket. TLS wraps another stream, so
//! that it works over a Unix socket, and within the TLS of a secured proxy, as it works over TCP. Reads go through
//! `poll_read`, never through `readable` and `try_read`: after a read that did not fill the buffer the runtime knows
//! that the socket is empty and does not call the kernel a second time. A plain connection has no buffer, so thousands
//! may be idle. It must not depend on a protocol.

use super::close::Close;
use super::direct;
use socket2::SockRef;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::client::TlsStream;

/// A connection to a target.
#[derive(Debug)]
pub enum Stream {
    /// Unencrypted bytes.
    Plain(TcpStream),
    /// Unencrypted bytes, to a process on this machine.
    Unix(UnixStream),
    /// Unencrypted bytes, to a server in this process.
    #[cfg(feature = "memory")]
    Memory(tokio::io::DuplexStream),
    /// Bytes under TLS. Boxed, so that a plain session is not as large as a secured one.
    Tls(Box<TlsStream<Self>>),
}

impl Stream {
    /// Reads the available bytes, at most `buffer`. Zero is the end of the stream.
    pub fn poll_read_into(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        if let Self::Plain(tcp) = self {
            return direct::poll_recv(tcp, context, buffer);
        }
        let mut buffer = ReadBuf::new(buffer);
        Pin::new(self).poll_read(context, &mut buffer).map_ok(|()| buffer.filled().len())
    }

    /// Whether a read would certainly find nothing, not even the end of the stream, as far as the runtime knows.
    /// Cheaper than such a read. False under TLS, which may have decrypted more than was read.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        matches!(self, Self::Plain(tcp) if direct::is_quiet(tcp))
    }

    /// Waits until bytes are available and reads them, at most `buffer`.
    pub async fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        std::future::poll_fn(|context| self.poll_read_into(context, buffer)).await
    }

    /// Writes all of `bytes` and flushes them.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.write_all(bytes).await,
            Self::Unix(unix) => unix.write_all(bytes).await,
            #[cfg(feature = "memory")]
            Self::Memory(memory) => memory.write_all(bytes).await,
            Self::Tls(tls) => {
                tls.write_all(bytes).await?;
                tls.flush().await
            }
        }
    }

    /// Whether the bytes are under TLS.
    pub fn is_secured(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// The underlying socket, if it is a TCP socket.
    pub fn tcp(&self) -> Option<&TcpStream> {
        match self {
            Self::Plain(tcp) => Some(tcp),
            Self::Unix(_) => None,
            #[cfg(feature = "memory")]
            Self::Memory(_) => None,
            Self::Tls(tls) => tls.get_ref().0.tcp(),
        }
    }

    /// Ends the connection. What the target does with it no longer matters, so there is no error.
    pub async fn close(mut self, how: Close) {
        match how {
            Close::Fin => drop(self.shutdown().await),
            Close::Reset => {
                if let Some(tcp) = self.tcp() {
                    drop(SockRef::from(tcp).set_linger(Some(Duration::ZERO)));
                }
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => {
                let count = ready!(direct::poll_recv(tcp, context, buffer.initialize_unfilled()))?;
                buffer.advance(count);
                Poll::Ready(Ok(()))
            }
            Self::Unix(unix) => Pin::new(unix).poll_read(context, buffer),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_read(context, buffer),
            Self::Tls(tls) => Pin::new(&mut **tls).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(tcp) => direct::poll_send(tcp, context, bytes),
            Self::Unix(unix) => Pin::new(unix).poll_write(context, bytes),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_write(context, bytes),
            Self::Tls(tls) => Pin::new(&mut **tls).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_flush(context),
            Self::Unix(unix) => Pin::new(unix).poll_flush(context),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_flush(context),
            Self::Tls(tls) => Pin::new(&mut **tls).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_shutdown(context),
            Self::Unix(unix) => Pin::new(unix).poll_shutdown(context),
            #[cfg(feature = "memory")]
            Self::Memory(memory) => Pin::new(memory).poll_shutdown(context),
            Self::Tls(tls) => Pin::new(&mut **tls).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn plain_stream_is_small() {
        assert!(size_of::<Stream>() <= 64, "{}", size_of::<Stream>());
    }

    #[test]
    fn stream_transfers_both_ways_and_ends_with_zero() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let echo = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut bytes = [0; 4];
            peer.read_exact(&mut bytes).unwrap();
            bytes.reverse();
            peer.write_all(&bytes).unwrap();
            peer.shutdown(std::net::Shutdown::Write).unwrap();
            peer.read(&mut bytes).unwrap()
        });
        block_on(async {
            let mut stream = Stream::Plain(TcpStream::connect(to).await.unwrap());
            stream.send(b"abcd").await.unwrap();
            let mut buffer = [0; 16];
            let mut received = Vec::new();
            loop {
                let count = stream.receive(&mut buffer).await.unwrap();
                if count == 0 {
                    break;
                }
                received.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(received, b"dcba");
            assert!(!stream.is_secured() && stream.agreement().is_none());
            stream.close(Close::Fin).await;
        });
        assert_eq!(echo.join().unwrap(), 0, "the target should see an orderly end");
    }

    #[test]
    fn stream_is_quiet_until_bytes_or_the_end_arrive() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        block_on(async {
            let tcp = TcpStream::connect(to).await.unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            let mut stream = Stream::Plain(tcp);
            let mut buffer = [0; 16];
            for sent in [&b"a"[..], b"bc"] {
                assert!(stream.is_quiet(), "nothing has been sent");
                peer.write_all(sent).unwrap();
                stream.tcp().unwrap().readable().await.unwrap();
                assert!(!stream.is_quiet(), "bytes have arrived");
                assert_eq!(stream.receive(&mut buffer).await.unwrap(), sent.len());
            }
            assert!(stream.is_quiet(), "all bytes have been read");
            drop(peer);
            stream.tcp().unwrap().readable().await.unwrap();
            assert!(!stream.is_quiet(), "the end has arrived");
        });
    }

    #[test]
    fn stream_close_by_reset_is_seen_by_the_peer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        block_on(async {
            Stream::Plain(TcpStream::connect(to).await.unwrap()).close(Close::Reset).await;
        });
        let (mut peer, _) = listener.accept().unwrap();
        assert_eq!(peer.read(&mut [0; 4]).unwrap_err().raw_os_error(), Some(libc::ECONNRESET));
    }
}
