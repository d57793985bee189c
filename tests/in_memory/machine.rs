//! [`Machine`]: a machine of a test's own. Its time passes as soon as nothing has anything to do, and its runs reach
//! the servers that the test gives it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use brunt_app::{Environment, RunClock, World};
use brunt_embedded::clock::Clock;
use brunt_engine::virtual_time::{Pause, PauseCause, VirtualMachine, VirtualTime};
use brunt_exchange::Moment;
use brunt_net::memory::{Memory, Sent};
use brunt_test_program::{Ended, scratch};
use tempfile::TempDir;
use tokio::io::DuplexStream;

use crate::wire::ServerTime;

/// A server in memory.
pub(crate) trait Server: Send + Sync + 'static {
    /// Serves a connection to its end.
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>>;
}

/// A server in memory that takes datagrams.
pub(crate) trait Listener: Send + Sync + 'static {
    /// Receives a datagram.
    fn receive(self: Arc<Self>, datagram: Sent);
}

/// The variables of every machine, which plans and jobs of tests name.
const VARIABLES: [(&str, &str); 4] = [
    ("ADMINUSERPASSWORD", "password"),
    ("CLIENT_SECRET", "password"),
    ("PLAN_SECRET", "opensesame"),
    ("TZ", "UTC"),
];

thread_local! {
    /// The machine of the test that this thread carries out.
    static OWN: RefCell<Machine> = RefCell::new(Machine::new(7));
}

/// Uses the machine of this test.
pub(crate) fn own<T>(act: impl FnOnce(&mut Machine) -> T) -> T {
    OWN.with_borrow_mut(act)
}

/// Carries out a command on the machine of this test.
pub(crate) fn run(words: &[&str]) -> Ended {
    own(|machine| machine.run(words))
}

/// A machine that nothing disturbs.
pub(crate) struct Machine {
    time: VirtualTime,
    servers: HashMap<SocketAddr, Arc<dyn Server>>,
    listeners: HashMap<SocketAddr, Arc<dyn Listener>>,
    variables: BTreeMap<String, String>,
    /// Its time of day.
    pub(crate) today: SystemTime,
    is_real: bool,
}

impl Machine {
    /// A machine on which what is due at the same moment is done in an order that follows from this seed.
    pub(crate) fn new(seed: u64) -> Self {
        let variables = VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            time: VirtualTime::new(seed),
            servers: HashMap::new(),
            listeners: HashMap::new(),
            variables: variables.into(),
            today: SystemTime::UNIX_EPOCH,
            is_real: false,
        }
    }

    /// A machine of this seed on which nothing runs from one time to another, counted from its start.
    pub(crate) fn stopped(seed: u64, from: Duration, to: Duration) -> Self {
        let [from, to] = [from, to].map(|time| Moment::ZERO + time);
        let pause = Pause { from, to, cause: PauseCause::Stopped };
        let time = VirtualTime::on_machine(VirtualMachine::new(vec![pause]), seed);
        Self { time, ..Self::new(seed) }
    }

    /// This machine, with its clock and its sockets.
    pub(crate) fn real() -> Self {
        Self { is_real: true, ..Self::new(7) }
    }

    /// Its time.
    pub(crate) fn time(&self) -> VirtualTime {
        self.time.clone()
    }

    /// The same for its servers.
    pub(crate) fn clock(&self) -> Clock {
        Clock::given(Arc::new(ServerTime(self.time())))
    }

    /// Has a server at an address.
    pub(crate) fn serve(&mut self, address: &str, server: Arc<dyn Server>) {
        self.servers.insert(address.parse().expect("an address"), server);
    }

    /// Has a server on the loopback interface; its address.
    pub(crate) fn serve_locally(&mut self, server: Arc<dyn Server>) -> SocketAddr {
        let port = 8_000 + self.servers.len() as u16;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        self.servers.insert(address, server);
        address
    }

    /// Has a server at an address that takes datagrams.
    pub(crate) fn listen(&mut self, address: SocketAddr, listener: Arc<dyn Listener>) {
        self.listeners.insert(address, listener);
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Carries out a command.
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        self.called("brunt", words)
    }

    /// Carries out a command of a program that is called by this name.
    pub(crate) fn called(&self, name: &str, words: &[&str]) -> Ended {
        self.keeping(&[&[name], words].concat(), None)
    }

    /// Carries out a load. Its record is kept, and all figures are printed at the end.
    pub(crate) fn measure(&self, words: &[&str]) -> Ended {
        let (tool, line) = words.split_first().expect("a tool");
        self.record(&[tool, "--details", "--workers", "1", "--no-pin"], line)
    }

    /// Carries out a load with these words before the option that keeps its record, and those after it.
    pub(crate) fn record(&self, before: &[&str], after: &[&str]) -> Ended {
        let directory = scratch();
        let path = directory.path().join("record.json");
        let record = path.display().to_string();
        let words = [&["brunt"], before, &["--record", &record], after].concat();
        self.keeping(&words, Some((directory, path)))
    }

    fn keeping(&self, words: &[&str], record: Option<(TempDir, PathBuf)>) -> Ended {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let world = self.world();
        let exit = brunt_app::run(&words, &world);
        let texts = (world.console.output(), world.console.errors());
        Ended::in_process(&words, exit.code(), texts, record)
    }

    fn world(&self) -> World {
        let mut world = World::kept(self.variables.clone().into_iter().collect::<Environment>());
        if self.is_real {
            return world;
        }
        world.clock = RunClock::standing(self.today);
        world.time = Some(self.time.clone().into());
        let (servers, listeners) = (self.servers.clone(), self.listeners.clone());
        let memory = Memory::new(move |to, connection| {
            let server = servers.get(&to).cloned();
            server.map(|server| tokio::task::spawn_local(server.serve(connection))).is_some()
        });
        world.servers = Some(memory.with_datagrams(move |datagram| {
            let listener = listeners.get(&datagram.to).cloned();
            listener.map(|listener| listener.receive(datagram)).is_some()
        }));
        world
    }
}
