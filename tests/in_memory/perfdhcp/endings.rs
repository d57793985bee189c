//! How runs end by themselves, by a limit, or before they begin; with which exit code, and always with a report.

use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

use brunt_dhcp_server::{Answer, RequestKind};
use brunt_record::SloOutcome;
use brunt_test_program::{Ended, scratch};

use super::server::Server;
use crate::machine::Machine;

/// A server of DHCPv4 that answers no client.
const SILENT: &str = "[[rule]]\naction = 'ignore'";

/// What every run ends with, whatever ended it.
fn reported(ended: &Ended) {
    assert!(ended.stdout.contains("***Statistics for: DISCOVER-OFFER***"), "{ended}");
    assert!(ended.stdout.contains("***Additional statistics***"), "{ended}");
    assert!(ended.stderr.contains("Outcomes"), "{ended}");
}

#[test]
fn request_limit_ends_the_run_after_the_answers() {
    // Answers take longer than all the sending does.
    let server = Server::v4("[[rule]]\naction = { delay = '150ms' }");
    let ended = server.run("-r 500 -n 37 -R 37 -xe").expect(0);
    let record = ended.record();
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
    assert_eq!(ended.tally("REQUEST-ACK received"), 23, "{ended}");
    assert!(ended.stdout.contains("\nReached max requests limit.\n"), "{ended}");
}

#[test]
fn test_period_ends_the_run() {
    let server = Server::v6("");
    let ended = server.run("-r 250 -p 1.2 -R 50 -xe").expect(0);
    assert_eq!(ended.record().counts.planned, 300, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), 300, "{ended}");
    assert!(ended.stdout.contains("\nreached test-period.\n"), "{ended}");
}

#[test]
fn drop_limit_ends_the_run() {
    // When the limit is reached, what was sent in the last drop time is in flight and may still be dropped.
    type Expected = fn(u64) -> u64;
    let cases: [(&str, &str, Expected); 3] = [
        ("-D 5", "last = 5", |_| 5),
        ("-D 0", "last = 1", |_| 1),
        ("-D 1", "first = 20", |planned| planned - 19),
    ];
    for (limit, lost, expected) in cases {
        let server = Server::v4(&format!("[[rule]]\non = ['discover']\n{lost}\naction = 'drop'"));
        let ended = server.run(&format!("-r 25 -R 100 -d 2 -d 2 -p 60 {limit} -xe")).expect(3);
        let record = ended.record();
        let drops = ended.tally("DISCOVER-OFFER drops");
        assert_eq!(drops, expected(record.counts.planned), "{limit}\n{ended}");
        assert!(ended.stdout.contains("\nReached maximum drops number.\n"), "{ended}");
        assert!(ended.output().contains("by the drops of DISCOVER-OFFER (-D)"), "{ended}");
        // The first drop is that of the twentieth at the latest, 2 s after it was due.
        assert!((2.0..2.9).contains(&record.rates.seconds), "{ended}");
    }
    // One in five of the second stage; the first has no limit that it could reach.
    let server = Server::v4("[[rule]]\non = ['request']\nevery = 5\naction = 'drop'");
    let ended = server.run("-r 100 -R 100 -d 2 -d 2 -p 60 -D 90% -D 10% -xe").expect(3);
    let of = |what: &str| ended.tally(&format!("REQUEST-ACK {what}"));
    assert!(of("drops") * 10 >= of("drops") + of("received"), "{ended}");
    assert!(ended.stdout.contains("\nReached maximum percentage of drops.\n"), "{ended}");
    // A drop is what was not answered in time, not what is under way when a run ends.
    let server = Server::v4("[[rule]]\naction = { delay = '200ms' }");
    let ended = server.run("-r 100 -n 100 -R 100 -D 1").expect(0);
    assert_eq!(ended.record().counts.ok, 100, "{ended}");
}

