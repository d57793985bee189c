//! [`Server`]: the embedded DHCP server of one test, and the machine whose command lines are directed at it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use brunt_dhcp_server::{Answer, Config, Family, Lease, RequestKind, State, Stats, Tally};
use brunt_record::Record;
use brunt_test_program::Ended;

use crate::dhcp::Dhcp;
use crate::machine::Machine;

/// A server that answers one test.
pub(super) struct Server {
    machine: Machine,
    family: Family,
    dhcp: Arc<Dhcp>,
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
        let mut machine = Machine::new(7);
        let dhcp = Dhcp::new(&mut machine, script, config);
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
