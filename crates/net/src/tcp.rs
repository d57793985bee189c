//! [`Dialer`]: opens TCP connections to one or several servers in turn.
//!
//! Names are resolved once, all at the same time and before the run, so that no exchange ever waits for a resolver.
//! Which server and which source address a connection gets is a function of its number. The address of a name that
//! answered last is tried first, so a name with an unreachable address costs one attempt, not one per exchange; if all
//! addresses of a name should be used, connections take turns among them. It must not depend on what is sent over the
//! connection.

pub use super::close::Close;
use super::resolve::Lookup;
use super::source::Sources;
use super::stream::Stream;
use super::{Failure, Network, bind};
use socket2::Socket;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};

/// A server by name, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// A host name or an address, without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

/// The options for every connection of a [`Dialer`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The local addresses of connections.
    pub sources: Sources,
    /// How long one address may take to answer, and a resolver to find it; `None` waits as long as the kernel does, and
    /// a number of seconds for a resolver.
    pub timeout: Option<Duration>,
    /// How connections end when they are dropped.
    pub close: Close,
}

/// A server whose name is resolved.
#[derive(Debug)]
pub struct Server {
    host: String,
    addresses: Vec<SocketAddr>,
    answering: AtomicUsize,
}

/// Opens connections to its servers in turn.
#[derive(Debug)]
pub struct Dialer {
    servers: Vec<Server>,
    options: Options,
    network: Network,
}

/// Why a dialer could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DialerError {
    /// There is no server to connect to.
    #[error("find a server to connect to: none is given")]
    NoServer,
    /// The resolver does not know the name, or cannot answer.
    #[error("resolve the host name '{host}': {error}")]
    Resolve {
        /// The name.
        host: String,
        /// The resolver's error.
        error: io::Error,
    },
    /// The name has addresses, but of a family that no source address can reach.
    #[error(
        "reach '{host}' from the source addresses given: it has no address of their family ({addresses:?})"
    )]
    Family {
        /// The name.
        host: String,
        /// Its addresses.
        addresses: Vec<SocketAddr>,
    },
    /// A source address is not one of this machine's.
    #[error(
        "use the source address {from}: {error}; add it to an interface first (ip address add)"
    )]
    Source {
        /// The address.
        from: IpAddr,
        /// The system's error.
        error: io::Error,
    },
}

impl Server {
    /// The name as the user wrote it, which a certificate is checked against.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The name and the port.
    pub fn name(&self) -> String {
        let port = self.addresses.first().map_or(0, SocketAddr::port);
        if self.host.contains(':') {
            format!("[{}]:{port}", self.host)
        } else {
            format!("{}:{port}", self.host)
        }
    }

    /// Every address of the name that can be reached, in the resolver's order.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    fn resolve(
        endpoint: &Endpoint,
        lookup: Lookup,
        sources: &Sources,
    ) -> Result<Self, DialerError> {
        let host = endpoint.host.clone();
        let mut addresses = match lookup.wait() {
            Ok(addresses) => addresses,
            Err(error) => return Err(DialerError::Resolve { host, error }),
        };
        if !addresses.iter().any(|address| sources.serves(address.ip())) {
            return Err(DialerError::Family { host, addresses });
        }
        addresses.retain(|address| sources.serves(address.ip()));
        Ok(Self { host, addresses, answering: AtomicUsize::new(0) })
    }
}

impl Dialer {
    /// Resolves every name and tests every source address. Blocks while names are resolved, at most as long as a
    /// connection may take.
    pub fn new(
        network: &Network,
        endpoints: &[Endpoint],
        options: Options,
    ) -> Result<Self, DialerError> {
        if endpoints.is_empty() {
            return Err(DialerError::NoServer);
        }
        for from in options.sources.iter() {
            std::net::UdpSocket::bind((from, 0))
                .map_err(|error| DialerError::Source { from, error })?;
        }
        let begin = |to: &Endpoint| Lookup::begin(&to.host, to.port, options.timeout);
        let lookups: Vec<Lookup> = endpoints.iter().map(begin).collect();
        let servers: Result<Vec<Server>, _> = endpoints
            .iter()
            .zip(lookups)
            .map(|(endpoint, lookup)| Server::resolve(endpoint, lookup, &options.sources))
            .collect();
        let servers = servers?;
        for server in &servers {
            network.address_policy().expect(&server.addresses);
        }
        Ok(Self { servers, options, network: network.clone() })
    }

    /// The servers, in the order in which they take turns.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The options for every connection.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The server that connection `number` goes to.
    pub fn server(&self, number: u64) -> &Server {
        &self.servers[(number % self.servers.len() as u64) as usize]
    }

    /// Opens connection `number`, as sessions read and write it.
    pub async fn open(&self, number: u64) -> Result<Stream, Failure> {
        #[cfg(feature = "memory")]
        if let Some(memory) = self.network.memory() {
            let to = self.server(number).addresses[0];
            return memory.connect(to).map(Stream::Memory).ok_or(Failure::Refused(to));
        }
        self.connect(number).await.map(Stream::Plain)
    }

