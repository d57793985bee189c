//! [`Directory`]: the embedded directory, at the other end of a wire.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::virtual_time::VirtualTime;
use brunt_exchange::{Clock as _, Moment};
use brunt_ldap_server::{Config, InMemory, Operation};
use brunt_test_program::Ended;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};

use crate::machine::{Machine, Server};

/// Where it is, as options.
const AT: [&str; 4] = ["-h", "10.0.0.2", "-p", "389"];
/// How long octets are on their way.
const WAY: Duration = Duration::from_millis(1);
/// How many octets are on their way at most.
const CAPACITY: usize = 64 << 10;

/// The embedded directory.
pub(crate) struct Directory {
    server: InMemory,
    wire: Wire,
}

/// What octets pass on their way.
#[derive(Clone)]
struct Wire {
    time: VirtualTime,
    /// From when to when nothing passes it.
    cut: Range<Moment>,
}

impl Directory {
    /// A machine of a directory with so many users.
    pub(crate) fn with(users: usize) -> (Machine, Arc<Self>) {
        Self::paused(users, Duration::ZERO..Duration::ZERO)
    }

    /// The same with a directory that stands still from one time to another, counted from the start of the machine.
    pub(crate) fn paused(users: usize, pause: Range<Duration>) -> (Machine, Arc<Self>) {
        let mut machine = Machine::new(7);
        let config = Config { users, ..Config::default() };
        let server = InMemory::new(config).expect("a directory");
        let cut = Moment::ZERO + pause.start..Moment::ZERO + pause.end;
        let directory = Arc::new(Self { server, wire: Wire { time: machine.time(), cut } });
        machine.serve("10.0.0.2:389", directory.clone());
        (machine, directory)
    }

    /// How many requests of this kind succeeded.
    pub(crate) fn answered(&self, operation: Operation) -> u64 {
        self.refused(operation, 0)
    }

    /// How many requests of this kind were answered with this code.
    pub(crate) fn refused(&self, operation: Operation, code: u32) -> u64 {
        self.server.stats().answers_of(operation, code)
    }
}

/// Runs a tool against the directory of a machine.
pub(crate) fn measure(machine: &Machine, tool: &str, line: &[&str]) -> Ended {
    machine.measure(&[&[tool], &AT[..], line].concat())
}

impl Server for Directory {
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        let (near, far) = tokio::io::duplex(CAPACITY);
        let (from_client, to_client) = tokio::io::split(connection);
        let (from_server, to_server) = tokio::io::split(near);
        let there = carry(from_client, to_server, self.wire.clone());
        let back = carry(from_server, to_client, self.wire.clone());
        let served = self.server.serve(far);
        Box::pin(async move {
            tokio::join!(served, there, back);
        })
    }
}

/// Takes what is sent to the other end, in its time.
async fn carry(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, wire: Wire) {
    let mut octets = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut octets).await {
        wire.time.pass(WAY).await;
        if wire.cut.contains(&wire.time.now()) {
            wire.time.until(wire.cut.end).await;
        }
        if to.write_all(&octets[..count]).await.is_err() {
            return;
        }
    }
    // A client that is gone needs no end.
    let _ = to.shutdown().await;
}
