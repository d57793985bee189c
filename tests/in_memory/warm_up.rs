//! What `-B` excludes from the figures, and which rows the table then has.

use brunt_ldap_server::Operation;
use brunt_record::{Phase, Record};
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};

use crate::directory::{Directory, measure};

fn sent(record: &Record, phase: Phase) -> u64 {
    record.phases.iter().filter(|p| p.name == phase).map(|p| p.counts.sent).sum()
}

#[test]
fn warm_up_totals_hold_only_the_steady_phase() {
    let (machine, directory) = Directory::with(20);
    let line = ["-B", "2", "-d", "3", "-i", "1", "-M", "100", "-c", "4", "-F", "-b", BASE_DN];
    let filter = ["-s", "base", "(objectClass=*)"];
    let ended = measure(&machine, "searchrate", &[&line[..], &filter].concat()).expect(0);
    let record = ended.record();
    // 100 a second: two seconds that do not count, and three that do.
    assert_eq!((record.counts.planned, record.counts.ok), (300, 300), "{ended}");
    assert_eq!(sent(&record, Phase::WarmUp), 200, "{ended}");
    assert_eq!(record.conservation.counts.planned, 500, "{ended}");
    assert_eq!(directory.answered(Operation::Search), 500);
    assert_eq!(record.operations[0].response.count, 300);
    let steady = record.phases.iter().find(|phase| phase.name == Phase::Steady).unwrap();
    assert!((steady.from_s - 2.0).abs() < 1e-9, "{ended}");

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

/// Of a row of a second at least this much has to be there.
const WHOLE_S: f64 = 0.5;

/// The rate that a row of a table shows, and from when to when, in seconds since the table began.
#[derive(Debug)]
struct CsvRow {
    from_s: f64,
    to_s: f64,
    rate: f64,
}

impl CsvRow {
    fn lasted(&self) -> f64 {
        self.to_s - self.from_s
    }
}

/// The rows of a table of comma-separated values.
fn csv_rows(table: &str) -> Vec<CsvRow> {
    let mut from_s = 0.0;
    let row = |line: &str| {
        let cells: Vec<f64> =
            line.split(',').take(2).map(|cell| cell.parse().expect("a number")).collect();
        let row = CsvRow { from_s, to_s: cells[0], rate: cells[1] };
        from_s = row.to_s;
        row
    };
    table.lines().skip(1).map(row).collect()
}

/// How many exchanges the record says were completed in the time of a row.
fn completed_in(record: &Record, row: &CsvRow) -> f64 {
    let steady = || record.series.iter().filter(|step| step.phase == Phase::Steady);
    let began = steady().next().expect("an interval").from_s;
    // A row shows thousandths of a second.
    let until = |to_s: f64| {
        let steps = steady().filter(|step| step.to_s - began < to_s + 0.001);
        steps.map(|step| step.ended.completed()).sum::<u64>()
    };
    (until(row.to_s) - until(row.from_s)) as f64
}

/// Without a warm-up the predecessors count in the first row what was done before its clock started, and divide what
/// is left at the end by next to no time.
#[test]
fn warm_up_absent_first_and_last_rows_stay_accurate() {
    let (machine, directory) = Directory::with(20);
    let dn = user_dn(3);
    let line = ["-d", "3", "-i", "1", "-c", "2", "-f", "-D", &dn, "-w", PASSWORD, "-S"];
    let ended = measure(&machine, "authrate", &line).expect(0);
    let record = ended.record();
    let rows = csv_rows(&ended.stdout);
    assert!((3..=4).contains(&rows.len()), "{ended}");
    let total = record.counts.ok as f64;
    let counted: f64 = rows.iter().map(|row| row.rate * row.lasted()).sum();
    assert!((counted / total - 1.0).abs() < 0.01, "the rows make {counted}\n{ended}");
    for row in rows.iter().filter(|row| row.lasted() >= WHOLE_S) {
        let completed = completed_in(&record, row);
        let right = completed / row.lasted();
        assert!((row.rate / right - 1.0).abs() < 0.02, "{right} is right: {row:?}\n{ended}");
    }
    // What ended after the last second is few, and the time in which it did is short.
    let whole = rows.iter().filter(|row| row.lasted() >= WHOLE_S).map(|row| row.rate);
    let most = whole.fold(0.0, f64::max);
    assert!(rows.iter().all(|row| row.rate < 2.0 * most), "{rows:?}\n{ended}");
    assert_eq!(directory.answered(Operation::Bind), record.conservation.counts.sent);
}
