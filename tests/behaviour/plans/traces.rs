//! A plan that is inspected step by step: `--once` prints every exchange, and `--trace` writes those that failed.

use brunt_test_program::{Plan, Program, RestTarget, binary, command, run};

#[test]
fn once_traces_a_url_and_ldap_searches() {
    let target = RestTarget::start();
    let url = format!("{}/headers", target.base);
    let ended = run(["http", "--once", &url]).expect(0);
    assert!(ended.stdout.contains("passed (200 OK) after"), "{ended}");
    assert_eq!(target.stop().len(), 1);
    let mut directory = Program::start(command(binary()).args([
        "target",
        "ldap",
        "--listen",
        "127.0.0.1:0",
        "--users",
        "5",
    ]));
    let mut server = String::new();
    directory.wait_until("its address", |stdout, _| {
        stdout.lines().next().unwrap_or_default().clone_into(&mut server);
        stdout.contains('\n')
    });
    let ended = Plan::from_text(&format!(
        "[run]\nduration = \"1h\"\n[ldap]\nserver = \"{server}\"\n[[scenario]]\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"wrong\"\nldap = {{ bind = {{ \
         dn = \"uid=user.1,ou=people,dc=example,dc=com\", password = \"hidden\" }} }}\n\
         [[scenario.steps]]\nname = \"find\"\nldap = {{ search = {{ base = \"dc=example,dc=com\", \
         filter = \"(uid=user.1)\", attributes = [\"sn\"] }} }}\n\
         checks = [{{ attribute = \"sn\", equals = \"Nobody\" }}]\n\
         [[scenario.steps]]\nname = \"compare\"\nldap = {{ compare = {{ \
         dn = \"uid=user.1,ou=people,dc=example,dc=com\", attribute = \"uid\", value = \"user.1\" }} }}\n"
    ))
    .run(&["--once"])
    .expect(3);
    for part in [
        "-- wrong: FAILED (invalidCredentials) after",
        "   > LDAP bind as uid=user.1,ou=people,dc=example,dc=com\n   > password: ***\n",
        "   > LDAP search dc=example,dc=com (subtree)\n   > filter: (uid=user.1)\n   > attributes: sn\n",
        "   < dn: uid=user.1,ou=people,dc=example,dc=com\n",
        "should be 'Nobody' but it is '",
        "-- compare: passed (compareTrue) after",
        "3 steps: 1 passed, 2 failed\n",
    ] {
        assert!(ended.stdout.contains(part), "{part} is not there: {ended}");
    }
    assert!(!ended.stdout.contains("hidden"), "{ended}");
}
