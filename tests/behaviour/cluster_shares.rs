//! One to eight agents, with equal or different shares, with open and closed loops of each protocol: their merged
//! record must equal what one process measures of the same load.
//!
//! The outcome of an exchange follows from its number ([`Numbered`]), and so does its duration: one of a few times that
//! are far apart. So the two records must agree on every count and code, in every phase, and on how many exchanges took
//! which of these times, although no two runs measure the same microseconds. The merged record must equal what `brunt
//! merge` makes of the agents' own, to the last bucket.

use std::collections::BTreeMap;
use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use brunt_record::{CodeRecord, Counts, Histogram, Latency, OperationRecord, Phase, Record};
use brunt_testbed::{Lan, require, until};

use crate::cluster::{Broker, record, same};
use crate::cluster_attempt::{Attempt, Launcher};
use crate::cluster_wide::Wide;
use crate::numbered::{Numbered, RequestKind, WAITS, answer};
use brunt_test_program::{Ended, Trial, binary, brunt, scratch};

const PATIENCE: Duration = Duration::from_secs(90);
/// Exchanges a second of an open loop, which lasts three seconds. The first warms it up, but for a plan: when the later
/// steps of an iteration are due is up to how soon the first was answered, and so is in which phase.
const RATE: u64 = 40;
const WARM_UP: u64 = RATE;
const OPEN: u64 = 3 * RATE;
/// Exchanges of a closed loop.
const CLOSED: u64 = 90;
/// Sessions of a closed loop. An open loop has one for each exchange, so that none waits for another at any node.
const SESSIONS: u64 = 60;

/// The most agents at a time: more of them keep each other waiting for as long as the answers differ.
const TOGETHER: usize = 8;
/// How long a plan goes on once nothing more is due: the two steps of an iteration may take the longest of the
/// [`WAITS`] one after the other, which is more than the ten seconds that a run goes on otherwise.
const DRAIN: &str = "30s";
/// After how many seconds an exchange of DHCP is given up: none of the [`WAITS`] may be as long.
const DROP_TIME: &str = "20";

/// What is loaded, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Ldap,
    Http,
    /// Rows of a file, each for one iteration of a plan: a page, and a search if there was one.
    Plan,
    Dhcp,
}

/// A way of sharing it.
#[derive(Clone, Copy, Debug)]
struct Case {
    agents: usize,
    weighted: bool,
    open: bool,
}

const fn case(agents: usize, weighted: bool, open: bool) -> Case {
    Case { agents, weighted, open }
}

/// The servers of one run.
struct Servers(Vec<Numbered>);

impl Servers {
    /// Servers for a load, on the server's host of the network that there is for DHCP.
    fn start(load: Load, lan: Option<&Lan>) -> Self {
        Self(match load {
            Load::Ldap => vec![Numbered::ldap()],
            Load::Http => vec![Numbered::http()],
            Load::Plan => vec![Numbered::http(), Numbered::ldap()],
            Load::Dhcp => {
                let lan = lan.expect("DHCP has a network");
                let bound = lan.as_server(|| UdpSocket::bind((Lan::SERVER_V4, 67)));
                vec![Numbered::dhcp(bound.expect("nobody else serves this network"))]
            }
        })
    }

    fn requested(&self) -> Vec<(RequestKind, u64)> {
        let mut requested: Vec<_> = self.0.iter().flat_map(Numbered::requested).collect();
        requested.sort_unstable();
        requested
    }

    fn port(&self, number: usize) -> u16 {
        self.0[number].address.port()
    }
}

