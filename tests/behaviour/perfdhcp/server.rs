//! [`Server`]: an embedded DHCP server of one test, in its own process so that its counters can be read, and the
//! command lines that are directed at it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use brunt_dhcp_server::{Answer, Config, Family, Lease, RequestKind, Running, Script, Stats, V4};
use brunt_test_program::{Ended, Program, brunt};
use brunt_testbed::{free_port, until};

/// A server that answers one test.
pub(super) struct Server {
    running: Running,
    family: Family,
}

impl Server {
    /// A DHCPv4 server that keeps to a script, which may be empty.
    pub(super) fn v4(script: &str) -> Self {
        Self::of(Family::V4, script)
    }

    /// A DHCPv6 server that keeps to a script, which may be empty.
    pub(super) fn v6(script: &str) -> Self {
        Self::of(Family::V6, script)
    }

    fn of(family: Family, script: &str) -> Self {
        let config = Config {
            listen: vec![(local(family), 0).into()],
            v4: V4 { reply_to_source: true, ..V4::default() },
            script: (!script.is_empty()).then(|| Script::parse(script).expect("a script")),
            ..Config::default()
        };
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

    /// How many messages of one act it received.
    pub(super) fn received(&self, act: RequestKind) -> u64 {
        self.stats().of(self.family).received_of(act)
    }

    /// How many answers of one kind it sent.
    pub(super) fn sent(&self, answer: Answer) -> u64 {
        self.stats().of(self.family).sent_of(answer)
    }

    /// Whom it has ever given or offered something.
    pub(super) fn leases(&self) -> Vec<Lease> {
        self.running.leases()
    }

    /// A run against it to its end.
    pub(super) fn run(&self, words: &str) -> Ended {
        self.start(words).wait()
    }

    /// A run against it, whose record is kept.
    pub(super) fn start(&self, words: &str) -> Program {
        start(self.family, self.port(), words)
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
/// processor, so that no exchange is dropped unless the server fails to answer it.
fn drop_times(words: &str) -> &'static [&'static str] {
    let has = |wanted: &str| words.split_whitespace().any(|word| word == wanted);
    match () {
        () if has("-d") => &[],
        () if has("-i") => &["-d", "5"],
        () => &["-d", "5", "-d", "5"],
    }
}

/// A run against whatever is at a port, whose record is kept, and that prints all figures at the end.
pub(super) fn start(family: Family, port: u16, words: &str) -> Program {
    let version = if family == Family::V6 { "-6" } else { "-4" };
    let own =
        if words.contains("--source-port") { String::new() } else { format!("-L {}", free_port()) };
    // Tests run side by side, and workers would all be on the first processor.
    let run = brunt("perfdhcp --seed 7 --details --no-pin").recorded();
    let run = run.typed(&format!("{version} -l {server} -N {port} {own}", server = local(family)));
    run.args(drop_times(words))
        .typed(words)
        .arg(local(family).to_string())
        .env("BRUNT_LAB", "")
        .start()
}

/// Waits for something that is bound to come.
pub(super) fn wait_for(what: &str, come: impl FnMut() -> bool) {
    assert!(until(Duration::from_secs(90), come), "waited for {what} in vain");
}
