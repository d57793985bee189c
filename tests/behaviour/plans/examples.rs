//! The plans in `examples/plans`, carried out as their first lines say.

use std::path::Path;

use brunt_test_program::{Ended, Program, RestTarget, binary, command};

fn example(name: &str, target: &RestTarget, path: &str, line: &[&str]) -> Ended {
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plans").join(name);
    let mut brunt = command(binary());
    brunt
        .arg("run")
        .arg(plan)
        .args(["--set", &format!("http.base={}{path}", target.base)])
        .args(line);
    // How fast it is depends on the machine; that it works does not.
    brunt.args(["--set", "objectives=[]", "--details"]).env("CLIENT_SECRET", "password");
    Program::start(&mut brunt).wait()
}

/// A server in memory of this kind, and its address.
fn server(line: &[&str]) -> (Program, String) {
    let mut program = Program::start(command(binary()).arg("target").args(line));
    let mut address = String::new();
    program.wait_until("its address", |stdout, _| {
        stdout.lines().next().unwrap_or_default().clone_into(&mut address);
        stdout.contains('\n')
    });
    (program, address)
}

/// Three protocols in one iteration, each of which its server records.
#[test]
fn example_visit_uses_lease_bind_token_and_search() {
    let target = RestTarget::start();
    let (_ldap, ldap) = server(&["ldap", "--listen", "127.0.0.1:0"]);
    let (_dhcp, dhcp) = server(&["dhcp", "--listen", "127.0.0.1:0", "--reply-to-source"]);
    let (ldap, dhcp) = (format!("ldap.server={ldap}"), dhcp.replace("dhcp4://", "dhcp.server="));
    let line = ["--set", &ldap, "--set", &dhcp, "--set", "dhcp.local=127.0.0.1:0"];
    let slow = ["--set", "scenario.1.steps.2.threshold=10s", "--set", "run.duration=1s"];
    let ended = example(
        "mixed.toml",
        &target,
        "",
        &[line, ["--seed", "5", slow[0], slow[1], slow[2], slow[3]]].concat(),
    );
    let ended = ended.expect(0);
    assert!(ended.stdout.contains(" 0 failed, 0 timed out"), "{ended}");
    let seen = target.stop();
    let tokens: Vec<_> = seen.iter().filter(|seen| seen.target == "/oauth2/access_token").collect();
    // The address of the lease was passed on to the next server.
    assert!(
        tokens.len() > 20
            && tokens
                .iter()
                .all(|seen| seen.header("x-forwarded-for").is_some_and(|it| it.starts_with("10.")))
    );
    for name in ["lease", "bind", "find", "renew", "release"] {
        let row = ended.stdout.lines().find(|line| line.starts_with(&format!("{name} response")));
        assert!(row.is_some(), "{name}: {ended}");
    }
}

#[test]
fn examples_all_run() {
    let target = RestTarget::start();
    let slow = "scenario.1.steps.1.threshold=10s";
    for (name, path, line) in [
        ("login.toml", "/openam/json", ["--set", "run.duration=1s"]),
        ("tokens.toml", "", ["--set", "run.stages=20/s for 1s"]),
        ("objects.toml", "/openidm/managed/user", ["--set", "run.iterations.shared=50"]),
    ] {
        let threshold: &[&str] = if name == "objects.toml" { &[] } else { &["--set", slow] };
        let ended = example(name, &target, path, &[&line[..], threshold].concat()).expect(0);
        assert!(ended.stdout.contains(" 0 failed, 0 timed out"), "{ended}");
    }
    let seen = target.stop();
    let of = |method: &str| seen.iter().filter(|seen| seen.method == method).count();
    // What the third creates it deletes again.
    assert_eq!((of("PUT"), of("PATCH"), of("DELETE")), (50, 50, 50));
}