impl Load {
    /// The command line, whose files are put into a directory.
    fn line(self, open: bool, servers: &Servers, directory: &Path) -> String {
        let port = servers.port(0);
        match self {
            Self::Ldap => {
                let shape =
                    if open { format!("-M {RATE} -B 1 -d 2") } else { format!("-m {CLOSED}") };
                let sessions = sessions(open);
                format!(
                    "searchrate -h 127.0.0.1 -p {port} -b dc=example,dc=com -F -c {sessions} {shape} \
                     -g inc(0,99999) (uid=n.%d.)"
                )
            }
            // Without a rate each connection of `http` counts for itself, and how far it gets is up to time. A file of
            // rows has each once.
            Self::Http if !open => {
                write(directory, "rows.csv", &rows(CLOSED));
                write(directory, "plan.toml", &plan(false, port, None));
                "run plan.toml".to_owned()
            }
            Self::Http => {
                let urls = (0..OPEN).map(|number| format!("http://127.0.0.1:{port}/n/{number}\n"));
                write(directory, "urls.txt", &urls.collect::<String>());
                format!("http -c {OPEN} -q {RATE} --warm-up 1s -z 2s --urls-from-file urls.txt")
            }
            Self::Plan => {
                write(directory, "rows.csv", &rows(if open { OPEN } else { CLOSED }));
                write(directory, "plan.toml", &plan(open, port, Some(servers.port(1))));
                "run plan.toml".to_owned()
            }
            Self::Dhcp => {
                let (interface, server) = (Lan::INTERFACE, Lan::SERVER_V4);
                let shape = if open {
                    format!("-r {RATE} --warm-up 1 -p 2")
                } else {
                    format!("-n {CLOSED} --window {SESSIONS}")
                };
                format!(
                    "perfdhcp -4 -l {interface} -b mac=02:00:00:00:00:00 -R 100000 -d {DROP_TIME} -d {DROP_TIME} \
                     {shape} {server}"
                )
            }
        }
    }

    /// What the servers have to be asked for, each once.
    fn expected(self, open: bool) -> Vec<(RequestKind, u64)> {
        let numbers = || 0..if open { OPEN } else { CLOSED };
        let of = |requested: RequestKind| numbers().map(move |number| (requested, number));
        match self {
            Self::Ldap => of(RequestKind::Search).collect(),
            Self::Http => of(RequestKind::Get).collect(),
            // Who got no page does not search.
            Self::Plan => {
                let searches =
                    of(RequestKind::Search).filter(|(_, number)| !answer(*number).refused);
                of(RequestKind::Get).chain(searches).collect()
            }
            Self::Dhcp => of(RequestKind::Discover).chain(of(RequestKind::Request)).collect(),
        }
    }
}

fn write(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).expect("a file");
}

const fn sessions(open: bool) -> u64 {
    if open { OPEN } else { SESSIONS }
}

fn rows(count: u64) -> String {
    let rows = (0..count).map(|row| format!("{row}\n"));
    format!("number\n{}", rows.collect::<String>())
}

/// A plan of pages, and of searches if there is a directory.
fn plan(open: bool, http: u16, ldap: Option<u16>) -> String {
    let shape = if open { format!("rate = '{RATE}/s'\nduration = '3s'\n") } else { String::new() };
    let directory = ldap
        .map_or_else(String::new, |port| format!("[ldap]\nserver = 'ldap://127.0.0.1:{port}'\n"));
    let search = match ldap {
        Some(_) => {
            "[[scenario.steps]]\nname = 'search'\n\
             ldap.search = { base = 'dc=example,dc=com', filter = '(uid=n.${rows.number}.)' }\n"
        }
        None => "",
    };
    let sessions = sessions(open);
    format!(
        "[run]\nusers = {sessions}\ndrain = '{DRAIN}'\n{shape}[http]\nbase = 'http://127.0.0.1:{http}'\n{directory}\
         [feeders]\nrows = {{ csv = 'rows.csv', order = 'unique' }}\n\
         [[scenario]]\nname = 'visit'\n[[scenario.steps]]\nname = 'page'\nget = '/n/${{rows.number}}'\n{search}"
    )
}

/// What of a record does not depend on how fast the machine is.
#[derive(Debug, PartialEq)]
struct Figures {
    counts: [Counts; 2],
    phases: BTreeMap<Phase, Counts>,
    operations: Vec<Operation>,
    parts: Vec<(String, [u64; WAITS.len()])>,
    tallies: Vec<(String, u64)>,
}

#[derive(Debug, PartialEq)]
struct Operation {
    name: String,
    counts: Counts,
    codes: Vec<(String, Option<u32>, u64)>,
    response: [u64; WAITS.len()],
    service: [u64; WAITS.len()],
}

