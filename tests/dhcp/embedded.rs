//! The embedded server, queried by its own client and by the original tool: what one reports as granted equals what the
//! other reports as received.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_testbed::{Daemon, Lan, Perfdhcp, require, until};

use crate::brunt::Brunt;
use crate::network::old_tool;

/// A `brunt target dhcp` on the server's host.
struct Target {
    daemon: Daemon,
    directory: tempfile::TempDir,
}

impl Target {
    fn start(lan: &Lan, options: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut command: Command = lan.server(Path::new(env!("CARGO_BIN_EXE_brunt")));
        command.args(["target", "dhcp", "--pool", "10.77.1.0-10.77.200.255"]);
        command.args(options.split_whitespace());
        command.arg("--leases-out").arg(directory.path().join("leases.csv"));
        let log = directory.path().join("log");
        let daemon = Daemon::start(&command, &log);
        let listens = || fs::read_to_string(&log).unwrap_or_default().contains("10.77.0.1");
        assert!(until(Duration::from_secs(90), listens), "the target did not start");
        Self { daemon, directory }
    }

    /// Ends it and gives the rows of the leases it wrote.
    fn leases(self) -> usize {
        self.daemon.stop();
        let file = fs::read_to_string(self.directory.path().join("leases.csv"));
        file.expect("the target wrote its leases").lines().skip(1).count()
    }
}

fn lan() -> Option<Lan> {
    require(&["ip", "root"]).then(Lan::make)
}

#[test]
fn target_dhcp_answers_dhcpv4_with_and_without_rapid_commit() {
    let Some(lan) = lan() else { return };
    let target = Target::start(&lan, "--listen 10.77.0.1:67");
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 400 -n 200 -R 200 10.77.0.1").run().went_well();
    assert_eq!(run.tally("REQUEST-ACK received"), 200, "{run}");
    let rapid = "-4 --rapid-commit -b mac=02:aa:00:00:00:00 -l lan0 -r 400 -n 100 -R 100 10.77.0.1";
    let run = Brunt::on(&lan).typed(rapid).run().went_well();
    assert_eq!((run.count("ok"), run.tally("REQUEST-ACK sent")), (100, 0), "{run}");
    assert_eq!(target.leases(), 300);
}

#[test]
fn target_dhcp_answers_dhcpv6_through_relays() {
    let Some(lan) = lan() else { return };
    let target = Target::start(&lan, "--listen 10.77.0.1:67 --listen [2001:db8:77::1]:547");
    let run = "-6 -A 1 -l 2001:db8:77::2 -e address-and-prefix -r 400 -n 200 -R 200 2001:db8:77::1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    assert_eq!(run.tally("REQUEST-REPLY received"), 200, "{run}");
    assert_eq!(target.leases(), 400);
}

#[test]
fn target_dhcp_satisfies_the_original_perfdhcp() {
    if !old_tool() {
        return;
    }
    let Some(lan) = lan() else { return };
    let target = Target::start(&lan, "--listen 10.77.0.1:67");
    let run =
        Perfdhcp::run(&lan, "-4 -l lan0 -g single -r 100 -n 50 -n 50 -R 50 -W 5000000 10.77.0.1");
    // When it ends, the answers to its last requests may still be on their way.
    let received = run.count("REQUEST-ACK", "received packets");
    assert!(run.code == 0 && received > 0, "{}", run.report);
    let leases = target.leases() as u64;
    assert!((received..=50).contains(&leases), "{leases}: {}", run.report);
}

#[test]
fn target_dhcp_accepts_fragmented_messages() {
    let Some(lan) = lan() else { return };
    let listen = "--listen 10.77.0.1:67 --listen [2001:db8:77::1]:547";
    let target = Target::start(&lan, listen);
    let long = "ab".repeat(250);
    let options: Vec<String> = (224..230).map(|code| format!(" -o {code},{long}")).collect();
    let options = options.concat();
    let end = "-R 20 -r 100 -n 20 -n 20 -W 5000000";
    let dora = format!("-4 -l lan0{options} {end} 10.77.0.1");
    let sarr = format!("-6 -l lan0{options} {end} 2001:db8:77::1");
    for (line, stage) in [(&dora, "REQUEST-ACK"), (&sarr, "REQUEST-REPLY")] {
        if old_tool() {
            let old = Perfdhcp::run(&lan, &format!("-g single {line}"));
            assert!(old.code == 0 && old.count(stage, "received packets") > 0, "{}", old.report);
        }
        let run = Brunt::on(&lan).typed(line).run().went_well();
        assert_eq!(
            (run.tally(&format!("{stage} received")), run.tally("locallimit")),
            (20, 0),
            "{run}"
        );
    }
    drop(target);
}