    /// Opens connection `number` over TCP. Each address of the server is tried once, beginning with the one
    /// that answered last; the failure is that of the first address tried.
    pub async fn connect(&self, number: u64) -> Result<TcpStream, Failure> {
        let server = self.server(number);
        // Sources advance once a round of the servers, so that every pair of them is used.
        let round = number / self.servers.len() as u64;
        let (first, round) = if self.network.is_spread() {
            let addresses = server.addresses.len() as u64;
            ((round % addresses) as usize, round / addresses)
        } else {
            (server.answering.load(Ordering::Relaxed), round)
        };
        let mut failure = None;
        // An address that the address policy refuses is not a failure of a server that has another, allowed address.
        let address_policy = self.network.address_policy();
        let choosy = server.addresses.len() > 1
            && server.addresses.iter().any(|to| address_policy.permits(*to));
        for step in 0..server.addresses.len() {
            let index = (first + step) % server.addresses.len();
            let to = server.addresses[index];
            if choosy && !address_policy.permits(to) {
                continue;
            }
            match self.dial(to, self.options.sources.pick(to.ip(), round)).await {
                Ok(stream) => {
                    if step > 0 {
                        server.answering.store(index, Ordering::Relaxed);
                    }
                    return Ok(stream);
                }
                Err(
                    own @ (Failure::Ports(_) | Failure::Source { .. } | Failure::Descriptors(_)),
                ) => return Err(own),
                Err(other) => failure = failure.or(Some(other)),
            }
        }
        // A server has at least one address, so the loop ran and left a failure.
        Err(failure.unwrap_or_else(|| Failure::Refused(server.addresses[first])))
    }

    async fn dial(&self, to: SocketAddr, from: Option<IpAddr>) -> Result<TcpStream, Failure> {
        self.network.address_policy().check(to).map_err(|error| Failure::Fenced { to, error })?;
        let socket = self.socket(to, from)?;
        let connecting = TcpSocket::from_std_stream(socket.into()).connect(to);
        let connected = match self.options.timeout {
            None => connecting.await,
            Some(limit) => match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected,
                Err(_) => return Err(Failure::ConnectTimedOut(to, limit)),
            },
        };
        let stream = connected.map_err(|error| Failure::of_connect(to, error))?;
        if is_self_connect(&stream, to) {
            return Err(Failure::Refused(to));
        }
        Ok(stream)
    }

    fn socket(&self, to: SocketAddr, from: Option<IpAddr>) -> Result<Socket, Failure> {
        let failed = |error| Failure::of_connect(to, error);
        let socket = self.network.tcp(to).map_err(failed)?;
        if self.options.close == Close::Reset {
            socket.set_linger(Some(Duration::ZERO)).map_err(failed)?;
        }
        if let Some(from) = from {
            bind::choose_port_late(socket.as_fd()).map_err(failed)?;
            let local = SocketAddr::new(from, 0);
            socket.bind(&local.into()).map_err(|error| Failure::Source { from, error })?;
        }
        Ok(socket)
    }
}

