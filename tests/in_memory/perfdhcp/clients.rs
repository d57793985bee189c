//! The clients and their leases: the server's table of leases agrees with the command line's clients, renewals and
//! releases.

use std::collections::BTreeSet;
use std::fs;

use brunt_dhcp_server::{Answer, Config, Family, Lease, Pool4, RequestKind, State};
use brunt_record::{Mode, Percentile, Record};
use brunt_test_program::{Ended, scratch};

use super::server::Server;

/// The MAC addresses of all clients that have or had a lease. A client identifier of DHCPv4 ends in one, after its
/// type.
fn macs(server: &Server) -> BTreeSet<[u8; 6]> {
    let mac = |lease: &Lease| *lease.client.last_chunk().expect("a MAC address");
    server.leases().iter().map(mac).collect()
}

/// The addresses that count up from one by this many, octet by octet without a carry.
fn counted_from(base: [u8; 6], numbers: impl IntoIterator<Item = u32>) -> BTreeSet<[u8; 6]> {
    let client = |number: u32| {
        let mut mac = base;
        for (octet, add) in mac.iter_mut().rev().zip(number.to_le_bytes()) {
            *octet = octet.wrapping_add(add);
        }
        mac
    };
    numbers.into_iter().map(client).collect()
}

const BASE: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

#[test]
fn clients_take_turns_and_have_sequential_macs() {
    let server = Server::v4("");
    let ended = server.run("-r 500 -n 300 -R 70").expect(0);
    assert_eq!(macs(&server), counted_from(BASE, 0..70), "{ended}");
    // 300 exchanges of 70 clients: 20 had five turns, the others four, each of a DISCOVER and a REQUEST.
    let turns: Vec<u32> = server.leases().iter().map(|lease| lease.messages).collect();
    assert_eq!(turns.iter().filter(|heard| **heard == 10).count(), 20, "{turns:?}\n{ended}");
    assert_eq!(turns.iter().filter(|heard| **heard == 8).count(), 50, "{turns:?}\n{ended}");

    let server = Server::v4("");
    server.run("-r 500 -n 300 -R 290 -b mac=02:00:5e:10:fe:f0").expect(0);
    assert_eq!(macs(&server), counted_from([2, 0, 0x5e, 0x10, 0xfe, 0xf0], 0..290));
}

#[test]
fn dhcpv6_duids_count_from_their_base() {
    let server = Server::v6("");
    // With several clients the MAC addresses stand at the end, as the old tool has it.
    let base = "000100011d2f3a00ffffffffffff";
    server.run(&format!("-r 500 -n 40 -R 20 -b duid={base}")).expect(0);
    let duids: BTreeSet<Vec<u8>> =
        server.leases().into_iter().map(|lease| lease.client[..14].to_vec()).collect();
    let expected: BTreeSet<Vec<u8>> = (0..20)
        .map(|n| vec![0, 1, 0, 1, 0x1d, 0x2f, 0x3a, 0, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x04 + n])
        .collect();
    assert_eq!(duids, expected);
}

#[test]
fn mac_list_file_supplies_the_addresses() {
    let directory = scratch();
    let path = directory.path().join("macs");
    let list: Vec<[u8; 6]> = (0..9).map(|n| [2, 0, 0, 0, n, 7 * n]).collect();
    let line = |mac: &[u8; 6]| mac.map(|octet| format!("{octet:02x}")).join(":");
    fs::write(&path, list.iter().map(line).collect::<Vec<_>>().join("\n")).unwrap();
    for family in Family::ALL {
        let server = Server::like(family, "", Config::default());
        server.run_with("-r 500 -n 300", &["-M", path.to_str().unwrap()]).expect(0);
        let seen: BTreeSet<[u8; 6]> = match family {
            Family::V4 => macs(&server),
            // A DUID-LL is two times two octets and the address; the IAID follows.
            Family::V6 => {
                let leases = server.leases();
                leases.iter().map(|lease| lease.client[4..10].try_into().unwrap()).collect()
            }
        };
        // 300 draws of nine miss one of them once in 10^14.
        assert_eq!(seen, list.iter().copied().collect(), "{family:?}");
    }
}

