//! How runs end by a signal or without a server; with which exit code, and always with a report.
//! How they end by themselves or by a limit is seen in virtual time (`tests/in_memory`).

use std::fs;
use std::time::Duration;

use brunt_dhcp_server::{Answer, Family, RequestKind};
use brunt_test_program::{Ended, brunt, scratch};
use brunt_testbed::{free_port, until};
use rustix::process::Signal;

use super::server::{Server, start, wait_for};

/// A server of DHCPv4 that answers no client.
const SILENT: &str = "[[rule]]\naction = 'ignore'";

/// What every run ends with, whatever ended it.
fn reported(ended: &Ended) {
    assert!(ended.stdout.contains("***Statistics for: DISCOVER-OFFER***"), "{ended}");
    assert!(ended.stdout.contains("***Additional statistics***"), "{ended}");
    assert!(ended.stderr.contains("Outcomes"), "{ended}");
}

#[test]
fn interrupt_ends_an_endless_run() {
    let server = Server::v4("");
    let run = server.start("-r 200 -R 100 -xe");
    wait_for("exchanges", || server.sent(Answer::Ack) > 100);
    run.signal(Signal::INT);
    let ended = run.wait().expect(0);
    reported(&ended);
    let record = ended.record();
    assert_eq!(record.counts.ok, server.sent(Answer::Ack), "{ended}");
    assert_eq!(ended.line("REQUEST-ACK", "received packets"), record.counts.ok, "{ended}");
    assert!(ended.stdout.contains("\nInterrupted\n"), "{ended}");

    let server = Server::v4("[[rule]]\nevery = 9\naction = 'drop'");
    let run = server.start("-r 200 -R 100 -d 2 -d 2");
    wait_for("exchanges", || server.sent(Answer::Ack) > 50);
    run.signal(Signal::INT);
    let ended = run.wait().expect(3);
    reported(&ended);
    assert_eq!(ended.record().counts.timed_out, server.stats().fault("drop"), "{ended}");
}

#[test]
fn second_interrupt_and_sigterm_have_their_own_exit_codes() {
    let server = Server::v4(SILENT);
    let run = server.start("-r 50 -R 50 -d 60");
    wait_for("messages", || server.received(RequestKind::Discover) > 20);
    run.signal(Signal::INT);
    // It waits for answers, which do not come.
    until(Duration::from_millis(700), || false);
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    reported(&ended);
    let record = ended.record();
    assert_eq!(record.counts.cut_off, server.received(RequestKind::Discover), "{ended}");
    assert_eq!(record.counts.cut_off, record.counts.sent, "{ended}");

    let server = Server::v4("");
    let run = server.start("-r 200 -R 50 -p 60");
    wait_for("exchanges", || server.sent(Answer::Ack) > 20);
    run.signal(Signal::TERM);
    let ended = run.wait().expect(143);
    reported(&ended);
    assert_eq!(ended.record().counts.ok, server.sent(Answer::Ack), "{ended}");
    assert!(ended.stderr.contains("ended by SIGTERM after "), "{ended}");
}

/// Nobody is there at all: every message is refused by this machine, or its answer is that nobody listens.
#[test]
fn closed_port_does_not_stop_the_run() {
    let port = free_port();
    let ended = start(Family::V4, port, "-r 200 -n 40 -R 40 -d 0.3").wait().expect(3);
    let record = ended.record();
    assert_eq!((record.counts.ok, record.counts.planned), (0, 40), "{ended}");
    let refused = ended.tally("locallimit");
    let sent = ended.tally("DISCOVER-OFFER sent");
    assert_eq!(sent + refused, 40, "{ended}");
    assert_eq!(ended.tally("DISCOVER-OFFER drops"), sent, "{ended}");
    assert!(ended.stdout.contains(&format!("\nlocallimit: {refused}\n")), "{ended}");
    let advice = format!("note: no answer from 127.0.0.1:{port} to any of {sent} messages; ");
    assert!(ended.stderr.contains(&advice), "{ended}");
    let advice = "were rejected because nothing listens there (ICMP port unreachable): start the server, or name its \
                  port (-N)";
    assert!(ended.stderr.contains(advice), "{ended}");
}

/// The server of the command line says the same as the one in our process.
#[test]
fn target_dhcp_prints_its_totals_at_the_end() {
    let directory = scratch();
    let leases = directory.path().join("leases.csv");
    let target = brunt("target dhcp --listen 127.0.0.1:0 --listen [::1]:0 --reply-to-source");
    let mut target = target.arg("--leases-out").arg(&leases).start();
    target.wait_for_lines(2);
    let port = |line: usize| {
        let text = target.printed();
        let port = text.lines().nth(line).and_then(|line| line.rsplit(':').next()?.parse().ok());
        port.unwrap_or_else(|| panic!("no port in {text}"))
    };
    start(Family::V4, port(0), "-r 200 -n 30 -R 30").wait().expect(0);
    start(Family::V6, port(1), "-r 200 -n 20 -R 20 -e prefix-only").wait().expect(0);
    target.signal(Signal::INT);
    let ended = target.wait().expect(0);
    let output = ended.output();
    for part in
        ["DISCOVER 30 REQUEST 30 OFFER 30 ACK 30", "SOLICIT 20 REQUEST 20 ADVERTISE 20 REPLY 20"]
    {
        assert!(output.contains(part), "{ended}");
    }
    let table = fs::read_to_string(&leases).unwrap();
    let bound = |what: &str| table.lines().filter(|line| line.contains(what)).count();
    assert_eq!((bound(",32,"), bound(",56,"), bound(",bound,")), (30, 20, 50), "{table}");
}

/// A server that goes away in the midst of a run is named, with the moment of its last answer.
#[test]
fn server_that_disappears_is_named_with_its_last_answer() {
    let server = Server::v4("");
    let port = server.port();
    let run = server.start("-r 100 -R 1000 -d 2 -d 2 -t 0.5");
    wait_for("exchanges", || server.sent(Answer::Ack) > 100);
    drop(server);
    // Silence is reported once it has lasted for the drop time.
    let dropped = |line: &str| {
        line.split_once("; drops: ").is_some_and(|(_, drops)| !drops.starts_with("0/"))
    };
    wait_for("drops", || run.printed().lines().any(dropped));
    run.signal(Signal::INT);
    let ended = run.wait().expect(3);
    let record = ended.record();
    let note = ended.stderr.lines().find(|line| line.starts_with("note: no answer from "));
    let note = note.unwrap_or_else(|| panic!("no note\n{ended}"));
    let rest =
        note.strip_prefix(&format!("note: no answer from 127.0.0.1:{port} from ")).expect(note);
    let (since, rest) = rest.split_once(" s to the end, when ").expect(note);
    let since: f64 = since.parse().expect(note);
    // As many ACKs as the server was waited for take a second at least.
    assert!(since >= 0.9, "{ended}");
    let (sent, rest) = rest.split_once(" messages were sent; ").expect(note);
    let sent: u64 = sent.parse().expect(note);
    // Whatever was sent after the last answer was dropped, and the host of the server said why. So was what the server
    // had not taken yet when it went away.
    assert!((1..=record.counts.timed_out).contains(&sent), "{ended}");
    let refused = ended.tally("refused (ICMP port unreachable)");
    assert!(rest.starts_with(&format!("{refused} messages were rejected")), "{ended}");
    // The kernel sends no more than so many of these a second.
    assert!(refused > 0 && refused <= sent, "{ended}");
    assert!(
        ended.stdout.contains(&format!("\nrefused (ICMP port unreachable): {refused}\n")),
        "{ended}"
    );
}
