//! A private Kea, for DHCPv4 or for DHCPv6, on the server's host of a [`Lan`].
//!
//! Both use the same configuration with different names, so one type serves both. What clients did is read from Kea's
//! own data: its lease file, in which every lease granted, renewed and released is a row, and the statistics of its
//! control socket.

use crate::daemon::Daemon;
use crate::lan::Lan;
use crate::leases::{Lease, rows, table};
use crate::tool::{found, make_directory, run, write};
use crate::wait::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How long Kea may take to answer its control socket.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a test may want otherwise.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of Kea's own")]
pub struct KeaOptions {
    /// How many addresses can be leased; all of the network but its first 256 if not said.
    pub addresses: Option<u16>,
    /// Seconds that a lease is valid. T1 is half of it, T2 four fifths.
    pub lifetime: u32,
    /// Whether leases are written to the lease file.
    pub persist: bool,
    /// Whether a SOLICIT with Rapid Commit is answered by a REPLY. Kea has no such thing for DHCPv4.
    pub rapid_commit: bool,
    /// Whether answers go to where a message came from and not to the relay that it names, so that one host can
    /// stand for many relays.
    pub answers_to_source: bool,
    /// Whether Kea listens on a packet socket, as it must to answer DHCPv4 clients that have no address yet.
    /// Otherwise it has UDP sockets, whose drops the system counts.
    pub raw: bool,
    /// Threads that carry packets out; none for the one that does everything.
    pub threads: Option<u16>,
}

impl Default for KeaOptions {
    fn default() -> Self {
        Self {
            addresses: None,
            lifetime: 4_000,
            persist: true,
            rapid_commit: false,
            answers_to_source: false,
            raw: false,
            threads: None,
        }
    }
}

/// A running Kea with its configuration, leases and log.
#[derive(Debug)]
pub struct Kea {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    directory: TempDir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    V4,
    V6,
}

impl Kea {
    /// The prefix from which DHCPv6 clients are delegated prefixes, and the length of each of those.
    pub const DELEGATED: (Ipv6Addr, u8, u8) =
        (Ipv6Addr::new(0x2001, 0xdb8, 0x8000, 0, 0, 0, 0, 0), 34, 56);

    /// Starts kea-dhcp4. Takes about a fifth of a second.
    pub fn v4(lan: &Lan, options: &KeaOptions) -> Self {
        Self::start(lan, Family::V4, options)
    }

    /// Starts kea-dhcp6.
    pub fn v6(lan: &Lan, options: &KeaOptions) -> Self {
        Self::start(lan, Family::V6, options)
    }

    fn start(lan: &Lan, family: Family, options: &KeaOptions) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-kea-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        let name = if family == Family::V4 { "kea-dhcp4" } else { "kea-dhcp6" };
        // Systems confine Kea by the path of its program to the directories of the system's own Kea, where a test
        // has no business.
        let program = root.join(name);
        let installed =
            found(name).unwrap_or_else(|| panic!("{name} is not installed; run tests/setup"));
        // By another process: a program that was open for writing in this one may be so still in a child that another
        // thread has just started, and cannot be run until then.
        run("cp", [&installed, &program]);
        let configuration = root.join("kea.json");
        write(&configuration, configured(family, root, options).to_string());
        make_directory(&root.join("run"));
        let mut command = lan.server(&program);
        command.arg("-c").arg(&configuration);
        command.env("KEA_PIDFILE_DIR", root.join("run")).env("KEA_LOCKFILE_DIR", root.join("run"));
        if options.answers_to_source {
            command.env("KEA_TEST_SEND_RESPONSES_TO_SOURCE", "ENABLED");
        }
        let daemon = Daemon::start(&command, &root.join("log"));
        let kea = Self { daemon, directory };
        kea.wait_until_it_answers();
        kea
    }

    /// Its sockets for clients are open once the control socket answers, as it does so by the same loop.
    fn wait_until_it_answers(&self) {
        let answers = || self.requested("version-get").is_some();
        let there = until(PATIENCE, || answers() || !self.daemon.is_running());
        let there = there && self.daemon.is_running() && !self.log().contains("OPEN_SOCKET_FAIL");
        assert!(there, "Kea did not start; its log:\n{}", self.log());
    }

    /// The process id of Kea.
    pub fn id(&self) -> u32 {
        self.daemon.id()
    }

    /// Stops Kea in its tracks; what arrives waits in its sockets.
    pub fn pause(&self) {
        self.daemon.pause();
    }

    /// Resumes a paused Kea.
    pub fn resume(&self) {
        self.daemon.resume();
    }

    /// Ends Kea.
    pub fn stop(&self) {
        self.daemon.stop();
    }

    /// The leases as they stand now. What was given back is not among them.
    pub fn leases(&self) -> Vec<Lease> {
        table(rows(&self.lease_file()))
    }

    /// Every row of the lease file: one for each lease granted, one more each time that it changed. One that was
    /// given back has a row in which it is valid for no time.
    pub fn lease_rows(&self) -> Vec<Lease> {
        rows(&self.lease_file())
    }

    fn lease_file(&self) -> String {
        fs::read_to_string(self.directory.path().join("leases.csv"))
            .expect("leases are kept in a file")
    }

    /// Whether a statistic comes to be this. What nobody answers, such as a RELEASE of DHCPv4, Kea may read when the
    /// client that sent it has ended.
    pub fn comes_to_count(&self, name: &str, count: u64) -> bool {
        until(PATIENCE, || self.statistic(name) >= count) && self.statistic(name) == count
    }

    /// Whether the lease file comes to have so many rows, for what nobody answers.
    pub fn comes_to_rows(&self, count: u64) -> bool {
        let rows = || self.lease_rows().len() as u64;
        until(PATIENCE, || rows() >= count) && rows() == count
    }

    /// A statistic by its name in Kea: `pkt4-discover-received`, `pkt6-reply-sent`. Nothing happened that it has
    /// no figure for.
    pub fn statistic(&self, name: &str) -> u64 {
        self.statistics().get(name).copied().unwrap_or_default()
    }

    /// All its statistics that are whole numbers.
    pub fn statistics(&self) -> BTreeMap<String, u64> {
        let answer = self.requested("statistic-get-all").expect("Kea answers its control socket");
        let all = answer["arguments"].as_object().expect("statistics have names");
        // Each has its samples, the latest first, and each sample is a value and a time.
        let latest = |samples: &Value| samples[0][0].as_u64();
        all.iter().filter_map(|(name, samples)| Some((name.clone(), latest(samples)?))).collect()
    }

    /// Its control socket, which is a file and so is seen from every host of the network.
    pub fn control(&self) -> PathBuf {
        self.directory.path().join("control")
    }

    /// What Kea said: warnings and errors only.
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    fn requested(&self, question: &str) -> Option<Value> {
        let mut stream = UnixStream::connect(self.directory.path().join("control")).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.write_all(json!({ "command": question }).to_string().as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        serde_json::from_str(&answer).ok()
    }
}

