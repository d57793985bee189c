//! A wrong command line, of a tool and of brunt itself, given to the program. All other mistakes are made in the
//! process of the tests (`tests/in_memory`).

use brunt_test_program::run;

#[test]
fn usage_errors_name_the_culprit_on_stderr() {
    let tool = run(["authrate", "-D", "cn=a", "-w", "b", "--numConnection", "2"]).expect(89);
    assert!(tool.stdout.is_empty() && tool.output().contains("--numConnections?"), "{tool}");
    let command = run(["frobnicate"]).expect(2);
    assert!(command.stdout.is_empty() && command.output().contains("frobnicate"), "{command}");
}
