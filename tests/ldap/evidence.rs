//! Every operation that a tool counted is one that the server saw, and the server saw no other: for each tool, each way
//! of using connections, and each transport. The one additional connection tests the parameters.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use brunt_testbed::{ADMIN_DN, BASE_DN, Operations, PASSWORD};

use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Directory, Transport, opendj, slapd};

/// Operations of each run: no multiple of the connections, so that dividing it among them would show.
const COUNT: u64 = 61;
const CONNECTIONS: u64 = 4;

/// How connections are used.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    PerOperation,
    Rebind,
    Bound,
}

impl Mode {
    const ALL: [Self; 3] = [Self::PerOperation, Self::Rebind, Self::Bound];

    const fn flag(self) -> &'static str {
        match self {
            Self::PerOperation => "",
            Self::Rebind => "-f",
            Self::Bound => "-F",
        }
    }

    /// Connections that a run opens, the first to try the parameters out.
    const fn connections(self) -> u64 {
        1 + match self {
            Self::PerOperation => COUNT,
            Self::Rebind | Self::Bound => CONNECTIONS,
        }
    }

    /// Binds beside the measured operations, the first of which tests the parameters. Rebinding adds to the bind that
    /// opens a connection, as in the original tools.
    const fn logins(self) -> u64 {
        1 + match self {
            Self::PerOperation => COUNT,
            Self::Rebind => CONNECTIONS + COUNT,
            Self::Bound => CONNECTIONS,
        }
    }
}

#[test]
fn tool_counts_equal_the_log_of_slapd() {
    let Some(slapd) = slapd(100) else { return };
    for transport in Transport::ALL {
        every_tool(&slapd, transport, &Mode::ALL);
    }
}

#[test]
fn tool_counts_equal_the_log_of_opendj() {
    let Some(opendj) = opendj() else { return };
    every_tool(&*opendj, Transport::Plain, &Mode::ALL);
    every_tool(&*opendj, Transport::Ldaps, &Mode::ALL);
    // Without a connection for each operation: see `Directory::stalls`.
    every_tool(&*opendj, Transport::StartTls, &[Mode::Rebind, Mode::Bound]);
}

fn every_tool(server: &impl Directory, transport: Transport, modes: &[Mode]) {
    for &mode in modes {
        if mode != Mode::Bound {
            binds(server, transport, mode);
        }
        searches(server, transport, mode);
        modifications(server, transport, mode);
        additions(server, transport, mode);
    }
}

fn run(server: &impl Directory, transport: Transport, mode: Mode, tool: &str) -> Brunt {
    let run = command(tool).to(server, transport).typed(mode.flag());
    run.args(["-c", &CONNECTIONS.to_string(), "-m", &COUNT.to_string(), "-S"])
}

fn as_admin(run: Brunt) -> Brunt {
    run.args(["-D", ADMIN_DN, "-w", PASSWORD])
}

/// Half of the passwords are wrong, so that two result codes have to agree.
fn binds(server: &impl Directory, transport: Transport, mode: Mode) {
    let (ran, seen) = server.observe(transport, || {
        let brunt = run(server, transport, mode, "authrate").args(["-w", PASSWORD, "-I", "50"]);
        let brunt = brunt.args(["-D", "uid=user.{},ou=people,dc=example,dc=com"]);
        brunt.args(["-g", "inc(0,99)"]).run()
    });
    let ran = ran.expect(0);
    assert_eq!(seen.binds, COUNT, "{mode:?} {transport:?} {seen:?}\n{ran}");
    let results = ran.results();
    assert!(results.contains_key(&49) && results.contains_key(&0), "{results:?}\n{ran}");
    assert_eq!(ran.count("failed"), results[&49], "{ran}");
    agree(&ran, &seen, transport, mode, 0);
}

fn searches(server: &impl Directory, transport: Transport, mode: Mode) {
    let (ran, seen) = server.observe(transport, || {
        let brunt = as_admin(run(server, transport, mode, "searchrate"));
        // Users 100 to 149 are not in slapd: a search that finds nothing is a success without entries.
        brunt.args(["-b", BASE_DN, "-g", "rand(50,150)", "(uid=user.{})", "cn"]).run()
    });
    let ran = ran.went_well();
    assert_eq!((seen.searches, seen.binds), (COUNT, mode.logins()), "{mode:?} {seen:?}\n{ran}");
    assert_eq!(ran.count("items"), seen.entries, "{ran}");
    agree(&ran, &seen, transport, mode, mode.logins());
}

fn modifications(server: &impl Directory, transport: Transport, mode: Mode) {
    let (ran, seen) = server.observe(transport, || {
        let brunt = as_admin(run(server, transport, mode, "modrate"));
        // Some of the users are not in slapd, so that 32 (no such object) has to agree as well.
        let brunt = brunt.args(["-b", "uid=user.{1},ou=people,dc=example,dc=com"]);
        brunt.args(["-g", "inc(80,119)", "-g", "randstr(12)", "description:{2}"]).run()
    });
    let ran = ran.expect(0);
    assert_eq!((seen.modifies, seen.binds), (COUNT, mode.logins()), "{mode:?} {seen:?}\n{ran}");
    agree(&ran, &seen, transport, mode, mode.logins());
}

fn additions(server: &impl Directory, transport: Transport, mode: Mode) {
    let (ran, seen) = server.observe(transport, || {
        // Nothing is purged, which would be operations beside those counted, so every run adds others.
        static ROUND: AtomicU32 = AtomicU32::new(1);
        let round = format!("round={}", ROUND.fetch_add(1, Ordering::Relaxed));
        let brunt = as_admin(run(server, transport, mode, "addrate"));
        let template = brunt.file("template", crate::added::TEMPLATE);
        brunt.args(["-n", "-s", "20", "-g", &round]).arg(template).run()
    });
    let ran = ran.went_well();
    assert_eq!((seen.adds + seen.deletes, seen.binds), (COUNT, mode.logins()), "{seen:?}\n{ran}");
    assert_eq!(
        (seen.adds, seen.deletes),
        (ran.count_of("add", "ok"), ran.count_of("delete", "ok"))
    );
    agree(&ran, &seen, transport, mode, mode.logins());
}

/// Result code by result code, the answers are those of the measured operations, `logins`, and of StartTLS.
fn agree(ran: &Run, seen: &Operations, transport: Transport, mode: Mode, logins: u64) {
    assert_eq!(ran.count("planned"), COUNT, "{ran}");
    assert_eq!(seen.connections, mode.connections(), "{mode:?} {transport:?} {seen:?}\n{ran}");
    let upgrades = if transport == Transport::StartTls { seen.connections } else { 0 };
    assert_eq!(seen.extended, upgrades, "{mode:?} {transport:?} {seen:?}\n{ran}");
    let mut expected: BTreeMap<u32, u64> = ran.results();
    *expected.entry(0).or_default() += logins + upgrades;
    assert_eq!(seen.results, expected, "{mode:?} {transport:?}\n{ran}");
}
