//! Several agents as one run, with a real nats-server and real processes: the one record must agree with the target's
//! counts and with the agents' own records; and the run must end properly when an agent, the broker or the coordinator
//! dies.

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_cluster::keys::{self, Wanted};
use brunt_cluster::signature::Signer;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::{Record, Status};
use brunt_testbed::{Daemon, Slapd, free_port, require, until};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use brunt_test_program::{Program, Target, Targets, Trial, brunt, run, scratch, slapd};

const PATIENCE: Duration = Duration::from_secs(90);

/// A broker that can be killed and started again at the same address.
pub(crate) struct Broker {
    daemon: Option<Daemon>,
    pub(crate) directory: TempDir,
    port: u16,
}

impl Broker {
    pub(crate) fn start() -> Self {
        let mut broker = Self { daemon: None, directory: scratch(), port: free_port() };
        broker.again();
        broker
    }

    pub(crate) fn again(&mut self) {
        let mut server = Command::new("nats-server");
        server.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]);
        let log = self.directory.path().join("nats.log");
        self.daemon = Some(Daemon::start(&server, &log));
        let port = self.port;
        assert!(until(PATIENCE, || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()));
    }

    pub(crate) fn kill(&mut self) {
        self.daemon = None;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address())
    }

    pub(crate) fn agent(&self, name: &str, more: &[&str]) -> Program {
        self.agent_of(name, more).start()
    }

    /// The same, whose current directory is this one.
    pub(crate) fn agent_in(&self, directory: &Path, name: &str, more: &[&str]) -> Program {
        self.agent_of(name, more).within(directory).start()
    }

    pub(crate) fn agent_of(&self, name: &str, more: &[&str]) -> Trial {
        let agent = brunt("agent --once --nats").args([&self.url(), "--name", name]).args(more);
        agent.arg("--records").arg(self.records())
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.directory.path().join("records")
    }

    /// Two agents and a coordinator of a load on a directory.
    fn run(&self, slapd: &Slapd, seconds: u32, more: &[&str]) -> (Vec<Program>, Program) {
        let agents = ["a", "b"].map(|name| self.agent(name, &[]));
        let run = brunt("cluster run --nats").arg(self.url()).typed("--agents 2 --seed 5");
        let run = run.args(more).arg("--record").arg(self.whole()).arg("--");
        (agents.into(), run.args(load(slapd, seconds)).start())
    }

    pub(crate) fn whole(&self) -> PathBuf {
        self.directory.path().join("whole.json")
    }
}

/// Searches at 100 a second.
pub(crate) fn load(slapd: &Slapd, seconds: u32) -> Vec<String> {
    let port = slapd.port();
    let line = format!(
        "searchrate -h 127.0.0.1 -p {port} -b dc=example,dc=com -M 100 -d {seconds} -c 4 (uid=user.1)"
    );
    line.split(' ').map(str::to_owned).collect()
}

pub(crate) fn record(path: &Path) -> Record {
    Record::read(path).unwrap_or_else(|error| panic!("failed to {error}"))
}

/// The records that agents have kept.
pub(crate) fn kept(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).expect("the agents' records").flatten().map(|it| it.path());
    let records = files.filter(|path| path.extension().is_some_and(|it| it == "json"));
    records.map(|path| path.display().to_string()).collect()
}

/// The same by `brunt merge` of the agents' own records.
pub(crate) fn merged(directory: &Path) -> Record {
    let all = directory.join("merged.all");
    let mut words = vec!["merge".to_owned(), "--record".to_owned(), all.display().to_string()];
    words.extend(kept(directory));
    run(&words);
    record(&all)
}

/// Checks that two records are of the same exchanges, to the bucket.
pub(crate) fn same(one: &Record, other: &Record) {
    assert_eq!((one.counts, &one.conservation), (other.counts, &other.conservation));
    assert_eq!(one.operations.len(), other.operations.len());
    for (one, other) in one.operations.iter().zip(&other.operations) {
        assert_eq!(one.response.hdr_v2, other.response.hdr_v2);
        assert_eq!(one.codes, other.codes);
    }
}

/// Waits until a coordinator's run sends.
fn sends(slapd: &Slapd) {
    assert!(until(PATIENCE, || slapd.operations().searches > 20));
}

