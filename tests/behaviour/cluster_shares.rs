//! Agents with different shares of a closed loop: their merged record is that of their own records, to the last bucket.
//!
//! That shares of any number of nodes make the whole, with every count, code and time, is tested in virtual time
//! (`tests/in_memory/shares.rs`).

use brunt_testbed::require;

use crate::cluster::{Broker, same};
use crate::cluster_attempt::Attempt;
use brunt_test_program::{Target, scratch};

#[test]
fn closed_loop_is_shared_by_the_weights_of_agents() {
    if !require(&["nats-server"]) {
        return;
    }
    let (target, broker) = (Target::start("ldap"), Broker::start());
    let load = format!(
        "searchrate -h 127.0.0.1 -p {} -b dc=example,dc=com -F -c 24 -m 90 -g inc(0,99999) (uid=n.%d.)",
        target.port()
    );
    // An agent that a busy machine keeps from being heard for a while still carries out its share.
    let options = ["--on-loss", "go-on", "--weights", "3,1,2,1,1"];
    let result = Attempt::start(&broker, 5, &options, &load, scratch()).wait(&[]);
    let whole = result.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", result.ended));
    same(whole, &result.merged());
    assert!(whole.conservation.holds, "{}", result.ended);
    assert_eq!((whole.counts.planned, whole.counts.ok), (90, 90), "{}", result.ended);
    let shares: Vec<u64> = whole.nodes.iter().map(|node| node.counts.planned).collect();
    assert_eq!((shares.len(), shares.iter().sum::<u64>()), (5, 90), "{}", result.ended);
    let least = shares.iter().min().expect("nodes");
    assert!(shares.iter().all(|share| *share <= shares[0]) && shares[0] >= 2 * least, "{shares:?}");
    let account = target.account();
    let searches = account.output();
    assert!(searches.contains("search 90 90 success"), "{account}");
}
