//! Switches that change no lease: a command that is called, waiting times, output, retransmissions, and messages about
//! missing permissions.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use brunt_testbed::{Capture, KeaOptions, Lan, Message, Perfdhcp, printed, require, run, until};

use crate::brunt::Brunt;
use crate::network::{datagrams_sent, old_tool, v4, v6};
use crate::packets::{decoded_v4, innermost, kind_v4, requested};

#[test]
fn wrapped_command_gets_start_and_stop() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let brunt = Brunt::on(&lan);
    let log = brunt.file("told", "");
    let draft = brunt.file("draft", &format!("#!/bin/sh\necho \"$1\" >>{}\n", log.display()));
    // Written by another process, so that no child of this one has it open for writing when it is run.
    let script = draft.with_file_name("script");
    run("install", [OsStr::new("-m"), OsStr::new("755"), draft.as_os_str(), script.as_os_str()]);
    let run = brunt.typed("-4 -l lan0 -r 100 -n 10 -w").arg(&script).arg("10.77.0.1").start();
    // The command is not waited for, and may be later than the end of the run.
    let reported = || fs::read_to_string(&log).unwrap_or_default();
    assert!(until(Duration::from_secs(90), || reported() == "start\nstop\n"), "{}", reported());
    run.wait().went_well();
}

#[test]
fn wrapped_command_missing_is_named() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 10 -w /nowhere/hook 10.77.0.1").run();
    let run = run.went_well();
    assert_eq!(kea.leases().len(), 1, "{run}");
    for word in ["start", "stop"] {
        let note = format!("the command of -w, '/nowhere/hook {word}', could not be run");
        assert!(run.stderr.contains(&note), "{run}");
    }
}

#[test]
fn link_perfdhcp_works_in_scripts() {
    let Some((lan, kea)) = v4(&KeaOptions { raw: true, ..KeaOptions::default() }) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let link = directory.path().join("perfdhcp");
    symlink(env!("CARGO_BIN_EXE_brunt"), &link).expect("a link can be made");
    let script = |laboratory: &str| {
        let mut command = lan.client(&link);
        command.args(["-4", "-l", "lan0", "-r100", "-n5", "-R", "5"]).env("BRUNT_LAB", laboratory);
        let output = command.output().expect("a link can be run");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(script("").0, Some(8));
    assert_eq!(kea.leases().len(), 0);
    let (code, report) = script("1");
    assert_eq!((code, kea.leases().len()), (Some(0), 5), "{report}");
    assert_eq!(printed(&report, "REQUEST-ACK", "received packets"), Some(5), "{report}");
}

#[test]
fn slo_missed_exits_99() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 10 --slo p50<1us 10.77.0.1").run();
    let run = run.expect(99);
    assert_eq!(run.count("ok"), 10, "{run}");
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 10 --slo p50<30s 10.77.0.1").run();
    run.went_well();
}

/// The values of the secs field.
fn seconds(messages: &[Message]) -> BTreeSet<u16> {
    requested(messages).map(|message| decoded_v4(message).secs()).collect()
}

#[test]
fn elapsed_time_is_sent_like_the_original() {
    if !old_tool() {
        return;
    }
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let options = "-4 -l lan0 -R 6 -r 20 -p 5 -Y 1 -y 3 -W 300000 10.77.0.1";
    let capture = Capture::start(&lan);
    let old = Perfdhcp::run(&lan, &format!("-g single {options}"));
    let before = seconds(&capture.stop());
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed(options).run().went_well();
    let ours = seconds(&capture.stop());
    assert_eq!(old.code, 0, "{}", old.report);
    assert_eq!(ours, before, "{run}");
    assert!(ours.len() > 1, "{run}");
}

#[test]
fn retransmission_is_sent_on_request() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    kea.pause();
    // RFC 8415 section 7.6: a SOLICIT is sent again after a second, give or take a tenth.
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan)
        .typed("-6 --retransmit --window 64 -l lan0 -r 100 -n 10 -R 10 --lab all")
        .start();
    let again = until(Duration::from_secs(90), || datagrams_sent(&lan) >= 20);
    assert!(again, "{} of 20 were sent", datagrams_sent(&lan));
    kea.resume();
    let run = run.wait().expect(0);
    let messages = capture.stop();
    assert_eq!((run.count("ok"), kea.leases().len()), (10, 10), "{run}");
    let solicits: Vec<&Message> =
        requested(&messages).filter(|message| message.payload[0] == 1).collect();
    // On a busy machine some may be sent a third time before they are answered.
    assert!(solicits.len() >= 20, "{run}");
    let resent = solicits.len() as u64 - 10;
    assert_eq!(run.tally("SOLICIT-ADVERTISE resent"), resent, "{run}");
    // The same transaction; only the elapsed time has moved on (section 21.9).
    let transactions: BTreeSet<&[u8]> =
        solicits.iter().map(|message| &message.payload[1..4]).collect();
    assert_eq!(transactions.len(), 10, "{run}");
    let different: BTreeSet<&[u8]> =
        solicits.iter().map(|message| message.payload.as_slice()).collect();
    assert_eq!(different.len(), solicits.len(), "{run}");
}

