//! The route to the server: TCP, and TLS from the start or after StartTLS.

use super::failure::Failure;
use brunt_exchange::{Class, Clock, Unreached};
use brunt_net::stream::Stream;
use brunt_net::tcp::{self, Close, Dialer};
use brunt_net::{Network, tls, unix, within};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The name of a server on this machine in its certificate and for SASL.
const LOCAL: &str = "localhost";

/// How a connection is protected.
#[derive(Clone, Debug, Default)]
pub enum Security {
    /// No protection.
    #[default]
    Plain,
    /// LDAPS: TLS before the first message.
    Tls(Arc<tls::Client>),
    /// StartTLS (RFC 4511 section 4.14). If the server declines, the attempt fails: the connection never continues in
    /// clear text.
    StartTls(Arc<tls::Client>),
}

/// Where connections go.
#[derive(Clone, Debug)]
pub enum Servers {
    /// To these servers in turn, over TCP.
    Network(Arc<Dialer>),
    /// To the servers on this machine that listen on these Unix sockets, at least one, in turn (`ldapi`).
    Sockets(Vec<Arc<Path>>, Network),
}

/// Where connections go, and how.
#[derive(Clone, Debug)]
pub struct Route {
    /// The servers.
    pub servers: Servers,
    /// The protection of the connections.
    pub security: Security,
    /// How long each step of opening a connection may take: connecting, TLS, StartTLS, a bind.
    /// `None` waits forever.
    pub step_timeout: Option<Duration>,
}

impl Servers {
    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Network(dialer) => dialer.servers().len() as u64,
            Self::Sockets(paths, _) => paths.len() as u64,
        }
    }

    /// Whether there is more than one.
    #[inline]
    pub(super) fn are_several(&self) -> bool {
        match self {
            Self::Network(dialer) => dialer.servers().len() > 1,
            Self::Sockets(paths, _) => paths.len() > 1,
        }
    }

    /// Their names, in the order in which they take turns.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Network(dialer) => dialer.servers().iter().map(tcp::Server::name).collect(),
            Self::Sockets(paths, _) => {
                paths.iter().map(|path| path.display().to_string()).collect()
            }
        }
    }
}

impl Route {
    /// The number of the server that connection `number` goes to; `None` if there is only one.
    pub(super) fn server(&self, number: u64) -> Option<u16> {
        let count = self.servers.count();
        (count > 1).then(|| u16::try_from(number % count).unwrap_or(u16::MAX))
    }

    /// The name of the server that connection `number` goes to.
    pub(super) fn host(&self, number: u64) -> &str {
        match &self.servers {
            Servers::Network(dialer) => dialer.server(number).host(),
            Servers::Sockets(..) => LOCAL,
        }
    }

    /// What else may be the reason if a server accepts connections and answers nothing: one that expects TLS waits for
    /// the rest of what it takes for the beginning of a handshake.
    pub(super) fn advice_if_silent(&self) -> &'static str {
        match (&self.security, &self.servers) {
            (Security::Plain, Servers::Network(_)) => {
                "; if the server expects TLS on this port, use LDAPS (-Z)"
            }
            (Security::StartTls(_), _) => {
                "; if the server expects TLS on this port from the start, use LDAPS (-Z) instead of StartTLS"
            }
            (Security::Plain | Security::Tls(_), _) => "",
        }
    }

    /// How connections are closed.
    pub(super) fn close(&self) -> Close {
        match &self.servers {
            Servers::Network(dialer) => dialer.options().close,
            Servers::Sockets(..) => Close::Fin,
        }
    }

    pub(super) async fn connect(&self, number: u64) -> Result<Stream, Failure> {
        let connected = match &self.servers {
            Servers::Network(dialer) => dialer.open(number).await,
            Servers::Sockets(paths, network) => {
                let path = &paths[(number % paths.len() as u64) as usize];
                unix::connect(path, network, self.step_timeout).await
            }
        };
        connected.map_err(|failure| of_net(&failure))
    }

    /// Does the TLS handshake. If it fails, the stream is dropped.
    pub(super) async fn secure(
        &self,
        stream: Stream,
        client: &tls::Client,
        number: u64,
        clock: &dyn Clock,
    ) -> Result<Stream, Failure> {
        let name = client.name_for(self.host(number));
        let name = name.map_err(|error| Failure::new(Class::Tls, 0, error.to_string()))?;
        let secured = tls::limited(stream.secure(client, &name), self.step_timeout, clock);
        secured.await.map_err(|failure| of_net(&failure))
    }

    /// Runs one step of opening a connection, with the time limit.
    pub(super) async fn within<T>(
        &self,
        what: &str,
        clock: &dyn Clock,
        step: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let Some(limit) = self.step_timeout else { return step.await };
        within(limit, clock, step).await.unwrap_or_else(|| {
            let text = format!("no answer to {what} within {limit:?}");
            Err(Failure::new(Class::Closed, 0, text).silent())
        })
    }
}

/// For the TLS class a code is the server's answer to StartTLS, so operating system error numbers are not allowed
/// there: a broken pipe would be read as an entry that does not exist.
fn of_net(failure: &brunt_net::Failure) -> Failure {
    let class = failure.class();
    let code = if class == Class::Tls { 0 } else { failure.code() };
    let unreached = failure.unreached(|address, error| Unreached {
        address: address.to_string(),
        error: error.to_string(),
    });
    Failure::new(class, code, failure.to_string()).at(unreached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// A clock: no time is looked at here.
    struct StandingClock;

    impl brunt_exchange::Clock for StandingClock {
        fn now(&self) -> brunt_exchange::Moment {
            brunt_exchange::Moment::ZERO
        }
    }

    #[test]
    fn tls_handshake_failure_has_its_own_class() {
        let of = |error| of_net(&brunt_net::Failure::Tls(error));
        let failure = of(io::Error::from_raw_os_error(libc::EPIPE));
        assert_eq!((failure.class, failure.code), (Class::Tls, 0));
        let refused = brunt_net::Failure::Refused(([127, 0, 0, 1], 9).into());
        assert_eq!(of_net(&refused).code, libc::ECONNREFUSED.cast_unsigned());
    }

    #[test]
    fn connect_failure_names_the_address() {
        let refused = brunt_net::Failure::Refused(([127, 0, 0, 1], 9).into());
        let broken = brunt_net::Failure::Tls(io::Error::from_raw_os_error(libc::EPIPE));
        let [address, error] = ["127.0.0.1:9", "connection refused"].map(str::to_owned);
        let named = Unreached { address, error };
        for (failure, unreached) in [(refused, Some(named)), (broken, None)] {
            let mut text = String::new();
            let mut watch = brunt_exchange::Watch::new(&StandingClock, Some(&mut text));
            of_net(&failure).outcome(&mut watch);
            assert_eq!(watch.take_unreached(), unreached);
        }
        let mut unwanted = brunt_exchange::Watch::new(&StandingClock, None);
        of_net(&brunt_net::Failure::Refused(([127, 0, 0, 1], 9).into())).outcome(&mut unwanted);
        assert_eq!(unwanted.take_unreached(), None, "no text is wanted, and no address");
    }
}