impl Figures {
    fn new(record: &Record) -> Self {
        let mut phases: BTreeMap<Phase, Counts> = BTreeMap::new();
        for phase in record.phases.iter().filter(|phase| phase.counts != Counts::default()) {
            // What becomes due while a run drains is a later step of what became due before.
            let name = if phase.name == Phase::Drain { Phase::Steady } else { phase.name };
            phases.entry(name).or_default().merge(&phase.counts);
        }
        // When a connection is made, and how soon, is up to the machine.
        let connecting = ["connect", "tls", "bind", "reconnect"];
        let parts = record.parts.iter().filter(|part| !connecting.contains(&part.name.as_str()));
        let parts = parts.map(|part| (part.name.clone(), classes(&part.took)));
        // Each process tries its target once, over a connection of its own. How many sessions are used is
        // up to how soon they are free again.
        let tallies = record.tallies.iter().filter(|it| {
            !it.name.ends_with("connections opened") && it.name != brunt_record::SESSIONS_USED
        });
        let tallies = tallies.map(|tally| (tally.name.clone(), tally.count));
        Self {
            counts: [record.counts, record.conservation.counts],
            phases,
            operations: record.operations.iter().map(Operation::from_record).collect(),
            parts: parts.collect(),
            tallies: tallies.collect(),
        }
    }
}

impl Operation {
    fn from_record(record: &OperationRecord) -> Self {
        let code = |it: &CodeRecord| (it.name.clone(), it.code, it.count);
        let mut codes: Vec<_> = record.codes.iter().map(code).collect();
        codes.sort();
        Self {
            name: record.name.clone(),
            counts: record.counts,
            codes,
            response: classes(&record.response),
            service: classes(&record.service),
        }
    }
}

/// How many exchanges took at least which of the times, and less than the next.
fn classes(latency: &Latency) -> [u64; WAITS.len()] {
    let mut classes = [0; WAITS.len()];
    let histogram = if latency.count == 0 { Ok(Histogram::new()) } else { latency.histogram() };
    for (nanos, count) in histogram.expect("its own buckets").buckets() {
        let class = WAITS.iter().rposition(|wait| u128::from(nanos) >= wait.as_nanos());
        classes[class.unwrap_or_default()] += count;
    }
    classes
}

/// How many of the exchanges that are measured take which of the times, and how many are refused.
fn scripted(load: Load, open: bool) -> ([u64; WAITS.len()], u64) {
    let (mut classes, mut refused) = ([0; WAITS.len()], 0);
    let measured = match (open, load) {
        (false, _) => 0..CLOSED,
        (true, Load::Plan) => 0..OPEN,
        (true, _) => WARM_UP..OPEN,
    };
    for answer in measured.map(answer) {
        classes[answer.wait] += 1;
        refused += u64::from(answer.refused);
    }
    (classes, refused)
}

/// The record of one process, once others are past their beginning, which takes all of the machine.
fn by_one_process(load: Load, open: bool, begun: &AtomicBool) -> (Record, Vec<(RequestKind, u64)>) {
    assert!(until(PATIENCE, || begun.load(Ordering::Relaxed)), "no run begins");
    let lan = (load == Load::Dhcp).then(Lan::make);
    let (servers, directory) = (Servers::start(load, lan.as_ref()), scratch());
    let line = load.line(open, &servers, directory.path());
    let run = lan.as_ref().map_or_else(|| brunt(""), |lan| Trial::new(lan.client(binary())));
    let (tool, rest) = line.split_once(' ').expect("a tool and its words");
    let run = run.within(directory.path()).arg(tool).typed("--seed 5 --record alone.json");
    let ended = run.args(rest.split(' ')).run();
    let path = directory.path().join("alone.json");
    assert!(path.exists(), "{ended}");
    (record(&path), servers.requested())
}

/// The merged record of agents, which is that of their own records to the last bucket.
fn by_agents(
    load: Load,
    case: Case,
    begun: &AtomicBool,
) -> (Record, Vec<(RequestKind, u64)>, Ended) {
    let wide = (load == Load::Dhcp).then(|| Wide::start(case.agents as u8));
    let servers = Servers::start(load, wide.as_ref().map(|wide| &wide.lan));
    let place: Box<dyn Launcher> = match wide {
        Some(wide) => Box::new(wide),
        None => Box::new(Broker::start()),
    };
    let directory = scratch();
    let line = load.line(case.open, &servers, directory.path());
    let weights: Vec<&str> = ["3", "1", "2", "1", "1", "2", "1", "1"][..case.agents].to_vec();
    let weights = weights.join(",");
    // An agent that a busy machine keeps from being heard for a while still carries out its share.
    let mut options = vec!["--on-loss", "go-on"];
    if case.weighted {
        options.extend(["--weights", &weights]);
    }
    let attempt = Attempt::start(&*place, case.agents, &options, &line, directory);
    let sends = until(PATIENCE, || !servers.requested().is_empty());
    begun.store(true, Ordering::Relaxed);
    let result = attempt.wait(&[]);
    assert!(sends, "{case:?}: nothing was sent: {}", result.ended);
    let whole = result.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", result.ended));
    // One share is the whole, and nothing can be added to it.
    let own = if case.agents == 1 { result.kept[0].clone() } else { result.merged() };
    same(whole, &own);
    assert_eq!(Figures::new(whole), Figures::new(&own), "{case:?}");
    let whole = result.whole.expect("it was looked at");
    (whole, servers.requested(), result.ended)
}

