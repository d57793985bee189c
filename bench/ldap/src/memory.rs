//! The memory of an idle connection of brunt: its peak with ten thousand, less that with ten.

use brunt_bench_tool::{Process, brunt, pass};
use brunt_testbed::{ADMIN_DN, BASE_DN, Daemon, PASSWORD, free_port};
use std::path::Path;
use std::process::Command;

const FEW: u64 = 10;
const MANY: u64 = 10_000;

/// Measures and prints the figures.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (_target, port) = target(directory.path());
    let few = peak_kib(FEW, port, directory.path());
    let many = peak_kib(MANY, port, directory.path());
    let each = (many.saturating_sub(few)) as f64 / (MANY - FEW) as f64;
    println!("## Memory of brunt searchrate, connections kept open\n");
    println!("| connections | peak MiB | KiB for each further one |");
    println!("|---:|---:|---:|");
    println!("| {FEW} | {:.1} | |", few as f64 / 1024.0);
    println!("| {MANY} | {:.1} | {each:.2} |\n", many as f64 / 1024.0);
}

/// brunt's embedded directory, which holds as many connections as asked.
pub(crate) fn target(directory: &Path) -> (Daemon, u16) {
    let port = free_port();
    let mut command = Command::new(brunt());
    command.args(["target", "ldap", "--users", "2000", "--listen", &format!("127.0.0.1:{port}")]);
    let daemon = Daemon::start(&command, &directory.join("target.log"));
    daemon.wait_for_port(port);
    (daemon, port)
}

fn peak_kib(connections: u64, port: u16, directory: &Path) -> u64 {
    let mut command = Command::new("sh");
    // The limit of descriptors of an ordinary shell is too low for this many.
    command.args([
        "-c",
        "ulimit -n 16384 2>/dev/null || ulimit -n \"$(ulimit -Hn)\"; exec \"$@\"",
        "sh",
    ]);
    command.arg(brunt()).args([
        "searchrate",
        "--noPropertiesFile",
        "-h",
        "127.0.0.1",
        "-p",
        &port.to_string(),
    ]);
    command.args([
        "-D",
        ADMIN_DN,
        "-w",
        PASSWORD,
        "-F",
        "-c",
        &connections.to_string(),
        "-M",
        "1000",
        "-d",
        "12",
    ]);
    command.args(["-b", BASE_DN, "-g", "rand(0,2000)", "(uid=user.{})"]);
    let mut tool = Process::start(command, &directory.join("searchrate.log"));
    pass(10);
    // Asked for only in order to fail if it ended early.
    tool.cpu();
    let held = connected(port);
    assert!(held >= connections, "only {held} of {connections} connections are open");
    tool.resident_peak_kib()
}

/// How many established connections lead to `port`, by the kernel's list.
fn connected(port: u16) -> u64 {
    let list = std::fs::read_to_string("/proc/net/tcp").expect("the kernel lists connections");
    let remote = format!(":{port:04X}");
    let counted = |line: &&str| {
        let mut fields = line.split_whitespace().skip(2);
        fields.next().is_some_and(|address| address.ends_with(&remote))
            && fields.next() == Some("01")
    };
    list.lines().filter(counted).count() as u64
}
