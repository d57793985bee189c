//! The text of a run, figure by figure.

use super::*;
pub(crate) use crate::samples::measured;
use crate::screen::Screen;
use brunt_record::{Histogram, Latency, TallyRecord};
use std::time::Duration;

fn plain(record: &Record) -> String {
    summary(record, Screen::default()).unwrap()
}

fn figures<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(label));
    line.unwrap_or_else(|| panic!("no {label} in {text}")).trim_start()[label.len()..]
        .split_whitespace()
        .collect()
}

#[test]
fn summary_figures_equal_the_record() {
    let text = plain(&measured(&[]));
    assert_eq!(figures(&text, "all"), ["55.0", "55.0", "50.0", "40.0"]);
    // 80 of 3 ms and 20 of 2 ms; the median and every tail are 3 ms.
    assert_eq!(
        figures(&text, "bind response"),
        ["2.800", "3.000", "3.000", "3.000", "3.000", "3.000", "3.000"]
    );
    assert_eq!(figures(&text, "service")[0], "1.800");
    // A fifth was refused, sooner than the others were answered.
    assert_eq!(figures(&text, "of successes")[0], "3.000");
    assert_eq!(figures(&text, "lag")[0], "1.000");
    assert_eq!(figures(&text, "added by brunt")[0], "0.250");
    assert_eq!(figures(&text, "connect")[6], "5.000");
    assert_eq!(figures(&text, "0 success"), ["80", "80.00%"]);
    assert_eq!(figures(&text, "49 invalidCredentials"), ["20", "20.00%"]);
    assert_eq!(figures(&text, "steady"), ["0.0", "2.0", "100", "20"]);
    assert!(
        text.contains(
            "110 planned, 100 sent, 10 dropped; 80 ok, 20 failed, 0 timed out, 0 cut off"
        )
    );
    assert!(text.contains(
        "The lag is 1.000 ms on average: 75% of it waiting for a free session or a\nconnection, 25% for the generator."
    ));
    assert!(text.contains("1 worker, the busiest used 25% of its core (peak 25%); backlog peak 0"));
    assert!(text.contains("ceiling of this machine: 1000/s, of which 5% used"), "{text}");
}

#[test]
fn summary_names_servers_and_silent_sessions_if_needed() {
    let mut record = measured(&[]);
    let tallied = |servers: &[&str], counts: &[u64]| {
        let servers: Vec<String> = servers.iter().map(|&server| server.to_owned()).collect();
        let names = brunt_record::run_tallies(&servers).into_iter().zip(counts);
        let tally = |(name, count): (String, &u64)| TallyRecord { name, count: *count };
        names.map(tally).collect::<Vec<_>>()
    };
    record.tallies = tallied(&["ldap1:389", "ldap2:389"], &[50, 30, 71, 2, 3, 0, 0, 24]);
    let text = plain(&record);
    assert!(text.contains("30 of 50 sessions never got an answer"), "{text}");
    assert_eq!(figures(&text, "Servers"), ["ok", "failed", "no", "answer"]);
    assert_eq!(figures(&text, "ldap1:389"), ["71", "2", "3"]);
    assert_eq!(figures(&text, "ldap2:389"), ["0", "0", "24"]);
    record.tallies = tallied(&["ldap1:389"], &[50, 0]);
    let text = plain(&record);
    assert!(!text.contains("Servers") && !text.contains("sessions never"), "{text}");
}

#[test]
fn summary_marks_bounds_of_unanswered_exchanges() {
    let mut record = measured(&[]);
    let mut answered = Histogram::new();
    (0..80).for_each(|_| answered.record(Duration::from_millis(2)));
    let mut bounds = Histogram::new();
    (0..20).for_each(|_| bounds.record(Duration::from_secs(14)));
    record.operations[0].response = Latency::with_bounds(&answered, &bounds, &[50.0, 99.0]);
    let text = plain(&record);
    let shown = figures(&text, "bind response");
    assert_eq!(shown[..3], [">2801.6", "2.001", ">14000"]);
    assert_eq!(shown[6], ">14000");
    // 20 without an answer, and the 10 that were dropped.
    assert!(text.contains("30 operations had no answer"), "{text}");
    assert_eq!(figures(&text, "all, with dropped")[1..4], ["3.000", "3.000", ">7.000"]);
}

