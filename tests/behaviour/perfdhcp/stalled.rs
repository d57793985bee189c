//! A server that stalls for two seconds: exchanges that are waited for show it, and those that are not are dropped, as
//! many as the schedule sends in that time.

use std::time::Duration;

use brunt_dhcp_server::{Answer, Config, Family};
use brunt_record::{Histogram, Record};
use brunt_test_program::Program;
use brunt_testbed::until;

use super::server::{Counted as _, Server, counted, tally};

/// Exchanges a second: few, so that a moment's lateness is of few exchanges.
const RATE: u64 = 50;
/// When the server stalls after its start, and for two seconds. The client starts later than the server.
const STALL_AT: Duration = Duration::from_millis(2_500);
const SCRIPT: &str = "
    [[stall]]
    at = '2500ms'
    lasts = '2s'
";
/// How far the edges of the stall may blur, in exchanges: what was sent just before it and answered just after.
const EDGE: u64 = 8;

/// A run that has begun when the server stalls. An answer sent until then is one sent before the stall.
fn begin(server: &Server, words: &str) -> Program {
    let program = server.start(words);
    let begun = until(STALL_AT, || server.sent(Answer::Ack) > 0);
    assert!(begun, "the server stalled before the run began");
    program
}

/// How late brunt sent an exchange at most, in milliseconds. A stalled server must not make it late: that would be a
/// third of all exchanges, and brunt's own lateness is of few.
fn late(record: &Record) -> u64 {
    let times = record.lateness.histogram().expect("it is a histogram");
    let most = times.quantile(0.75).expect("something was sent");
    assert!(most < Duration::from_millis(100), "a quarter was sent later than {most:?}");
    millis(times.max().expect("something was sent"))
}

const fn millis(took: Duration) -> u64 {
    took.as_millis() as u64
}

/// How far counts may differ: what fell due while brunt was late was sent in another part of the stall, too.
const fn edge(late: u64) -> u64 {
    EDGE + RATE * late / 1_000
}

/// How many took longer than so many milliseconds.
fn longer(times: &Histogram, millis: u64) -> u64 {
    times.buckets().filter(|(ns, _)| *ns > millis * 1_000_000).map(|(_, count)| count).sum()
}

#[test]
fn whoever_waits_sees_it_in_what_was_sent_meanwhile() {
    let server = Server::v4(SCRIPT);
    // A request that is sent just before the stall waits for all of it, too.
    let words = "-r 50 -p 6 -R 300 -d 5 -d 5 --kernel-stamps";
    let ended = begin(&server, words).wait().expect(0);
    let record = ended.balanced();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (300, 300), "{ended}");
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        assert_eq!((ended.line(stage, "drops"), ended.line(stage, "orphans")), (0, 0), "{ended}");
    }
    let (operation, late) = (&record.operations[0], late(&record));
    for times in [&operation.response, &operation.service] {
        let times = times.histogram().unwrap();
        // What fell due first waits longest: for all of the stall, unless brunt sent it late, and for as long as the
        // server's thread took to continue.
        let longest = millis(times.max().unwrap());
        assert!(longest + late >= 1_950 && longest < 3_000, "{longest}, {late}\n{ended}");
        // Sent evenly over that time, those of its first half wait for more than the other half of it.
        for limit in [500, 1_000, 1_500] {
            let (waited, expected) =
                (longer(&times, limit), longest.saturating_sub(limit) * RATE / 1_000);
            assert!(waited.abs_diff(expected) <= edge(late), "{waited} over {limit} ms\n{ended}");
        }
    }
}

#[test]
fn whoever_does_not_wait_drops_it_and_hears_of_it_later() {
    let runs = Family::ALL.map(|family| {
        let server = Server::like(family, SCRIPT, Config::default());
        let program = begin(&server, "-r 50 -p 6 -R 300 -d 1 -d 1 --kernel-stamps");
        (server, program)
    });
    let stages = [["DISCOVER-OFFER", "REQUEST-ACK"], ["SOLICIT-ADVERTISE", "REQUEST-REPLY"]];
    for ((server, program), [first, second]) in runs.into_iter().zip(stages) {
        let ended = program.wait().expect(3);
        let record = ended.balanced();
        let of = |stage: &str, what: &str| tally(&record, &format!("{stage} {what}"));
        // What was sent in the first of the two seconds had to wait for longer than one.
        let drops = of(first, "drops") + of(second, "drops");
        assert!(drops.abs_diff(RATE) <= edge(late(&record)), "{drops} drops\n{ended}");
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
