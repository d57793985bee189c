//! How runs end: by themselves, by a limit, by a signal, or before they begin; with which exit code, and always with a
//! report.

use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

use brunt_dhcp_server::{Answer, Family, RequestKind};
use brunt_record::SloOutcome;
use brunt_test_program::{Ended, Program, binary, command, run, scratch};
use brunt_testbed::{free_port, until};
use rustix::process::Signal;

use super::server::{Counted as _, Server, start, tally, wait_for};

/// A server of DHCPv4 that answers no client.
const SILENT: &str = "[[rule]]\naction = 'ignore'";

/// What every run ends with, whatever ended it.
fn reported(ended: &Ended) {
    assert!(ended.stdout.contains("***Statistics for: DISCOVER-OFFER***"), "{ended}");
    assert!(ended.stdout.contains("***Additional statistics***"), "{ended}");
    assert!(ended.stderr.contains("Outcomes"), "{ended}");
}

#[test]
fn numbers_end_it_when_they_are_answered() {
    // Answers take longer than all the sending does.
    let server = Server::v4("[[rule]]\naction = { delay = '150ms' }");
    let ended = server.run("-r 500 -n 37 -R 37 -xe").expect(0);
    let record = ended.balanced();
    assert_eq!((record.counts.planned, record.counts.ok, record.counts.cut_off), (37, 37, 0));
    assert_eq!(
        (server.received(RequestKind::Discover), server.sent(Answer::Ack)),
        (37, 37),
        "{ended}"
    );
    assert!(ended.stdout.contains("\nReached max requests limit.\n"), "{ended}");
    reported(&ended);

    let server = Server::v4("");
    let ended = server.run("-r 200 -n 1000 -n 23 -R 50 -xe").expect(0);
    assert_eq!(server.received(RequestKind::Request), 23, "{ended}");
    assert_eq!(tally(&ended.balanced(), "REQUEST-ACK received"), 23, "{ended}");
    assert!(ended.stdout.contains("\nReached max requests limit.\n"), "{ended}");
}

#[test]
fn a_period_ends_it() {
    let server = Server::v6("");
    let ended = server.run("-r 250 -p 1.2 -R 50 -xe").expect(0);
    assert_eq!(ended.balanced().counts.planned, 300, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), 300, "{ended}");
    assert!(ended.stdout.contains("\nreached test-period.\n"), "{ended}");
}

#[test]
fn drops_end_it() {
    // When the limit is reached, what was sent in the last drop time is in flight and may still be dropped: fifty.
    for (limit, lost) in [("-D 5", "last = 5"), ("-D 0", "last = 1"), ("-D 1", "first = 20")] {
        let server = Server::v4(&format!("[[rule]]\non = ['discover']\n{lost}\naction = 'drop'"));
        let ended = server.run(&format!("-r 25 -R 100 -d 2 -d 2 -p 60 {limit} -xe")).expect(3);
        let record = ended.balanced();
        let drops = tally(&record, "DISCOVER-OFFER drops");
        let wanted = if limit == "-D 5" { 5 } else { 1 };
        assert!(drops >= wanted && drops <= wanted + 75, "{limit}\n{ended}");
        if limit == "-D 5" {
            assert_eq!(drops, 5, "{ended}");
        }
        assert!(ended.stdout.contains("\nReached maximum drops number.\n"), "{ended}");
        assert!(ended.said().contains("by the drops of DISCOVER-OFFER (-D)"), "{ended}");
        assert!(record.rates.seconds < 30.0, "{ended}");
    }
    // One in five of the second stage; the first has no limit that it could reach.
    let server = Server::v4("[[rule]]\non = ['request']\nevery = 5\naction = 'drop'");
    let ended = server.run("-r 100 -R 100 -d 2 -d 2 -p 60 -D 90% -D 10% -xe").expect(3);
    let record = ended.balanced();
    let of = |what: &str| tally(&record, &format!("REQUEST-ACK {what}"));
    assert!(of("drops") * 10 >= of("drops") + of("received"), "{ended}");
    assert!(ended.stdout.contains("\nReached maximum percentage of drops.\n"), "{ended}");
    // A drop is what was not answered in time, not what is under way when a run ends.
    let server = Server::v4("[[rule]]\naction = { delay = '200ms' }");
    let ended = server.run("-r 100 -n 100 -R 100 -D 1").expect(0);
    assert_eq!(ended.balanced().counts.ok, 100, "{ended}");
}

