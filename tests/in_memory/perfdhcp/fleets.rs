//! Clients that act for themselves: an avalanche that repeats lost messages, and a fleet with lives.

use std::time::Duration;

use brunt_dhcp_server::{Answer, Config, Family, RequestKind};
use brunt_test_program::Ended;

use super::server::Server;

/// What was sent in a stage, whether for the first time or again.
fn sent(ended: &Ended, stage: &str) -> u64 {
    ended.tally(&format!("{stage} sent")) + ended.tally(&format!("{stage} resent"))
}

#[test]
fn avalanche_resends_lost_messages_after_four_seconds() {
    // All of the first wave is lost, and nothing after it.
    let server = Server::v4("[[rule]]\non = ['discover']\nlast = 30\naction = 'ignore'");
    let ended = server.run("--scenario avalanche -R 30").expect(0);
    let record = ended.record();
    assert_eq!((record.counts.ok, server.bound()), (30, 30), "{ended}");
    assert_eq!(ended.tally("DISCOVER-OFFER resent"), 30, "{ended}");
    assert_eq!(server.received(RequestKind::Discover), sent(&ended, "DISCOVER-OFFER"), "{ended}");
    assert_eq!(server.received(RequestKind::Request), 30, "{ended}");
    // RFC 2131 section 4.1: after four seconds, one more or less.
    let took = record.operations[0].service.histogram().expect("it is a histogram");
    let (least, most) = (took.min().unwrap(), took.max().unwrap());
    assert!(least >= Duration::from_secs(3), "{least:?}\n{ended}");
    assert!(most < Duration::from_millis(5_020), "{most:?}\n{ended}");
    // They do not all come back at the same moment.
    let spread = most.saturating_sub(least);
    assert!(spread > Duration::from_millis(700), "{spread:?}\n{ended}");
    assert!(ended.stdout.contains("to provision 30 clients. \n"), "{ended}");
    assert!(ended.stdout.contains("Requests sent + resent: 90\nRequests resent: 30\n"), "{ended}");
}

#[test]
fn avalanche_of_dhcpv6_doubles_its_timeout() {
    let server = Server::v6("[[rule]]\non = ['solicit']\nlast = 40\naction = 'ignore'");
    let ended = server.run("--scenario avalanche -R 20").expect(0);
    let record = ended.record();
    assert_eq!((record.counts.ok, server.bound()), (20, 20), "{ended}");
    assert_eq!(
        server.received(RequestKind::Discover),
        sent(&ended, "SOLICIT-ADVERTISE"),
        "{ended}"
    );
    assert_eq!(ended.tally("SOLICIT-ADVERTISE resent"), 40, "{ended}");
    // RFC 8415 section 15 and 18.2.1: between 1 and 1.1 s, then between 1.9 and 2.1 times as much more.
    let took = record.operations[0].service.histogram().expect("it is a histogram");
    let (least, most) = (took.min().unwrap(), took.max().unwrap());
    assert!(least >= Duration::from_millis(2_900), "{least:?}\n{ended}");
    assert!(most < Duration::from_millis(3_440), "{most:?}\n{ended}");
}

/// What the server received of each act is what the record says was sent.
fn agree(server: &Server, run: &Ended, stages: &[(RequestKind, &str)]) {
    for (act, stage) in stages {
        let sent = sent(run, stage);
        assert_eq!(server.received(*act), sent, "{stage}\n{run}");
    }
}

const STAGES_V4: [(RequestKind, &str); 6] = [
    (RequestKind::Discover, "DISCOVER-OFFER"),
    (RequestKind::Request, "REQUEST-ACK"),
    (RequestKind::Release, "RELEASE"),
    (RequestKind::Reboot, "REQUEST-ACK (INIT-REBOOT)"),
    (RequestKind::Inform, "INFORM-ACK"),
    (RequestKind::Decline, "DECLINE"),
];
const STAGES_V6: [(RequestKind, &str); 8] = [
    (RequestKind::Discover, "SOLICIT-ADVERTISE"),
    (RequestKind::Request, "REQUEST-REPLY"),
    (RequestKind::Renew, "RENEW-REPLY"),
    (RequestKind::Rebind, "REBIND-REPLY"),
    (RequestKind::Release, "RELEASE-REPLY"),
    (RequestKind::Reboot, "CONFIRM-REPLY"),
    (RequestKind::Inform, "INFORMATION-REQUEST-REPLY"),
    (RequestKind::Decline, "DECLINE-REPLY"),
];

