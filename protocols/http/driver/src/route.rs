//! [`Route`]: how an origin is reached: directly, over a Unix socket, or through a proxy.
//!
//! Every route ends in a stream on which the origin answers, so no other module depends on the route, except for
//! requests that a proxy relays. It must not depend on the content of the stream.

use super::failure::Failure;
use super::proxy::Gateway;
use brunt_exchange::Clock;
use brunt_net::Network;
use brunt_net::stream::Stream;
use brunt_net::tcp::Dialer;
use brunt_net::unix;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How an origin is reached.
#[derive(Clone, Debug)]
pub(super) enum Route {
    /// Directly, by the addresses of its name.
    Straight(Arc<Dialer>),
    /// Over a Unix socket of this machine, whatever the name of the origin.
    Unix(Arc<Path>, Network),
    /// Through a proxy.
    Through(Arc<Gateway>),
}

impl Route {
    /// Opens connection `number` to a host and a port. With `tunnel`, a proxy must not see the content.
    pub(super) async fn connect(
        &self,
        (host, port): (&str, u16),
        tunnel: bool,
        number: u64,
        limit: Option<Duration>,
        clock: &dyn Clock,
    ) -> Result<Stream, Failure> {
        match self {
            Self::Straight(dialer) => Ok(dialer.open(number).await?),
            Self::Unix(path, network) => Ok(unix::connect(path, network, limit).await?),
            Self::Through(gateway) => {
                let mut stream = gateway.connect(number, clock).await?;
                if tunnel {
                    gateway.tunnel(&mut stream, (host, port), clock).await?;
                }
                Ok(stream)
            }
        }
    }
}
