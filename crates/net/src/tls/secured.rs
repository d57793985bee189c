//! Streams under TLS: how one is secured, and what was negotiated.

use super::{Agreement, Client, Name, is_resumed};
use crate::stream::Stream;
use crate::{Failure, within};
use brunt_exchange::Clock;
use std::time::Duration;

/// A handshake that may take this long by the clock of a run.
pub async fn limited(
    handshake: impl Future<Output = Result<Stream, Failure>>,
    limit: Option<Duration>,
    clock: &dyn Clock,
) -> Result<Stream, Failure> {
    let Some(limit) = limit else { return handshake.await };
    within(limit, clock, handshake).await.unwrap_or(Err(Failure::TlsTimedOut(limit)))
}

impl Stream {
    /// Does the TLS handshake over a plain connection: from the start, or after the target accepted `StartTLS`. The
    /// caller must have read every byte that arrived before.
    pub async fn secure(self, client: &Client, name: &Name) -> Result<Self, Failure> {
        match self {
            Self::Tls(_) => Err(Failure::AlreadySecured),
            plain => plain.nest(client, name).await,
        }
    }

    /// Does the TLS handshake over any stream, including a secured connection to a proxy.
    pub async fn nest(self, client: &Client, name: &Name) -> Result<Self, Failure> {
        client.handshake(self, name).await.map(|tls| Self::Tls(Box::new(tls)))
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
