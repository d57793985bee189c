//! The plans in `examples/plans`, carried out as their first lines say.

use std::path::Path;

use crate::loadgen::target::RestTarget;
use crate::program::{Ended, Program, among_others, binary, command};

fn example(name: &str, target: &RestTarget, path: &str, line: &[&str]) -> Ended {
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plans").join(name);
    let mut brunt = command(binary());
    brunt
        .arg("run")
        .arg(plan)
        .args(["--set", &format!("http.base={}{path}", target.base)])
        .args(line);
    // How fast it is depends on the machine; that it works does not.
    brunt.args(["--set", "objectives=[]"]).env("CLIENT_SECRET", "password");
    Program::start(&mut brunt).wait()
}

#[test]
fn every_example_works() {
    let _among = among_others();
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