/// The processes that an agent has started: its run.
pub(crate) fn runs_of(agent: &Program) -> Vec<Pid> {
    children_of(agent.id())
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

fn children_of(process: u32) -> Vec<Pid> {
    let task = format!("/proc/{process}/task/{process}/children");
    let children = fs::read_to_string(task).unwrap_or_default();
    children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

pub(crate) fn is_gone(pid: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    status.map_or(true, |stat| stat.contains(") Z"))
}

#[test]
fn cluster_run_merges_agents_for_every_protocol() {
    if !require(&["nats-server"]) {
        return;
    }
    let targets = Targets::start();
    let directory = scratch();
    for (name, line) in targets.commands(directory.path()) {
        // Two relays of DHCP cannot have one address, and agents of one machine have one.
        if name == "dhcp" {
            continue;
        }
        let line: Vec<String> = line.into_iter().filter(|word| word != "--quiet").collect();
        let (all, kept) = (directory.path().join("all.json"), directory.path().join(name));
        let events = directory.path().join("all.ndjson");
        let cluster = brunt("cluster run --local 2 --seed 3 --records").arg(&kept);
        let cluster = cluster.arg("--record").arg(&all).arg("--events").arg(&events);
        let ended = cluster.arg("--").args(&line).run().expect(0);
        let whole = record(&all);
        assert_eq!((whole.counts.planned, whole.counts.ok), (100, 100), "{name}: {ended}");
        assert_eq!((whole.nodes.len(), whole.plan.seed), (2, 3), "{name}");
        assert!(whole.conservation.holds, "{name}");
        same(&whole, &merged(&kept));
        // What the rows of the live view held adds up to the same.
        let lines = fs::read_to_string(&events).expect("events");
        let planned =
            lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let planned: u64 = planned.filter_map(|line| line["planned"].as_u64()).sum();
        assert_eq!(planned, 100, "{name}");
        let words = whole.command.join(" ");
        assert!(words.contains("--") && !words.contains("password "), "{name}: {words}");
    }
}

#[test]
fn cluster_run_survives_a_broker_outage_of_a_second() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let mut broker = Broker::start();
    // Long enough that the broker is away in the middle of it, however late this process is.
    let (agents, run) = broker.run(&slapd, 15, &[]);
    sends(&slapd);
    broker.kill();
    let clock = Monotonic::new();
    until(PATIENCE, || clock.now().since_origin() > Duration::from_secs(1));
    broker.again();
    let ended = run.wait().expect(0);
    let whole = record(&broker.whole());
    assert_eq!(whole.counts.planned, 1_500, "{ended}");
    assert_eq!(whole.conservation.counts.sent, slapd.operations().searches, "{ended}");
    assert!(whole.verdict.notes.iter().any(|note| note.contains("the broker was away")), "{ended}");
    for agent in agents {
        agent.wait().expect(0);
    }
    same(&whole, &merged(&broker.records()));
    // All clocks are of one machine, so what the agents' own records say of their beginnings is the truth.
    let own: Vec<Record> = kept(&broker.records()).iter().map(|it| record(Path::new(it))).collect();
    let began = |record: &Record| record.started.parse::<jiff::Timestamp>().expect("a moment");
    let first = own.iter().map(began).min().expect("two records");
    for node in &whole.nodes {
        let of = |it: &&Record| it.node.as_ref().is_some_and(|it| it.rank == node.node.rank);
        let own = began(own.iter().find(of).expect("its record")).duration_since(first);
        let (skew, way) = (node.skew_s.expect("known"), node.round_trip_s.expect("known"));
        assert!((skew - own.as_secs_f64()).abs() <= way + 0.001, "{skew} and {own:?}: {way}");
        assert!(node.name.as_deref() == Some(["a", "b"][node.node.rank as usize]), "{ended}");
        assert!(node.drift_s.expect("known").abs() <= way + 0.01, "{:?}", node.drift_s);
        assert!(node.wall_ahead_s.expect("known").abs() < 1.0 && node.lost_at_s.is_none());
    }
}

#[test]
fn killed_agent_is_reported_and_stops_the_run() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let broker = Broker::start();
    // It would last longer than a test waits: it ends because the loss is noticed, the others stop, and all report.
    let (agents, run) = broker.run(&slapd, 1_200, &[]);
    sends(&slapd);
    let runs = runs_of(&agents[1]);
    assert_eq!(runs.len(), 1);
    agents[1].signal(Signal::KILL);
    assert!(until(PATIENCE, || is_gone(runs[0])), "its run goes on");
    let ended = run.wait().expect(5);
    let whole = record(&broker.whole());
    assert!(whole.verdict.status >= Status::Partial, "{:?}", whole.verdict);
    let lost = whole.verdict.reasons.iter().find(|reason| reason.text.contains("lost at"));
    let lost = lost.unwrap_or_else(|| panic!("{:?}", whole.verdict));
    assert!(lost.text.contains("of its 50/s"), "{lost:?}");
    let (counted, seen) = (whole.conservation.counts.sent, slapd.operations().searches);
    // What is missing is of the killed agent, and no more than the reason says.
    assert!(counted <= seen && seen - counted <= 50 * 3, "{counted} of {seen}: {ended}");
    let mut agents = agents.into_iter();
    agents.next().expect("one is left").wait().expect(0);
}

