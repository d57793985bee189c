//! The output, to the last space: scripts that extract columns from the original tools' output must work with it.

use std::fmt::Write as _;
use std::fs;

use brunt_ldap_server::Operation;
use brunt_test_program::{Ended, scratch};
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, user_dn};

use crate::directory::{Directory, measure};
use crate::machine::{Machine, run};

const RULE: usize = 79;
const HEAD: &str = "\
|     Throughput    |                 Response Time                |          | 
|    (ops/second)   |                (milliseconds)                |          | 
|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec | 
";
const HEAD_OF_SEARCHES: &str = "\
|     Throughput    |                 Response Time                |       Additional      | 
|    (ops/second)   |                (milliseconds)                |       Statistics      | 
|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec Entries/Srch | 
";
const HEAD_OF_ADDS: &str = "\
|     Throughput    |                 Response Time                |    Additional   | 
|    (ops/second)   |                (milliseconds)                |    Statistics   | 
|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec   Add% | 
";
const HEAD_OF_SEARCHES_AND_BINDS: &str = "\
|     Throughput    |                 Response Time                |      Additional      | 
|    (ops/second)   |                (milliseconds)                |      Statistics      | 
|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec bind time % | 
";
const CSV: &str = "Time (seconds),Recent throughput (ops/second),Average throughput (ops/second),\
    Recent response time (milliseconds),Average response time (milliseconds),\
    99.9% response time (milliseconds),99.99% response time (milliseconds),\
    99.999% response time (milliseconds),Errors/second";

/// The columns of a row: how wide, and with how many decimals. A bar stands before each section and at the end.
type Columns<'a> = &'a [&'a [(usize, usize)]];
const PAIR: &[(usize, usize)] = &[(8, 1), (8, 1)];
const TIMES: &[(usize, usize)] = &[(8, 3), (8, 3), (8, 2), (8, 2), (8, 2)];
const PLAIN: Columns = &[PAIR, TIMES, &[(8, 1)]];

/// Whether a cell is a number with exactly that many decimals, or the dash of what was not measured.
fn is_figure(cell: &str, decimals: usize) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    cell == "-"
        || cell.split_once('.').is_some_and(|(whole, fraction)| {
            digits(whole) && digits(fraction) && fraction.len() == decimals
        })
}

/// Takes a row apart, and checks that its figures put together again by the rules are the same row.
fn check_row(row: &str, columns: Columns<'_>) -> Vec<String> {
    let figures: Vec<&str> = row.split([' ', '|']).filter(|cell| !cell.is_empty()).collect();
    let mut rest = figures.iter();
    let mut again = String::new();
    for section in columns {
        again.push_str("| ");
        for (width, decimals) in *section {
            let figure = rest.next().unwrap_or_else(|| panic!("a figure is missing in {row:?}"));
            assert!(is_figure(figure, *decimals), "{figure} in {row:?}");
            let _ = write!(again, "{figure:>width$} ");
        }
    }
    again.push_str("| ");
    assert_eq!(row, again);
    figures.into_iter().map(str::to_owned).collect()
}

/// Checks a whole table, and gives the figures of its rows.
fn check_table(text: &str, head: &str, rule: usize, columns: Columns<'_>) -> Vec<Vec<String>> {
    let rule = "-".repeat(rule) + "\n";
    let rows = text.strip_prefix(&format!("{rule}{head}{rule}"));
    let rows = rows.unwrap_or_else(|| panic!("the header is another:\n{text}"));
    assert!(rows.ends_with("| \n"), "{text}");
    rows.lines().map(|row| check_row(row, columns)).collect()
}

fn authrate(machine: &Machine, more: &[&str]) -> Ended {
    let dn = user_dn(1);
    let line = ["-D", &dn, "-w", PASSWORD, "-c", "2", "-f"];
    measure(machine, "authrate", &[&line[..], more].concat()).expect(0)
}

#[test]
fn table_equals_the_old_tools() {
    let (machine, _) = Directory::with(20);
    let ended = authrate(&machine, &["-i", "1", "-d", "2"]);
    let rows = check_table(&ended.stdout, HEAD, RULE, PLAIN);
    assert!((2..=3).contains(&rows.len()), "{ended}");
    // Nothing failed; what is recent in the first row is the average so far.
    assert!(rows.iter().all(|row| row[7] == "0.0"), "{ended}");
    assert_eq!((&rows[0][0], &rows[0][2]), (&rows[0][1], &rows[0][3]), "{ended}");

    let line =
        ["-i", "1", "-d", "2", "-c", "2", "-F", "-b", PEOPLE_DN, "(|(uid=user.1)(uid=user.2))"];
    let ended = measure(&machine, "searchrate", &line).expect(0);
    let columns: Columns = &[PAIR, TIMES, &[(8, 1), (12, 1)]];
    let rows = check_table(&ended.stdout, HEAD_OF_SEARCHES, RULE + 13, columns);
    assert!(rows.iter().all(|row| row[8] == "2.0"), "{ended}");
}

