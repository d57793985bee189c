//! Starts an embedded DHCP server, and stops it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};

use brunt_embedded::clock::Clock;
use brunt_embedded::threads::Threads;

use super::config::Config;
use super::handler::{Handler, Lease};
use super::handlers::Handlers;
use super::script::Rules;
use super::socket;
use super::start_error::StartError;
use super::stats::{Counters, Stats, Tally};
use super::words::Family;
use super::worker::Worker;

/// An embedded DHCP server.
#[derive(Clone, Copy, Debug)]
pub struct Server;

/// A running server. Dropping it stops it.
pub struct Running {
    listeners: Vec<Listener>,
    rules: Option<Arc<Rules>>,
    handlers: Handlers,
    threads: Threads,
}

/// An address it listens on.
struct Listener {
    address: SocketAddr,
    /// A second handle of the socket, to read how many datagrams were lost.
    socket: UdpSocket,
    counters: Arc<Counters>,
}

impl Server {
    /// Listens, with a thread for each address.
    pub fn start(config: &Config) -> Result<Running, StartError> {
        let sockets = config.listen.iter().map(|address| listen(config, *address));
        let sockets = sockets.collect::<Result<Vec<_>, _>>()?;
        if sockets.is_empty() {
            return Err(StartError::Nowhere);
        }
        let handlers = Handlers::new(config)?;
        let mut running = Running {
            listeners: Vec::new(),
            rules: config.script.clone().map(|script| Arc::new(Rules::new(script.0))),
            handlers: handlers.clone(),
            threads: Threads::new().map_err(StartError::Thread)?,
        };
        let clock = Clock::new();
        for (address, socket) in sockets {
            match (address, &handlers.v4, &handlers.v6) {
                (SocketAddr::V4(_), Some(handler), _) => {
                    running.serve(address, socket, Arc::clone(handler), clock.clone())?;
                }
                (SocketAddr::V6(_), _, Some(handler)) => {
                    running.serve(address, socket, Arc::clone(handler), clock.clone())?;
                }
                _ => debug_assert!(false, "there is a handler for each family"),
            }
        }
        Ok(running)
    }
}

impl Running {
    /// The addresses it listens on, in the order of the configuration.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().map(|listener| listener.address).collect()
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        let tally = |family: Family| {
            let listeners: Vec<_> = self
                .listeners
                .iter()
                .filter(|listener| listener.address.is_ipv6() == (family == Family::V6))
                .collect();
            let lost = listeners.iter().map(|listener| socket::lost(&listener.socket)).sum();
            Tally { lost, ..Tally::gather(listeners.iter().map(|it| &*it.counters)) }
        };
        let rules = self.rules.as_ref();
        Stats {
            v4: tally(Family::V4),
            v6: tally(Family::V6),
            faults: rules.map(|rules| rules.done()).unwrap_or_default(),
        }
    }

    /// The leases: for each address or prefix the client that has it or had it last.
    pub fn leases(&self) -> Vec<Lease> {
        self.handlers.leases()
    }

    /// Stops, and returns what was received and answered in total.
    pub fn shutdown(mut self) -> Stats {
        self.threads.close();
        self.stats()
    }

    fn serve<H: Handler + 'static>(
        &mut self,
        address: SocketAddr,
        socket: UdpSocket,
        handler: Arc<Mutex<H>>,
        clock: Clock,
    ) -> Result<(), StartError> {
        let counters = Arc::new(Counters::new());
        let worker = Worker {
            socket: socket.try_clone().map_err(StartError::Thread)?,
            stop: self.threads.stop().map_err(StartError::Thread)?,
            clock,
            handler,
            rules: self.rules.clone(),
            counters: Arc::clone(&counters),
        };
        self.listeners.push(Listener { address, socket, counters });
        self.threads.spawn("dhcp", move || worker.run()).map_err(StartError::Thread)
    }
}

/// Opens the socket on an address, unless it would answer clients of other networks.
fn listen(config: &Config, address: SocketAddr) -> Result<(SocketAddr, UdpSocket), StartError> {
    let broadcast = address.ip() == IpAddr::V4(Ipv4Addr::BROADCAST);
    let special = address.ip().is_unspecified() || address.ip().is_multicast() || broadcast;
    if special && !config.lab {
        return Err(StartError::Unsafe(address));
    }
    let interface = config.interface.as_deref().filter(|_| config.lab);
    if special && interface.is_none() {
        return Err(StartError::NoInterface(address));
    }
    let opened = socket::open(address, interface)
        .and_then(|socket| socket.local_addr().map(|address| (address, socket)));
    opened.map_err(|source| StartError::Listen { address, source })
}