#[test]
fn the_end_waits_as_long_as_it_is_told() {
    let delayed = |delay: &str, words: &str| {
        let script = format!("[[rule]]\non = ['request']\naction = {{ delay = '{delay}' }}");
        Server::v4(&script).run(&format!("-r 100 -R 100 -d 5 -d 5 {words}"))
    };
    // By default, until the answers came.
    let patient = delayed("700ms", "-p 0.5").expect(0);
    assert_eq!(patient.balanced().counts.ok, 50, "{patient}");
    // With no patience at all nothing is answered, and what is cut off is no drop.
    let hasty = delayed("3s", "-p 0.5 -W 0").expect(3);
    let record = hasty.balanced();
    assert_eq!((record.counts.ok, record.counts.cut_off), (0, 50), "{hasty}");
    assert_eq!(hasty.line("REQUEST-ACK", "drops"), 0, "{hasty}");
    // With some, those that are answered by then: of the second in which all were sent, the first half.
    let some = delayed("2s", "-p 1 -W 1500000").expect(3);
    let record = some.balanced();
    assert!((10..=90).contains(&record.counts.ok), "{some}");
    assert_eq!(record.counts.ok + record.counts.cut_off, 100, "{some}");
}

#[test]
fn the_wait_for_answers_is_no_longer_than_the_drop_time() {
    let ended = Server::v4(SILENT).run("-r 100 -n 20 -R 20 -d 0.5").expect(3);
    let record = ended.balanced();
    assert_eq!((record.counts.timed_out, record.counts.ok), (20, 0), "{ended}");
    // Each is given up after its drop time, and not at the end of the run.
    let took = record.operations[0].service.histogram().unwrap();
    assert!(took.min().unwrap() >= Duration::from_millis(500), "{ended}");
    assert!(took.quantile(0.5).unwrap() < Duration::from_millis(650), "{ended}");
    reported(&ended);
}

#[test]
fn an_interrupt_is_how_a_run_without_an_end_is_ended() {
    let server = Server::v4("");
    let run = server.start("-r 200 -R 100 -xe");
    wait_for("exchanges", || server.sent(Answer::Ack) > 100);
    run.signal(Signal::INT);
    let ended = run.wait().expect(0);
    reported(&ended);
    let record = ended.balanced();
    assert_eq!(record.counts.ok, server.sent(Answer::Ack), "{ended}");
    assert_eq!(ended.line("REQUEST-ACK", "received packets"), record.counts.ok, "{ended}");
    assert!(ended.stdout.contains("\nInterrupted\n"), "{ended}");

    let server = Server::v4("[[rule]]\nevery = 9\naction = 'drop'");
    let run = server.start("-r 200 -R 100 -d 2 -d 2");
    wait_for("exchanges", || server.sent(Answer::Ack) > 50);
    run.signal(Signal::INT);
    let ended = run.wait().expect(3);
    reported(&ended);
    assert_eq!(ended.balanced().counts.timed_out, server.stats().fault("drop"), "{ended}");
}

#[test]
fn a_second_interrupt_and_a_termination_have_codes_of_their_own() {
    let server = Server::v4(SILENT);
    let run = server.start("-r 50 -R 50 -d 60");
    wait_for("messages", || server.received(RequestKind::Discover) > 20);
    run.signal(Signal::INT);
    // It waits for answers, which do not come.
    until(Duration::from_millis(700), || false);
    run.signal(Signal::INT);
    let ended = run.wait().expect(130);
    reported(&ended);
    let record = ended.balanced();
    assert_eq!(record.counts.cut_off, server.received(RequestKind::Discover), "{ended}");
    assert_eq!(record.counts.cut_off, record.counts.sent, "{ended}");

    let server = Server::v4("");
    let run = server.start("-r 200 -R 50 -p 60");
    wait_for("exchanges", || server.sent(Answer::Ack) > 20);
    run.signal(Signal::TERM);
    let ended = run.wait().expect(143);
    reported(&ended);
    assert_eq!(ended.balanced().counts.ok, server.sent(Answer::Ack), "{ended}");
    assert!(ended.stderr.contains("ended by SIGTERM after "), "{ended}");
}

