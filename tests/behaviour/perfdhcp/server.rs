//! [`Server`]: an embedded DHCP server of one test, in its own process so that its counters can be read, and the
//! command lines that are directed at it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use brunt_dhcp_server::{
    Answer, Config, Family, Lease, RequestKind, Running, Script, State, Stats, Tally,
};
use brunt_record::Record;
use brunt_test_program::{Ended, Program, binary, command, scratch};
use brunt_testbed::{free_port, printed, until};

/// How a message of a stage can end, in the words of the tallies.
pub(super) const ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// A server that answers one test.
pub(super) struct Server {
    running: Running,
    family: Family,
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

    /// A server like this, on an address of this machine.
    pub(super) fn like(family: Family, script: &str, mut config: Config) -> Self {
        config.listen = vec![(local(family), 0).into()];
        config.v4.reply_to_source = true;
        config.script = (!script.is_empty()).then(|| Script::parse(script).expect("a script"));
        let running = brunt_dhcp_server::Server::start(&config);
        Self { running: running.unwrap_or_else(|error| panic!("failed to {error}")), family }
    }

    /// Its port.
    pub(super) fn port(&self) -> u16 {
        self.running.addresses()[0].port()
    }

    /// What it has counted so far.
    pub(super) fn stats(&self) -> Stats {
        self.running.stats()
    }

    /// What it has counted so far of its protocol.
    pub(super) fn tally(&self) -> Tally {
        self.running.stats().of(self.family).clone()
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
        self.running.leases()
    }

    /// How many leases hold.
    pub(super) fn bound(&self) -> usize {
        self.leases().iter().filter(|lease| lease.state == State::Bound).count()
    }

    /// A run against it to its end.
    pub(super) fn run(&self, words: &str) -> Ended {
        self.start(words).wait()
    }

    /// A run against it, whose record is kept.
    pub(super) fn start(&self, words: &str) -> Program {
        start(self.family, self.port(), words, &[])
    }

    /// A run to its end with further words that have spaces in them.
    pub(super) fn run_with(&self, words: &str, more: &[&str]) -> Ended {
        self.start_with(words, more).wait()
    }

    /// A run with further words that have spaces in them.
    pub(super) fn start_with(&self, words: &str, more: &[&str]) -> Program {
        start(self.family, self.port(), words, more)
    }
}

/// An address of this machine.
pub(super) const fn local(family: Family) -> IpAddr {
    match family {
        Family::V4 => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Family::V6 => IpAddr::V6(Ipv6Addr::LOCALHOST),
    }
}

/// The drop times of runs that set none, one for each stage: longer than the server's thread is ever kept waiting for a
/// processor, so that no exchange is dropped unless the server fails to answer it. A scenario has its own: its clients
/// wait as long as its protocol says.
fn drop_times(words: &str) -> &'static [&'static str] {
    let has = |wanted: &str| words.split_whitespace().any(|word| word == wanted);
    match () {
        () if has("-d") || has("--scenario") => &[],
        () if has("-i") => &["-d", "5"],
        () => &["-d", "5", "-d", "5"],
    }
}

/// A run against whatever is at a port, whose record is kept, and that prints all figures at the end.
///
/// `words` are divided at spaces, `more` are not.
pub(super) fn start(family: Family, port: u16, words: &str, more: &[&str]) -> Program {
    let directory = scratch();
    let path = directory.path().join("record.json");
    let mut brunt = command(binary());
    brunt.args(["perfdhcp", "--seed", "7", "--details", "--record"]).arg(&path);
    let version = if family == Family::V6 { "-6" } else { "-4" };
    let server = local(family).to_string();
    // Tests run side by side, and workers would all be on the first processor.
    brunt.args([version, "--no-pin", "-l", &server, "-N", &port.to_string()]);
    if !words.contains("--source-port") {
        brunt.args(["-L", &free_port().to_string()]);
    }
    brunt
        .args(drop_times(words))
        .args(words.split_whitespace())
        .args(more)
        .arg(&server)
        .env_remove("BRUNT_LAB");
    Program::start(&mut brunt).keeping(directory, path)
}

/// What a run counted.
pub(super) trait Counted {
    /// The record, once its books are seen to balance for exchanges as well as for messages of each stage.
    fn balanced(&self) -> Record;
    /// A number on a line of a stage's block on standard output.
    fn line(&self, stage: &str, line: &str) -> u64;
}

impl Counted for Ended {
    fn balanced(&self) -> Record {
        let record = self.record();
        let names = record.tallies.iter().map(|tally| tally.name.as_str());
        for stage in names.filter_map(|name| name.strip_suffix(" resent")) {
            let ends = ENDS.iter().map(|end| tally(&record, &format!("{stage} {end}")));
            let sent = tally(&record, &format!("{stage} sent"));
            assert_eq!(sent, ends.sum::<u64>(), "{stage}: {:?}\n{self}", counted(&record));
        }
        record
    }

    fn line(&self, stage: &str, line: &str) -> u64 {
        printed(&self.stdout, stage, line).unwrap_or_else(|| panic!("no {line} of {stage}\n{self}"))
    }
}

/// One of the counts beside exchanges.
pub(super) fn tally(record: &Record, name: &str) -> u64 {
    let found = record.tallies.iter().find(|tally| tally.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).count
}

/// All counts beside exchanges that are not zero.
pub(super) fn counted(record: &Record) -> Vec<(&str, u64)> {
    let some = record.tallies.iter().filter(|tally| tally.count > 0);
    some.map(|tally| (tally.name.as_str(), tally.count)).collect()
}

/// How often exchanges ended in some way: the class and the protocol's code.
pub(super) fn ended(record: &Record, class: &str, code: Option<u32>) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    codes.filter(|end| end.class == class && end.code == code).map(|end| end.count).sum()
}

/// Waits for something that is bound to come.
pub(super) fn wait_for(what: &str, come: impl FnMut() -> bool) {
    assert!(until(Duration::from_secs(90), come), "waited for {what} in vain");
}