/// Holds a merged record against that of one process, and both against the script.
fn agree(load: Load, case: Case, whole: &Record, one: &Record, context: &str) {
    assert_eq!(Figures::new(whole), Figures::new(one), "{context}");
    let (classes, refused) = scripted(load, case.open);
    let first = Operation::from_record(&whole.operations[0]);
    assert_eq!((first.response, first.service, first.counts.failed), (classes, classes, refused));
    assert!(whole.conservation.holds && whole.counts.dropped == 0, "{context}");
    if load == Load::Plan {
        // The second step has the number of the first, and is not taken after a refusal.
        let second = &whole.operations[1];
        assert_eq!(second.counts.ok, first.counts.ok, "{context}");
    }
    if case.agents == 1 {
        return;
    }
    let nodes: Vec<u64> = whole.nodes.iter().map(|node| node.counts.planned).collect();
    assert_eq!(
        (nodes.len(), nodes.iter().sum::<u64>()),
        (case.agents, whole.counts.planned),
        "{context}"
    );
    let (least, most) = (nodes.iter().min().expect("nodes"), nodes.iter().max().expect("nodes"));
    if case.weighted {
        assert!(nodes[0] == *most && *most >= 2 * least, "{context}: {nodes:?}");
    } else if load != Load::Plan {
        assert!(most - least <= 2, "{context}: {nodes:?}");
    }
}

/// Carries out all of these, and each kind of loop by one process.
fn shared(load: Load, cases: &[Case]) {
    let begun = &AtomicBool::new(false);
    let mut all = Vec::new();
    let ones = thread::scope(|scope| {
        let one = |open| scope.spawn(move || by_one_process(load, open, begun));
        let ones = [false, true].map(one);
        for wave in waves(cases) {
            let agents = |case: &Case| {
                let case = *case;
                scope.spawn(move || by_agents(load, case, begun))
            };
            let threads: Vec<_> = wave.iter().map(agents).collect();
            all.extend(threads.into_iter().map(|it| it.join().expect("agents")));
        }
        ones.map(|it| it.join().expect("one process"))
    });
    for (case, (whole, requested, ended)) in cases.iter().zip(&all) {
        let (one, asked_by_one) = &ones[usize::from(case.open)];
        let context = format!("{load:?} {case:?}: {ended}");
        let expected = load.expected(case.open);
        assert_eq!((requested, asked_by_one), (&expected, &expected), "{context}");
        agree(load, *case, whole, one, &context);
    }
}

/// Those that are carried out at a time, for no more agents than a small machine has room for.
fn waves(mut cases: &[Case]) -> Vec<&[Case]> {
    let mut waves = Vec::new();
    while !cases.is_empty() {
        let mut agents = 0;
        let fit = cases.iter().take_while(|case| {
            agents += case.agents;
            agents <= TOGETHER
        });
        let (wave, rest) = cases.split_at(fit.count());
        waves.push(wave);
        cases = rest;
    }
    waves
}

// Each protocol has an open and a closed loop, one of them even and the other weighted: which one differs from protocol
// to protocol, so that there is each. How a load is divided among any number of nodes is tested by the engine.

#[test]
fn ldap_searches_of_agents_equal_one_process() {
    if require(&["nats-server"]) {
        shared(Load::Ldap, &[case(2, false, false), case(1, false, true), case(8, true, true)]);
    }
}

#[test]
fn http_requests_of_agents_equal_one_process() {
    if require(&["nats-server"]) {
        shared(Load::Http, &[case(5, true, false), case(2, false, true)]);
    }
}

#[test]
fn plan_rows_of_agents_equal_one_process() {
    if require(&["nats-server"]) {
        shared(Load::Plan, &[case(2, false, false), case(4, true, true)]);
    }
}

#[test]
fn dhcp_leases_of_agents_equal_one_process() {
    if require(&["ip", "root", "nats-server"]) {
        shared(Load::Dhcp, &[case(6, false, true), case(4, true, false)]);
    }
}
