//! Several agents as one run against servers with their own counts: what nginx served and what Kea granted must agree
//! with the merged record.

use std::fs;

use brunt_record::{Environment, Record};
use brunt_testbed::{Kea, KeaOptions, Listener, Nginx, Served, require};

use crate::cluster::{Broker, load, merged, record, same};
use crate::cluster_attempt::Attempt;
use crate::cluster_wide::Wide;
use brunt_test_program::{brunt, scratch, slapd};

/// How many exchanges of a record succeeded, and how many were answered with this status.
fn answered(record: &Record, status: u32) -> (u64, u64) {
    let codes = || record.operations.iter().flat_map(|operation| &operation.codes);
    let ok = codes().filter(|code| code.class == "ok").map(|code| code.count).sum();
    (ok, codes().filter(|code| code.code == Some(status)).map(|code| code.count).sum())
}

#[test]
fn nginx_log_agrees_with_the_merged_record() {
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
    let run = brunt("cluster run --agents 3 --weights 3,2,1 --no-live --nats").arg(broker.url());
    let run = run.arg("--record").arg(broker.whole()).typed("-- run plan.toml");
    let ended = run.within(broker.directory.path()).run();
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

#[test]
fn kea_counts_agree_with_the_merged_record() {
    if !require(&["ip", "root", "kea-dhcp4", "nats-server"]) {
        return;
    }
    let wide = Wide::start(2);
    let kea = Kea::v4(&wide.lan, &KeaOptions::default());
    // By the name of the interface, of which each host has one.
    let load = "perfdhcp -4 -l lan0 -r 100 -n 200 -R 200 10.77.0.1";
    let came = Attempt::start(&wide, 2, &[], load, scratch()).wait(&[]);
    let (ended, whole) = (&came.ended, came.whole.as_ref().expect("a record"));
    assert_eq!((ended.code(), whole.nodes.len(), whole.counts.ok), (0, 2, 200), "{ended}");
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
    same(whole, &came.merged());
    let shares = came.kept.iter().map(|record| record.counts.ok);
    assert_eq!(shares.collect::<Vec<_>>(), [100, 100], "{ended}");
}

#[test]
fn calibrated_agents_share_the_load_by_capacity() {
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
            broker.agent_of(name, &[]).env("XDG_STATE_HOME", &state).start()
        });
        let run = brunt("cluster run --agents 2 --no-live --weights ceiling --record");
        let run = run.arg(broker.whole()).args(["--nats", &broker.url(), "--"]);
        let ended = run.args(load(&slapd, 1)).run();
        drop(agents);
        ended
    };
    let ended = run(None).expect(1);
    assert!(ended.output().contains("b: not calibrated for search"), "{ended}");
    assert_eq!(slapd.operations().searches, 0, "{ended}");
    let ended = run(Some(10_000.0));
    let whole = record(&broker.whole());
    // Where others take the processors, the directory may stand still for a moment.
    assert_eq!(ended.code(), if whole.away.is_empty() { 0 } else { 5 }, "{ended}");
    let shares: Vec<u64> = whole.nodes.iter().map(|node| node.counts.planned).collect();
    assert_eq!((shares, slapd.operations().searches), (vec![75, 25], 100), "{ended}");
}
