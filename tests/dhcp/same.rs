//! The original tool and ours, one after the other against the same Kea: the same packets, the same leases, the same
//! counts.
//!
//! The rates are low enough for one exchange to be over before the next begins, so that both have their conversations
//! in the same order; then every octet is the same, except for what cannot be repeated: the time in a DUID that is
//! created at every start, and the random values of each tool.

use std::path::Path;

use brunt_testbed::{Capture, Kea, KeaOptions, Lan, Lease, Message, Perfdhcp};

use crate::brunt::{Brunt, Run};
use crate::network::{old_tool, v4, v6};
use crate::packets::{assert_same, decoded_v4, decoded_v6, kind_v4, requested};

/// What both tools try, in exchanges a second, to do everything in turn: divisors of the first.
const RATES: [u32; 5] = [20, 20, 10, 4, 2];
/// What the old tool says where it is asked for rapid commit: it ends once it has sent the first message, and Kea may
/// still be about to answer.
const NO_RAPID_COMMIT: &str = "Packets exchange not specified";

/// What one tool did.
struct Deed<R> {
    run: R,
    messages: Vec<Message>,
    leases: Vec<Lease>,
}

fn deed<R>((lan, kea): (Lan, Kea), act: impl FnOnce(&Lan, &Kea) -> R) -> Deed<R> {
    let capture = Capture::start(&lan);
    let run = act(&lan, &kea);
    Deed { run, messages: capture.stop(), leases: kea.leases() }
}

/// Has both tools do the same, each against a Kea that knows nothing of the other.
fn both(
    network: fn(&KeaOptions) -> Option<(Lan, Kea)>,
    options: &KeaOptions,
    arguments: &str,
) -> Option<(Deed<Perfdhcp>, Deed<Run>)> {
    if !old_tool() {
        return None;
    }
    let old = deed(network(options)?, |lan, kea| {
        let run = Perfdhcp::run(lan, &format!("-g single {arguments}"));
        if run.errors.contains(NO_RAPID_COMMIT) {
            assert!(kea.comes_to_count("pkt6-reply-sent", 1), "{}", kea.log());
        }
        run
    });
    let ours = deed(network(options)?, |lan, _| {
        Brunt::on(lan).typed(&format!("-g single --window 1 --lab {arguments}")).run()
    });
    Some((old, ours))
}

/// The same where the order of messages matters. On a busy machine a tool may be late and begin an exchange before the
/// one before is over; then both have another try, at a lower rate and, where there is one, for as much longer.
fn both_in_turn(
    network: fn(&KeaOptions) -> Option<(Lan, Kea)>,
    options: &KeaOptions,
    arguments: &str,
) -> Option<(Deed<Perfdhcp>, Deed<Run>)> {
    let in_turn = |messages: &[Message]| {
        messages.chunks(2).all(|pair| {
            let [question, answer] = pair else { return false };
            question.from_client && !answer.from_client
        })
    };
    let mut last = None;
    for rate in RATES {
        let slower = arguments.replace("-r 20", &format!("-r {rate}"));
        let slower = slower.replace("-p 1 ", &format!("-p {} ", 20 / rate));
        let (old, ours) = both(network, options, &slower)?;
        let orderly = in_turn(&old.messages) && in_turn(&ours.messages);
        last = Some((old, ours));
        if orderly {
            break;
        }
    }
    last
}

/// Panics unless both reports have the same counts of these exchanges.
fn same_counts(old: &Perfdhcp, ours: &Run, exchanges: &[&str]) {
    for exchange in exchanges {
        for line in ["sent packets", "received packets", "drops", "orphans", "rejected leases"] {
            assert_eq!(
                old.count(exchange, line),
                ours.line(exchange, line),
                "{line} of {exchange}\n{}\n{ours}",
                old.report
            );
        }
    }
}

/// Leases without the moment at which they end.
fn timeless(leases: &[Lease]) -> Vec<Lease> {
    leases.iter().cloned().map(|lease| Lease { ends: 0, ..lease }).collect()
}

