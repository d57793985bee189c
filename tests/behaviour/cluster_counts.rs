//! Several agents as one run against servers that keep books of their own: what nginx served and what Kea granted is
//! what the merged record says.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_cluster::keys::{self, Wanted};
use brunt_record::{Environment, Record};
use brunt_testbed::{Daemon, Kea, KeaOptions, Lan, Listener, Nginx, Served, free_port, require};
use brunt_testbed::{found, until};

use crate::cluster::{Broker, kept, load, merged, record, same};
use crate::program::{Program, among_others, binary, command, scratch, slapd};

const PATIENCE: Duration = Duration::from_secs(60);

/// How many exchanges of a record succeeded, and how many were answered with this status.
fn answered(record: &Record, status: u32) -> (u64, u64) {
    let codes = || record.operations.iter().flat_map(|operation| &operation.codes);
    let ok = codes().filter(|code| code.class == "ok").map(|code| code.count).sum();
    (ok, codes().filter(|code| code.code == Some(status)).map(|code| code.count).sum())
}

#[test]
fn what_nginx_served_is_what_the_record_counts() {
    let _among = among_others();
    if !require(&["nats-server", "nginx"]) {
        return;
    }
    let (nginx, broker) = (Nginx::start(), Broker::start());
    let plan = broker.directory.path().join("plan.toml");
    let text = format!(
        "[run]\nusers = 5\nrate = '60/s'\nduration = '2s'\n[http]\nbase = '{}'\n[[scenario]]\nname = 'both'\n\
         [[scenario.steps]]\nname = 'good'\nget = '/small.txt?n=${{run.iteration}}'\n\
         [[scenario.steps]]\nname = 'bad'\nget = '/status/503'\n",
        nginx.url(Listener::Clear, "")
    );
    fs::write(&plan, text).expect("a file");
    let agents = ["a", "b", "c"].map(|name| broker.agent(name, &[]));
    let mut run = command(binary());
    run.args(["cluster", "run", "--nats", &broker.url(), "--agents", "3", "--weights", "3,2,1"]);
    run.args(["--quiet", "--record"]).arg(broker.whole()).args(["--", "run", "plan.toml"]);
    run.current_dir(broker.directory.path());
    let ended = Program::start(&mut run).wait();
    let whole = record(&broker.whole());
    let served = nginx.served();
    assert_eq!(whole.conservation.counts.sent, served.len() as u64, "{ended}");
    let (good, bad) = answered(&whole, 503);
    assert_eq!(Served::statuses(&served), [(200, good), (503, bad)].into(), "{ended}");
    assert_eq!((good, bad), (120, 120), "{ended}");
    // No iteration is of two agents.
    let mut iterations: Vec<&str> =
        served.iter().filter_map(|one| one.path.split_once("n=")).map(|(_, n)| n).collect();
    iterations.sort_unstable();
    iterations.dedup();
    assert_eq!(iterations.len(), 120, "{ended}");
    same(&whole, &merged(&broker.records()));
    for agent in agents {
        agent.wait().expect(0);
    }
}

/// A broker with keys on the server's host of a network, two agents on two hosts and a coordinator.
struct Wide<'a> {
    lan: &'a Lan,
    directory: &'a Path,
    port: u16,
    _broker: Daemon,
}

impl<'a> Wide<'a> {
    fn start(lan: &'a Lan, directory: &'a Path) -> Self {
        let port = free_port();
        let wanted = Wanted {
            agents: 2,
            hosts: vec![Lan::SERVER_V4.to_string()],
            port,
            from: "2000-01-01".parse().expect("a day"),
            until: "2999-01-01".parse().expect("a day"),
        };
        keys::make(directory, &wanted).expect("keys");
        let orders = fs::read_to_string(directory.join("coordinator/order.pub")).expect("a key");
        let policy =
            format!("orders_from = ['{}']\ntargets = ['{}:67']\n", orders.trim(), Lan::SERVER_V4);
        for agent in ["agent-0", "agent-1"] {
            fs::write(directory.join("agents").join(agent).join("agent.toml"), &policy)
                .expect("a file");
        }
        let mut server = lan.server("sh");
        let script = "cd \"$1\" && exec nats-server -a \"$2\" -c nats.conf";
        server.args(["-c", script, "sh"]).arg(directory.join("nats"));
        server.arg(Lan::SERVER_V4.to_string());
        let broker = Daemon::start(&server, &directory.join("log"));
        let there = || TcpStream::connect((Lan::SERVER_V4, port)).is_ok();
        assert!(lan.as_client(|| until(PATIENCE, there)), "the broker does not listen");
        Self { lan, directory, port, _broker: broker }
    }