#[test]
fn fleet_counts_agree_with_the_server() {
    let words = "--scenario fleet --clients 80 --time-scale 1200 -p 4 --release-share 50% \
                 --decline-share 5% --reboot-share 30% --inform-share 30%";
    for family in Family::ALL {
        let server = Server::like(family, "", Config::default());
        let run = server.run_with(words, &["--births", "over 1s"]);
        let record = run.record();
        match family {
            Family::V4 => {
                agree(&server, &run, &STAGES_V4);
                // A server cannot distinguish a rebinding client from a renewing one.
                let renewed = sent(&run, "REQUEST-ACK (renewal)");
                let rebound = sent(&run, "REQUEST-ACK (rebinding)");
                assert_eq!(server.received(RequestKind::Renew), renewed + rebound, "{run}");
            }
            Family::V6 => agree(&server, &run, &STAGES_V6),
        }
        // Eighty births, and lives after them.
        let acquire = &record.operations[0].counts;
        assert!(acquire.ok >= 80, "{run}");
        // A lease of some 3000 s that ages 1200 times as fast is renewed after some 1.2 s, so each of those that stay
        // was renewed once or twice.
        let renewed = record.operations.iter().find(|o| o.name == "renew").expect("it is there");
        assert!(renewed.counts.ok > 40, "{run}");
        let life = record.parts.iter().find(|part| part.name == "lease life").expect("it is there");
        assert!(life.took.count > 0, "{run}");
    }
}

#[test]
fn fleet_births_keep_their_rate() {
    let server = Server::v4("");
    let ended =
        server.run_with("--scenario fleet --clients 500 -p 2", &["--births", "50"]).expect(0);
    // Fifty a second, the first of them at once.
    let born = (server.received(RequestKind::Discover), server.sent(Answer::Ack));
    assert_eq!(born, (100, 100), "{ended}");
}

#[test]
fn fleet_returns_in_time_after_a_power_cut() {
    for family in Family::ALL {
        let server = Server::like(family, "", Config::default());
        let more = ["--births", "over 500ms", "--power-cut", "at 1500ms within 1s"];
        let words = "--scenario fleet --clients 60 -p 3.5 --interval 0.25";
        let ended = server.run_with(words, &more).expect(0);
        let record = ended.record();
        // Each asks whether what it had still holds, once.
        let stage =
            if family == Family::V6 { "CONFIRM-REPLY" } else { "REQUEST-ACK (INIT-REBOOT)" };
        assert_eq!(ended.tally(&format!("{stage} received")), 60, "{ended}");
        assert_eq!((server.received(RequestKind::Reboot), server.bound()), (60, 60), "{ended}");
        // Between half a second and the cut there is nothing to do, and again a second after it.
        let busy = |from: f64, to: f64| -> u64 {
            let within = |start: f64| start >= from && start < to;
            let steps = record.series.iter().filter(|step| within(step.from_s));
            steps.flat_map(|step| &step.operations).map(|done| done.counts.ok).sum()
        };
        assert_eq!(busy(0.0, 1.4), 60, "{ended}");
        assert_eq!(busy(1.4, 3.0), 60, "{ended}");
        assert_eq!(busy(3.0, 9.0), 0, "{ended}");
    }
}

#[test]
fn fleet_stages_keep_their_positions_in_the_record() {
    let server = Server::v4("");
    let words =
        "--scenario fleet -R 50 --time-scale 1000 --release-share 50% --inform-share 10% -p 4 -t 1";
    let ended = server.run_with(words, &["--births", "over 1s"]).expect(0);
    let stages = ended.stdout.matches("***Statistics for: ").count();
    assert_eq!(stages, 6, "{ended}");
    let lines: Vec<_> = ended.stdout.lines().filter(|line| line.starts_with("sent: ")).collect();
    assert!(lines.len() >= 3, "{ended}");
    for line in lines {
        let (sent, _) = line.split_once(';').unwrap_or_default();
        assert_eq!(sent.split('/').count(), stages, "{line}");
    }
    // Leases of an hour are renewed every other second.
    assert!(ended.stdout.contains("***Statistics for: REQUEST-ACK (renewal)***\n"), "{ended}");
}
