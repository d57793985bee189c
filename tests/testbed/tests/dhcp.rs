//! Kea, its network and the capture work as documented, queried by the original tool.

use brunt_testbed::{Capture, Kea, KeaOptions, Lan, LeaseState, Perfdhcp, require, until};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// What the tool that the clients are simulated by needs beside Kea.
fn lan(kea: &str) -> Option<Lan> {
    require(&["ip", "root", "perfdhcp", kea]).then(Lan::make)
}

#[test]
fn kea_dora_leases_are_in_the_lease_file() {
    let Some(lan) = lan("kea-dhcp4") else { return };
    let kea = Kea::v4(&lan, &KeaOptions::default());
    let capture = Capture::start(&lan);
    let run =
        Perfdhcp::run(&lan, "-4 -l lan0 -g single -r 100 -n 20 -n 20 -R 20 -W 5000000 10.77.0.1");
    assert_eq!(run.code, 0, "{}{}", run.report, run.errors);
    let sent = |exchange| run.count(exchange, "sent packets");
    let (discovered, requested) = (sent("DISCOVER-OFFER"), sent("REQUEST-ACK"));
    assert!(requested >= 20, "{}", run.report);
    // When the old tool ends, the answers to its last requests may still be on their way.
    assert!(kea.comes_to_count("pkt4-ack-sent", requested), "{}", run.report);
    let messages = capture.stop();
    let acknowledged = run.count("REQUEST-ACK", "received packets");
    assert!((1..=requested).contains(&acknowledged), "{}", run.report);
    let leases = kea.leases();
    // Beyond 20 the first clients come again.
    assert_eq!(leases.len(), 20);
    assert!(leases.iter().all(|lease| lease.state == LeaseState::Assigned && lease.length == 32));
    let clients: BTreeSet<_> = leases.iter().map(|lease| lease.client.clone()).collect();
    let expected = (0..20).map(|client| vec![0, 0x0c, 1, 2, 3, 4 + client]).collect();
    assert_eq!(clients, expected);
    assert!(leases.iter().all(|lease| lease.identifier[1..] == lease.client));
    assert_eq!(kea.statistic("pkt4-discover-received"), discovered);
    // All four messages of each were seen on the wire, from the relay's port to the server's and back.
    let (wanted, answered): (Vec<_>, Vec<_>) =
        messages.iter().partition(|message| message.from_client);
    let exchanges = discovered + requested;
    assert_eq!((wanted.len() as u64, answered.len() as u64), (exchanges, exchanges));
    assert!(wanted.iter().all(|message| message.destination == (Lan::SERVER_V4, 67).into()));
    assert!(answered.iter().all(|message| message.destination == (Lan::CLIENT_V4, 67).into()));
}

#[test]
fn kea_sarr_addresses_and_prefixes_are_in_the_lease_file() {
    let Some(lan) = lan("kea-dhcp6") else { return };
    let kea = Kea::v6(&lan, &KeaOptions::default());
    let capture = Capture::start(&lan);
    let run = Perfdhcp::run(
        &lan,
        "-6 -l lan0 -g single -e address-and-prefix -r 100 -n 12 -n 12 -R 12 -W 5000000 all",
    );
    let requested = run.count("REQUEST-REPLY", "sent packets");
    assert!(requested >= 12, "{}", run.report);
    assert!(kea.comes_to_count("pkt6-reply-sent", requested), "{}", run.report);
    let messages = capture.stop();
    let leases = kea.leases();
    let count = |length| leases.iter().filter(|lease| lease.length == length).count();
    assert_eq!((leases.len(), count(128), count(Kea::DELEGATED.2)), (24, 12, 12));
    let clients: BTreeSet<_> = leases.iter().map(|lease| lease.client.clone()).collect();
    assert_eq!(clients.len(), 12);
    assert_eq!(kea.statistic("pkt6-request-received"), requested);
    let wanted = messages.iter().filter(|message| message.from_client);
    let everybody = "[ff02::1:2]:547".parse().unwrap();
    assert!(
        wanted
            .clone()
            .all(|message| message.destination == everybody && message.source.port() == 546)
    );
    assert_eq!(wanted.count() as u64, requested + run.count("SOLICIT-ADVERTISE", "sent packets"));
}

