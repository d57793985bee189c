//! TLS as `tokio-postgres` asks for it, by the house's own client.
//!
//! No channel binding is offered: the certificate is checked, which is what binding stands in for where it is not.

use crate::net::Failure;
use crate::net::stream::Stream;
use crate::net::tls::{Client, Name};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

/// How a connection is secured, if it is.
pub(super) struct Secured(Option<(Client, Name)>);

impl Secured {
    /// It is not.
    pub(super) fn off() -> Self {
        Self(None)
    }

    /// By this client, for the server of this name.
    pub(super) fn by(client: Client, name: Name) -> Self {
        Self(Some((client, name)))
    }
}

impl TlsConnect<Stream> for Secured {
    type Stream = SecuredStream;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<SecuredStream, Failure>>>>;

    fn connect(self, stream: Stream) -> Self::Future {
        Box::pin(async move {
            let Some((client, name)) = self.0 else {
                return Err(Failure::Tls(io::Error::other("TLS was not asked for")));
            };
            stream.secure(&client, &name, None).await.map(SecuredStream)
        })
    }
}

/// A connection under TLS.
pub(super) struct SecuredStream(Stream);

impl TlsStream for SecuredStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
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
