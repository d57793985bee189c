//! Streams under TLS: how one is secured, and what was agreed on.

use super::{Agreement, Client, Name};
use crate::net::Failure;
use crate::net::stream::Stream;
use std::time::Duration;

impl Stream {
    /// Shakes hands over a plain connection: TLS from the start, or after the target agreed to
    /// `StartTLS`. The caller must have used up every byte that came before.
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

    /// Shakes hands over whatever this is: over a secured connection, too, behind a proxy that is spoken to under TLS.
    pub async fn nest(
        self,
        client: &Client,
        name: &Name,
        limit: Option<Duration>,
    ) -> Result<Self, Failure> {
        client.handshake(self, name, limit).await.map(|tls| Self::Tls(Box::new(tls)))
    }

    /// What the handshake agreed on; `None` on a plain connection.
    pub fn agreement(&self) -> Option<Agreement> {
        match self {
            Self::Plain(_) | Self::Unix(_) => None,
            Self::Tls(tls) => Some(Agreement::of(tls.get_ref().1)),
        }
    }
}
