//! A server that ignores every tenth DISCOVER, in runs with a warm-up or a ramp: each phase shows a tenth of its own
//! exchanges as drops, though those of one phase are found out in the next.

use brunt_record::{Phase, Record};
use brunt_test_program::{ENDS, Ended};

use super::server::Server;

const SCRIPT: &str = "[[rule]]\non = ['discover']\nevery = 10\naction = 'ignore'";

/// What the steps of a phase add up to.
fn of_phase(record: &Record, phase: Phase, name: &str) -> u64 {
    let number = record.tallies.iter().position(|tally| tally.name == name).expect("it is a name");
    let steps = record.series.iter().filter(|step| step.phase == phase);
    steps.filter_map(|step| step.tallies.get(number)).sum()
}

/// A tenth of a phase's messages are drops, and all of them met an end.
fn a_tenth(ended: &Ended, record: &Record, phase: Phase, sent: u64) {
    let of = |word: &str| of_phase(record, phase, &format!("DISCOVER-OFFER {word}"));
    assert_eq!((of("sent"), of("drops"), of("received")), (sent, sent / 10, sent - sent / 10));
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        let ends = ENDS.iter().map(|end| of_phase(record, phase, &format!("{stage} {end}")));
        let sent = of_phase(record, phase, &format!("{stage} sent"));
        assert_eq!(sent, ends.sum::<u64>(), "{stage} in {phase}\n{ended}");
    }
}

#[test]
fn warm_up_drops_stay_out_of_the_steady_phase() {
    let server = Server::v4(SCRIPT);
    // The drops of the warm-up are found out in the steady phase.
    let ended = server.run("-r 200 --warm-up 1.5 -p 2 -R 10000 -d 2 -d 2 -t 0.5").expect(3);
    let record = ended.record();
    a_tenth(&ended, &record, Phase::WarmUp, 300);
    a_tenth(&ended, &record, Phase::Steady, 400);
    assert_eq!((record.counts.sent, record.counts.timed_out, record.counts.ok), (400, 40, 360));
    // Standard output leaves the warm-up out as well, and says so beside it.
    let of = |line: &str| ended.line("DISCOVER-OFFER", line);
    assert_eq!(
        (of("sent packets"), of("received packets"), of("drops")),
        (400, 360, 40),
        "{ended}"
    );
    let covered = "note: the report and the interim lines cover the steady phase, from 1.5 s of the run, without the \
                   warm-up; the summary covers the steady phase, from 1.5 s\n";
    assert!(ended.stderr.contains(covered), "{ended}");
    let table =
        ended.stderr.split("Messages of the steady phase").nth(1).expect("there is a table");
    let row = table.lines().find(|line| line.starts_with("DISCOVER-OFFER")).expect("a row");
    let row: Vec<&str> = row.split_whitespace().skip(1).collect();
    assert_eq!(row, ["400", "360", "0", "0", "40", "0", "0", "0"], "{ended}");
}

#[test]
fn ramp_is_reported_but_not_in_the_summary() {
    let server = Server::v6("[[rule]]\non = ['solicit']\nevery = 10\naction = 'ignore'");
    let stages = ["--stages", "100/s for 1s as warm-up, 100/s for 1s as ramp, 200/s for 2s"];
    let ended = server.run_with("-R 10000 -d 2 -d 2 -t 0.4", &stages).expect(3);
    let record = ended.record();
    let of = |phase, word: &str| of_phase(&record, phase, &format!("SOLICIT-ADVERTISE {word}"));
    for (phase, sent) in [(Phase::WarmUp, 100), (Phase::Ramp, 100), (Phase::Steady, 400)] {
        assert_eq!((of(phase, "sent"), of(phase, "drops")), (sent, sent / 10), "{phase}\n{ended}");
    }
    let line = |line: &str| ended.line("SOLICIT-ADVERTISE", line);
    assert_eq!((line("sent packets"), line("drops")), (500, 50), "{ended}");
    assert!(ended.stderr.contains("cover the ramp and the steady phase, from 1.0 s"), "{ended}");
    // The interim lines cover what the report covers: they begin with the ramp.
    let interim = ended.stdout.lines().filter(|line| line.starts_with("sent: "));
    let first: Vec<u64> = interim
        .filter_map(|line| line.strip_prefix("sent: ")?.split('/').next()?.parse().ok())
        .collect();
    assert!(first.len() >= 6, "{ended}");
    assert!((20..=70).contains(&first[0]), "{ended}");
}