#[test]
fn node_shares_a_run_without_sharing_a_client() {
    let server = Server::v4("");
    let run = |node: &str| server.run(&format!("-r 200 -n 90 -R 60 --node {node}")).expect(0);
    let (zero, one) = (run("0/2"), run("1/2"));
    let planned = |ended: &Ended| ended.record().counts.planned;
    assert_eq!(planned(&zero) + planned(&one), 90, "{zero}\n{one}");
    assert_eq!(planned(&zero), planned(&one), "{zero}\n{one}");
    assert_eq!(macs(&server), counted_from(BASE, 0..60));
    assert_eq!(server.received(RequestKind::Discover), 90);
    for ended in [&zero, &one] {
        assert_eq!(ended.tally("foreign"), 0, "{ended}");
    }
    // Alone, the first of two is every other client.
    let server = Server::v4("");
    server.run("-r 200 -n 60 -R 60 --node 0/2").expect(0);
    assert_eq!(macs(&server), counted_from(BASE, (0..60).step_by(2)));
}

#[test]
fn window_limits_exchanges_in_flight() {
    // What is answered 100 ms after it is sent, and then 1 ms on its way, makes room for the next one: 5 at a time are
    // sent at 0, 101, ..., 1919 ms, which is twenty times in two seconds.
    let server = Server::v4("[[rule]]\non = ['discover']\naction = { delay = '100ms' }");
    let ended = server.run("-i --window 5 -p 2 -R 500").expect(0);
    let record = ended.record();
    let sent = server.received(RequestKind::Discover);
    assert_eq!((record.counts.ok, sent), (100, 100), "{ended}");
    // Without an answer none of them is replaced before its drop time.
    let silent = Server::v4("[[rule]]\naction = 'ignore'");
    let ended = silent.run("-i --window 7 -p 1 -d 5 -W 0 -R 500").expect(3);
    assert_eq!(silent.received(RequestKind::Discover), 7, "{ended}");
    assert_eq!(ended.record().counts.cut_off, 7, "{ended}");
}

/// How often each of the operations was carried out or had nothing to work on.
fn done(record: &Record, name: &str) -> (u64, u64) {
    let found = record.operations.iter().find(|operation| operation.name == name);
    let counts = &found.unwrap_or_else(|| panic!("there is no {name}")).counts;
    (counts.ok, counts.skipped)
}

#[test]
fn renew_and_release_keep_their_rates() {
    for family in Family::ALL {
        let server = Server::like(family, "", Config::default());
        let ended = server.run("-r 100 -f 40 -F 10 -p 2 -R 1000").expect(0);
        let record = ended.record();
        let acquire = if family == Family::V6 { "sarr" } else { "dora" };
        let [acquired, renewed, released] =
            [acquire, "renew", "release"].map(|name| done(&record, name));
        // Over whole seconds each has its own number, but for those that had no lease yet.
        assert_eq!(acquired, (200, 0), "{ended}");
        assert_eq!(renewed.0 + renewed.1, 80, "{ended}");
        assert_eq!(released.0 + released.1, 20, "{ended}");
        assert!(renewed.1 + released.1 <= 20, "{ended}");
        assert_eq!(server.received(RequestKind::Request), 200, "{ended}");
        assert_eq!(server.received(RequestKind::Renew), renewed.0, "{ended}");
        assert_eq!(server.received(RequestKind::Release), released.0, "{ended}");
        // A released client has no lease any more; no client came twice, as there are more clients than turns.
        assert_eq!(server.bound() as u64, 200 - released.0, "{ended}");
        let (renewal, release) = match family {
            Family::V4 => ("REQUEST-ACK (renewal)", "RELEASE"),
            Family::V6 => ("RENEW-REPLY", "RELEASE-REPLY"),
        };
        assert_eq!(ended.line(renewal, "received packets"), renewed.0, "{ended}");
        assert_eq!(ended.line(release, "sent packets"), released.0, "{ended}");
        assert_eq!(ended.line(release, "drops"), 0, "{ended}");
    }
}