#[test]
fn summary_of_a_valid_run_shows_its_notes() {
    let mut record = measured(&[]);
    record.verdict = brunt_record::Verdict {
        notes: vec!["p99.9 up to 0.3 ms too high by this machine's timer".to_owned()],
        ..brunt_record::Verdict::default()
    };
    let text = plain(&record);
    assert!(text.starts_with("VALID: p99.9 up to 0.3 ms too high"), "{text}");
    assert!(text.contains("steady for 2.0 s,\nthen 2.0 s until the last of them ended"), "{text}");
}

#[test]
fn summary_omits_unused_operations_and_shows_skipped_ones() {
    let mut record = measured(&[]);
    let mut renew = record.operations[0].clone();
    (renew.name, renew.counts) = ("renew".to_owned(), brunt_record::Counts::default());
    record.operations.push(renew);
    record.counts.skipped = 3;
    let text = plain(&record);
    assert!(!text.contains("renew"), "{text}");
    assert!(text.contains("10 dropped, 3 skipped; 80 ok"), "{text}");
    record.operations[1].counts.planned = 1;
    assert!(plain(&record).contains("renew response"));
}

#[test]
fn summary_shows_skipped_as_a_share() {
    let mut record = measured(&[]);
    let operation = &mut record.operations[0];
    (operation.counts.sent, operation.counts.skipped) = (1, 3);
    let skipped = brunt_record::CodeRecord {
        class: "skipped".to_owned(),
        code: None,
        name: "skipped".to_owned(),
        meaning: None,
        count: 3,
    };
    operation.codes = vec![skipped];
    let text = plain(&record);
    let line = text.lines().find(|line| line.starts_with("  skipped")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["skipped", "3", "75.00%"]);
}

#[test]
fn summary_puts_doubts_first() {
    let mut record = measured(&[]);
    record.verdict = brunt_record::Verdict::default();
    assert!(plain(&record).starts_with("brunt 0.1.0, 2026-01-02T03:04:05Z, seed 7\n"));
    let text = brunt_record::Reason::from_text(Status::Partial, "the run was cut short: SIGINT");
    record.verdict = brunt_record::Verdict {
        status: Status::Partial,
        reasons: vec![text],
        notes: vec!["brunt was paused".to_owned()],
        ..brunt_record::Verdict::default()
    };
    assert!(
        plain(&record).starts_with(
            "PARTIAL: the run is incomplete\n  - partial: the run was cut short: SIGINT\n  - note: brunt was \
             paused\n"
        ),
        "{}",
        plain(&record)
    );
}

#[test]
fn summary_fits_a_terminal_and_escapes_the_target() {
    let text = plain(&measured(&["bind.p99<1ms", "goodput>=70%"]));
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
    assert!(!text.contains('\x1b'));
    assert!(text.contains("at 0.0 s: no such [31m user"), "{text}");
    let coloured = summary(&measured(&[]), Screen { colour: true, ..Screen::default() }).unwrap();
    assert!(coloured.contains("\x1b[1mGenerator\x1b[0m"));
}

#[test]
fn summary_shows_objectives_with_their_values() {
    let text = plain(&measured(&["bind.ok.p99<1ms", "goodput>=70%"]));
    assert_eq!(figures(&text, "missed"), ["bind.ok.p99<1ms", "3.000ms"]);
    assert_eq!(figures(&text, "met"), ["goodput>=70%", "72.727%"]);
    let text = plain(&measured(&["p99<1s"]));
    assert_eq!(figures(&text, "missed"), ["p99<1s", "infinite"]);
    assert!(
        text.contains("30 of 110 failed or had no answer: infinitely late (see ok.pN)"),
        "{text}"
    );
}

#[test]
fn summary_shows_a_dash_for_missing_figures() {
    let mut record = measured(&[]);
    record.operations[0].response = Latency::default();
    record.operations[0].service = Latency::default();
    (record.lag, record.lateness) = (Latency::default(), Latency::default());
    record.rates = brunt_record::Rates::default();
    let text = plain(&record);
    assert_eq!(figures(&text, "bind response"), ["-"; 7]);
    assert_eq!(figures(&text, "all"), ["-"; 4]);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    assert!(!text.contains("The difference"));
}

