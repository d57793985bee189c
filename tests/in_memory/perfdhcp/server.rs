//! [`Server`]: the embedded DHCP server of one test, and the machine whose command lines are directed at it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use brunt_dhcp_server::{
    Answer, Config, Family, InMemory, Lease, RequestKind, Script, State, Stats, Tally,
};
use brunt_engine::virtual_time::VirtualTime;
use brunt_net::memory::{Answers, Sent};
use brunt_record::Record;
use brunt_test_program::Ended;

use crate::machine::{Listener, Machine};

/// How long an answer is on its way.
pub(super) const WAY: Duration = Duration::from_millis(1);

/// A server that answers one test.
pub(super) struct Server {
    machine: Machine,
    family: Family,
    dhcp: Arc<Dhcp>,
}

struct Dhcp {
    server: InMemory,
    time: VirtualTime,
}

impl Server {
    /// A DHCPv4 server that keeps to a script, which may be empty.
    pub(super) fn v4(script: &str) -> Self {
        Self::like(Family::V4, script, Config::default())
    }

    /// A DHCPv6 server that keeps to a script, which may be empty.
    pub(super) fn v6(script: &str) -> Self {
        Self::like(Family::V6, script, Config::default())
    }

    /// A server like this.
    pub(super) fn like(family: Family, script: &str, mut config: Config) -> Self {
        let (address, _) = ends(family);
        config.listen = vec![address];
        config.v4.reply_to_source = true;
        config.script = (!script.is_empty()).then(|| Script::parse(script).expect("a script"));
        let mut machine = Machine::new(7);
        let server = InMemory::new(&config, machine.clock());
        let server = server.unwrap_or_else(|error| panic!("failed to {error}"));
        let dhcp = Arc::new(Dhcp { server, time: machine.time() });
        machine.listen(address, dhcp.clone());
        Self { machine, family, dhcp }
    }

    /// What it has counted so far.
    pub(super) fn stats(&self) -> Stats {
        self.dhcp.server.stats()
    }

    /// What it has counted so far of its protocol.
    pub(super) fn tally(&self) -> Tally {
        self.stats().of(self.family).clone()
    }

    /// How many messages of one act it received.
    pub(super) fn received(&self, act: RequestKind) -> u64 {
        self.tally().received_of(act)
    }

    /// How many answers of one kind it sent.
    pub(super) fn sent(&self, answer: Answer) -> u64 {
        self.tally().sent_of(answer)
    }

    /// Whom it has ever given or offered something.
    pub(super) fn leases(&self) -> Vec<Lease> {
        self.dhcp.server.leases()
    }

    /// How many leases hold.
    pub(super) fn bound(&self) -> usize {
        self.leases().iter().filter(|lease| lease.state == State::Bound).count()
    }

    /// A run against it, whose record is kept.
    pub(super) fn run(&self, words: &str) -> Ended {
        self.run_with(words, &[])
    }

    /// A run with further words that have spaces in them.
    pub(super) fn run_with(&self, words: &str, more: &[&str]) -> Ended {
        run(&self.machine, self.family, words, more)
    }
}

impl Listener for Dhcp {
    /// Messages are not on their way at all, so that the last ones are received, though nobody waits for an answer.
    fn receive(self: Arc<Self>, datagram: Sent) {
        let mut received = Box::pin(async move {
            let Sent { from, to, bytes, answers } = datagram;
            let send = |_, bytes| answer(self.time.clone(), answers.clone(), to, bytes);
            self.server.receive(from, &bytes, send).await;
        });
        if pin!(&mut received).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            tokio::task::spawn_local(received);
        }
    }
}

/// Takes an answer to the client.
fn answer(time: VirtualTime, answers: Answers, from: SocketAddr, bytes: Vec<u8>) {
    tokio::task::spawn_local(async move {
        time.pass(WAY).await;
        answers.send(from, bytes);
    });
}

/// The addresses of the server and of the relay.
pub(super) fn ends(family: Family) -> (SocketAddr, IpAddr) {
    match family {
        Family::V4 => (([10, 0, 3, 1], 67).into(), Ipv4Addr::new(10, 0, 3, 9).into()),
        Family::V6 => {
            let at = |last| Ipv6Addr::new(0xfd00, 0, 0, 3, 0, 0, 0, last);
            ((at(1), 547).into(), at(9).into())
        }
    }
}

/// A run on a machine, whose record is kept, and that prints all figures at the end.
///
/// `words` are divided at spaces, `more` are not.
pub(super) fn run(machine: &Machine, family: Family, words: &str, more: &[&str]) -> Ended {
    let version = if family == Family::V6 { "-6" } else { "-4" };
    let (server, local) = ends(family);
    let (server, local) = (server.ip().to_string(), local.to_string());
    let words: Vec<&str> = words.split_whitespace().collect();
    let line = [&[version, "--no-pin", "-l", &local], &*words, more, &[&server]].concat();
    machine.record(&["perfdhcp", "--seed", "7", "--details"], &line)
}

/// How often exchanges ended in some way: the class and the protocol's code.
pub(super) fn ended(record: &Record, class: &str, code: Option<u32>) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    codes.filter(|end| end.class == class && end.code == code).map(|end| end.count).sum()
}
