//! [`Route`]: how a place is reached: straight, over a Unix socket, or by way of a proxy.
//!
//! Whatever the route, what comes of it is a stream on which the place answers, so nobody else minds, but for a request
//! that a proxy relays. It must not know what is said on the stream.

use super::failure::Failure;
use super::proxy::Gateway;
use crate::net::stream::Stream;
use crate::net::tcp::Dialer;
use crate::net::unix;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How a place is reached.
#[derive(Clone, Debug)]
pub(super) enum Route {
    /// By the addresses of its name.
    Straight(Arc<Dialer>),
    /// Over a socket of this machine, whatever its name.
    Unix(Arc<Path>),
    /// By way of a proxy.
    Through(Arc<Gateway>),
}

impl Route {
    /// Opens connection `number` to a host and a port. `tunnel` says that no proxy is to hear what is said.
    pub(super) async fn connect(
        &self,
        (host, port): (&str, u16),
        tunnel: bool,
        number: u64,
        limit: Option<Duration>,
    ) -> Result<Stream, Failure> {
        match self {
            Self::Straight(dialer) => Ok(Stream::Plain(dialer.connect(number).await?)),
            Self::Unix(path) => Ok(unix::connect(path, limit).await?),
            Self::Through(gateway) => {
                let mut stream = gateway.connect(number).await?;
                if tunnel {
                    gateway.tunnel(&mut stream, host, port).await?;
                }
                Ok(stream)
            }
        }
    }
}
