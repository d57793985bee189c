//! The plans in `examples/plans`, carried out as their first lines say.

use std::path::Path;

use brunt_test_program::Ended;

use crate::dhcp::Dhcp;
use crate::directory::Directory;
use crate::machine::own;
use crate::rest_target::RestTarget;

fn example(name: &str, target: &RestTarget, path: &str, settings: &[&str]) -> Ended {
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plans").join(name);
    let base = format!("http.base={}{path}", target.base);
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let line: Vec<&str> =
        ["--seed", "5", "--details", "--set", &base].into_iter().chain(settings).collect();
    own(|machine| machine.record(&["run", plan.to_str().expect("a plain path")], &line)).expect(0)
}

/// Three protocols in one iteration, each of which its server records.
#[test]
fn example_visit_uses_lease_bind_token_and_search() {
    let target = RestTarget::start();
    let _servers = (Directory::start(2_000), Dhcp::start(""));
    let settings =
        ["ldap.server=ldap://10.0.0.2:389", "dhcp.server=10.0.3.1:67", "dhcp.local=10.0.3.9:67"];
    let ended = example("mixed.toml", &target, "", &settings);
    let record = ended.record();
    let names: Vec<&str> = record.operations.iter().map(|one| one.name.as_str()).collect();
    for name in ["lease", "bind", "token", "userinfo", "find", "renew", "release"] {
        let operation = record.operations.iter().find(|one| one.name == name);
        let counts = operation.unwrap_or_else(|| panic!("{name} of {names:?}")).counts;
        // 50 a second for ten seconds, with Poisson's deviations.
        assert!((400..=600).contains(&counts.ok) && counts.errors() == 0, "{name}: {ended}");
    }
    let seen = target.stop();
    let tokens = seen.iter().filter(|seen| seen.target == "/oauth2/access_token");
    // The address of the lease was passed on to the next server.
    let leased = |address: Option<&str>| address.is_some_and(|it| it.starts_with("10."));
    assert!(tokens.clone().count() >= 400, "{ended}");
    assert!(tokens.into_iter().all(|seen| leased(seen.header("x-forwarded-for"))), "{ended}");
}

#[test]
fn examples_all_run() {
    let target = RestTarget::start();
    for (name, path, settings) in [
        ("login.toml", "/openam/json", &[][..]),
        ("tokens.toml", "", &[]),
        ("objects.toml", "/openidm/managed/user", &["run.iterations.shared=50"]),
    ] {
        let ended = example(name, &target, path, settings);
        assert_eq!(ended.record().counts.errors(), 0, "{ended}");
    }
    let seen = target.stop();
    let of = |method: &str| seen.iter().filter(|seen| seen.method == method).count();
    // What the third creates it deletes again.
    assert_eq!((of("PUT"), of("PATCH"), of("DELETE")), (50, 50, 50));
}
