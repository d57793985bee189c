//! How long connections live, and what an absent or a silent server is.

use std::collections::BTreeMap;
use std::sync::Arc;

use brunt_exchange::Clock as _;
use brunt_test_program::Seen;

use crate::machine::own;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;
use crate::stalls::Mute;

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
    let run = Plan::from_text(&plan(&target.base, load, "")).run(&[]).went_well();
    assert_eq!(loads(&target.stop()), [(200, 5)].into(), "{run}");
    assert_eq!((run.part("connect"), run.part("first byte")), (5, 1_000), "{run}");
}

#[test]
fn requests_per_connection_is_kept() {
    for (most, expected) in [(1, BTreeMap::from([(1, 40)])), (3, [(3, 12), (2, 2)].into())] {
        let target = RestTarget::start();
        let http = format!("requests-per-connection = {most}");
        let load = "users = 2\niterations = { each = 20 }";
        let run = Plan::from_text(&plan(&target.base, load, &http)).run(&[]).went_well();
        assert_eq!(run.part("connect"), expected.values().sum::<usize>() as u64, "{run}");
        assert_eq!(loads(&target.stop()), expected, "{run}");
    }
}

#[test]
fn absent_server_is_a_connect_failure() {
    let load = "users = 1\niterations = { each = 3 }";
    let run = Plan::from_text(&plan("http://127.0.0.1:7999", load, "")).run(&[]);
    assert_ne!(run.code(), 0, "{run}");
    assert_eq!(run.of_class("connect"), 3, "{run}");
}

#[test]
fn silent_tls_handshake_ends_after_ten_seconds() {
    let address = own(|machine| machine.serve_locally(Arc::new(Mute)));
    let load = "users = 2\niterations = { each = 2 }";
    let tls = "[http.tls]\ninsecure = true";
    let now = || own(|machine| machine.time().now());
    let began = now();
    let run = Plan::from_text(&plan(&format!("https://{address}"), load, tls)).run(&[]);
    assert_eq!((run.count("failed"), run.of_class("tls")), (4, 4), "{run}");
    assert!(run.to_string().contains("complete the TLS handshake"), "{run}");
    // Each user waits for ten seconds twice, and at most ten milliseconds in between, by the clock of the run.
    let took = now() - began;
    assert!((20_005..=20_010).contains(&took.as_millis()), "{took:?}\n{run}");
}
