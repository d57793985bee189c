//! One journey through a directory and an OpenID provider: both count what the run counts.

use brunt_test_program::{Target, run};

#[test]
fn mixed_plan_binds_and_signs_in_with_oidc() {
    let (directory, provider) = (Target::start("ldap"), Target::start("rest"));
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/identity/pingds/mixed.toml");
    let base = format!("http.base=http://{}/idp", provider.address());
    let server = format!("ldap.server=ldap://{}", directory.address());
    let scratch = brunt_test_program::scratch();
    let path = scratch.path().join("record.json");
    let path = path.to_string_lossy();
    let left_out = ["run.duration", "run.think", "objectives"];
    let left_out = left_out.iter().flat_map(|key| ["--unset", key]);
    let set =
        ["run.users=3", "run.iterations.each=10", "variables.number.random=0..99", &base, &server];
    let set = set.iter().flat_map(|text| ["--set", text]);
    let words = ["run", plan, "--seed", "7", "--record", &path].into_iter();
    let ended = run(words.chain(left_out).chain(set)).expect(0);
    let record = brunt_record::Record::read(std::path::Path::new(&*path)).expect("a record");
    assert_eq!((record.counts.ok, record.counts.failed), (7 * 30, 0), "{ended}");
    let seen = provider.account().output();
    for event in ["LOGIN", "CODE_TO_TOKEN"] {
        assert!(seen.contains(&format!("event: {event} 30")), "{event}: {seen}");
    }
    let seen = directory.account().output();
    assert!(seen.contains("modify 30 30 success"), "{seen}");
}
