//! One to eight nodes, with equal or different shares, of open and closed loops of each protocol: their merged record
//! must equal what one process measures of the same load.
//!
//! The outcome of an exchange and its duration follow from its number, by scripts of the servers. So the two records
//! must agree on every count and code, in every phase, and on how long each exchange took, and the servers must have
//! received every number once. That agents carry out their shares as nodes do is tested with processes
//! (`tests/behaviour/cluster_shares.rs`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use brunt_dhcp_server::{Config, Family, RequestKind};
use brunt_record::{Counts, Histogram, Latency, Phase, Record};
use brunt_test_program::scratch;
use ldap3_proto::proto::LdapFilter;
use serde_json::json;

use crate::dhcp::Dhcp;
use crate::directory::Directory;
use crate::machine::Machine;
use crate::scripted::Scripted;

/// How many milliseconds answers take, so far apart that nothing else makes one look like another.
const WAITS: [u64; 3] = [1, 2_000, 6_000];
/// Exchanges a second of an open loop, which lasts three seconds. The first warms it up, but for a plan: when the later
/// steps of an iteration are due depends on when the first was answered, and so does their phase.
const RATE: u64 = 40;
const OPEN: u64 = 3 * RATE;
/// Exchanges of a closed loop, and its sessions. An open loop has one for each exchange, so that none waits for another
/// at any node.
const CLOSED: u64 = 90;
const SESSIONS: u64 = 60;
const WEIGHTS: [&str; 8] = ["3", "1", "2", "1", "1", "2", "1", "1"];

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Ldap,
    Http,
    /// Rows of a file, each for one iteration of a plan: a page, and a search if there was one.
    Plan,
    Dhcp,
}

/// What becomes of the exchange of this number: which of the [`WAITS`] it takes, and whether it is refused.
const fn fate(number: u64) -> (usize, bool) {
    // No number of nodes divides 23, so that each of them has some of all kinds.
    match number % 23 {
        3 => (0, true),
        7 | 20 => (1, false),
        13 => (2, false),
        17 => (1, true),
        _ => (0, false),
    }
}

/// A machine with the servers of a load.
struct Servers {
    machine: Machine,
    http: Arc<Scripted>,
    ldap: Directory,
    dhcp: Arc<Dhcp>,
}

impl Servers {
    fn start() -> Self {
        let mut machine = Machine::new(7);
        let rule = |at: u64| {
            let (wait, refused) = fate(at);
            json!({"every": 23, "at": at, "do": if refused { "503" } else { "200" }, "delay_ms": WAITS[wait]})
        };
        let rules: Vec<_> = (0..23).map(rule).collect();
        let http = Scripted::new(&json!({ "rules": rules }), machine.time());
        machine.serve("10.0.0.1:80", http.clone());
        let ldap = Directory::on(
            &mut machine,
            &rules_of("search", "result = { code = 51 }", |number| {
                format!("filter = 'n.{number}.'")
            }),
        );
        let delays = rules_of("discover", "", client);
        let naks =
            (0..OPEN).filter(|number| fate(*number).1).fold(String::new(), |mut all, number| {
                let _ =
                    writeln!(all, "[[rule]]\non = ['request']\n{}\naction = 'nak'", client(number));
                all
            });
        let config = Config { listen: vec![([10, 0, 3, 1], 67).into()], ..Config::default() };
        let dhcp = Dhcp::new(&mut machine, &(delays + &naks), config);
        Self { machine, http, ldap, dhcp }
    }

    /// The numbers of the requests, in order.
    fn requested(&self, load: Load) -> Vec<u64> {
        let number = |text: &str| text.parse::<u64>().expect("a number");
        let mut numbers: Vec<u64> = match load {
            Load::Ldap => self.searched(),
            Load::Http | Load::Plan => {
                let log = self.http.log();
                log.lines().filter_map(|line| line.split(' ').next()).map(number).collect()
            }
            Load::Dhcp => {
                let clients = self.dhcp.server.leases().into_iter().map(|lease| lease.client);
                clients.map(|client| u64::from(*client.last().expect("an address"))).collect()
            }
        };
        numbers.sort_unstable();
        numbers
    }