#[test]
fn end_of_run_waits_for_the_given_drain_time() {
    let delayed = |delay: &str, words: &str| {
        let script = format!("[[rule]]\non = ['request']\naction = {{ delay = '{delay}' }}");
        Server::v4(&script).run(&format!("-r 100 -R 100 -d 5 -d 5 {words}"))
    };
    // By default, until the answers came.
    let patient = delayed("700ms", "-p 0.5").expect(0);
    assert_eq!(patient.record().counts.ok, 50, "{patient}");
    // With no patience at all nothing is answered, and what is cut off is no drop.
    let hasty = delayed("3s", "-p 0.5 -W 0").expect(3);
    let record = hasty.record();
    assert_eq!((record.counts.ok, record.counts.cut_off), (0, 50), "{hasty}");
    assert_eq!(hasty.line("REQUEST-ACK", "drops"), 0, "{hasty}");
    // With some, those that are answered by then: of the second in which all were sent, the first half.
    let some = delayed("2s", "-p 1 -W 1500000").expect(3);
    let record = some.record();
    assert_eq!((record.counts.ok, record.counts.cut_off), (50, 50), "{some}");
}

#[test]
fn end_of_run_waits_no_longer_than_the_drop_time() {
    let ended = Server::v4(SILENT).run("-r 100 -n 20 -R 20 -d 0.5").expect(3);
    let record = ended.record();
    assert_eq!((record.counts.timed_out, record.counts.ok), (20, 0), "{ended}");
    // Each is given up after its drop time, and not at the end of the run.
    let took = record.operations[0].service.histogram().unwrap();
    assert!(took.min().unwrap() >= Duration::from_millis(500), "{ended}");
    assert!(took.max().unwrap() < Duration::from_millis(515), "{ended}");
    reported(&ended);
    // Whoever is answered by nobody is told what to look at; where there is an answer there is no such advice.
    let advice = "note: no answer from 10.0.3.1:67 to any of 20 messages. Is there a server, and does it have a subnet \
                  for the relay 10.0.3.9? It answers to port 67 and not to 10067, unless ";
    let ended = Server::v4(SILENT).run("-r 100 -n 20 -R 20 -d 0.5 -L 10067").expect(3);
    assert!(ended.stderr.contains(advice), "{ended}");
    let ended = Server::v4("").run("-r 100 -n 20 -R 20 -L 10067").expect(0);
    assert!(!ended.stderr.contains("no answer from"), "{ended}");
}

#[test]
fn slo_decides_the_exit_code() {
    let server = Server::v4("[[rule]]\non = ['discover']\naction = { delay = '20ms' }");
    let met = ["--slo", "dora.p99<20s", "--slo", "errors<1%"];
    let ended = server.run_with("-r 100 -n 30 -R 30", &met).expect(0);
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

/// The command of `-w` hears of the beginning and of the end.
#[test]
fn wrapped_command_is_called_at_start_and_stop() {
    let directory = scratch();
    let (script, log) = (directory.path().join("wrapped"), directory.path().join("log"));
    fs::write(&script, format!("#!/bin/sh\necho \"$@\" >> {}\n", log.display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, mode).unwrap();
    let server = Server::v4("");
    let wrapped = script.to_str().unwrap();
    server.run_with("-r 100 -n 50", &["-w", wrapped]).expect(0);
    let output = || fs::read_to_string(&log).unwrap_or_default();
    assert_eq!(output(), "start\nstop\n");
    let missing = server.run_with("-r 100 -n 50", &["-w", "/nonexistent/command"]).expect(0);
    for call in ["start", "stop"] {
        let named = format!("'/nonexistent/command {call}', could not be run");
        assert!(missing.output().contains(&named), "{missing}");
    }
}

/// Refused before anything is sent: what is wrong is said, with its name, and nothing stands on standard output.
#[test]
fn invalid_runs_are_refused_before_anything_is_sent() {
    let refused = |words: &str, code: i32, output: &str| {
        let words: Vec<&str> = ["perfdhcp"].into_iter().chain(words.split_whitespace()).collect();
        let ended = Machine::real().run(&words).expect(code);
        assert!(ended.output().contains(output), "{output}\n{ended}");
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
