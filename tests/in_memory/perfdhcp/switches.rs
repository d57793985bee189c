//! The effects of switches, observed where they appear: at the server, on the wire, or in the text.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use brunt_dhcp_server::{Answer, Family, RequestKind};
use brunt_net::memory::Sent;
use brunt_test_program::Ended;

use super::server::{Server, ends, run};
use crate::machine::{Listener, Machine};

/// A listener that answers nothing, and what it hears.
#[derive(Default)]
struct Mute(Mutex<Vec<Vec<u8>>>);

impl Listener for Mute {
    fn receive(self: Arc<Self>, datagram: Sent) {
        self.0.lock().expect("nobody panics").push(datagram.bytes);
    }
}

/// The datagrams that a run sends where nothing is answered, and the run.
fn overheard(family: Family, words: &str) -> (Vec<Vec<u8>>, Ended) {
    let (mut machine, mute) = (Machine::new(7), Arc::new(Mute::default()));
    machine.listen(ends(family).0, mute.clone());
    let ended = run(&machine, family, words, &[]);
    let heard = mute.0.lock().expect("nobody panics").clone();
    (heard, ended)
}

/// The values of an option of a DHCPv4 message, by RFC 2132 section 2.
fn option_v4(message: &[u8], code: u8) -> Option<&[u8]> {
    let mut rest = &message[240..];
    loop {
        match *rest {
            [0, ref after @ ..] => rest = after,
            [255, ..] | [] | [_] => return None,
            [found, length, ref after @ ..] => {
                let (value, after) = after.split_at_checked(length.into())?;
                if found == code {
                    return Some(value);
                }
                rest = after;
            }
        }
    }
}

#[test]
fn half_an_exchange_has_one_stage() {
    for (server, first, second) in [
        (Server::v4(""), "DISCOVER-OFFER", "***Statistics for: REQUEST-ACK***"),
        (Server::v6(""), "SOLICIT-ADVERTISE", "***Statistics for: REQUEST-REPLY***"),
    ] {
        let ended = server.run("-i -r 200 -n 60 -R 60").expect(0);
        assert_eq!(ended.record().counts.ok, 60, "{ended}");
        assert_eq!(
            (server.received(RequestKind::Request), server.sent(Answer::Offer)),
            (0, 60),
            "{ended}"
        );
        assert_eq!(ended.line(first, "received packets"), 60, "{ended}");
        assert!(!ended.stdout.contains(second), "{ended}");
    }
}

#[test]
fn rapid_commit_has_one_message_and_one_answer() {
    let server = Server::v6("");
    let ended = server.run("-i -c -r 200 -n 40 -R 40").expect(0);
    assert_eq!(ended.record().counts.ok, 40, "{ended}");
    assert_eq!((server.sent(Answer::Offer), server.sent(Answer::Ack)), (0, 40), "{ended}");
    assert_eq!((server.bound(), server.received(RequestKind::Request)), (40, 0), "{ended}");
    let server = Server::v4("");
    let ended = server.run("--rapid-commit -r 200 -n 40 -R 40").expect(0);
    assert_eq!(ended.record().counts.ok, 40, "{ended}");
    assert_eq!((server.bound(), server.received(RequestKind::Request)), (40, 0), "{ended}");
}

#[test]
fn lease_type_requests_addresses_and_prefixes_together() {
    for (lease, lengths) in
        [("address-only", &[128][..]), ("prefix-only", &[56]), ("address-and-prefix", &[56, 128])]
    {
        for relay in ["", "-A 1", "--relay-levels 3"] {
            let server = Server::v6("");
            let ended = server.run(&format!("-e {lease} {relay} -r 400 -n 20 -R 20")).expect(0);
            assert_eq!(ended.record().counts.ok, 20, "{ended}");
            let mut found: Vec<u8> = server.leases().iter().map(|lease| lease.length).collect();
            found.sort_unstable();
            let expected: Vec<u8> = lengths.iter().flat_map(|length| [*length; 20]).collect();
            assert_eq!(found, expected, "{lease} {relay}\n{ended}");
            let relayed = if relay.is_empty() { 0 } else { 40 };
            assert_eq!(server.tally().relayed, relayed, "{relay}\n{ended}");
        }
    }
}

#[test]
fn custom_options_are_in_every_message() {
    let words = "-r 200 -n 12 -R 12 -d 0.1 -o 60,627275 --option 12=host-{n:4}";
    let (heard, ended) = overheard(Family::V4, words);
    assert_eq!((heard.len(), ended.code()), (12, 3), "{ended}");
    let mut names = BTreeSet::new();
    for message in &heard {
        assert_eq!(option_v4(message, 60), Some(&b"bru"[..]), "{message:?}");
        names.insert(option_v4(message, 12).expect("it has a name").to_vec());
        // A relay's messages, as every message of the old tool: one hop, and the address of the relay.
        assert_eq!((message[3], &message[24..28]), (1, &[10, 0, 3, 9][..]));
        assert_eq!(option_v4(message, 53), Some(&[1][..]), "{message:?}");
    }
    let expected = (0..12).map(|n| format!("host-{n:04}").into_bytes()).collect();
    assert_eq!(names, expected);
    // Transaction ids are the numbers of the exchanges.
    let xids: BTreeSet<u32> =
        heard.iter().map(|m| u32::from_be_bytes([m[4], m[5], m[6], m[7]])).collect();
    assert_eq!(xids.len(), 12);
    assert_eq!(xids.last().unwrap() - xids.first().unwrap(), 11, "{xids:?}");
}

