//! [`Network`]: how a run reaches other machines, and the one place where its sockets are made.
//!
//! It is a value that each run makes once from its options and hands to whatever opens connections or sends datagrams.
//! So two runs of one process can have two policies, and the rules for all connections and datagrams of a run are in
//! one place. It must not depend on what is sent.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use brunt_feed::Files;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpSocket, TcpStream};

use super::address_policy::{AddressPolicy, Policy};
use super::dscp::Dscp;
#[cfg(feature = "memory")]
use super::memory::Memory;

/// What holds for all connections and datagrams of a run.
#[derive(Debug, Default)]
pub struct Options {
    /// Which addresses it may reach.
    pub policy: Policy,
    /// Whether connections take turns among all addresses of a name.
    pub spread: bool,
    /// The class of all packets; without one, the system's default.
    pub dscp: Option<Dscp>,
    /// The files of the run: its certificates, and sockets that have paths.
    pub files: Files,
}

/// How a run reaches other machines. Clones are the same network.
#[derive(Clone, Debug)]
pub struct Network(Arc<Shared>);

#[derive(Clone, Debug)]
struct Shared {
    address_policy: Arc<AddressPolicy>,
    spread: bool,
    dscp: Option<Dscp>,
    files: Files,
    #[cfg(feature = "memory")]
    memory: Option<Memory>,
}

impl Shared {
    fn new(options: Options) -> Self {
        let Options { policy, spread, dscp, files } = options;
        Self {
            address_policy: Arc::new(AddressPolicy::new(policy)),
            spread,
            dscp,
            files,
            #[cfg(feature = "memory")]
            memory: None,
        }
    }
}

impl Network {
    /// A network with these options.
    pub fn new(options: Options) -> Self {
        Self(Arc::new(Shared::new(options)))
    }

    /// The same, whose connections lead to servers in this process.
    #[cfg(feature = "memory")]
    pub fn in_memory(options: Options, memory: Memory) -> Self {
        Self(Arc::new(Shared { memory: Some(memory), ..Shared::new(options) }))
    }

    /// A network of all addresses that are not public, without other options and without rules about files.
    pub fn private() -> Self {
        Self::new(Options::default())
    }

    /// A network that reaches nothing, for what makes no load itself.
    pub fn nowhere(files: &Files) -> Self {
        Self::within(Policy { allowed: Some(Vec::new()), ..Policy::default() }, files)
    }

    /// A network of these addresses only, without other options.
    pub fn within(policy: Policy, files: &Files) -> Self {
        Self::new(Options { policy, files: files.clone(), ..Options::default() })
    }

    /// A network of all addresses, for a server beside a run that its user names.
    pub fn open(files: &Files) -> Self {
        Self::within(Policy { public: true, ..Policy::default() }, files)
    }

    /// The same network with packets of this class, unless it has one already.
    #[must_use]
    pub fn or_marked(&self, class: Option<Dscp>) -> Self {
        if self.0.dscp.is_some() || class.is_none() {
            return self.clone();
        }
        Self(Arc::new(Shared { dscp: class, ..(*self.0).clone() }))
    }

    /// What it may reach.
    pub fn address_policy(&self) -> &AddressPolicy {
        &self.0.address_policy
    }

    /// Whether connections take turns among all addresses of a name.
    pub fn is_spread(&self) -> bool {
        self.0.spread
    }

    /// The class of all packets, for code that writes their headers itself.
    pub fn dscp(&self) -> Option<Dscp> {
        self.0.dscp
    }

    /// Which files its certificates may come from, and where sockets that have paths may be.
    pub fn files(&self) -> &Files {
        &self.0.files
    }

    /// The servers in this process that it reaches without sockets.
    #[cfg(feature = "memory")]
    pub(super) fn memory(&self) -> Option<&Memory> {
        self.0.memory.as_ref()
    }