/// Refused before anything is sent: what is wrong is said, with its name, and nothing stands on standard output.
#[test]
fn what_cannot_be_carried_out_is_said_first() {
    let refused = |words: &str, code: i32, said: &str| {
        let ended = run(["perfdhcp"].into_iter().chain(words.split_whitespace())).expect(code);
        assert!(ended.said().contains(said), "{said}\n{ended}");
        assert!(ended.stdout.is_empty(), "{ended}");
    };
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it has an address").port();
    refused(&format!("-l 127.0.0.1 -L {port} -r 1 -n 1 127.0.0.1"), 1, &port.to_string());
    refused("-l nothing7 -r 1 -n 1 127.0.0.1", 1, "nothing7");
    refused("-l 127.0.0.1 -L 31999 -T /nonexistent.hex -r 1 127.0.0.1", 1, "/nonexistent.hex");
    refused("-l 127.0.0.1 -L 31999 -M /nonexistent.txt -r 1 127.0.0.1", 1, "/nonexistent.txt");
    refused("-l 127.0.0.1 --record /nonexistent/r.json -r 1 127.0.0.1", 1, "/nonexistent/r.json");
    refused("-4 -6 127.0.0.1", 2, "-6");
    refused("-r 0 127.0.0.1", 2, "-r");
    refused("-f 5 127.0.0.1", 2, "-f");
    refused("-r 10 -f 11 127.0.0.1", 2, "-f");
    refused("-c 127.0.0.1", 2, "-c");
    refused("-D 0% 127.0.0.1", 2, "-D");
    refused("-Q 127.0.0.1", 2, "-Q");
    refused("--slo nonsense 127.0.0.1", 2, "nonsense");
    let broadcast = "-l lo -r 1 -n 1 255.255.255.255";
    refused(broadcast, 8, "--lab");
    refused("-l lo -r 1 -n 1 all", 8, "--lab");
    refused("-6 -l lo -r 1 -n 1 servers", 8, "--lab");
}

#[test]
fn objectives_decide_the_exit_code() {
    let server = Server::v4("[[rule]]\non = ['discover']\naction = { delay = '20ms' }");
    let met = ["--slo", "dora.p99<20s", "--slo", "errors<1%"];
    let ended = server.run_with("-r 100 -n 30 -R 30", &met).expect_met();
    assert!(ended.record().slo.iter().all(|slo| slo.outcome != SloOutcome::Missed), "{ended}");
    let ended = server.run_with("-r 100 -n 30 -R 30", &["--slo", "dora.p99<1ms"]).expect(99);
    assert!(ended.stderr.contains("missed"), "{ended}");
    reported(&ended);
    // An objective that is missed says more than exchanges that failed.
    let lossy = Server::v4("[[rule]]\non = ['discover']\nevery = 5\naction = 'drop'");
    let objective = ["--slo", "errors<10%"];
    let words = "-r 100 -n 30 -R 30 -d 2 -d 2";
    lossy.run_with(words, &objective).expect(99);
    lossy.run_with(words, &["--slo", "errors<50%"]).expect(3);
}

/// Nobody is there at all: every send is refused by this machine, or nothing answers; either way each is accounted for.
#[test]
fn a_port_where_nobody_listens_is_no_reason_to_give_up() {
    let ended = start(Family::V4, free_port(), "-r 200 -n 40 -R 40 -d 0.3", &[]);
    let ended = ended.wait().expect(3);
    let record = ended.balanced();
    assert_eq!((record.counts.ok, record.counts.planned), (0, 40), "{ended}");
    let refused = tally(&record, "locallimit");
    let sent = tally(&record, "DISCOVER-OFFER sent");
    assert_eq!(sent + refused, 40, "{ended}");
    assert_eq!(tally(&record, "DISCOVER-OFFER drops"), sent, "{ended}");
    assert!(ended.stdout.contains(&format!("\nlocallimit: {refused}\n")), "{ended}");
}

