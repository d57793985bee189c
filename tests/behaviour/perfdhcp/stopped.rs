//! brunt itself is stopped for three seconds (`SIGSTOP`) while its server continues: what the server answered in time
//! counts as answered, though it is read seconds later, and what is missing then is not attributed to the server.

use std::time::Duration;

use brunt_dhcp_server::Answer;
use brunt_test_program::{Ended, Program};
use brunt_testbed::until;
use rustix::process::Signal;

use super::server::{Server, wait_for};

/// Stops a run once the server has sent this number of ACKs, and lets it continue after three seconds.
fn stopped(server: &Server, program: Program, acks: u64) -> Ended {
    wait_for("exchanges", || server.sent(Answer::Ack) > acks);
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
    // Once in the midst of a run, and once across its end. What is in flight fits into the server's socket.
    for (line, acks) in
        [("--window 50 -p 5 -R 20000 -d 2 -d 2", 500), ("-r 300 -p 1.5 -R 20000 -d 2 -d 2", 200)]
    {
        let server = Server::v4("");
        let ended = stopped(&server, server.start(line), acks).expect(0);
        let record = ended.record();
        assert_eq!((both(&ended, "drops"), both(&ended, "late")), (0, 0), "{ended}");
        assert_eq!(both(&ended, "sent"), both(&ended, "received"), "{ended}");
        assert_eq!(record.counts.ok, server.sent(Answer::Ack), "{ended}");
        assert!(!ended.stdout.contains("drops\n  answered too late"), "{ended}");
        // The lateness of an answer is measured by the kernel's timestamp, which was long before brunt continued.
        let slowest = record.parts[0].took.max().expect("there are answers");
        assert!(slowest < Duration::from_secs(2), "{slowest:?}\n{ended}");
    }
}

#[test]
fn stopped_generator_does_not_blame_the_server_for_drops() {
    let server = Server::v4("[[rule]]\non = ['discover']\nevery = 5\naction = 'ignore'");
    let ended = stopped(&server, server.start("-r 200 -p 8 -R 20000 -d 1"), 300).expect(3);
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
}
