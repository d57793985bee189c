//! How long connections live, and what an absent server is.

use std::collections::BTreeMap;

use brunt_test_program::Seen;

use crate::rest_target::RestTarget;
use crate::trial::planned;

/// A plan in which each of so many users asks so often for the same page.
fn plan(base: &str, load: &str, http: &str) -> String {
    format!(
        "[run]\n{load}\n[http]\nbase = \"{base}\"\n{http}\n\
         [[scenario]]\nsteps = [{{ name = \"page\", get = \"/\" }}]\n"
    )
}

/// How many connections carried how many requests.
fn loads(seen: &[Seen]) -> BTreeMap<usize, usize> {
    let (mut connections, mut loads) = (BTreeMap::new(), BTreeMap::new());
    for one in seen {
        *connections.entry(one.connection).or_default() += 1;
    }
    for requests in connections.into_values() {
        *loads.entry(requests).or_default() += 1;
    }
    loads
}

#[test]
fn connection_lives_as_long_as_its_user() {
    let target = RestTarget::start();
    let load = "users = 5\niterations = { each = 200 }";
    let run = planned(&plan(&target.base, load, "")).run().went_well();
    assert_eq!(loads(&target.stop()), [(200, 5)].into(), "{run}");
    assert_eq!((run.part("connect"), run.part("first byte")), (5, 1_000), "{run}");
}

#[test]
fn requests_per_connection_is_kept() {
    for (most, expected) in [(1, BTreeMap::from([(1, 40)])), (3, [(3, 12), (2, 2)].into())] {
        let target = RestTarget::start();
        let http = format!("requests-per-connection = {most}");
        let load = "users = 2\niterations = { each = 20 }";
        let run = planned(&plan(&target.base, load, &http)).run().went_well();
        assert_eq!(run.part("connect"), expected.values().sum::<usize>() as u64, "{run}");
        assert_eq!(loads(&target.stop()), expected, "{run}");
    }
}

#[test]
fn absent_server_is_a_connect_failure() {
    let load = "users = 1\niterations = { each = 3 }";
    let run = planned(&plan("http://127.0.0.1:7999", load, "")).run();
    assert_ne!(run.code, 0, "{run}");
    assert_eq!(run.of_class("connect"), 3, "{run}");
}
