//! brunt itself is stopped for three seconds (`SIGSTOP`) while its server continues: what the server answered in time
//! counts as answered, though it is read seconds later, and what is missing then is not attributed to the server.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use brunt_dhcp_server::{Answer, Config, Family, Running, Script, Server, V4};
use brunt_record::{Reason, Status};
use brunt_test_program::{Ended, brunt};
use brunt_testbed::{free_port, measured, until};
use rustix::process::Signal;

const A_STOPPED_PROCESS: &str = "a process is stopped while the kernel takes its answers";

/// A server that keeps to a script, which may be empty.
fn server(script: &str) -> Running {
    let config = Config {
        listen: vec![(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).into()],
        v4: V4 { reply_to_source: true, ..V4::default() },
        script: (!script.is_empty()).then(|| Script::parse(script).expect("a script")),
        ..Config::default()
    };
    Server::start(&config).unwrap_or_else(|error| panic!("failed to {error}"))
}

fn acks(server: &Running) -> u64 {
    server.stats().of(Family::V4).sent_of(Answer::Ack)
}

/// A run that is stopped once the server has sent this number of ACKs, and continues after three seconds.
fn stopped(server: &Running, words: &str, after: u64) -> Ended {
    let (port, own) = (server.addresses()[0].port(), free_port());
    let run = brunt("perfdhcp --seed 7 --details --no-pin").recorded();
    let run = run.typed(&format!("-4 -l 127.0.0.1 -N {port} -L {own} {words} 127.0.0.1"));
    let program = run.env("BRUNT_LAB", "").start();
    assert!(until(Duration::from_secs(90), || acks(server) > after), "no exchanges");
    program.signal(Signal::STOP);
    until(Duration::from_secs(3), || false);
    program.signal(Signal::CONT);
    program.wait()
}

/// What is counted of both stages.
fn both(ended: &Ended, what: &str) -> u64 {
    ["DISCOVER-OFFER", "REQUEST-ACK"]
        .map(|stage| ended.tally(&format!("{stage} {what}")))
        .iter()
        .sum()
}

#[test]
fn stopped_generator_still_reads_buffered_answers() {
    measured(A_STOPPED_PROCESS, || {
        // Once in the midst of a run, and once across its end. What is in flight fits into the server's socket.
        for (line, after) in [
            ("--window 50 -p 5 -R 20000 -d 2 -d 2", 500),
            ("-r 300 -p 1.5 -R 20000 -d 2 -d 2", 200),
        ] {
            let server = server("");
            let ended = stopped(&server, line, after);
            // The signal may come after brunt has taken the time of a message, and before it sends it: the server gets
            // that one message three seconds later, and its answer is too late by brunt's doing.
            let late = both(&ended, "late");
            assert!(late <= 1, "{ended}");
            let ended = ended.expect(if late == 0 { 0 } else { 3 });
            let record = ended.record();
            assert_eq!(both(&ended, "drops"), late, "{ended}");
            assert_eq!(both(&ended, "sent"), both(&ended, "received") + late, "{ended}");
            let unused = acks(&server) - record.counts.ok;
            assert!(unused <= late, "{ended}");
            assert_eq!(
                ended.stdout.contains("drops\n  answered too late: 1\n"),
                late == 1,
                "{ended}"
            );
            let own = |reason: &Reason| reason.status == Status::GeneratorLimited;
            assert!(record.verdict.reasons.iter().all(own), "{ended}");
            // The lateness of an answer is measured by the kernel's timestamp, which was long before brunt continued.
            let slowest = record.parts[0].took.max().expect("there are answers");
            assert!(slowest < Duration::from_secs(2), "{slowest:?}\n{ended}");
        }
    });
}

#[test]
fn stopped_generator_does_not_blame_the_server_for_drops() {
    measured(A_STOPPED_PROCESS, || {
        let server = server("[[rule]]\non = ['discover']\nevery = 5\naction = 'ignore'");
        let ended = stopped(&server, "-r 200 -p 8 -R 20000 -d 1", 300).expect(3);
        let ignored = server.stats().fault("ignore");
        assert_eq!(both(&ended, "drops"), ignored, "{ended}");
        // Which these are exactly is tested with a scripted clock: here the machine pauses brunt when it likes as well.
        let ours = both(&ended, "drops because brunt stood still");
        assert!((1..=ignored).contains(&ours), "{ours} of {ignored}\n{ended}");
        let output =
            format!("  because brunt itself was paused, not counted against the server: {ours}\n");
        assert!(ended.stdout.contains(&output), "{output}{ended}");
        // All the others are the server's.
        let theirs = format!("queue, by it or on the wire: {}\n", ignored - ours);
        let seen = format!("lost by the server or on the wire: {}\n", ignored - ours);
        assert!(
            ignored == ours || ended.stdout.contains(&theirs) || ended.stdout.contains(&seen),
            "{ended}"
        );
    });
}