fn configured(family: Family, root: &Path, options: &KeaOptions) -> Value {
    let path = |name: &str| root.join(name).to_str().map(str::to_owned);
    let lifetime = options.lifetime;
    let mut server = json!({
        "lease-database": {
            "type": "memfile",
            "persist": options.persist,
            "name": path("leases.csv"),
            // The file is the evidence: it is not to be tidied up.
            "lfc-interval": 0,
        },
        "control-socket": { "socket-type": "unix", "socket-name": path("control") },
        "multi-threading": {
            "enable-multi-threading": options.threads.is_some(),
            "thread-pool-size": options.threads.unwrap_or(0),
        },
        "valid-lifetime": lifetime,
        "renew-timer": lifetime / 2,
        "rebind-timer": lifetime * 4 / 5,
        "loggers": [{
            "name": if family == Family::V4 { "kea-dhcp4" } else { "kea-dhcp6" },
            "severity": "WARN",
            "output_options": [{ "output": "stdout" }],
        }],
    });
    let more = if family == Family::V4 { v4(options) } else { v6(options) };
    let (Some(server_object), Value::Object(more)) = (server.as_object_mut(), more) else {
        unreachable!("both are written as objects")
    };
    server_object.extend(more);
    json!({ if family == Family::V4 { "Dhcp4" } else { "Dhcp6" }: server })
}

fn v4(options: &KeaOptions) -> Value {
    let first = Ipv4Addr::new(10, 77, 1, 0);
    let last = options.addresses.map_or(Ipv4Addr::new(10, 77, 255, 254), |count| {
        Ipv4Addr::from(u32::from(first) + u32::from(count) - 1)
    });
    json!({
        "interfaces-config": {
            "interfaces": [Lan::INTERFACE],
            "dhcp-socket-type": if options.raw { "raw" } else { "udp" },
        },
        "authoritative": true,
        "subnet4": [{
            "id": 1,
            "subnet": "10.77.0.0/16",
            "pools": [{ "pool": format!("{first} - {last}") }],
            "option-data": [{ "name": "routers", "data": Lan::SERVER_V4.to_string() }],
        }],
    })
}

fn v6(options: &KeaOptions) -> Value {
    let first = Ipv6Addr::new(0x2001, 0xdb8, 0x77, 0, 0, 1, 0, 0);
    let count = options.addresses.map_or(1 << 48, u128::from);
    let last = Ipv6Addr::from(u128::from(first) + count - 1);
    let (prefix, length, delegated) = Kea::DELEGATED;
    json!({
        "interfaces-config": {
            "interfaces": [Lan::INTERFACE, format!("{}/{}", Lan::INTERFACE, Lan::SERVER_V6)],
        },
        "preferred-lifetime": options.lifetime,
        // The same at every start, and as long as that of most servers: a link-layer address and a time.
        "server-id": {
            "type": "LLT",
            "htype": 1,
            "identifier": "020000000001",
            "time": 700_000_000,
            "persist": false,
        },
        "subnet6": [{
            "id": 1,
            "subnet": "2001:db8:77::/64",
            "interface": Lan::INTERFACE,
            "rapid-commit": options.rapid_commit,
            "pools": [{ "pool": format!("{first} - {last}") }],
            "pd-pools": [{ "prefix": prefix, "prefix-len": length, "delegated-len": delegated }],
            "option-data": [{ "name": "dns-servers", "data": Lan::SERVER_V6.to_string() }],
        }],
    })
}
