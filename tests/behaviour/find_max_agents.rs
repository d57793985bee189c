//! `brunt find-max --agents`: each step is a run that several agents share, and the target's own log shows that
//! together they requested everything once.

use std::collections::HashSet;
use std::fs;

use brunt_record::{Collection, Mode};
use brunt_testbed::require;

use crate::cluster::Broker;
use brunt_test_program::{RestTarget, brunt, scratch, without_a_limit};

/// A tenth of a second counts as one.
const SHORT: [&str; 6] = ["find-max", "--second", "100ms", "--confirm", "10s", "--quiet"];

#[test]
fn find_max_agents_share_every_step_without_repeats() {
    if !require(&["nats-server"]) {
        return;
    }
    let (target, broker) = (RestTarget::start(), Broker::start());
    let (directory, empty) = (scratch(), scratch());
    let plan = format!(
        "[run]\nusers = 20\n[http]\nbase = '{}'\n[[scenario]]\nname = 'visit'\n[[scenario.steps]]\nname = 'page'\n\
         get = '/bytes/10?n=${{run.iteration}}'\n",
        target.base
    );
    fs::write(directory.path().join("visit.toml"), plan).expect("a file");
    // None has the plan, and each carries out one order after the other.
    let agents = ["a", "b"].map(|name| {
        let agent = brunt("agent --nats").args([&broker.url(), "--name", name, "--records"]);
        agent.arg(broker.records()).within(empty.path()).start()
    });
    let found = directory.path().join("found.json");
    let search = brunt("").within(directory.path()).args(SHORT).typed("--agents 2 --nats");
    let search = search.arg(broker.url()).typed("--slo p50<2s --slo achieved>=50% --from 60/s");
    let search = search.typed("--to 60/s --seed 7 --record").arg(&found);
    let ended = search.typed("-- run visit.toml").run();
    drop(agents);
    let seen = target.stop();
    let mut different = HashSet::new();
    let again: Vec<&str> =
        seen.iter().map(|it| &*it.target).filter(|it| !different.insert(*it)).collect();
    assert_eq!(again, [""; 0], "of {}: {ended}", seen.len());
    // Nothing is said of more than the rate that was allowed.
    without_a_limit(&ended);
    let found: Collection = serde_json::from_str(&fs::read_to_string(&found).expect("a record"))
        .unwrap_or_else(|error| panic!("{error}: {ended}"));
    let (mut sent, mut shared, mut next) = (0, 0, 0);
    for record in found.cells.iter().filter_map(|cell| cell.record.as_ref()) {
        sent += record.conservation.counts.sent;
        assert!(record.plan.first_exchange >= next, "{next}: {ended}");
        next = record.plan.first_exchange + record.conservation.counts.planned;
        if record.plan.mode == Mode::Open {
            // Both did their share, and what they did is the whole.
            let of: Vec<u64> = record.nodes.iter().map(|node| node.counts.planned).collect();
            assert!(of.len() == 2 && of.iter().all(|of| *of > 0), "{of:?}: {ended}");
            assert_eq!(of.iter().sum::<u64>(), record.counts.planned, "{ended}");
            shared += 1;
        }
    }
    assert_eq!(sent, seen.len() as u64, "{ended}");
    assert!(shared >= 3, "{shared}: {ended}");
}