/// Whether the kernel chose the target port as the local port, so that the socket is connected to itself. It happens on
/// loopback, when a server in the ephemeral range is down and clients keep trying.
fn is_self_connect(stream: &TcpStream, to: SocketAddr) -> bool {
    to.ip().is_loopback() && stream.local_addr().is_ok_and(|local| local == to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network;
    use brunt_exchange::Class;
    use socket2::{Domain, Type};
    use std::net::TcpListener;

    fn endpoint(host: &str, port: u16) -> Endpoint {
        Endpoint { host: host.to_owned(), port }
    }

    fn dialer(servers: &[Endpoint], options: Options) -> Result<Dialer, DialerError> {
        Dialer::new(&Network::private(), servers, options)
    }

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn listener(address: &str) -> (TcpListener, u16) {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn servers_and_sources_take_turns_through_all_pairs() {
        let (one, one_port) = listener("127.0.0.1");
        let (two, two_port) = listener("127.0.0.1");
        let options =
            Options { sources: "127.0.9.1,127.0.9.2".parse().unwrap(), ..Options::default() };
        let servers = [endpoint("127.0.0.1", one_port), endpoint("127.0.0.1", two_port)];
        let dialer = dialer(&servers, options).unwrap();
        let mut seen = Vec::new();
        for number in 0..4 {
            let stream =
                block_on(async { dialer.connect(number).await.unwrap().into_std().unwrap() });
            let listener = if number % 2 == 0 { &one } else { &two };
            let (_, peer) = listener.accept().unwrap();
            assert_eq!(stream.local_addr().unwrap(), peer);
            assert!(stream.nodelay().unwrap());
            seen.push(peer.ip().to_string());
        }
        assert_eq!(seen, ["127.0.9.1", "127.0.9.1", "127.0.9.2", "127.0.9.2"]);
    }

    #[test]
    fn dead_address_of_a_name_is_skipped_and_remembered() {
        let (_alive, port) = listener("127.0.0.1");
        let dead = SocketAddr::from(([127, 0, 0, 77], port));
        let alive = SocketAddr::from(([127, 0, 0, 1], port));
        let server = Server {
            host: "two".to_owned(),
            addresses: vec![dead, alive],
            answering: AtomicUsize::new(0),
        };
        let network = Network::private();
        let dialer = Dialer { servers: vec![server], options: Options::default(), network };
        let stream = block_on(async { dialer.connect(0).await.unwrap().into_std().unwrap() });
        assert_eq!(stream.peer_addr().unwrap(), alive);
        assert_eq!(dialer.server(1).answering.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn connections_take_turns_among_addresses_and_sources() {
        let (one, port) = listener("127.0.0.1");
        let two = TcpListener::bind(("127.0.0.2", port)).unwrap();
        let addresses = ["127.0.0.1", "127.0.0.2"];
        let addresses = addresses.map(|ip| SocketAddr::new(ip.parse().unwrap(), port)).to_vec();
        let server = Server { host: "two".to_owned(), addresses, answering: AtomicUsize::new(0) };
        let options =
            Options { sources: "127.0.9.1,127.0.9.2".parse().unwrap(), ..Options::default() };
        let spread = network::Options { spread: true, ..network::Options::default() };
        let dialer = Dialer { servers: vec![server], options, network: Network::new(spread) };
        let mut seen = Vec::new();
        for number in 0..4 {
            let stream = block_on(dialer.connect(number)).unwrap();
            let (to, from) = (stream.peer_addr().unwrap().ip(), stream.local_addr().unwrap().ip());
            seen.push(format!("{from} {to}"));
        }
        seen.sort();
        let all = ["127.0.9.1 127.0.0.1", "127.0.9.1 127.0.0.2", "127.0.9.2 127.0.0.1"];
        assert_eq!(seen[..3], all, "every pair comes about: {seen:?}");
        // A server that is down is skipped for the other.
        drop(two);
        let stream = block_on(dialer.connect(1)).unwrap();
        assert_eq!(stream.peer_addr().unwrap(), one.local_addr().unwrap());
    }

    #[test]
    fn refused_connection_names_its_address() {
        let (listener, port) = listener("127.0.0.1");
        drop(listener);
        let dialer = dialer(&[endpoint("127.0.0.1", port)], Options::default()).unwrap();
        let failure = block_on(dialer.connect(0)).unwrap_err();
        assert!(matches!(failure, Failure::Refused(to) if to.port() == port), "{failure}");
        assert_eq!(failure.class(), Class::Connect);
    }

    #[test]
    fn unanswered_connection_ends_with_the_timeout() {
        // A listener whose backlog is full drops further SYNs.
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        socket.listen(0).unwrap();
        let to = socket.local_addr().unwrap().as_socket().unwrap();
        let timeout = Some(Duration::from_millis(150));
        let options = Options { timeout, ..Options::default() };
        let dialer = dialer(&[endpoint("127.0.0.1", to.port())], options).unwrap();
        let failure = block_on(async {
            let mut kept = Vec::new();
            for number in 0..16 {
                match dialer.connect(number).await {
                    Ok(stream) => kept.push(stream),
                    Err(failure) => return failure,
                }
            }
            panic!("the backlog never filled");
        });
        assert!(matches!(failure, Failure::ConnectTimedOut(..)), "{failure}");
        assert_eq!(failure.outcome(), brunt_exchange::Outcome::Failed(Class::Connect, 110));
    }

    #[test]
    fn foreign_source_address_is_refused_before_the_run() {
        let options = Options { sources: "192.0.2.77".parse().unwrap(), ..Options::default() };
        let error = dialer(&[endpoint("127.0.0.1", 389)], options).unwrap_err().to_string();
        assert!(error.contains("192.0.2.77") && error.contains("ip address add"), "{error}");
        let options = Options { sources: "127.0.0.2".parse().unwrap(), ..Options::default() };
        assert!(matches!(
            dialer(&[endpoint("::1", 389)], options),
            Err(DialerError::Family { .. })
        ));
        assert!(matches!(dialer(&[], Options::default()), Err(DialerError::NoServer)));
        let error = dialer(&[endpoint("nowhere.invalid", 389)], Options::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("nowhere.invalid"), "{error}");
    }

    #[test]
    fn reset_connection_leaves_no_time_wait() {
        let (listener, port) = listener("127.0.0.1");
        let options = Options { close: Close::Reset, ..Options::default() };
        let dialer = dialer(&[endpoint("127.0.0.1", port)], options).unwrap();
        block_on(async { drop(dialer.connect(0).await.unwrap()) });
        let (mut accepted, _) = listener.accept().unwrap();
        let error = io::Read::read(&mut accepted, &mut [0; 8]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ECONNRESET));
    }
}