#[test]
fn dhcpv6_avalanche_ends_when_every_client_has_a_lease() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-6 --scenario avalanche -l lan0 -R 100 --lab all").run();
    let run = run.expect(0);
    assert_eq!((run.count("ok"), kea.leases().len()), (100, 100), "{run}");
    assert!(run.stdout.contains("to provision 100 clients."), "{run}");
}

#[test]
fn diagnostics_print_packets_and_arguments() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run =
        Brunt::on(&lan).typed("-4 -x aT -l lan0 -r 100 -n 4 -R 4 10.77.0.1").run().went_well();
    assert!(run.stdout.lines().any(|line| line == "clients=4"), "{run}");
    // The first message of each kind, in lines of hexadecimal digits behind the place where they begin.
    let digits = run.stdout.lines().filter_map(|line| line.split_once("   "));
    let digits = digits.filter(|(place, _)| u16::from_str_radix(place, 16).is_ok());
    let shown: String = digits.map(|(_, digits)| digits).collect();
    let messages = capture.stop();
    let first = |kind| requested(&messages).find(|message| kind_v4(message) == kind);
    let sent: String = [first(1), first(3)]
        .into_iter()
        .flatten()
        .flat_map(|message| message.payload.iter().map(|octet| format!("{octet:02x}")))
        .collect();
    assert_eq!(shown, sent, "{run}");
}

#[test]
fn socket_options_do_not_change_the_result() {
    let Some((lan, kea)) = v4(&KeaOptions { raw: true, threads: Some(2), ..KeaOptions::default() })
    else {
        return;
    };
    let ways =
        ["--batch 1", "--batch 64", "--kernel-stamps", "-g multi", "-g single", "-a 3", "--no-pin"];
    for (number, way) in (1..).zip(ways) {
        let run = format!(
            "-4 -b mac=02:00:00:{number:02}:00:00 -l lan0 -r 300 -n 60 -R 60 {way} 10.77.0.1"
        );
        let run = Brunt::on(&lan).typed(&run).run().went_well();
        assert_eq!((run.count("ok"), kea.leases().len()), (60, 60 * number), "{run}");
    }
}

#[test]
fn missing_port_privilege_explains_what_to_do() {
    if !require(&["ip", "root", "setpriv"]) {
        return;
    }
    let lan = Lan::make();
    let brunt = Brunt::within(&lan, &["setpriv", "--bounding-set=-all"]);
    let run = brunt.typed("-4 -l lan0 -r 10 -n 1 10.77.0.1").run();
    assert_eq!(run.code(), 1, "{run}");
    assert!(run.stderr.contains("setcap cap_net_bind_service"), "{run}");
    assert!(run.stderr.contains("10.77.0.2:67"), "{run}");
}

#[test]
fn relay_option_templates_differ_per_client() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-4 --relay-option 1=port-{n} -l lan0 -r 100 -n 6 -R 6 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let messages = capture.stop();
    // Option 82, and in it sub-option 1, the circuit id.
    let circuit = |message: &Message| {
        let at =
            message.payload.windows(7).position(|window| window[2..] == [1, 6, b'p', b'o', b'r']);
        let at = at.unwrap_or_else(|| panic!("{:02x?}\n{run}", message.payload));
        assert_eq!(message.payload[at..at + 2], [82, 8], "{run}");
        message.payload[at + 9]
    };
    let ports: BTreeSet<u8> = requested(&messages).map(circuit).collect();
    assert_eq!(ports, (b'0'..b'6').collect(), "{run}");
    assert_eq!(kea.leases().len(), 6, "{run}");
}

#[test]
fn dhcpv6_nodes_share_no_client() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let mut transactions: Vec<BTreeSet<Vec<u8>>> = Vec::new();
    for rank in 0..3 {
        let capture = Capture::start(&lan);
        let run =
            format!("-6 -A 1 -l 2001:db8:77::{} -r 200 -n 60 -R 60 --node {rank}/3", rank + 2);
        let run = Brunt::on(&lan).typed(&run).arg("2001:db8:77::1").run().went_well();
        assert_eq!(run.count("ok"), 20, "{run}");
        let messages = capture.stop();
        let inner = requested(&messages).map(|message| innermost(&message.payload));
        transactions.push(inner.map(|message| message[1..4].to_vec()).collect());
    }
    assert_eq!((kea.leases().len(), kea.lease_rows().len()), (60, 60));
    let all: BTreeSet<Vec<u8>> = transactions.iter().flatten().cloned().collect();
    // Two transactions an exchange, and none of them twice.
    assert_eq!((all.len(), transactions.iter().map(BTreeSet::len).sum::<usize>()), (120, 120));
}