/// Both tools, octet by octet, message by message.
fn same(
    network: fn(&KeaOptions) -> Option<(Lan, Kea)>,
    options: &KeaOptions,
    arguments: &str,
    exchanges: &[&str],
) {
    let Some((old, ours)) = both_in_turn(network, options, arguments) else { return };
    assert!(!old.messages.is_empty(), "{}{}", old.run.report, old.run.errors);
    assert_same(&old.messages, &ours.messages, |_| {});
    assert_eq!(timeless(&old.leases), timeless(&ours.leases), "{}", ours.run);
    same_counts(&old.run, &ours.run, exchanges);
    assert_eq!(old.run.code, ours.run.code(), "{}\n{}", old.run.report, ours.run);
}

const DORA: [&str; 2] = ["DISCOVER-OFFER", "REQUEST-ACK"];
const SARR: [&str; 2] = ["SOLICIT-ADVERTISE", "REQUEST-REPLY"];
/// A DUID that does not hold the time.
const DUID: &str = "-b duid=000300010a0b0c0d0e0f";

#[test]
fn dora_packets_equal_the_original() {
    let plain = KeaOptions::default();
    let end = "-r 20 -n 6 -n 6 -W 5000000 10.77.0.1";
    for options in [
        "-4 -l lan0",
        "-4 -l lan0 -R 4",
        "-4 -l 10.77.0.3 -R 6 -b mac=02:00:00:00:ff:fd",
        "-4 -l lan0 -R 6 -1",
        "-4 -l lan0 -R 6 -o 60,6272756e74 -o 12,686f7374",
        "-4 -l lan0 -R 6 -o 55,2a2b",
    ] {
        same(v4, &plain, &format!("{options} {end}"), &DORA);
    }
}

#[test]
fn dora_broadcast_packets_equal_the_original() {
    let raw = KeaOptions { raw: true, ..KeaOptions::default() };
    same(v4, &raw, "-4 -l lan0 -R 6 -r 20 -n 6 -n 6 -W 5000000 all", &DORA);
    same(v4, &raw, "-4 -l lan0 -R 6 -B -r 20 -n 6 -n 6 -W 5000000 255.255.255.255", &DORA);
}

#[test]
fn sarr_packets_equal_the_original() {
    let plain = KeaOptions::default();
    for options in ["", "-R 4", "-R 6 -e prefix-only", "-R 6 -e address-and-prefix", "-R 6 -1"] {
        let arguments = format!("-6 -l lan0 {DUID} {options} -r 20 -n 6 -n 6 -W 5000000 all");
        same(v6, &plain, &arguments, &SARR);
    }
    let arguments =
        format!("-6 -o 15,00056272756e74 -l lan0 {DUID} -R 6 -r 20 -n 6 -n 6 -W 5000000 all");
    same(v6, &plain, &arguments, &SARR);
}

#[test]
fn sarr_relayed_packets_equal_the_original() {
    let arguments = format!("-6 -A 1 -l 2001:db8:77::2 {DUID} -R 6 -r 20 -n 6 -n 6 -W 5000000");
    same(v6, &KeaOptions::default(), &format!("{arguments} 2001:db8:77::1"), &SARR);
}

#[test]
fn first_half_packets_equal_the_original() {
    for (network, arguments, to) in [
        (v4 as fn(&KeaOptions) -> _, "-4 -i -l lan0 -R 6 -W 300000".to_owned(), "10.77.0.1"),
        (v6, format!("-6 -i -l lan0 {DUID} -R 6 -W 300000"), "all"),
    ] {
        // The old tool knows no count of first halves alone, so there is a time of twenty of them.
        let arguments = format!("{arguments} -r 20 -p 1 {to}");
        let Some((old, ours)) = both_in_turn(network, &KeaOptions::default(), &arguments) else {
            return;
        };
        assert_eq!(ours.messages.len(), 40, "{}", ours.run);
        // The old tool skips its second moment, and others on a busy machine.
        let common = old.messages.len().min(40);
        assert!(common >= 20, "{}", old.run.report);
        assert_same(&old.messages[..common], &ours.messages[..common], |_| {});
    }
}

