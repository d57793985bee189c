//! A server that stalls for a second: exchanges that are waited for show it, and those that are not are dropped, as
//! many as the schedule sends in that time.

use brunt_record::Histogram;
use brunt_targets::dhcp::{Answer, Config, Family};

use super::server::{Counted as _, Server, counted, tally};
use crate::program::among_others;

/// Exchanges a second.
const RATE: u64 = 100;
/// From 700 ms after the server's start, for a second. The client starts a little later than the server.
const SCRIPT: &str = "
    [[stall]]
    at = '700ms'
    lasts = '1s'
";
/// How far the edges of the stall may blur, in exchanges: what was sent just before it and answered just after.
const EDGE: u64 = 8;

/// How many took longer than so many milliseconds.
fn longer(times: &Histogram, millis: u64) -> u64 {
    times.buckets().filter(|(ns, _)| *ns > millis * 1_000_000).map(|(_, count)| count).sum()
}

#[test]
fn whoever_waits_sees_it_in_what_was_sent_meanwhile() {
    let _among = among_others();
    let server = Server::v4(SCRIPT);
    // A request that is sent just before the stall waits for all of it, too.
    let ended = server.run("-r 100 -p 3 -R 300 -d 3 -d 3 --kernel-stamps").expect(0);
    let record = ended.balanced();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (300, 300), "{ended}");
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        assert_eq!((ended.line(stage, "drops"), ended.line(stage, "orphans")), (0, 0), "{ended}");
    }
    let operation = &record.operations[0];
    for times in [&operation.response, &operation.service] {
        let times = times.histogram().unwrap();
        // Sent evenly over the second, those of its first half wait for more than the other half of it.
        for (millis, expected) in [(250, 75), (500, 50), (750, 25)] {
            let waited = longer(&times, millis);
            assert!(waited.abs_diff(expected) <= EDGE, "{waited} over {millis} ms\n{ended}");
        }
        let longest = times.max().unwrap().as_millis();
        assert!((950..1_500).contains(&longest), "{longest}\n{ended}");
    }
}

#[test]
fn whoever_does_not_wait_drops_it_and_hears_of_it_later() {
    let _among = among_others();
    let runs = Family::ALL.map(|family| {
        let server = Server::like(family, SCRIPT, Config::default());
        let program = server.start("-r 100 -p 3 -R 300 -d 0.5 --kernel-stamps");
        (server, program)
    });
    let stages = [["DISCOVER-OFFER", "REQUEST-ACK"], ["SOLICIT-ADVERTISE", "REQUEST-REPLY"]];
    for ((server, program), [first, second]) in runs.into_iter().zip(stages) {
        let ended = program.wait().expect(3);
        let record = ended.balanced();
        let of = |stage: &str, what: &str| tally(&record, &format!("{stage} {what}"));
        // Half of what was sent in the second had to wait for longer than half a second.
        let drops = of(first, "drops") + of(second, "drops");
        assert!(drops.abs_diff(RATE / 2) <= EDGE, "{drops} drops\n{ended}");
        // All of them are answered when the server continues, and are not mistaken for anything else.
        let late = of(first, "late") + of(second, "late");
        assert_eq!(late, drops, "{:?}\n{ended}", counted(&record));
        assert_eq!(record.orphans, late, "{ended}");
        assert_eq!(record.counts.timed_out, drops, "{ended}");
        assert_eq!(record.counts.ok, 300 - drops, "{ended}");
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
