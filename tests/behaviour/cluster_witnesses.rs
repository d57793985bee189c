//! Servers with their own counts, as a [`Witness`] of what a run sent: slapd's log, nginx's log, and Kea's counts and
//! leases.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use brunt_testbed::{Kea, Lan, Listener, Nginx, Slapd};

/// Operations a second of a load, of all its agents.
pub(crate) const RATE: u64 = 40;

/// A server that says which exchanges of a run it saw.
pub(crate) trait Witness: Sync {
    /// A load of so many seconds, in which each exchange shows its number. What it reads is put into this directory.
    fn load(&self, run: &str, seconds: u64, directory: &Path) -> String;

    /// Whether any exchange of the run has come.
    fn has_begun(&self, run: &str) -> bool {
        self.seen(run) > 0
    }

    /// How many exchanges of the run came, of which none may have come twice.
    fn seen(&self, run: &str) -> u64;
}

/// A directory, as far as other threads may see it.
pub(crate) struct Directory {
    port: u16,
    log: PathBuf,
}

impl Directory {
    pub(crate) fn new(slapd: &Slapd) -> Self {
        Self { port: slapd.port(), log: slapd.log() }
    }
}

impl Witness for Directory {
    fn load(&self, run: &str, seconds: u64, _: &Path) -> String {
        format!(
            "searchrate -h 127.0.0.1 -p {} -b dc=example,dc=com -c 2 -M {RATE} -d {seconds} -g inc(0,99999) \
             (uid={run}-%d)",
            self.port
        )
    }

    fn seen(&self, run: &str) -> u64 {
        let log = fs::read(&self.log).expect("slapd's log");
        let log = String::from_utf8_lossy(&log);
        let searches = log.lines().filter(|line| line.contains(" SRCH base="));
        let (begin, rest) = (format!("(uid={run}-"), ")");
        let numbers = searches.filter_map(|line| line.split_once(&begin)?.1.split(rest).next());
        different(run, numbers)
    }
}

impl Witness for Nginx {
    fn load(&self, run: &str, seconds: u64, directory: &Path) -> String {
        let text = format!(
            "[run]\nusers = 4\nrate = '{RATE}/s'\nduration = '{seconds}s'\n[http]\nbase = '{}'\n\
             [[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'page'\n\
             get = '/small.txt?{run}=${{run.iteration}}'\n",
            self.url(Listener::Clear, "")
        );
        fs::write(directory.join("plan.toml"), text).expect("a file");
        "run plan.toml".to_owned()
    }

    fn seen(&self, run: &str) -> u64 {
        let served = self.served();
        let begin = format!("/small.txt?{run}=");
        different(run, served.iter().filter_map(|one| one.path.strip_prefix(&begin)))
    }
}

/// Has a network of its own for each run.
impl Witness for Kea {
    fn load(&self, _: &str, seconds: u64, _: &Path) -> String {
        let (interface, server) = (Lan::INTERFACE, Lan::SERVER_V4);
        format!("perfdhcp -4 -l {interface} -r {RATE} -p {seconds} -R 100000 {server}")
    }

    fn has_begun(&self, _: &str) -> bool {
        // A row of the leases may be half written.
        self.statistic("pkt4-discover-received") > 0
    }

    fn seen(&self, run: &str) -> u64 {
        let of = |name: &str| self.statistic(name);
        let clients = self.lease_rows().into_iter().map(|lease| format!("{:?}", lease.client));
        let clients: Vec<String> = clients.collect();
        let leased = different(run, clients.iter().map(String::as_str));
        let (discovers, requests) = (of("pkt4-discover-received"), of("pkt4-request-received"));
        assert_eq!((leased, requests), (of("pkt4-ack-sent"), of("pkt4-ack-sent")), "{run}");
        // Whoever was killed between the two has no lease.
        assert!(leased <= discovers, "{run}: {leased} leases of {discovers} clients");
        discovers
    }
}

/// How many there are, of which none may be there twice.
fn different<'a>(run: &str, numbers: impl Iterator<Item = &'a str>) -> u64 {
    let mut different = HashSet::new();
    for number in numbers {
        assert!(different.insert(number), "{run}: exchange {number} was sent twice");
    }
    different.len() as u64
}
