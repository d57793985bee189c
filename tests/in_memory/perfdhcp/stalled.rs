//! A server that stalls for two seconds: exchanges that are waited for show it, and those that are not are dropped, as
//! many as the schedule sends in that time.

use brunt_dhcp_server::{Answer, Config, Family};
use brunt_record::Histogram;

use super::server::Server;

/// From 2.5 s to 4.5 s of a run of fifty exchanges a second, of which one is due at 2.5 s. A run begins 1 ms after its
/// machine, from whose start the server counts.
const SCRIPT: &str = "
    [[stall]]
    at = '2501ms'
    lasts = '2s'
";
/// How many are due in the stall, one every 20 ms.
const MET: u64 = 100;

/// How many took longer than so many milliseconds.
fn longer(times: &Histogram, millis: u64) -> u64 {
    times.buckets().filter(|(ns, _)| *ns > millis * 1_000_000).map(|(_, count)| count).sum()
}

#[test]
fn stalled_server_raises_latency_of_waiting_exchanges() {
    let server = Server::v4(SCRIPT);
    let ended = server.run("-r 50 -p 6 -R 300 -d 5 -d 5").expect(0);
    let record = ended.record();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (300, 300), "{ended}");
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        assert_eq!((ended.line(stage, "drops"), ended.line(stage, "orphans")), (0, 0), "{ended}");
    }
    let operation = &record.operations[0];
    for times in [&operation.response, &operation.service] {
        // The one that is due as the stall begins waits for all of it, and for two answers on their way.
        assert_eq!(times.max_ns, Some(2_002_000_000), "{ended}");
        let times = times.histogram().unwrap();
        // The one that is due 20n ms later waits 20n ms less: of 2002 ms, the first (2002 - limit) / 20 wait longer.
        for (limit, expected) in [(10, 100), (510, 75), (1_010, 50), (1_510, 25)] {
            assert_eq!(longer(&times, limit), expected, "over {limit} ms\n{ended}");
        }
    }
}

#[test]
fn stalled_server_causes_drops_that_are_later_counted_as_late() {
    let stages = [["DISCOVER-OFFER", "REQUEST-ACK"], ["SOLICIT-ADVERTISE", "REQUEST-REPLY"]];
    for (family, [first, second]) in Family::ALL.into_iter().zip(stages) {
        let server = Server::like(family, SCRIPT, Config::default());
        let ended = server.run("-r 50 -p 6 -R 300 -d 1 -d 1").expect(3);
        let record = ended.record();
        let of = |stage: &str, what: &str| ended.tally(&format!("{stage} {what}"));
        // What was sent in the first of the two seconds, and as the other began, had to wait for longer than one.
        let drops = of(first, "drops");
        assert_eq!((drops, of(second, "drops")), (MET / 2 + 1, 0), "{ended}");
        // All of them are answered when the server continues, and are not mistaken for anything else.
        let late = of(first, "late");
        assert_eq!((late, record.orphans), (drops, drops), "{:?}\n{ended}", ended.tallies());
        assert_eq!((record.counts.timed_out, record.counts.ok), (drops, 300 - drops), "{ended}");
        assert_eq!(of(second, "received"), record.counts.ok, "{ended}");
        for stage in [first, second] {
            assert_eq!(ended.line(stage, "drops"), of(stage, "drops"), "{ended}");
            assert_eq!(ended.line(stage, "orphans"), of(stage, "late"), "{ended}");
            assert_eq!(ended.line(stage, "collected packets"), of(stage, "drops"), "{ended}");
        }
        // Each message reached the server and was answered: nothing was lost, it was only late.
        let answers = server.sent(Answer::Offer) + server.sent(Answer::Ack);
        assert_eq!(answers, of(first, "sent") + of(second, "sent"), "{ended}");
        assert!(ended.stdout.contains(&format!("Of {drops} drops\n  answered too late: {late}")));
    }
}