#[test]
fn agent_without_coordinator_stops_and_keeps_its_record() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let broker = Broker::start();
    let (agents, run) = broker.run(&slapd, 1_200, &[]);
    sends(&slapd);
    let runs: Vec<Pid> = agents.iter().flat_map(runs_of).collect();
    assert_eq!(runs.len(), 2);
    // How many seconds that takes is `LEASE` of `crates/cluster`, whose tests are in virtual time.
    run.signal(Signal::KILL);
    assert!(until(PATIENCE, || runs.iter().all(|pid| is_gone(*pid))));
    let seen = slapd.operations().searches;
    let sent: u64 = kept(&broker.records())
        .iter()
        .map(|path| record(Path::new(path)).conservation.counts.sent)
        .sum();
    assert_eq!(sent, seen);
    drop(agents);
}

#[test]
fn lost_broker_ends_the_run_and_agents_keep_records() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let mut broker = Broker::start();
    let (agents, run) = broker.run(&slapd, 60, &[]);
    sends(&slapd);
    let runs: Vec<Pid> = agents.iter().flat_map(runs_of).collect();
    broker.kill();
    let ended = run.wait().expect(7);
    assert!(ended.output().contains("brunt merge"), "{ended}");
    assert!(until(PATIENCE, || runs.iter().all(|pid| is_gone(*pid))));
    let whole = merged(&broker.records());
    assert_eq!(whole.conservation.counts.sent, slapd.operations().searches);
    drop(agents);
}

#[test]
fn killed_coordinator_ends_local_agents_and_broker() {
    if !require(&["nats-server"]) {
        return;
    }
    let (rest, directory) = (Target::start("rest"), scratch());
    let events = directory.path().join("events");
    let cluster = brunt("cluster run --local 2 --events").arg(&events);
    let run = cluster.typed("-- http -q 50 -z 20m").arg(rest.url("/sleep?ms=1")).start();
    let written = || fs::read_to_string(&events).unwrap_or_default();
    assert!(until(PATIENCE, || written().contains("\"planned\"")), "{}", written());
    let children = children_of(run.id());
    let runs: Vec<Pid> = children.iter().flat_map(|pid| children_of(number(*pid))).collect();
    // The broker and two agents, each with its run.
    assert_eq!((children.len(), runs.len()), (3, 2), "{children:?} {runs:?}");
    run.signal(Signal::KILL);
    assert!(until(PATIENCE, || children.iter().chain(&runs).all(|pid| is_gone(*pid))));
}

#[test]
fn agent_policy_refuses_forbidden_orders() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let broker = Broker::start();
    let policy = broker.directory.path().join("agent.toml");
    let public = order_key(&broker);
    for (text, named) in [
        (format!("orders_from = ['{public}']\ntargets = ['127.0.0.0/8']\n"), None),
        ("orders_from = []\ntargets = ['127.0.0.0/8']\n".to_owned(), Some("orders_from")),
        (
            format!(
                "orders_from = ['{}']\ntargets = ['127.0.0.0/8']\n",
                Signer::generate().0.public()
            ),
            Some("orders_from"),
        ),
        (
            format!("orders_from = ['{public}']\ntargets = ['127.0.0.0/8']\nrate_max = 99\n"),
            Some("rate_max"),
        ),
        (
            format!("orders_from = ['{public}']\ntargets = ['127.0.0.0/8']\ncommands = ['http']\n"),
            Some("commands"),
        ),
        (format!("orders_from = ['{public}']\ntargets = ['192.0.2.0/24']\n"), Some("127.0.0.1")),
    ] {
        let before = slapd.operations().searches;
        fs::write(&policy, text).expect("a file");
        let _agent = broker.agent("a", &["--policy", &policy.display().to_string()]);
        let seed = broker.directory.path().join("order.seed").display().to_string();
        let run = brunt("cluster run --agents 1 --patience 60s --nats").arg(broker.url());
        let ended = run.args(["--sign", &seed, "--"]).args(load(&slapd, 1)).run();
        let sent = slapd.operations().searches - before;
        match named {
            None => assert_eq!((ended.code(), sent), (0, 100), "{ended}"),
            Some(named) => {
                assert_eq!((ended.code(), sent), (8, 0), "{ended}");
                // Which agent, which rule, and what to do.
                let output = ended.output();
                assert!(output.contains("refused: a on ") && output.contains(named), "{ended}");
                let of_policy = named.contains('_') || named == "commands";
                assert!(!of_policy || output.contains("in agent.toml"), "{ended}");
                assert!(output.contains("owner"), "{ended}");
                assert!(
                    !output.contains("add it with --allow"),
                    "it is not the order's to add: {ended}"
                );
            }
        }
    }
}

