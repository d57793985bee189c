//! What `-B` excludes from the figures, and which rows the table then has.

use brunt_record::{Phase, Record};
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};

use crate::program::{among_others, measure, slapd};

fn sent(record: &Record, phase: Phase) -> u64 {
    record.phases.iter().filter(|p| p.name == phase).map(|p| p.counts.sent).sum()
}

#[test]
fn the_totals_hold_the_steady_phase_and_the_server_saw_more() {
    let _among = among_others();
    let Some(slapd) = slapd(20) else { return };
    let line = ["-B", "2", "-d", "3", "-i", "1", "-M", "100", "-c", "4", "-F", "-b", BASE_DN];
    let ended = measure(
        "searchrate",
        slapd.port(),
        &[&line[..], &["-s", "base", "(objectClass=*)"]].concat(),
    )
    .expect(0);
    let record = ended.record();
    // 100 a second: two seconds that do not count, and three that do.
    assert_eq!((record.counts.planned, record.counts.ok), (300, 300), "{ended}");
    assert_eq!(sent(&record, Phase::WarmUp), 200, "{ended}");
    assert_eq!(record.conservation.counts.planned, 500, "{ended}");
    assert_eq!(slapd.operations().searches, 500);
    assert_eq!(record.operations[0].response.count, 300);
    let steady = record.phases.iter().find(|phase| phase.name == Phase::Steady).unwrap();
    assert!((steady.from_s - 2.0).abs() < 0.2, "{ended}");

    assert!(ended.stdout.starts_with("Warming up for 2 seconds...\n---"), "{ended}");
    // Three rows of a second, and one more if answers came after the third.
    let rows = ended.rows();
    assert!((3..=4).contains(&rows.len()), "{ended}");
    for row in rows {
        let cells: Vec<&str> = row.split_whitespace().filter(|cell| *cell != "|").collect();
        let recent: f64 = cells[0].parse().unwrap();
        assert!((60.0..=140.0).contains(&recent), "{recent} in a row\n{ended}");
    }
}

/// Without a warm-up the predecessors count in the first row what was done before its clock started, and divide what
/// is left at the end by next to no time.
#[test]
fn neither_the_first_nor_the_last_row_exaggerates() {
    let _among = among_others();
    let Some(slapd) = slapd(20) else { return };
    let dn = user_dn(3);
    let line = ["-d", "3", "-i", "1", "-c", "8", "-f", "-D", &dn, "-w", PASSWORD, "-S"];
    let ended = measure("authrate", slapd.port(), &line).expect(0);
    let record = ended.record();
    let mut before = 0.0;
    let mut counted = 0.0;
    let rates: Vec<f64> = (ended.stdout.lines().skip(1))
        .map(|line| {
            let cells: Vec<f64> =
                line.split(',').take(2).map(|cell| cell.parse().unwrap()).collect();
            counted += cells[1] * (cells[0] - before);
            before = cells[0];
            cells[1]
        })
        .collect();
    assert!((3..=4).contains(&rates.len()), "{ended}");
    let total = record.counts.ok as f64;
    assert!((counted / total - 1.0).abs() < 0.01, "the rows make {counted}\n{ended}");
    let most = rates.iter().copied().fold(0.0, f64::max);
    let mean = total / record.rates.seconds;
    assert!(most < 2.0 * mean, "{rates:?}\n{ended}");
    assert_eq!(slapd.operations().binds, record.conservation.counts.sent);
}

#[test]
fn a_count_is_of_the_steady_phase() {
    let _among = among_others();
    let Some(slapd) = slapd(20) else { return };
    let line = ["-B", "1", "-m", "157", "-M", "200", "-c", "3", "-F", "-b", BASE_DN, "-s", "base"];
    let ended =
        measure("searchrate", slapd.port(), &[&line[..], &["(objectClass=*)"]].concat()).expect(0);
    let record = ended.record();
    assert_eq!((record.counts.planned, record.counts.ok), (157, 157), "{ended}");
    assert_eq!(slapd.operations().searches, 200 + 157, "{ended}");
}
