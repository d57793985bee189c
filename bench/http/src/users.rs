//! The cost of a virtual user: ten thousand of them with think time, in memory and CPU.

use crate::contender::Protocol;
use crate::server::Server;
use brunt_bench_tool::{Process, brunt, pass};
use std::process::Command;

const USERS: u32 = 10_000;

/// Measures and prints the figures.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print() {
    let server = Server::start();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let plan = scratch.path().join("plan.toml");
    std::fs::write(&plan, written(&server.url(Protocol::Http1))).expect("a file can be written");
    let mut command = Command::new("sh");
    // The limit of descriptors of an ordinary shell is too low for this many.
    let raise = "ulimit -n 16384 2>/dev/null || ulimit -n \"$(ulimit -Hn)\"; exec \"$@\"";
    command.args(["-c", raise, "sh"]).arg(brunt()).args(["run", "--quiet"]).arg(&plan);
    let mut tool = Process::start(command, &scratch.path().join("log"));
    pass(10);
    let (cpu, count) = (tool.cpu(), server.requests());
    pass(10);
    let (cpu, count) = (tool.cpu().saturating_sub(cpu), server.requests() - count - 1);
    let peak = tool.resident_peak_kib() as f64 / 1024.0;
    println!("## {USERS} virtual users who think for 1 to 3 s\n");
    println!("| requests/s | CPU us/request | peak MiB | KiB a user |");
    println!("|---:|---:|---:|---:|");
    println!(
        "| {:.0} | {:.2} | {peak:.1} | {:.2} |\n",
        count as f64 / 10.0,
        cpu.as_nanos() as f64 / 1e3 / count as f64,
        peak * 1024.0 / f64::from(USERS)
    );
}

/// The plan that is carried out.
fn written(url: &str) -> String {
    format!(
        "[run]\nusers = {USERS}\nramp-up = \"5s\"\nduration = \"25s\"\n\n\
         [[scenario]]\nname = \"visit\"\n\n\
         [[scenario.steps]]\nname = \"read\"\nget = \"{url}\"\n\n\
         [[scenario.steps]]\npause = \"uniform 1s..3s\"\n"
    )
}

/// Panics unless brunt takes the plan.
pub(crate) fn check() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let plan = scratch.path().join("plan.toml");
    std::fs::write(&plan, written("http://127.0.0.1:1/small.txt")).expect("a file can be written");
    let mut command = Command::new(brunt());
    command.args(["run", "--check"]).arg(&plan);
    Process::start(command, &scratch.path().join("log")).finish();
}