#[test]
fn table_adds_a_column_for_search_bind_and_add() {
    let (machine, _) = Directory::with(20);
    let line = ["-D", "{1}", "-w", PASSWORD, "-f", "-d", "1", "-b", PEOPLE_DN, "(uid=user.3)"];
    let ended = measure(&machine, "authrate", &line).expect(0);
    let columns: Columns = &[PAIR, TIMES, &[(8, 1), (11, 1)]];
    for row in check_table(&ended.stdout, HEAD_OF_SEARCHES_AND_BINDS, RULE + 12, columns) {
        let share: f64 = row[8].parse().unwrap();
        assert!(share > 0.0 && share < 100.0, "{ended}");
    }

    let directory = scratch();
    let template = directory.path().join("people.template");
    let text = format!(
        "branch: {PEOPLE_DN}\nsubordinateTemplate: person\n\ntemplate: person\nrdnAttr: uid\n\
         objectClass: inetOrgPerson\nuid: added.<sequential:0>\ncn: Added\nsn: Added\n"
    );
    fs::write(&template, text).unwrap();
    let file = template.to_str().unwrap();
    // With a threshold of 10 the first ten operations of the twenty are adds, and then every other one is.
    let line = ["-D", ADMIN_DN, "-w", PASSWORD, "-F", "-m", "15", "-s", "10", "--noPurge", file];
    let ended = measure(&machine, "addrate", &line).expect(0);
    let columns: Columns = &[PAIR, TIMES, &[(8, 1), (6, 2)]];
    let rows = check_table(&ended.stdout, HEAD_OF_ADDS, RULE + 7, columns);
    let record = ended.record();
    let ok = |name: &str| {
        record.operations.iter().filter(|o| o.name == name).map(|o| o.counts.ok).sum::<u64>()
    };
    let (adds, deletes) = (ok("add"), ok("delete"));
    assert!(adds > 0 && deletes > 0, "{ended}");
    assert_eq!(rows[0][8], format!("{:.2}", 100.0 * adds as f64 / (adds + deletes) as f64));
}

#[test]
fn percentile_columns_accept_decimals() {
    let (machine, _) = Directory::with(20);
    let ended = authrate(&machine, &["-m", "50", "-e", "99", "-e", "50", "-e", "99.5"]);
    let title = "|   recent  average |   recent  average    50.0%    99.0%    99.5% |  err/sec | ";
    assert_eq!(ended.stdout.lines().nth(3), Some(title), "{ended}");
    let row = check_row(ended.stdout.lines().nth(5).unwrap(), PLAIN);
    // The record knows the same quantiles; the table rounds them to a hundredth of a millisecond.
    let response = ended.record().operations[0].response.histogram().unwrap();
    for (shown, quantile) in row[4..7].iter().zip([0.5, 0.99, 0.995]) {
        let known = response.quantile(quantile).unwrap().as_secs_f64() * 1e3;
        let shown: f64 = shown.parse().unwrap();
        assert!((shown - known).abs() <= 0.01 + known / 100.0, "{shown} and {known}\n{ended}");
    }
}

#[test]
fn script_friendly_output_is_pure_csv() {
    let (machine, _) = Directory::with(20);
    let ended = authrate(&machine, &["-S", "-B", "1", "-i", "1", "-d", "2", "--codes", "-v"]);
    let mut lines = ended.stdout.lines();
    assert_eq!(lines.next(), Some(CSV));
    let rows: Vec<&str> = lines.collect();
    assert!((2..=3).contains(&rows.len()), "{ended}");
    let mut before = 0.0;
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let decimals = [3, 1, 1, 3, 3, 2, 2, 2, 1];
        assert_eq!(cells.len(), decimals.len(), "{row}");
        assert!(cells.iter().zip(decimals).all(|(cell, n)| is_figure(cell, n)), "{row}");
        let at: f64 = cells[0].parse().unwrap();
        assert!(at > before && at < 4.0, "{ended}");
        before = at;
    }
    assert!(ended.stderr.contains("success: "), "no result codes\n{ended}");

    let line = ["-S", "-m", "3", "-F", "-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    let ended = measure(&machine, "searchrate", &line).expect(0);
    assert!(ended.stdout.starts_with(&format!("{CSV},Entries/Srch\n")), "{ended}");
    assert!(ended.stdout.ends_with(",0.0,1.0\n"), "{ended}");
}

