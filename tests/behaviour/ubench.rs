//! `sqlite_ubench` and `memfile_ubench` as processes: their names, the files they have by default, signals. What they
//! print and leave is seen in the process of the tests (`tests/in_memory`).

use std::os::unix::fs::symlink;
use std::process::Command;

use rustix::process::Signal;

use brunt_test_program::{Trial, binary, brunt, scratch};

#[test]
fn ubench_link_is_the_program_of_its_name() {
    let directory = scratch();
    for (program, file) in [("sqlite_ubench", "sqlite.db"), ("memfile_ubench", "dhcpd.leases")] {
        let link = directory.path().join(program);
        symlink(binary(), &link).unwrap();
        let linked = Trial::new(Command::new(&link)).within(directory.path()).typed("-n5 -sno");
        let ended = linked.run().expect(0);
        assert_eq!(ended.stdout.matches(" leases4 repeated 5 times took ").count(), 4, "{ended}");
        assert!(directory.path().join(file).exists(), "{ended}");
    }
}

#[test]
fn ubench_signal_prints_partial_results() {
    let directory = scratch();
    let mut program = brunt("sqlite_ubench -n 1000000").within(directory.path()).start();
    program.wait_until("some marks", |stdout, _| stdout.contains("CREATE:   ...."));
    program.signal(Signal::TERM);
    let ended = program.wait().expect(143);
    let marks = ended.stdout.lines().find_map(|line| line.strip_prefix("CREATE:   "));
    let created = marks.expect("marks").len();
    let line = ended.stdout.lines().last().unwrap();
    assert!(line.starts_with(&format!("Create leases4 repeated {created} times took ")), "{line}");
}
