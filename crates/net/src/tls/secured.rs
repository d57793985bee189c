//! Streams under TLS: how one is secured, and what was negotiated.

use super::{Agreement, Client, Name, is_resumed};
use crate::Failure;
use crate::stream::Stream;
use std::time::Duration;

impl Stream {
    /// Does the TLS handshake over a plain connection: from the start, or after the target accepted `StartTLS`. The
    /// caller must have read every byte that arrived before.
    pub async fn secure(
        self,
        client: &Client,
        name: &Name,
        limit: Option<Duration>,
    ) -> Result<Self, Failure> {
        match self {
            Self::Tls(_) => Err(Failure::AlreadySecured),
            plain => plain.nest(client, name, limit).await,
        }
    }

    /// Does the TLS handshake over any stream, including a secured connection to a proxy.
    pub async fn nest(
        self,
        client: &Client,
        name: &Name,
        limit: Option<Duration>,
    ) -> Result<Self, Failure> {
        client.handshake(self, name, limit).await.map(|tls| Self::Tls(Box::new(tls)))
    }

    /// Whether the handshake resumed an earlier session.
    pub fn is_resumed(&self) -> bool {
        matches!(self, Self::Tls(tls) if is_resumed(tls.get_ref().1))
    }

    /// What the handshake negotiated; `None` on a plain connection.
    pub fn agreement(&self) -> Option<Agreement> {
        match self {
            Self::Plain(_) | Self::Unix(_) => None,
            #[cfg(feature = "memory")]
            Self::Memory(_) => None,
            Self::Tls(tls) => Some(Agreement::new(tls.get_ref().1)),
        }
    }
}