/// The command of `-w` hears of the beginning and of the end.
#[test]
fn a_wrapped_command_is_called_at_both_ends() {
    let directory = scratch();
    let (script, log) = (directory.path().join("wrapped"), directory.path().join("log"));
    fs::write(&script, format!("#!/bin/sh\necho \"$@\" >> {}\n", log.display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, mode).unwrap();
    let server = Server::v4("");
    let wrapped = script.to_str().unwrap();
    server.run_with("-r 100 -n 50", &["-w", wrapped]).expect(0);
    let said = || fs::read_to_string(&log).unwrap_or_default();
    wait_for("both calls", || said().lines().count() == 2);
    assert_eq!(said(), "start\nstop\n");
    let missing = server.run_with("-r 100 -n 50", &["-w", "/nonexistent/command"]).expect(0);
    for call in ["start", "stop"] {
        let named = format!("'/nonexistent/command {call}', could not be run");
        assert!(missing.said().contains(&named), "{missing}");
    }
}

/// The server of the command line says the same as the one in our process.
#[test]
fn the_target_of_the_command_line_ends_with_an_account() {
    let directory = scratch();
    let leases = directory.path().join("leases.csv");
    let mut target = command(binary());
    target.args(["target", "dhcp", "--listen", "127.0.0.1:0", "--listen", "[::1]:0"]);
    target.args(["--reply-to-source", "--leases-out"]).arg(&leases);
    let mut target = Program::start(&mut target);
    target.wait_for_lines(2);
    let port = |line: usize| {
        let text = target.printed();
        let port = text.lines().nth(line).and_then(|line| line.rsplit(':').next()?.parse().ok());
        port.unwrap_or_else(|| panic!("no port in {text}"))
    };
    start(Family::V4, port(0), "-r 200 -n 30 -R 30", &[]).wait().expect(0);
    start(Family::V6, port(1), "-r 200 -n 20 -R 20 -e prefix-only", &[]).wait().expect(0);
    target.signal(Signal::INT);
    let ended = target.wait().expect(0);
    let said = ended.said();
    for part in
        ["DISCOVER 30 REQUEST 30 OFFER 30 ACK 30", "SOLICIT 20 REQUEST 20 ADVERTISE 20 REPLY 20"]
    {
        assert!(said.contains(part), "{ended}");
    }
    let table = fs::read_to_string(&leases).unwrap();
    let bound = |what: &str| table.lines().filter(|line| line.contains(what)).count();
    assert_eq!((bound(",32,"), bound(",56,"), bound(",bound,")), (30, 20, 50), "{table}");
}

/// A server that goes away in the midst of a run is named, with the moment of its last answer.
#[test]
fn a_server_that_went_away_is_named_with_the_time() {
    let server = Server::v4("");
    let port = server.port();
    let run = server.start("-r 100 -p 4 -R 1000 -d 2 -d 2");
    wait_for("exchanges", || server.sent(Answer::Ack) > 100);
    drop(server);
    let ended = run.wait().expect(3);
    let record = ended.balanced();
    let note = ended.stderr.lines().find(|line| line.starts_with("note: no answer from "));
    let note = note.unwrap_or_else(|| panic!("no note\n{ended}"));
    let rest =
        note.strip_prefix(&format!("note: no answer from 127.0.0.1:{port} from ")).expect(note);
    let (since, rest) = rest.split_once(" s to the end, when ").expect(note);
    let since: f64 = since.parse().expect(note);
    assert!((0.9..2.5).contains(&since), "{ended}");
    let (sent, rest) = rest.split_once(" messages were sent; ").expect(note);
    let sent: u64 = sent.parse().expect(note);
    // Whatever was sent after the last answer was dropped, and the host of the server said why.
    assert_eq!(sent, record.counts.timed_out, "{ended}");
    let refused = tally(&record, "refused (ICMP port unreachable)");
    assert!(rest.starts_with(&format!("{refused} messages were rejected")), "{ended}");
    // The kernel sends no more than so many of these a second.
    assert!(refused > 0 && refused <= sent, "{ended}");
    assert!(
        ended.stdout.contains(&format!("\nrefused (ICMP port unreachable): {refused}\n")),
        "{ended}"
    );
}