    /// The numbers of the searches, in order.
    fn searched(&self) -> Vec<u64> {
        let number = |filter: LdapFilter| match filter {
            LdapFilter::Equality(_, value) => value.split('.').nth(1)?.parse::<u64>().ok(),
            _ => None,
        };
        let searches = self.ldap.searched().into_iter();
        let mut numbers: Vec<u64> = searches.filter_map(|search| number(search.filter)).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The key of a rule for the client of this number.
fn client(number: u64) -> String {
    format!("client = '0200000000{number:02x}'")
}

/// Rules by number for requests of a kind: those that wait, and those that are refused in this way.
fn rules_of(on: &str, refusal: &str, key: impl Fn(u64) -> String) -> String {
    let mut rules = String::new();
    for number in 0..OPEN {
        let (wait, refused) = fate(number);
        let delay = (wait > 0).then(|| format!("delay = '{}ms'", WAITS[wait]));
        let refusal = (refused && !refusal.is_empty()).then(|| refusal.to_owned());
        for action in delay.into_iter().chain(refusal) {
            let key = key(number);
            let _ = writeln!(rules, "[[rule]]\non = ['{on}']\n{key}\naction = {{ {action} }}");
        }
    }
    rules
}

impl Load {
    /// The command line, whose files are put into a directory.
    fn line(self, open: bool, directory: &Path) -> String {
        let sessions = if open { OPEN } else { SESSIONS };
        let at = |name: &str| directory.join(name).display().to_string();
        match self {
            Self::Ldap => {
                let shape =
                    if open { format!("-M {RATE} -B 1 -d 2") } else { format!("-m {CLOSED}") };
                format!(
                    "searchrate -h 10.0.0.2 -p 389 -b dc=example,dc=com -F -c {sessions} {shape} -g inc(0,99999) \
                     (uid=n.%d.)"
                )
            }
            Self::Http if open => {
                let urls = (0..OPEN).map(|number| format!("http://10.0.0.1/n/{number}\n"));
                write(&at("urls.txt"), &urls.collect::<String>());
                let file = at("urls.txt");
                format!("http -c {OPEN} -q {RATE} --warm-up 1s -z 2s --urls-from-file {file}")
            }
            // Without a rate each connection of `http` counts for itself, and how far it gets depends on time. A file
            // of rows has each once.
            Self::Http | Self::Plan => {
                let rows = (0..if open { OPEN } else { CLOSED }).map(|row| format!("{row}\n"));
                write(&at("rows.csv"), &format!("number\n{}", rows.collect::<String>()));
                write(&at("plan.toml"), &plan(open, sessions, self == Self::Plan));
                format!("run {}", at("plan.toml"))
            }
            Self::Dhcp => {
                let shape = if open {
                    format!("-r {RATE} --warm-up 1 -p 2")
                } else {
                    format!("-n {CLOSED} --window {SESSIONS}")
                };
                format!(
                    "perfdhcp -4 -l 10.0.3.9 -b mac=02:00:00:00:00:00 -R 100000 -d 20 -d 20 {shape} 10.0.3.1"
                )
            }
        }
    }
}

fn write(path: &str, text: &str) {
    fs::write(path, text).expect("a file");
}

/// A plan of pages, and of searches if there are any.
fn plan(open: bool, sessions: u64, searches: bool) -> String {
    let shape = if open { format!("rate = '{RATE}/s'\nduration = '3s'\n") } else { String::new() };
    let (directory, search) = if searches {
        (
            "[ldap]\nserver = 'ldap://10.0.0.2:389'\n",
            "[[scenario.steps]]\nname = 'search'\n\
             ldap.search = { base = 'dc=example,dc=com', filter = '(uid=n.${rows.number}.)' }\n",
        )
    } else {
        ("", "")
    };
    format!(
        "[run]\nusers = {sessions}\ndrain = '30s'\n{shape}[http]\nbase = 'http://10.0.0.1'\n{directory}[feeders]\n\
         rows = {{ csv = 'rows.csv', order = 'unique' }}\n[[scenario]]\nname = 'visit'\n\
         [[scenario.steps]]\nname = 'page'\nget = '/n/${{rows.number}}'\n{search}"
    )
}

/// What two records of the same exchanges have in common.
#[derive(Debug, PartialEq)]
struct Figures {
    counts: [Counts; 2],
    phases: BTreeMap<Phase, Counts>,
    operations: Vec<Operation>,
    tallies: BTreeMap<String, u64>,
}

#[derive(Debug, PartialEq)]
struct Operation {
    name: String,
    counts: Counts,
    codes: BTreeMap<String, u64>,
    response: BTreeMap<u64, u64>,
    service: BTreeMap<u64, u64>,
}

impl Figures {
    /// The figures of a record, whose times may be classed by which of the [`WAITS`] they took.
    fn new(record: &Record, classed: bool) -> Self {
        let mut phases: BTreeMap<Phase, Counts> = BTreeMap::new();
        for phase in record.phases.iter().filter(|phase| phase.counts != Counts::default()) {
            // What becomes due while a run drains is a later step of what became due before.
            let name = if phase.name == Phase::Drain { Phase::Steady } else { phase.name };
            phases.entry(name).or_default().merge(&phase.counts);
        }
        // Each run tries its target once, over a connection of its own, and which sessions are free is of each node.
        let tallies = record.tallies.iter().filter(|it| {
            !it.name.ends_with("connections opened") && it.name != brunt_record::SESSIONS_USED
        });
        let operations = record.operations.iter().map(|operation| Operation {
            name: operation.name.clone(),
            counts: operation.counts,
            codes: operation.codes.iter().map(|code| (code.name.clone(), code.count)).collect(),
            response: times(&operation.response, classed),
            service: times(&operation.service, classed),
        });
        Self {
            counts: [record.counts, record.conservation.counts],
            phases,
            operations: operations.collect(),
            tallies: tallies.map(|tally| (tally.name.clone(), tally.count)).collect(),
        }
    }
}

/// How many exchanges took how long, or which of the [`WAITS`].
fn times(latency: &Latency, classed: bool) -> BTreeMap<u64, u64> {
    let histogram = if latency.count == 0 { Ok(Histogram::new()) } else { latency.histogram() };
    let mut times = BTreeMap::new();
    for (nanos, count) in histogram.expect("its own buckets").buckets() {
        let class = || WAITS.iter().rposition(|wait| nanos >= wait * 1_000_000).unwrap_or(0) as u64;
        *times.entry(if classed { class() } else { nanos }).or_default() += count;
    }
    times
}

/// Carries out a load by so many nodes, and merges their records; the load of one node is the whole.
fn by_nodes(load: Load, open: bool, weighted: bool, nodes: usize) -> (Record, Servers) {
    let (servers, directory) = (Servers::start(), scratch());
    let line = load.line(open, directory.path());
    let (tool, rest) = line.split_once(' ').expect("a tool and its words");
    let weights = WEIGHTS[..nodes].join(",");
    let at = |name: String| directory.path().join(name).display().to_string();
    let files: Vec<String> = (0..nodes).map(|rank| at(format!("{rank}.json"))).collect();
    for (rank, file) in files.iter().enumerate() {
        let node = format!("{rank}/{nodes}");
        let mut words = vec![tool, "--seed", "5", "--node", &node, "--record", file];
        if weighted {
            words.extend(["--weights", &weights]);
        }
        words.extend(rest.split(' '));
        let ended = servers.machine.run(&words);
        assert!(Path::new(file).exists(), "{ended}");
    }
    let whole = at("whole.json".to_owned());
    if nodes > 1 {
        let words: Vec<&str> = files.iter().map(String::as_str).collect();
        let ended = servers.machine.run(&[&["merge", "--record", &whole], &words[..]].concat());
        assert!(Path::new(&whole).exists(), "{ended}");
    }
    let path = if nodes > 1 { &whole } else { &files[0] };
    (Record::read(Path::new(path)).unwrap_or_else(|error| panic!("{error}")), servers)
}

/// Checks the record of one process against the scripts.
fn is_scripted(load: Load, open: bool, record: &Record) {
    let measured = match (open, load) {
        (false, _) => 0..CLOSED,
        (true, Load::Plan) => 0..OPEN,
        (true, _) => RATE..OPEN,
    };
    let (mut classes, mut refused) = (BTreeMap::new(), 0);
    for (wait, is_refused) in measured.map(fate) {
        *classes.entry(wait as u64).or_default() += 1;
        refused += u64::from(is_refused);
    }
    let first = &record.operations[0];
    let seen = [&first.response, &first.service].map(|it| times(it, true));
    assert_eq!((seen, first.counts.failed), ([classes.clone(), classes], refused), "{load:?}");
    assert_eq!(record.counts.dropped, 0, "{load:?}");
    if load == Load::Plan {
        // The second step has the number of the first, and is not taken after a refusal.
        assert_eq!(record.operations[1].counts.ok, first.counts.ok);
    }
}

/// Carries out a load by one node and by others, with equal and with different shares.
fn shared(load: Load) {
    // A connection to the directory is made by the step that needs it first, which may be of another number.
    let classed = load == Load::Plan;
    for open in [false, true] {
        let (one, servers) = by_nodes(load, open, false, 1);
        is_scripted(load, open, &one);
        let numbers = 0..if open { OPEN } else { CLOSED };
        let every: Vec<u64> = numbers.clone().collect();
        assert_eq!(servers.requested(load), every, "{load:?}");
        for (nodes, weighted) in [(2, false), (3, true), (5, false), (8, true)] {
            let (whole, servers) = by_nodes(load, open, weighted, nodes);
            let context = format!("{load:?}, open: {open}, {nodes} nodes");
            assert_eq!(servers.requested(load), every, "{context}");
            match load {
                Load::Plan => {
                    let searched = numbers.clone().filter(|number| !fate(*number).1);
                    assert_eq!(servers.searched(), searched.collect::<Vec<_>>(), "{context}");
                }
                Load::Dhcp => {
                    let tally = servers.dhcp.server.stats().of(Family::V4).clone();
                    let received = [RequestKind::Discover, RequestKind::Request];
                    let received = received.map(|kind| tally.received_of(kind));
                    assert_eq!(received, [every.len() as u64; 2], "{context}");
                }
                Load::Ldap | Load::Http => {}
            }
            assert_eq!(Figures::new(&whole, classed), Figures::new(&one, classed), "{context}");
            assert!(whole.conservation.holds, "{context}");
            let of: Vec<u64> = whole.nodes.iter().map(|node| node.counts.planned).collect();
            assert_eq!((of.len(), of.iter().sum()), (nodes, whole.counts.planned), "{context}");
            let (least, most) = (of.iter().min().expect("nodes"), of.iter().max().expect("nodes"));
            if weighted {
                assert!(of[0] == *most && *most >= 2 * least, "{context}: {of:?}");
            } else if load != Load::Plan && (open || load != Load::Http) {
                // Rows of a plan are dealt out to its users, who are not equally many at each node.
                assert!(most - least <= 2, "{context}: {of:?}");
            }
        }
    }
}

#[test]
fn ldap_searches_of_nodes_equal_one_process() {
    shared(Load::Ldap);
}

#[test]
fn http_requests_of_nodes_equal_one_process() {
    shared(Load::Http);
}

#[test]
fn plan_rows_of_nodes_equal_one_process() {
    shared(Load::Plan);
}

#[test]
fn dhcp_leases_of_nodes_equal_one_process() {
    shared(Load::Dhcp);
}
