//! The real perfdhcp, if it is installed: its counts equal those of the server.

use std::process::Command;

use brunt_dhcp_server::{Answer, Config, RequestKind, Running, Server, State};
use brunt_testbed::skip;

/// Runs it, and returns how many packets each of its blocks counts as sent and received.
fn perfdhcp(arguments: &[&str]) -> Option<Vec<(String, u64, u64)>> {
    let mut command = Command::new("perfdhcp");
    command.args(arguments).args(["-W", "300000"]);
    let mut tries = 0;
    let (text, errors) = loop {
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                skip(&format!("no perfdhcp ({error})"));
                return None;
            }
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        tries += 1;
        // It insists on its ports, which another test of this machine may have for a moment.
        if !errors.contains("in use") || tries == 20 {
            break (out, errors);
        }
        pause();
    };
    if errors.contains("ermission denied") {
        skip("no right to use perfdhcp's ports");
        return None;
    }
    let mut blocks = Vec::new();
    for block in text.split("***Statistics for: ").skip(1) {
        let number = |label: &str| {
            let rest = block.split_once(label)?.1;
            rest.lines().next()?.trim().parse::<u64>().ok()
        };
        let title = block.split_once("***").unwrap().0.to_owned();
        blocks.push((
            title,
            number("sent packets:").unwrap(),
            number("received packets:").unwrap(),
        ));
    }
    assert!(!blocks.is_empty(), "{text}{errors}");
    Some(blocks)
}

#[expect(clippy::disallowed_methods, reason = "somebody else has the port")]
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(500));
}

fn serve(listen: &str) -> (Running, String) {
    let listen = vec![listen.parse().unwrap()];
    let running = Server::start(&Config { listen, ..Config::default() }).unwrap();
    let port = running.addresses()[0].port().to_string();
    (running, port)
}

/// perfdhcp acts as a relay at port 67.
#[test]
fn dhcpv4_counts_equal_perfdhcp() {
    let (running, port) = serve("127.0.0.1:0");
    let arguments = [
        "-4",
        "-l",
        "127.0.0.1",
        "-N",
        &port,
        "-r",
        "400",
        "-p",
        "2",
        "-R",
        "1000",
        "-f",
        "50",
        "-F",
        "50",
        "127.0.0.1",
    ];
    let Some(blocks) = perfdhcp(&arguments) else { return };
    let bound = running.leases().iter().filter(|lease| lease.state == State::Bound).count() as u64;
    let stats = running.shutdown().v4;
    let counted = |act| stats.received_of(act);
    let [discover, request, renew, release] = &blocks[..] else { panic!("{blocks:?}") };
    assert_eq!(
        (discover.1, discover.2),
        (counted(RequestKind::Discover), stats.sent_of(Answer::Offer))
    );
    assert_eq!(request.1, counted(RequestKind::Request));
    assert_eq!((renew.1, renew.2), (counted(RequestKind::Renew), counted(RequestKind::Renew)));
    assert_eq!(request.2 + renew.2, stats.sent_of(Answer::Ack));
    assert_eq!(release.1, counted(RequestKind::Release));
    assert_eq!(
        bound,
        counted(RequestKind::Request) - counted(RequestKind::Release),
        "every client is another"
    );
    assert!(request.2 > 700 && renew.1 > 80 && release.1 > 80, "{blocks:?}");
    assert_eq!((stats.relayed, stats.malformed, stats.lost), (stats.datagrams, 0, 0));
}

/// Its socket is at port 546 or 547 of the only address, so one run follows the other.
#[test]
fn dhcpv6_counts_equal_perfdhcp() {
    for relay in [false, true] {
        let (running, port) = serve("[::1]:0");
        let mut arguments =
            vec!["-6", "-l", "::1", "-N", &port, "-r", "300", "-p", "2", "-R", "900"];
        arguments.extend(["-f", "40", "-F", "40", "-e", "address-and-prefix"]);
        if relay {
            arguments.extend(["-A", "1"]);
        }
        arguments.push("::1");
        let Some(blocks) = perfdhcp(&arguments) else { return };
        let leases = running.leases();
        let stats = running.shutdown().v6;
        let [solicit, request, renew, release] = &blocks[..] else { panic!("{blocks:?}") };
        assert_eq!(
            (solicit.1, solicit.2),
            (stats.received_of(RequestKind::Discover), stats.sent_of(Answer::Offer))
        );
        assert_eq!(request.1, stats.received_of(RequestKind::Request));
        assert_eq!(renew.1, stats.received_of(RequestKind::Renew));
        assert_eq!(release.1, stats.received_of(RequestKind::Release));
        let answered = request.2 + renew.2 + release.2;
        assert_eq!(answered, stats.sent_of(Answer::Ack));
        let bound = leases.iter().filter(|lease| lease.state == State::Bound);
        let left =
            stats.received_of(RequestKind::Request) - stats.received_of(RequestKind::Release);
        assert_eq!(bound.count() as u64, 2 * left, "an address and a prefix for each");
        assert!(request.2 > 500 && renew.1 > 60 && release.1 > 60, "{blocks:?}");
        assert_eq!(stats.relayed, if relay { stats.datagrams } else { 0 });
        assert_eq!((stats.statuses, stats.malformed), (vec![], 0));
    }
}