#[test]
fn summary_has_a_line_per_node() {
    let node = |rank| {
        let mut record = measured(&[]);
        record.node = Some(brunt_record::Node::even(rank, 3));
        record.environment.host = format!("host{rank}");
        record
    };
    assert!(plain(&node(1)).contains(", seed 7, node 1 of 3\n"));
    let files = [0, 2].map(|rank| (format!("n{rank}.json").into(), node(rank)));
    let merged = brunt_record::merge(&files).unwrap();
    let text = plain(&merged);
    // 55 a second became due, 50 were answered; each left 0.25 ms after its session was free.
    assert_eq!(figures(&text, "0 host0"), ["55.0", "50.0", "0.250", "25%"]);
    assert_eq!(figures(&text, "2 host2"), ["55.0", "50.0", "0.250", "25%"]);
    assert!(text.contains("\nNodes (2 of 3)"), "{text}");
    assert!(text.starts_with("PARTIAL: "), "{text}");
    assert!(text.contains("1 of 3 nodes are missing (1)"), "{text}");
    assert!(text.contains("220 planned, 200 sent, 20 dropped"), "{text}");
    assert!(!plain(&measured(&[])).contains("Nodes"));
    // What a coordinator knows of a node.
    let mut lost = merged;
    lost.nodes[1].name = Some("lab2".to_owned());
    lost.nodes[1].lost_at_s = Some(41.24);
    let text = plain(&lost);
    assert!(text.contains("2 lab2") && !text.contains("host2"), "{text}");
    assert!(text.contains("lost at 41.2 s: what it did after that is in no figure"), "{text}");
}

/// A run in which every part has its greatest width: long names, large figures, long words.
fn widest() -> Record {
    let mut record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
    let long = "sign in at the portal of the customers in the north, with a second factor";
    record.operations[0].name = long.to_owned();
    record.operations.push(record.operations[0].clone());
    record.operations[0].codes[0].name = long.replace(' ', "-");
    record.samples[0].operation = long.to_owned();
    record.samples[0].text = "the directory said that it could not do that, ".repeat(4);
    record.parts[0].name = long.to_owned();
    record.command =
        vec!["brunt".to_owned(), "run".to_owned(), "--set".to_owned(), long.to_owned()];
    record.plan.target = Some("https://id.example.com, ldap://ds.example.com (morning)".to_owned());
    record.rates.goodput = Some(12_345_678.9);
    let mut waits = Histogram::new();
    waits.record(Duration::from_secs(59));
    record.lag = Latency::new(&waits, &[99.0]);
    let tallies = ["sent", "received", "naks", "unusable", "drops", "cut off", "unasked", "late"];
    record.tallies = tallies
        .map(|word| brunt_record::TallyRecord {
            name: format!("SOLICIT-ADVERTISE {word}"),
            count: 12_345_678,
        })
        .to_vec();
    record.generator.stalled_s = 1.0;
    let text =
        "the target stopped responding: away 1.2 s to 4.2 s, and what it was asked got no answer";
    let reason = brunt_record::Reason::from_text(Status::Partial, text);
    record.verdict.reasons.push(reason);
    record.verdict.notes.push("the last percentiles are up to 0.3 ms too high ".repeat(3));
    record.slo[0].expr = "sign-in-at-the-portal.p99.9<100ms".to_owned();
    record
}

#[test]
fn summary_fits_any_width_with_all_figures() {
    let record = widest();
    for width in 60..=120 {
        let text = summary(&record, Screen { width, ..Screen::default() }).unwrap();
        let long: Vec<&str> = text
            .lines()
            // Texts that must not be cut: parts of a command that is copied.
            .filter(|line| line.chars().count() > width && !line.contains("'sign in"))
            .collect();
        assert!(long.is_empty(), "{width}: {long:#?}");
        assert!(text.matches("59000").count() >= 6, "{width}: {text}");
        assert_eq!(text.matches("12345678.9").count(), 1, "{text}");
    }
}
