//! [`Machine`]: a machine of a test's own. Its time passes as soon as nothing has anything to do, and its runs reach
//! the servers that the test gives it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use brunt_app::{Environment, RunClock, World};
use brunt_engine::virtual_time::VirtualTime;
use brunt_net::memory::Memory;
use brunt_test_program::{Ended, scratch};
use tempfile::TempDir;
use tokio::io::DuplexStream;

/// A server in memory.
pub(crate) trait Server: Send + Sync + 'static {
    /// Serves a connection to its end.
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>>;
}

/// Carries out a command that reaches nobody.
pub(crate) fn run(words: &[&str]) -> Ended {
    Machine::new(7).run(words)
}

/// A machine that nothing disturbs.
pub(crate) struct Machine {
    time: VirtualTime,
    servers: HashMap<SocketAddr, Arc<dyn Server>>,
}

impl Machine {
    /// A machine on which what is due at the same moment is done in an order that follows from this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { time: VirtualTime::new(seed), servers: HashMap::new() }
    }

    /// Its time.
    pub(crate) fn time(&self) -> VirtualTime {
        self.time.clone()
    }

    /// Has a server at an address.
    pub(crate) fn serve(&mut self, address: &str, server: Arc<dyn Server>) {
        self.servers.insert(address.parse().expect("an address"), server);
    }

    /// Carries out a command.
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        self.keeping(words, None)
    }

    /// Carries out a load. Its record is kept, and all figures are printed at the end.
    pub(crate) fn measure(&self, words: &[&str]) -> Ended {
        let directory = scratch();
        let path = directory.path().join("record.json");
        let (tool, line) = words.split_first().expect("a tool");
        let record = path.display().to_string();
        let own = ["--details", "--workers", "1", "--no-pin", "--record", &record];
        self.keeping(&[&[*tool], &own[..], line].concat(), Some((directory, path)))
    }

    fn keeping(&self, words: &[&str], record: Option<(TempDir, PathBuf)>) -> Ended {
        let words: Vec<String> = ["brunt"].iter().chain(words).map(ToString::to_string).collect();
        let world = self.world();
        let exit = brunt_app::run(&words, &world);
        let texts = (world.console.output(), world.console.errors());
        Ended::in_process(&words, exit.code(), texts, record)
    }

    fn world(&self) -> World {
        let mut world = World::kept(Environment::default());
        world.clock = RunClock::standing(SystemTime::UNIX_EPOCH);
        world.time = Some(self.time.clone().into());
        let servers = self.servers.clone();
        world.servers = Some(Memory::new(move |to, connection| {
            let server = servers.get(&to).cloned();
            server.map(|server| tokio::task::spawn_local(server.serve(connection))).is_some()
        }));
        world
    }
}
