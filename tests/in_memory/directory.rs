//! [`Directory`]: the embedded directory, at the other end of a wire.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brunt_ldap_server::{Config, InMemory, Operation, Script, Stats};
use brunt_test_program::Ended;
use ldap3_proto::LdapCodec;
use ldap3_proto::proto::{LdapOp, LdapSearchRequest};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder as _;

use crate::machine::{Machine, own};
use crate::wire::Wire;

/// Its address, for which its certificate is valid.
const HOST: &str = "10.0.0.2";
/// Where it is, as options.
const AT: [&str; 4] = ["-h", HOST, "-p", "389"];
/// It stands still at no time.
const NEVER: Range<Duration> = Duration::ZERO..Duration::ZERO;

/// The embedded directory, at `ldap://10.0.0.2:389` and `ldaps://10.0.0.2:636`.
pub(crate) struct Directory {
    server: Arc<InMemory>,
    /// What it was asked in clear.
    requests: Arc<Mutex<Vec<LdapOp>>>,
}

/// What a client sends on a connection, as another implementation than ours decodes it.
struct Requests {
    codec: LdapCodec,
    octets: BytesMut,
    log: Arc<Mutex<Vec<LdapOp>>>,
}

impl Directory {
    /// A machine of a directory with so many users.
    pub(crate) fn with(users: usize) -> (Machine, Self) {
        Self::paused(users, NEVER)
    }

    /// The same with a directory that stands still from one time to another, counted from the start of the machine.
    pub(crate) fn paused(users: usize, pause: Range<Duration>) -> (Machine, Self) {
        let mut machine = Machine::new(7);
        let directory = Self::new(&mut machine, Config { users, ..Config::default() }, pause);
        (machine, directory)
    }

    /// One for the machine of this test.
    pub(crate) fn start(users: usize) -> Self {
        own(|machine| Self::new(machine, Config { users, ..Config::default() }, NEVER))
    }

    /// The same with one that keeps to a script.
    pub(crate) fn scripted(script: &str) -> Self {
        own(|machine| Self::on(machine, script))
    }

    /// The same for another machine.
    pub(crate) fn on(machine: &mut Machine, script: &str) -> Self {
        let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
        let config = Config { script: Some(script), ..Config::default() };
        Self::new(machine, config, NEVER)
    }

    /// One for the machine of this test where `brunt target ldap` has its own, and one port with TLS.
    pub(crate) fn listen() -> Self {
        let clear = ["127.0.0.1:1389", "[::1]:1389"].map(|address| (address.to_owned(), false));
        let secured = ["127.0.0.1:1636", "[::1]:1636"].map(|address| (address.to_owned(), true));
        let addresses = [clear, secured].concat();
        own(|machine| Self::at(machine, addresses, Config::default(), NEVER))
    }

    fn new(machine: &mut Machine, config: Config, pause: Range<Duration>) -> Self {
        let config = Config { host_names: vec![HOST.to_owned()], ..config };
        let addresses =
            [(389, false), (636, true)].map(|(port, tls)| (format!("{HOST}:{port}"), tls));
        Self::at(machine, addresses.into(), config, pause)
    }

    /// One at these addresses, each with or without TLS.
    fn at(
        machine: &mut Machine,
        addresses: Vec<(String, bool)>,
        config: Config,
        pause: Range<Duration>,
    ) -> Self {
        let server = InMemory::new(config, machine.clock()).expect("a directory");
        let (server, wire) = (Arc::new(server), Wire::new(machine.time(), pause));
        let directory = Self { server, requests: Arc::default() };
        for (address, tls) in addresses {
            let server = Arc::clone(&directory.server);
            let serve = move |connection| server.serve(connection, tls);
            let log = Arc::clone(&directory.requests);
            let distant = if tls {
                wire.leading_to(serve)
            } else {
                wire.watched(serve, move || Requests::watcher(Arc::clone(&log)))
            };
            machine.serve(&address, distant);
        }
        directory
    }

    /// The certificate of the authority that its own is issued by.
    pub(crate) fn ca_pem(&self) -> &str {
        self.server.ca_pem()
    }

    /// What it has received and answered so far.
    pub(crate) fn stats(&self) -> Stats {
        self.server.stats()
    }

    /// What it was asked, in order.
    pub(crate) fn requested(&self) -> Vec<LdapOp> {
        self.requests.lock().expect("nobody panics").clone()
    }

    /// The searches among that.
    pub(crate) fn searched(&self) -> Vec<LdapSearchRequest> {
        let search = |request| match request {
            LdapOp::SearchRequest(search) => Some(search),
            _ => None,
        };
        self.requested().into_iter().filter_map(search).collect()
    }

    /// How many requests of this kind succeeded.
    pub(crate) fn answered(&self, operation: Operation) -> u64 {
        self.refused(operation, 0)
    }

    /// How many requests of this kind were answered with this code.
    pub(crate) fn refused(&self, operation: Operation, code: u32) -> u64 {
        self.stats().answers_of(operation, code)
    }
}

/// Runs a tool against the directory of a machine.
pub(crate) fn measure(machine: &Machine, tool: &str, line: &[&str]) -> Ended {
    machine.measure(&[&[tool], &AT[..], line].concat())
}

impl Requests {
    /// What adds the requests of a connection to a log.
    fn watcher(log: Arc<Mutex<Vec<LdapOp>>>) -> impl FnMut(&[u8]) {
        let codec = LdapCodec::new(None, None);
        let mut requests = Self { codec, octets: BytesMut::new(), log };
        move |octets| requests.see(octets)
    }

    fn see(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
        while let Ok(Some(message)) = self.codec.decode(&mut self.octets) {
            self.log.lock().expect("nobody panics").push(message.op);
        }
    }
}