    fn agent(&self, mut brunt: Command, name: &str) -> Program {
        brunt.args(["agent", "--once", "--keys"]).arg(self.directory.join("agents").join(name));
        Program::start(brunt.arg("--records").arg(self.directory.join("records")))
    }

    fn run(&self, line: &str) -> Program {
        let mut run = self.lan.client(binary());
        run.args(["cluster", "run", "--agents", "2", "--seed", "5", "--record"]);
        run.arg(self.directory.join("whole.json")).arg("--keys");
        run.arg(self.directory.join("coordinator")).arg("--");
        Program::start(run.args(line.split(' ')))
    }
}

#[test]
fn what_kea_granted_is_what_the_record_counts() {
    let _among = among_others();
    if !require(&["ip", "root", "kea-dhcp4", "nats-server"]) || found("sh").is_none() {
        return;
    }
    let lan = Lan::make();
    let beyond = lan.beyond();
    let (kea, directory) = (Kea::v4(&lan, &KeaOptions::default()), scratch());
    let wide = Wide::start(&lan, directory.path());
    let agents = [
        wide.agent(lan.client(binary()), "agent-0"),
        wide.agent(beyond.client(binary()), "agent-1"),
    ];
    // By the name of the interface, of which each host has one.
    let ended = wide.run("perfdhcp -4 -l lan0 -r 100 -n 200 -R 200 10.77.0.1").wait().expect(0);
    let whole = record(&directory.path().join("whole.json"));
    assert_eq!((whole.nodes.len(), whole.counts.ok), (2, 200), "port {}: {ended}", wide.port);
    let tally = |name: &str| {
        let found = whole.tallies.iter().find(|tally| tally.name == name);
        found.unwrap_or_else(|| panic!("there is no tally {name}: {ended}")).count
    };
    for (statistic, exchange, what) in [
        ("pkt4-discover-received", "DISCOVER-OFFER", "sent"),
        ("pkt4-offer-sent", "DISCOVER-OFFER", "received"),
        ("pkt4-request-received", "REQUEST-ACK", "sent"),
        ("pkt4-ack-sent", "REQUEST-ACK", "received"),
    ] {
        let ours = tally(&format!("{exchange} {what}"));
        assert_eq!((kea.statistic(statistic), ours), (200, 200), "{statistic}: {ended}");
    }
    // No client is of two agents, and half of them had each host's relay.
    assert_eq!((kea.leases().len(), kea.lease_rows().len()), (200, 200), "{ended}");
    same(&whole, &merged(&directory.path().join("records")));
    let records = kept(&directory.path().join("records"));
    let shares = records.iter().map(|path| record(Path::new(path)).counts.ok);
    assert_eq!(shares.collect::<Vec<_>>(), [100, 100], "{records:?}");
    for agent in agents {
        agent.wait().expect(0);
    }
}

#[test]
fn agents_share_a_load_as_they_were_calibrated() {
    let _among = among_others();
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let broker = Broker::start();
    let machine = Environment::read();
    let run = |second: Option<f64>| {
        let agents = [("a", Some(30_000.0)), ("b", second)].map(|(name, per_second)| {
            let state = broker.directory.path().join(format!("{name}-{}", second.is_some()));
            fs::create_dir_all(state.join("brunt")).expect("a directory");
            if let Some(per_second) = per_second {
                let figures = serde_json::json!({
                    "cpu": machine.cpu.clone().unwrap_or_default(),
                    "cores": machine.cores,
                    "per_second": { "search": per_second },
                });
                fs::write(state.join("brunt/ceiling.json"), figures.to_string()).expect("a file");
            }
            let mut agent = command(binary());
            agent.env("XDG_STATE_HOME", &state).args(["agent", "--once", "--nats", &broker.url()]);
            agent.args(["--name", name, "--records"]).arg(broker.records());
            Program::start(&mut agent)
        });
        let mut run = command(binary());
        run.args(["cluster", "run", "--nats", &broker.url(), "--agents", "2", "--quiet"]);
        run.args(["--weights", "ceiling", "--record"]).arg(broker.whole());
        let ended = Program::start(run.arg("--").args(load(&slapd, 1))).wait();
        drop(agents);
        ended
    };
    let ended = run(None).expect(1);
    assert!(ended.said().contains("b: not calibrated for search"), "{ended}");
    assert_eq!(slapd.operations().searches, 0, "{ended}");
    let ended = run(Some(10_000.0)).expect(0);
    let whole = record(&broker.whole());
    let shares: Vec<u64> = whole.nodes.iter().map(|node| node.counts.planned).collect();
    assert_eq!((shares, slapd.operations().searches), (vec![75, 25], 100), "{ended}");
}