    /// Opens a connection on the runtime of this thread.
    pub async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        self.address_policy().check(to)?;
        TcpSocket::from_std_stream(self.tcp(to)?.into()).connect(to).await
    }

    /// Opens a connection to the first of these addresses that answers.
    pub async fn connect_first(
        &self,
        addresses: impl IntoIterator<Item = SocketAddr>,
    ) -> io::Result<TcpStream> {
        let mut failed = none();
        for to in addresses {
            match self.connect(to).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Opens a connection to the first of these addresses that answers, and waits for it. `limit` is how long one
    /// address may take, and later each read and each write.
    pub fn connect_blocking(
        &self,
        addresses: impl IntoIterator<Item = SocketAddr>,
        limit: Option<Duration>,
    ) -> io::Result<std::net::TcpStream> {
        let mut failed = none();
        for to in addresses {
            match self.wait_for(to, limit) {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    fn wait_for(&self, to: SocketAddr, limit: Option<Duration>) -> io::Result<std::net::TcpStream> {
        self.address_policy().check(to)?;
        let socket = self.tcp(to)?;
        socket.set_nonblocking(false)?;
        match limit {
            Some(limit) => socket.connect_timeout(&to.into(), limit)?,
            None => socket.connect(&to.into())?,
        }
        socket.set_read_timeout(limit)?;
        socket.set_write_timeout(limit)?;
        Ok(socket.into())
    }

    /// A TCP socket that is not connected yet. Whoever connects it must check the address policy first.
    pub(super) fn tcp(&self, to: SocketAddr) -> io::Result<Socket> {
        let socket = self.socket(Domain::for_address(to), Type::STREAM, Protocol::TCP)?;
        socket.set_tcp_nodelay(true)?;
        Ok(socket)
    }

    /// A UDP socket that is not bound yet. Whoever sends over it must check the address policy for each datagram.
    pub(super) fn udp(&self, local: SocketAddr) -> io::Result<Socket> {
        self.socket(Domain::for_address(local), Type::DGRAM, Protocol::UDP)
    }

    fn socket(&self, family: Domain, kind: Type, protocol: Protocol) -> io::Result<Socket> {
        let socket = Socket::new(family, kind.nonblocking().cloexec(), Some(protocol))?;
        if let Some(dscp) = self.0.dscp {
            dscp.mark(&socket, family)?;
        }
        Ok(socket)
    }
}

fn none() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the name has no address")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::address_policy;

    fn around(allowed: &str) -> Network {
        let allowed = Some(vec![allowed.parse().unwrap()]);
        Network::within(Policy { allowed, ..Policy::default() }, &Files::default())
    }

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn network_with_another_dscp_shares_the_fence() {
        let [ef, cs1] = ["ef", "cs1"].map(|class| class.parse::<Dscp>().ok());
        let network = around("127.0.0.1");
        let marked = network.or_marked(ef);
        assert_eq!((network.dscp(), marked.dscp(), marked.or_marked(cs1).dscp()), (None, ef, ef));
        assert!(marked.connect_blocking([([127, 0, 0, 2], 9).into()], None).is_err());
        assert!(network.address_policy().refused().is_some());
    }

    #[test]
    fn networks_have_separate_address_policies() {
        let one = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpListener::bind("127.0.0.2:0").unwrap();
        let at = [one, other].map(|it| (it.local_addr().unwrap(), it));
        let networks = [around("127.0.0.1"), around("127.0.0.2")];
        let limit = Some(Duration::from_secs(20));
        for (own, network) in networks.iter().enumerate() {
            let (mine, strange) = (at[own].0, at[1 - own].0);
            assert!(network.connect_blocking([mine], limit).is_ok());
            assert!(block_on(network.connect(mine)).is_ok());
            assert!(network.address_policy().refused().is_none());
            let blocking = network.connect_blocking([strange], limit).unwrap_err();
            let other = block_on(network.connect(strange)).unwrap_err();
            assert!(address_policy::is_refusal(&blocking) && address_policy::is_refusal(&other));
            assert_eq!(network.address_policy().refused().unwrap().to, strange);
            // The address that may be reached is used, if a name has both.
            assert!(network.connect_blocking([strange, mine], limit).is_ok());
            assert!(block_on(network.connect_first([strange, mine])).is_ok());
        }
    }
}