#[test]
fn kea_renewals_add_rows_and_releases_remove_leases() {
    let Some(lan) = lan("kea-dhcp4") else { return };
    let kea = Kea::v4(&lan, &KeaOptions::default());
    let options = "-4 -l lan0 -g single -r 50 -f 20 -F 10 -p 2 -R 1000 -W 300000 10.77.0.1";
    let run = Perfdhcp::run(&lan, options);
    let count = |exchange, line| run.count(exchange, line);
    let (granted, renewed) = (
        count("REQUEST-ACK", "received packets"),
        count("REQUEST-ACK (renewal)", "received packets"),
    );
    let released = count("RELEASE", "sent packets");
    assert!(renewed > 10 && released > 5, "{}", run.report);
    // A release is not answered, so Kea may still write what the last of them changed.
    let rows = granted + renewed + released;
    assert!(kea.comes_to_rows(rows), "{rows}: {}", run.report);
    assert_eq!(kea.leases().len() as u64, granted - released);
    // The old tool holds the missing answers to releases against the server.
    assert_eq!(run.code, 3);
}

#[test]
fn kea_rapid_commit_is_answered_when_configured() {
    let Some(lan) = lan("kea-dhcp6") else { return };
    let kea = Kea::v6(&lan, &KeaOptions { rapid_commit: true, ..KeaOptions::default() });
    let capture = Capture::start(&lan);
    let run = Perfdhcp::run(&lan, "-6 -l lan0 -g single -i -c -n 1 -W 300000 all");
    // The old tool ends once it has sent the message: it has no name for what it would count. So Kea may still be
    // about to answer.
    assert_eq!(run.code, 1, "{}{}", run.report, run.errors);
    assert!(kea.comes_to_count("pkt6-reply-sent", 1), "{}{}", run.errors, kea.log());
    assert_eq!(kea.leases().len(), 1);
    let kinds: Vec<u8> = capture.stop().iter().map(|message| message.payload[0]).collect();
    assert_eq!(kinds[..2], [1, 7]);
}

#[test]
fn kea_answers_many_relays_of_one_host() {
    let Some(lan) = lan("kea-dhcp4") else { return };
    let kea = Kea::v4(&lan, &KeaOptions { answers_to_source: true, ..KeaOptions::default() });
    let directory = tempfile::tempdir().unwrap();
    let list = directory.path().join("relays");
    std::fs::write(&list, "10.77.0.100\n10.77.0.101\n").unwrap();
    let options =
        format!("-4 -l lan0 -g single -J {} -r 100 -n 20 -n 20 -R 20 -W 5000000", list.display());
    let run = Perfdhcp::run(&lan, &format!("{options} 10.77.0.1"));
    let requested = run.count("REQUEST-ACK", "sent packets");
    assert!(requested >= 20 && kea.comes_to_count("pkt4-ack-sent", requested), "{}", run.report);
    assert_eq!(kea.leases().len(), 20);
}

#[test]
fn kea_small_pool_and_pause_work() {
    let Some(lan) = lan("kea-dhcp4") else { return };
    let kea = Kea::v4(&lan, &KeaOptions { addresses: Some(3), ..KeaOptions::default() });
    let run = Perfdhcp::run(&lan, "-4 -l lan0 -g single -r 50 -n 8 -R 8 -W 5000000 10.77.0.1");
    assert_eq!(kea.leases().len(), 3, "{}", run.report);
    kea.pause();
    let before = kea.leases().len();
    let run = Perfdhcp::run(&lan, "-4 -l lan0 -g single -r 20 -n 2 -W 300000 10.77.0.1");
    assert_eq!((run.code, run.count("DISCOVER-OFFER", "received packets")), (3, 0));
    kea.resume();
    let sent = run.count("DISCOVER-OFFER", "sent packets");
    let there = || kea.statistic("pkt4-discover-received") >= 8 + sent;
    assert!(until(Duration::from_secs(60), there));
    assert_eq!(kea.leases().len(), before);
    kea.stop();
}

#[test]
fn kea_raw_socket_with_threads_answers_broadcasts() {
    let Some(lan) = lan("kea-dhcp4") else { return };
    let options =
        KeaOptions { raw: true, threads: Some(2), persist: false, ..KeaOptions::default() };
    let kea = Kea::v4(&lan, &options);
    let run = Perfdhcp::run(&lan, "-4 -l lan0 -g single -n 3 -n 3 -R 3 -W 300000 -r 50");
    let requested = run.count("REQUEST-ACK", "sent packets");
    assert!(requested >= 3 && kea.comes_to_count("pkt4-ack-sent", requested), "{}", run.report);
}

#[test]
fn lan_is_unique_and_removed_when_dropped() {
    if !require(&["ip", "root"]) {
        return;
    }
    let (first, second) = (Lan::make(), Lan::make());
    let spaces = [&first, &second].map(|lan| [lan.client_namespace(), lan.server_namespace()]);
    assert!(spaces.as_flattened().iter().all(|path| path.exists()));
    assert_ne!(spaces[0], spaces[1]);
    drop((first, second));
    assert!(!spaces.as_flattened().iter().any(|path| Path::new(path).exists()));
}
