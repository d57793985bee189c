//! [`EchoSessions`]: the sessions of a run, for the engine.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::timer::Time as _;
use brunt_engine::{EngineRun, EngineTime, Finished, RunError, SessionFactory};
use brunt_net::Network;
use brunt_net::hub::Hub;
use brunt_net::udp::{Bound, OpenError, Options};

use crate::session::EchoSession;
use crate::table::Echoes;

/// Makes the sessions of one run, with a socket for each of its workers.
pub(crate) struct EchoSessions {
    server: SocketAddr,
    patience: Duration,
    time: EngineTime,
    sockets: Vec<Mutex<Option<Bound>>>,
}

impl EchoSessions {
    /// Opens the sockets of a run with this number of workers, which count this time.
    pub(crate) fn open(
        network: &Network,
        server: SocketAddr,
        patience: Duration,
        (workers, time): (usize, EngineTime),
    ) -> Result<Self, OpenError> {
        let local = if server.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() };
        let options = Options::new(server, SocketAddr::new(local, 0));
        let open = |_| Bound::open(network, &options).map(|bound| Mutex::new(Some(bound)));
        let sockets = (0..workers).map(open).collect::<Result<_, _>>()?;
        Ok(Self { server, patience, time, sockets })
    }

    /// Carries the run out.
    pub(crate) fn run(&self, run: EngineRun<'_>) -> Result<Finished, RunError> {
        run.with(self)
    }
}

impl SessionFactory for EchoSessions {
    type Session = EchoSession;

    /// A session is a place for a message in flight, and any will do.
    const ALIKE: bool = true;

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<EchoSession> {
        let bound = self
            .sockets
            .get(worker)
            .and_then(|socket| socket.lock().unwrap_or_else(PoisonError::into_inner).take());
        let socket =
            bound.map_or_else(|| Err(std::io::ErrorKind::NotFound.into()), Bound::register);
        let table = Echoes::new(self.server, self.patience, numbers.len());
        let hub = Hub::start(table, socket, Arc::new(self.time.clock()), numbers.len());
        (0..).zip(numbers).map(|(slot, _)| EchoSession::new(&hub, slot)).collect()
    }
}