/// The public half of a key that signs orders.
pub(crate) fn order_key(broker: &Broker) -> String {
    let path = broker.directory.path().join("order.seed");
    let (signer, seed) = Signer::generate();
    fs::write(&path, format!("{}\n", *seed)).expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("its owner's alone");
    signer.public()
}

#[test]
fn cluster_run_refuses_options_of_one_machine() {
    for (words, code, named) in [
        (
            &["--agents", "2", "--", "http", "--record", "x", "http://127.0.0.1:9"][..],
            2,
            "--record",
        ),
        (&["--agents", "2", "--", "leases", "sqlite"], 2, "leases"),
        (&["--agents", "2", "--", "authrate", "-D", "uid=a", "-w", "secret"], 2, ":env"),
        (&["--agents", "2", "--node", "0/2", "--", "http", "http://127.0.0.1:9"], 2, "--node"),
        (&["--agents", "2", "--", "http", "http://127.0.0.1:9"], 2, "--nats"),
        (
            &[
                "--agents",
                "2",
                "--nats",
                "nats://192.0.2.1:4222",
                "--",
                "http",
                "http://127.0.0.1:9",
            ],
            1,
            "TLS",
        ),
    ] {
        let ended = run([&["cluster", "run"][..], words].concat());
        assert_eq!(ended.code(), code, "{ended}");
        assert!(
            ended.output().contains(named) && !ended.output().contains("secret "),
            "{named}: {ended}"
        );
    }
    let alone = brunt("cluster run --local 2 -- http http://127.0.0.1:9").env("PATH", "/nowhere");
    let ended = alone.run().expect(1);
    assert!(ended.output().contains("apt-get install nats-server"), "{ended}");
}

#[test]
fn cluster_run_with_too_few_agents_sends_nothing() {
    if !require(&["nats-server"]) {
        return;
    }
    let broker = Broker::start();
    let mut agent = broker.agent("only", &[]);
    agent.wait_until("it waits", |_, stderr| stderr.contains("waits for orders"));
    let listed = run(["agents", "--nats", &broker.url()]).expect(0);
    assert!(listed.stdout.lines().any(|line| line.starts_with("only ")), "{listed}");
    let url = broker.url();
    let line = [
        "cluster",
        "run",
        "--nats",
        &url,
        "--agents",
        "2",
        "--patience",
        "2s",
        "--",
        "http",
        "http://127.0.0.1:9",
    ];
    let ended = run(line).expect(1);
    assert!(ended.output().contains("2 agents were asked for, and there are 1: only"), "{ended}");
}

/// A broker that knows two agents and a coordinator by the keys that it makes in this directory, and its port.
pub(crate) fn keyed_broker(directory: &Path) -> (Daemon, u16) {
    let wanted = Wanted {
        agents: 2,
        hosts: vec!["localhost".to_owned()],
        port: free_port(),
        from: "2000-01-01".parse().expect("a day"),
        until: "2999-01-01".parse().expect("a day"),
    };
    keys::make(directory, &wanted).expect("keys");
    let mut server = Command::new("sh");
    server.args(["-c", "cd \"$1\" && exec nats-server -a 127.0.0.1 -c nats.conf", "sh"]);
    server.arg(directory.join("nats"));
    let daemon = Daemon::start(&server, &directory.join("log"));
    daemon.wait_for_port(wanted.port);
    (daemon, wanted.port)
}

#[test]
fn cluster_keys_are_enough_for_agents_and_coordinator() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    let directory = scratch();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let (_daemon, port) = keyed_broker(directory.path());
    let agents = ["agents/agent-0", "agents/agent-1"].map(|place| {
        brunt("agent --once --keys").args([&at(place), "--records", &at("records")]).start()
    });
    // Nobody's keys, a token and an authority of the system are not let in.
    let stranger = run(["agents", "--nats", &format!("tls://localhost:{port}")]).expect(1);
    assert!(stranger.output().contains("reach the broker"), "{stranger}");
    let run = brunt("cluster run --agents 2").args(["--keys", &at("coordinator")]);
    let run = run.args(["--record", &at("all.json"), "--"]);
    let ended = run.args(load(&slapd, 1)).run().expect(0);
    let whole = record(&directory.path().join("all.json"));
    assert_eq!((whole.counts.planned, slapd.operations().searches), (100, 100), "{ended}");
    for agent in agents {
        agent.wait().expect(0);
    }
}