#[test]
fn default_duid_differs_only_in_its_time() {
    let arguments = "-6 -l lan0 -R 6 -r 20 -n 6 -n 6 -W 5000000 all";
    let Some((old, ours)) = both_in_turn(v6, &KeaOptions::default(), arguments) else { return };
    // The client identifier is first in what a client sends: type 1, 14 octets, of which a link-layer address and time.
    let timeless = |message: &mut Message| {
        let start = [0, 1, 0, 14, 0, 1, 0, 1];
        let place = message.payload.windows(8).position(|window| window == start);
        let place = place.expect("every message names the client");
        message.payload[place + 8..place + 12].fill(0);
    };
    assert_same(&old.messages, &ours.messages, timeless);
    same_counts(&old.run, &ours.run, &SARR);
}

#[test]
fn rapid_commit_packets_equal_the_original() {
    let rapid = KeaOptions { rapid_commit: true, ..KeaOptions::default() };
    let arguments = format!("-6 -i -c -l lan0 {DUID} -R 6 -r 20 -n 6 -W 5000000 all");
    let Some((old, ours)) = both(v6, &rapid, &arguments) else { return };
    // The old tool sends one message, so there is one pair to compare.
    assert!(old.run.errors.contains(NO_RAPID_COMMIT), "{}", old.run.errors);
    assert_eq!((old.run.code, ours.run.code(), ours.leases.len()), (1, 0, 6), "{}", ours.run);
    assert_same(&old.messages[..2], &ours.messages[..2], |_| {});
}

#[test]
fn listed_clients_and_relays_differ_only_in_random_order() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, content: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, content).expect("a file can be written");
        path.to_str().expect("temporary directories have names in ASCII").to_owned()
    };
    let macs = file("macs", "02:11:22:33:44:01\n02:11:22:33:44:02\n02:11:22:33:44:0a\n");
    let end = "-r 20 -n 6 -n 6 -W 5000000 10.77.0.1";
    let arguments = format!("-4 -l lan0 -M {macs} {end}");
    let Some((old, ours)) = both_in_turn(v4, &KeaOptions::default(), &arguments) else { return };
    let anonymous = |message: &mut Message| {
        message.payload[28..34].fill(0);
        // Which address is offered, and asked for in option 50, depends on who came before.
        message.payload[16..20].fill(0);
        blank_option_v4(message, 61);
        blank_option_v4(message, 50);
    };
    assert_same(&old.messages, &ours.messages, anonymous);
    let relays = file("relays", "10.77.0.50\n10.77.0.51\n10.77.0.52\n");
    let many = KeaOptions { answers_to_source: true, ..KeaOptions::default() };
    let arguments = format!("-4 -l lan0 -R 6 -J {relays} {end}");
    let Some((old, ours)) = both_in_turn(v4, &many, &arguments) else { return };
    assert_same(&old.messages, &ours.messages, |message| message.payload[24..28].fill(0));
    same_counts(&old.run, &ours.run, &DORA);
}

/// Overwrites what an option holds.
fn blank_option_v4(message: &mut Message, wanted: u8) {
    let mut at = 240;
    while let [code, length, ..] = message.payload[at..] {
        let content = at + 2..at + 2 + usize::from(length);
        if code == wanted {
            message.payload[content].fill(0);
            return;
        }
        at = content.end;
    }
}

