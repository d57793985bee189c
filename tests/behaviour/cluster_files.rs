//! Files are sent with an order: a plan and the files it names come from the coordinator, secrets are the agents' own,
//! and no file stays behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use brunt_testbed::require;
use tempfile::TempDir;

use crate::cluster::{Broker, order_key, record};
use brunt_test_program::{Ended, Program, RestTarget, brunt, scratch};

/// More than one piece of a file.
const ROWS: usize = 150;
const PADDING: usize = 8_000;

/// A directory with a plan, and what it reads but for its secret.
fn plan(target: &RestTarget) -> TempDir {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("data")).expect("a directory");
    let text = format!(
        "[run]\nusers = 4\n[http]\nbase = '{}'\n[variables]\ntoken = {{ file = 'token' }}\n\
         [feeders]\npeople = {{ csv = 'data/people.csv', order = 'unique' }}\n\
         [[scenario]]\nname = 'visit'\n[[scenario.steps]]\nname = 'visit'\n\
         post = '/echo?name=${{people.name}}&token=${{token}}'\nbody-file = 'body.json'\n",
        target.base
    );
    let padding = "p".repeat(PADDING);
    let rows: Vec<String> = (0..ROWS).map(|row| format!("user.{row},{padding}\n")).collect();
    for (name, text) in [
        ("plan.toml", text),
        ("data/people.csv", format!("name,padding\n{}", rows.concat())),
        ("body.json", "{}".to_owned()),
    ] {
        fs::write(at(name), text).expect("a file");
    }
    directory
}

/// Orders the plan of a directory from two agents, which have this in their policies.
fn ordered(broker: &Broker, plan: &Path, more: &str, empty: &Path) -> (Ended, [Program; 2]) {
    let public = order_key(broker);
    let policy = broker.directory.path().join("agent.toml");
    let text = format!("orders_from = ['{public}']\ntargets = ['127.0.0.0/8']\n{more}");
    fs::write(&policy, text).expect("a file");
    let policy = policy.display().to_string();
    let agents = ["a", "b"].map(|name| broker.agent_in(empty, name, &["--policy", &policy]));
    let run = brunt("cluster run --agents 2 --no-live --nats").arg(broker.url()).within(plan);
    let run = run.arg("--sign").arg(broker.directory.path().join("order.seed"));
    let ended = run.arg("--record").arg(broker.whole()).typed("-- run plan.toml").run();
    (ended, agents)
}

#[test]
fn plan_files_come_from_the_coordinator_and_are_removed() {
    if !require(&["nats-server"]) {
        return;
    }
    let (target, broker, empty, data) =
        (RestTarget::start(), Broker::start(), scratch(), scratch());
    let plan = plan(&target);
    fs::write(data.path().join("token"), "of-the-agent\n").expect("a file");
    let more = format!("data = '{}'\n", data.path().display());
    let (ended, agents) = ordered(&broker, plan.path(), &more, empty.path());
    let ended = ended.expect(0);
    let seen = target.stop();
    let whole = record(&broker.whole());
    assert_eq!(whole.conservation.counts.sent, seen.len() as u64, "{ended}");
    // Each row once, over both agents, and with the agents' own secret.
    let mut requested: BTreeMap<&str, u32> = BTreeMap::new();
    for one in &seen {
        *requested.entry(one.target.as_str()).or_default() += 1;
    }
    let paths: Vec<String> =
        (0..ROWS).map(|row| format!("/echo?name=user.{row}&token=of-the-agent")).collect();
    let expected: BTreeMap<&str, u32> = paths.iter().map(|path| (path.as_str(), 1)).collect();
    assert_eq!(requested, expected, "{ended}");
    for agent in agents {
        agent.wait().expect(0);
    }
    assert_eq!(fs::read_dir(empty.path()).expect("it is there").count(), 0);
    let left = fs::read_dir(broker.records()).expect("records").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| name.to_string_lossy().ends_with(".json")), "{left:?}");
    assert!(data.path().join("token").exists());
}

#[test]
fn missing_secret_of_an_agent_stops_the_run() {
    if !require(&["nats-server"]) {
        return;
    }
    let (target, broker, empty) = (RestTarget::start(), Broker::start(), scratch());
    let plan = plan(&target);
    let (ended, _agents) = ordered(&broker, plan.path(), "", empty.path());
    let ended = ended.expect(1);
    assert!(
        ended.output().contains("find token, which has to be on this agent already"),
        "{ended}"
    );
    assert!(ended.output().contains("data in agent.toml"), "{ended}");
    assert_eq!(target.stop().len(), 0, "{ended}");
}

#[test]
fn missing_file_of_the_coordinator_stops_the_run() {
    let (target, elsewhere) = (RestTarget::start(), scratch());
    let plan = plan(&target);
    fs::remove_file(plan.path().join("data/people.csv")).expect("it was there");
    for (directory, named) in [(plan.path(), "people.csv"), (elsewhere.path(), "plan.toml")] {
        let run = brunt("cluster run --nats nats://127.0.0.1:9 --agents 2 -- run plan.toml");
        let ended = run.within(directory).run().expect(2);
        assert!(ended.output().contains(named), "{ended}");
    }
}