#[test]
fn release_at_end_gives_leases_back_on_request() {
    for family in Family::ALL {
        let server = Server::like(family, "", Config::default());
        let line = "-r 400 -n 150 -R 90";
        let kept = server.run(line).expect(0);
        assert_eq!(server.bound(), 90, "{kept}");
        let server = Server::like(family, "", Config::default());
        let ended = server.run(&format!("{line} --release-on-exit")).expect(0);
        assert_eq!((server.bound(), server.received(RequestKind::Release)), (0, 90), "{ended}");
        assert!(ended.stderr.contains("Released 90 leases."), "{ended}");
        // They enter no figure.
        let record = ended.record();
        assert_eq!(record.counts.planned, 150, "{ended}");
        assert!(ended.tallies().iter().all(|(name, _)| !name.contains("RELEASE")), "{ended}");
    }
}

/// More clients than addresses: those that get none receive no answer in DHCPv4, and are not counted as served.
#[test]
fn pool_too_small_is_reported() {
    let mut config = Config::default();
    let pool: Pool4 = "10.9.0.1-10.9.0.20".parse().unwrap();
    config.v4.pools = vec![pool];
    let server = Server::like(Family::V4, "", config);
    let ended = server.run("-r 200 -n 50 -R 50 -d 2 -d 2 -u").expect(3);
    let record = ended.record();
    assert_eq!((record.counts.ok, record.counts.timed_out), (20, 30), "{ended}");
    assert_eq!((server.tally().exhausted, server.bound()), (30, 20), "{ended}");
    assert_eq!(ended.tally("DISCOVER-OFFER drops"), 30, "{ended}");
    assert!(server.leases().iter().all(|lease| lease.state == State::Bound), "{ended}");
}

#[test]
fn node_is_judged_by_its_share_of_the_rate() {
    let server = Server::v4("");
    let ended = server.run("-r 400 -p 1 --node 3/4").expect(0);
    assert!(ended.stdout.contains(" 4-way exchanges/second, expected rate: 100\n"), "{ended}");
    let record = ended.record();
    assert_eq!((record.rates.target, record.counts.sent), (Some(100.0), 100), "{ended}");
    assert_eq!(server.received(RequestKind::Request), 100, "{ended}");
}

#[test]
fn perfdhcp_users_pause_for_think_time() {
    // Each of two users is answered twice after 1 ms, and then thinks for 498 ms: at 0, 500, 1000 and 1500 ms.
    let server = Server::v4("");
    let line = "--think 498ms --window 2 -R 10 -p 2 --drain 10s --percentile 42.5";
    let ended = server.run(line).expect(0);
    let record = ended.record();
    assert_eq!((record.plan.mode, record.plan.sessions), (Mode::Closed, 2), "{ended}");
    assert_eq!((record.counts.sent, server.sent(Answer::Ack)), (8, 8), "{ended}");
    let requested = |at: &Percentile| (at.percentile - 42.5).abs() < 1e-9;
    assert!(record.operations[0].response.percentiles.iter().any(requested), "{ended}");
}

#[test]
fn canary_uses_clients_of_its_own() {
    let server = Server::v4("");
    let ended = server.run("-r 50 -n 20 -R 100 --canary 4").expect(0);
    let record = ended.record();
    let planned = (record.plan.first_exchange, record.conservation.counts.planned);
    assert_eq!((planned, server.received(RequestKind::Discover)), ((4, 16), 20), "{ended}");
    // Each of the twenty was another client.
    assert_eq!(macs(&server), counted_from(BASE, 0..20), "{ended}");
    let silent = Server::v4("[[rule]]\naction = 'ignore'");
    let ended = silent.run("-r 50 -n 20 --canary 2").expect(10);
    assert!(ended.output().contains("the run did not begin, because its canary failed"), "{ended}");
    assert_eq!((&*ended.stdout, silent.received(RequestKind::Discover)), ("", 2), "{ended}");
}