#[test]
fn preload_messages_are_not_counted() {
    for server in [Server::v4(""), Server::v6("")] {
        let ended = server.run("-P 50 -r 100 -n 40 -R 200").expect(0);
        let record = ended.record();
        assert_eq!((record.counts.planned, record.counts.ok), (40, 40), "{ended}");
        assert_eq!(
            (server.received(RequestKind::Discover), server.received(RequestKind::Request)),
            (90, 40)
        );
        assert_eq!(ended.tally("preload sent"), 50, "{ended}");
        assert_eq!(ended.tally("preload received"), 50, "{ended}");
        assert_eq!(record.orphans, 0, "{ended}");
        assert!(ended.stdout.contains("\npreload: 50 sent, 50 answered\n"), "{ended}");
    }
}

/// The numbers of a line that `-t` printed, stage by stage: sent, received, drops, rejected.
fn cumulative(line: &str) -> Vec<Vec<u64>> {
    let counts = |part: &str| {
        let (_, counts) = part.split_once(": ").expect("a name and counts");
        counts.split('/').map(|count| count.parse().expect("a number")).collect()
    };
    line.split("; ").map(counts).collect()
}

#[test]
fn interim_lines_add_up_to_the_server_count() {
    let script = "[[rule]]\non = ['request']\nevery = 10\naction = 'drop'";
    let server = Server::v4(script);
    let ended = server.run("-r 100 -p 2.5 -R 300 -t 0.5 -d 2 -d 2").expect(3);
    let lines: Vec<_> =
        ended.stdout.lines().filter(|line| line.starts_with("sent: ")).map(cumulative).collect();
    // One each half second of the period, the last when the last request that got no answer is a drop.
    assert_eq!(lines.len(), 5, "{ended}");
    // Messages are counted some times a second, so those of the last moments are on the next line.
    for (half, line) in (1_u64..).zip(&lines) {
        assert!(line[0][0].abs_diff(half * 50) <= 5, "{line:?}\n{ended}");
    }
    for pair in lines.windows(2) {
        let grows = pair[0].iter().flatten().zip(pair[1].iter().flatten()).all(|(a, b)| a <= b);
        assert!(grows, "{pair:?}\n{ended}");
    }
    let record = ended.record();
    let last = lines.last().expect("there are some");
    assert_eq!(server.received(RequestKind::Discover), 250, "{ended}");
    assert_eq!(record.counts.timed_out, 25, "{ended}");
    assert_eq!(last[0][0], 250, "{last:?}\n{ended}");
    assert_eq!(
        ended.line("DISCOVER-OFFER", "sent packets"),
        server.received(RequestKind::Discover)
    );
    assert_eq!(ended.line("REQUEST-ACK", "sent packets"), server.received(RequestKind::Request));
    assert_eq!(ended.line("REQUEST-ACK", "received packets"), server.sent(Answer::Ack));
    assert_eq!(ended.line("REQUEST-ACK", "drops"), server.stats().fault("drop"));
}

#[test]
fn bare_values_are_separated_only_by_the_separator() {
    let server = Server::v4("");
    let ended = server.run("-r 100 -p 2.3 -R 300 -t 1 -C ;").expect(0);
    assert!(!ended.stdout.contains("Running:"), "{ended}");
    let lines: Vec<Vec<u64>> = ended
        .stdout
        .lines()
        .take_while(|line| !line.starts_with('*'))
        .map(|line| line.split(';').map(|value| value.parse().expect("a number")).collect())
        .collect();
    assert_eq!(lines.len(), 2, "{ended}");
    // Two stages times sent, received, drops and rejected.
    assert!(lines.iter().all(|line| line.len() == 8 && line[4..] == [0; 4]), "{ended}");
}