#[test]
fn timestamp_formats_are_prefixed_to_rows() {
    let (machine, _) = Directory::with(20);
    let mask = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "9");
    for (format, stamp) in [("with-date", "9999-99-99 99:99:99"), ("without-date", "99:99:99")] {
        let ended = authrate(&machine, &["-m", "5", "--timestampFormat", format]);
        let lines: Vec<&str> = ended.stdout.lines().collect();
        let (before, row) = lines[5].split_at(stamp.len() + 1);
        assert_eq!(mask(before), format!("{stamp} "), "{ended}");
        check_row(row, PLAIN);
        let indent = " ".repeat(stamp.len() + 1);
        let expected: Vec<String> = HEAD.lines().map(|line| format!("{indent}{line}")).collect();
        assert_eq!(lines[1..4], expected, "{ended}");
        let ended = authrate(&machine, &["-m", "5", "--timestampFormat", format, "-S"]);
        let (head, row) = ended.stdout.split_once('\n').unwrap();
        assert_eq!(head, format!("Timestamp,{CSV}"));
        assert!(mask(row).starts_with(&format!("{stamp},9")), "{ended}");
    }
}

#[test]
fn output_goes_to_a_file_or_to_both() {
    let (machine, _) = Directory::with(20);
    let directory = scratch();
    let path = directory.path().join("out.txt");
    let file = path.to_str().unwrap();
    let run =
        |more: &[&str]| authrate(&machine, &[&["-m", "5", "--outputFile", file], more].concat());
    assert_eq!(run(&[]).stdout, "");
    assert_eq!(check_table(&fs::read_to_string(file).unwrap(), HEAD, RULE, PLAIN).len(), 1);
    // Replaced, and on the terminal as well.
    let ended = run(&["--teeOutput"]);
    let first = fs::read_to_string(file).unwrap();
    assert_eq!(ended.stdout, first);
    let ended = run(&["--appendToOutputFile", "--teeOutput"]);
    assert_eq!(fs::read_to_string(file).unwrap(), first + &ended.stdout);
    let ended =
        measure(&machine, "authrate", &["-D", "cn=a", "-w", "b", "--outputFile", "/nonexistent/x"]);
    assert!(ended.code() != 0 && ended.stderr.contains("/nonexistent/x"), "{ended}");
}

#[test]
fn failures_are_counted_by_result_code() {
    let (machine, directory) = Directory::with(20);
    let dn = user_dn(1);
    let line =
        ["-D", &dn, "-w", PASSWORD, "-f", "-m", "200", "-I", "50", "-v", "--codes", "--seed", "1"];
    let ended = measure(&machine, "authrate", &line).expect(0);
    let refused = directory.refused(Operation::Bind, 49);
    assert!((50..=150).contains(&refused), "{refused} of 200");
    assert!(ended.stderr.contains(&format!("bind invalidCredentials: {refused}")), "{ended}");
    assert!(ended.stderr.contains(&format!("{refused} failed")), "{ended}");
    // Once for each in verbose mode, and a few in the summary.
    assert!(ended.stderr.matches("invalid").count() as u64 >= refused, "{ended}");
    let row = check_row(ended.rows()[0], PLAIN);
    assert_ne!(row[7], "0.0", "{ended}");
}

#[test]
fn unreachable_target_prints_no_table() {
    let ended = run(&["searchrate", "-h", "10.0.1.9", "-b", BASE_DN, "(cn=a)"]).expect(91);
    assert!(ended.stdout.is_empty() && ended.stderr.contains("10.0.1.9:389"), "{ended}");
}

#[test]
fn failure_before_the_first_row_leaves_stdout_empty() {
    let (machine, _) = Directory::with(20);
    let line = ["searchrate", "-h", "10.0.0.2", "-p", "389", "-D", "uid=admin,dc=example,dc=com"];
    let wrong = ["-w", "wrong", "-b", BASE_DN, "(cn=a)"];
    let ended = machine.run(&[&line[..], &wrong].concat()).expect(49);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("invalidCredentials"), "{ended}");
}