/// The octets of renewals and releases without what is drawn at random: whose lease it is, and under which number.
fn shapes_v4(messages: &[Message]) -> Vec<Vec<u8>> {
    let mut shapes: Vec<Vec<u8>> = requested(messages)
        .filter(|message| {
            let decoded = decoded_v4(message);
            kind_v4(message) == 7 || kind_v4(message) == 3 && !decoded.ciaddr().is_unspecified()
        })
        .map(|message| {
            let mut message = message.clone();
            message.payload[4..8].fill(0);
            message.payload[12..16].fill(0);
            message.payload[28..34].fill(0);
            blank_option_v4(&mut message, 61);
            message.payload
        })
        .collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

#[test]
fn dhcpv4_renew_and_release_packets_equal_the_original() {
    let arguments = "-4 -l lan0 -R 1000 -r 40 -f 20 -F 20 -p 2 -W 300000 10.77.0.1";
    let Some((old, ours)) = both(v4, &KeaOptions::default(), arguments) else { return };
    let (old, ours) = (shapes_v4(&old.messages), shapes_v4(&ours.messages));
    assert_eq!(old.len(), 2, "one shape of each");
    assert_eq!(old, ours);
}

/// A DHCPv6 message without its transaction id and without the addresses and prefixes in its associations.
fn without_leases(message: &[u8]) -> Vec<u8> {
    let mut message = message.to_vec();
    message[1..4].fill(0);
    let mut at = 4;
    while let [high, low, more, less, ..] = message[at..] {
        let length = usize::from(u16::from_be_bytes([more, less]));
        // An address or a prefix is the first thing in its association, after its number and two times.
        match u16::from_be_bytes([high, low]) {
            3 => message[at + 20..at + 36].fill(0),
            25 => message[at + 29..at + 45].fill(0),
            _ => {}
        }
        at += 4 + length;
    }
    message
}

#[test]
fn dhcpv6_renew_and_release_packets_equal_the_original() {
    let arguments = format!(
        "-6 -e address-and-prefix -l lan0 {DUID} -R 1 -r 20 -f 10 -F 10 -p 2 -W 300000 all"
    );
    let Some((old, ours)) = both(v6, &KeaOptions::default(), &arguments) else { return };
    // There is one client. What may differ is the number of the transaction, and which address and prefix it is about.
    let shapes = |messages: &[Message]| {
        use dhcproto::v6::MessageType::{Release, Renew};
        let mut shapes: Vec<Vec<u8>> = requested(messages)
            .filter(|message| [Renew, Release].contains(&decoded_v6(message).msg_type()))
            .map(|message| without_leases(&message.payload))
            .collect();
        shapes.sort();
        shapes.dedup();
        shapes
    };
    let (old, ours) = (shapes(&old.messages), shapes(&ours.messages));
    assert_eq!(old.len(), 2, "one shape of each");
    assert_eq!(old, ours);
}

#[test]
fn template_packets_equal_the_original() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dhcp/testdata");
    let file = |name: &str| data.join(name).to_str().expect("the path is text").to_owned();
    let (discover, request) = (file("discover.hex"), file("request.hex"));
    let (solicit, request6) = (file("solicit.hex"), file("request6.hex"));
    let plain = KeaOptions::default();
    let end = "-R 6 -r 20 -n 6 -n 6 -W 5000000";
    // The default place of the MAC address is wrong in the old tool, so it is said.
    let one = format!("-4 -l lan0 -T {discover} -O 33 {end} 10.77.0.1");
    same(v4, &plain, &one, &DORA);
    let places = "-E 8 -S 243 -I 249";
    let two = format!("-4 -l lan0 -T {discover} -T {request} -O 33 {places} {end} 10.77.0.1");
    same(v4, &plain, &two, &DORA);
    // As long as the one in the files.
    let duid = "-b duid=000100012a3b4c5d000c01020304";
    let one = format!("-6 -l lan0 -T {solicit} {duid} -O 21 {end} all");
    same(v6, &plain, &one, &SARR);
    let two = format!("-6 -l lan0 -T {solicit} -T {request6} {duid} -O 21 -S 22 -I 40 -E 84");
    let Some((old, ours)) = both(v6, &plain, &format!("{two} {end} all")) else { return };
    // The original tool writes the option of the elapsed time with no length and leaves two octets after it, so Kea
    // answers only ours.
    assert_eq!((old.leases.len(), ours.leases.len()), (0, 6), "{}", ours.run);
    // The next SOLICIT becomes due whether or not the REQUEST before has been sent, so only the order within a kind is
    // the same on a busy machine, and not the transaction ids, which both kinds take in turn.
    let questions = |messages: &[Message], kind: u8| -> Vec<Message> {
        requested(messages).filter(|message| message.payload[0] == kind).cloned().collect()
    };
    let without_id = |message: &mut Message| message.payload[1..4].fill(0);
    let without_length = |message: &mut Message| {
        without_id(message);
        assert_eq!(message.payload[84..86], [0, 8]);
        message.payload[86..90].fill(0);
    };
    assert_eq!(requested(&old.messages).count(), requested(&ours.messages).count(), "{}", ours.run);
    let (solicit, request) = (1, 3);
    assert_same(
        &questions(&old.messages, solicit),
        &questions(&ours.messages, solicit),
        without_id,
    );
    let (old, ours) = (questions(&old.messages, request), questions(&ours.messages, request));
    assert_eq!(ours.len(), 6);
    assert_same(&old, &ours, without_length);
}
