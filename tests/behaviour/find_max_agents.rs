//! `brunt find-max --agents`: each step is a run that several agents share, and the target's own log shows that
//! together they requested everything once.

use std::collections::HashSet;
use std::fs;

use brunt_record::{Collection, Mode};
use brunt_testbed::require;

use crate::cluster::Broker;
use brunt_test_program::{Program, RestTarget, binary, command, scratch, without_a_limit};

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
        let mut agent = command(binary());
        agent.current_dir(empty.path()).args(["agent", "--nats", &broker.url(), "--name", name]);
        Program::start(agent.arg("--records").arg(broker.records()))
    });
    let found = directory.path().join("found.json");
    let mut search = command(binary());
    search.current_dir(directory.path()).args(SHORT).args([
        "--agents",
        "2",
        "--nats",
        &broker.url(),
    ]);
    search.args(["--slo", "p50<2s", "--slo", "achieved>=50%", "--from", "60/s", "--to", "60/s"]);
    search.arg("--record").arg(&found).args(["--seed", "7", "--", "run", "visit.toml"]);
    let ended = Program::start(&mut search).wait();
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