#[test]
fn deltas_are_printed_beside_the_sums() {
    let server = Server::v4("");
    let ended = server.run("-r 50 -p 4 -t 1 --deltas -R 200").expect(0);
    let lines: Vec<&str> =
        ended.stdout.lines().filter(|line| line.contains("per second")).collect();
    assert!((3..=4).contains(&lines.len()), "{ended}");
    for line in lines {
        let number = |from: &str, to: &str| -> f64 {
            let found = line.split_once(from).and_then(|(_, rest)| rest.split_once(to));
            found.and_then(|(number, _)| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
        };
        let offered = number("offered: ", "; not started: 0; sent: ");
        assert!((offered - 50.0).abs() <= 1.0, "{line}\n{ended}");
        assert!(line.ends_with("drops: 0/0"), "{line}");
    }
    let ended = server.run("-C , -r 50 -p 3 -t 1 --deltas -R 200").expect(0);
    let row = ended.stdout.lines().nth(1).unwrap_or_default();
    let cells: Vec<u64> = row.split(',').filter_map(|cell| cell.parse().ok()).collect();
    assert_eq!((cells.len(), cells[9]), (16, 0), "{ended}");
    assert!(cells[8].abs_diff(50) <= 1, "{ended}");
}

#[test]
fn kea_and_2012_styles_print_the_same_figures() {
    let server = Server::v4("[[rule]]\non = ['request']\nevery = 10\naction = 'no-lease'");
    let [kea, guide] = ["kea", "2012"]
        .map(|style| server.run(&format!("-r 200 -n 100 -R 100 --report {style}")).expect(3));
    for ended in [&kea, &guide] {
        assert_eq!(ended.line("REQUEST-ACK", "sent packets"), 100, "{ended}");
        assert_eq!(ended.line("REQUEST-ACK", "received packets"), 100, "{ended}");
        assert_eq!(ended.line("REQUEST-ACK", "orphans"), 0, "{ended}");
        // Ninety of a hundred, in the half second in which these are due.
        let line = ended.stdout.lines().find_map(|line| line.strip_prefix("Rate: "));
        assert_eq!(line.and_then(|line| line.split(' ').next()), Some("180"), "{ended}");
    }
    assert_eq!(kea.line("REQUEST-ACK", "rejected leases"), 10, "{kea}");
    assert!(kea.stdout.contains("4-way exchanges/second, expected rate: 200\n"), "{kea}");
    assert!(guide.stdout.contains(" exchanges/second, expected rate: 200 exchanges/second\n"));
    assert!(guide.stdout.contains("***Errors***\ntooshort: 0\norphans: 0\nlocallimit: 0\n"));
    for absent in ["rejected leases", "drops ratio"] {
        assert!(!guide.stdout.contains(absent), "{guide}");
    }
    let mut lines = kea.stdout.lines();
    assert!(lines.next().is_some_and(|first| first.ends_with(" 10.0.3.1")), "{kea}");
    assert_eq!(lines.next(), Some("Scenario: basic."), "{kea}");
    assert!(kea.stdout.starts_with("Running: perfdhcp ") && !guide.stdout.contains("Running:"));
}

#[test]
fn diagnostic_letters_print_more() {
    let server = Server::v4("[[rule]]\naction = { delay = '10ms' }");
    let ended = server.run("-r 100 -n 30 -R 30 -xaeilrstT").expect(0);
    let text = &ended.stdout;
    for part in [
        "rate[1/s]=100\n",
        "clients=30\n",
        "seed=7\n",
        "Reached max requests limit.\n",
        "Exchanges due: 30\n",
        "Server id: 0a000301\n",
        "***Leases for REQUEST-ACK***\n",
    ] {
        assert!(text.contains(part), "{part}\n{ended}");
    }
    // Each pair of moments is the delay and the way back apart.
    let trips: Vec<f64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("sent / received: ")?.split_once(" / "))
        .map(|(sent, received)| {
            let seconds = |text: &str| text.parse::<f64>().expect("seconds");
            seconds(received) - seconds(sent)
        })
        .collect();
    assert_eq!(trips.len(), 60, "{ended}");
    assert!(trips.iter().all(|took| (took - 0.011).abs() < 1e-5), "{trips:?}");
    // The leases are those that the server gave.
    let given: BTreeSet<String> = server.leases().iter().map(|l| l.address.to_string()).collect();
    let table = text.split("***Leases for REQUEST-ACK***").nth(1).expect("there is one");
    let shown: BTreeSet<String> = table
        .lines()
        .filter(|line| line.starts_with("01"))
        .filter_map(|line| line.split(',').nth(1))
        .map(str::to_owned)
        .collect();
    assert_eq!(shown, given, "{ended}");
}

#[test]
fn rate_may_be_fractional_and_change() {
    let server = Server::v4("");
    let ended = server.run("-r 2.5 -p 2 -R 30").expect(0);
    assert_eq!(server.received(RequestKind::Discover), 5, "{ended}");
    assert!(ended.stdout.contains("expected rate: 2.5"), "{ended}");
    // A hundred, and then a ramp that makes on average one and a half hundred a second.
    let server = Server::v4("");
    let stages = ["--stages", "100/s for 1s, ramp 100..200 over 1s"];
    let ended = server.run_with("-R 500", &stages).expect(0);
    let record = ended.record();
    assert_eq!(record.counts.planned, 250, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), record.counts.planned, "{ended}");
    // What is due is due whatever its neighbours do: at random, as many as Poisson's law lets one expect.
    let server = Server::v4("");
    let ended = server.run("-r 200 --arrival poisson -p 2 -R 500").expect(0);
    let planned = ended.record().counts.planned;
    assert!(planned.abs_diff(400) <= 100, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), planned, "{ended}");
}

#[test]
fn warm_up_is_sent_but_not_counted() {
    let server = Server::v4("");
    let ended = server.run("-r 100 -p 1 --warm-up 0.5 -R 300").expect(0);
    let record = ended.record();
    assert_eq!(record.counts.planned, 100, "{ended}");
    assert_eq!(record.conservation.counts.planned, 150, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), 150, "{ended}");
}
