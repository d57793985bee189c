//! brunt's embedded DHCP server on the server's host.

use brunt_bench_tool::{Process, brunt};
use brunt_testbed::{Lan, until};
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

const PORT: u16 = 67;
const PATIENCE: Duration = Duration::from_secs(10);

/// A running server, which ends when this is dropped.
pub(crate) struct Target {
    _process: Process,
    _directory: TempDir,
}

impl Target {
    /// Starts it and waits until its port is open.
    pub(crate) fn start(lan: &Lan) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut command = lan.server(brunt());
        let address = format!("{}:{PORT}", Lan::SERVER_V4);
        command.args(["target", "dhcp", "--listen", &address]);
        let mut process = Process::start(command, &directory.path().join("log"));
        let open = until(PATIENCE, || !process.is_running() || listens(process.id()));
        // Asked for only in order to fail with its words if it ended.
        process.cpu();
        assert!(open, "the embedded server did not open {address}");
        Self { _process: process, _directory: directory }
    }
}

/// Whether a process on the host of process `id` has the port.
fn listens(id: u32) -> bool {
    let sockets = fs::read_to_string(format!("/proc/{id}/net/udp")).unwrap_or_default();
    has_port(&sockets, PORT)
}

/// Whether a socket of the kernel's list is at the port: the second column is address and port, in
/// hexadecimal.
fn has_port(sockets: &str, port: u16) -> bool {
    let end = format!(":{port:04X}");
    sockets.lines().any(|line| line.split_whitespace().nth(1).is_some_and(|it| it.ends_with(&end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_is_found_in_the_kernel_table() {
        let list = "  sl  local_address rem_address   st\n\
            \u{20} 12: 01004D0A:0043 00000000:0000 07 00000000:00000000\n";
        assert!(has_port(list, 67));
        assert!(!has_port(list, 547));
    }
}
