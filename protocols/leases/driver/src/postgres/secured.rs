//! Streams for `tokio-postgres`: [`Watched`] without TLS, and [`SecuredStream`] with brunt's own TLS; both check the
//! [`Messages`] received.
//!
//! No channel binding is offered: it is a substitute for checking the certificate, which `sslmode=verify-full` does. If
//! it is not checked, the server may not request the password in clear, as anyone could be in its place.

use super::messages::{Messages, Passwords};
use brunt_net::Failure;
use brunt_net::stream::Stream;
use brunt_net::tls::{Client, Name};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

/// How a connection is secured, if it is.
pub(super) struct Secured(Option<(Client, Name, Passwords)>);

impl Secured {
    /// It is not secured.
    pub(super) fn off() -> Self {
        Self(None)
    }

    /// It is secured by this client, for the server with this name, which may request these passwords.
    pub(super) fn by(client: Client, name: Name, passwords: Passwords) -> Self {
        Self(Some((client, name, passwords)))
    }
}

impl TlsConnect<Watched> for Secured {
    type Stream = SecuredStream;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<SecuredStream, Failure>>>>;

    fn connect(self, stream: Watched) -> Self::Future {
        Box::pin(async move {
            let Some((client, name, passwords)) = self.0 else {
                return Err(Failure::Tls(io::Error::other("TLS was not asked for")));
            };
            let stream = stream.stream.secure(&client, &name).await?;
            Ok(SecuredStream(Watched { stream, messages: Some(Messages::new(passwords)) }))
        })
    }
}

/// A connection whose messages are checked, once there are any: the server's answer to a TLS request is not a message.
pub(super) struct Watched {
    pub(super) stream: Stream,
    pub(super) messages: Option<Messages>,
}

/// A connection under TLS.
pub(super) struct SecuredStream(Watched);

impl TlsStream for SecuredStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, messages } = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(stream).poll_read(context, buffer))?;
        let come = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(messages.as_mut().map_or(Ok(()), |messages| messages.follow(come)))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

impl AsyncRead for SecuredStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_read(context, buffer)
    }
}

impl AsyncWrite for SecuredStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().0).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_shutdown(context)
    }
}
