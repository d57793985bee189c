//! `sqlite_ubench`, `memfile_ubench` and `mysql_ubench`: the original output,
//! character for character except for figures, and leases that are never deleted without permission.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use brunt_record::Collection;
use brunt_testbed::{MariaDb, require};
use rusqlite::Connection;

use brunt_test_program::{Ended, scratch};

use crate::machine::Machine;

/// Runs one of the programs with these words, in which `@` stands for a directory.
fn ubench(directory: &Path, line: &str) -> Ended {
    let line = line.replace('@', &format!("{}/", directory.display()));
    Machine::real().run(&line.split_whitespace().collect::<Vec<_>>())
}

/// The text with every run of digits, fractions and exponents included, as one `#`.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_digit() {
            out.push(letter);
            continue;
        }
        while letters.next_if(|next| next.is_ascii_digit() || "e+.".contains(*next)).is_some() {}
        out.push('#');
    }
    out
}

/// What stands before the four lines.
fn head(name: &str, sync: &str, verbose: &str, compiled: &str) -> String {
    format!(
        "Starting test. Parameters:\n\
         Number of iterations : #\n\
         Sync/async           : {sync}\n\
         Verbose              : {verbose}\n\
         Compiled statements  : {compiled}\n\
         Database name        : {name}\n\
         MySQL hostname       : localhost\n\
         MySQL username       : root\n\
         MySQL password       : ********\n\n"
    )
}

const LINES: &str = "\
Create leases# repeated # times took # s, # us, # operation took #us (or # oper/sec)
Search leases# repeated # times took # s, # us, # operation took #us (or # oper/sec)
Update leases# repeated # times took # s, # us, # operation took #us (or # oper/sec)
Delete leases# repeated # times took # s, # us, # operation took #us (or # oper/sec)
";

/// What stands behind a heading.
fn marks<'a>(output: &'a str, heading: &str) -> &'a str {
    output.lines().find_map(|line| line.strip_prefix(heading)).unwrap_or_else(|| panic!("{output}"))
}

#[test]
fn ubench_output_equals_the_original() {
    let directory = scratch();
    for (line, name, ways) in [
        ("sqlite_ubench -f @a.db -n40", "a.db", ["sync", "verbose", "yes"]),
        ("sqlite_ubench -f@a.db -n 40 -s no -v NO -c no", "a.db", ["async", "quiet", "no"]),
        ("memfile_ubench -f @b -n40 -sYES -vyes -c maybe", "b", ["sync", "verbose", "no"]),
        ("memfile_ubench -n 40 -s 0 -v 0 -f @other", "other", ["async", "quiet", "yes"]),
    ] {
        let ended = ubench(directory.path(), line).expect(0);
        let [sync, verbose, compiled] = ways;
        let name = masked(&directory.path().join(name).display().to_string());
        let shows = verbose == "verbose";
        for (heading, only) in [
            ("CREATE:   ", true),
            ("RETRIEVE: ", false),
            ("UPDATE:   ", true),
            ("DELETE:   ", true),
        ] {
            let marks = marks(&ended.stdout, heading);
            assert_eq!(marks.len(), if shows { 40 } else { 0 }, "{heading}\n{ended}");
            let known = if only { "." } else { ".X" };
            assert!(marks.chars().all(|mark| known.contains(mark)), "{heading}\n{ended}");
        }
        let marked: String = masked(&ended.stdout)
            .lines()
            .map(|line| line.trim_end_matches(['.', 'X']).to_owned() + "\n")
            .collect();
        let phases = "CREATE:   \nRETRIEVE: \nUPDATE:   \nDELETE:   \n";
        assert_eq!(marked, head(&name, sync, verbose, compiled) + phases + LINES, "{line}");
        assert_eq!(ended.stderr, "", "{line}");
    }
}

#[test]
fn ubench_result_lines_are_consistent() {
    let directory = scratch();
    let ended = ubench(directory.path(), "sqlite_ubench -f @a.db -n 70 -s no").expect(0);
    let lines: Vec<&str> =
        ended.stdout.lines().filter(|line| line.contains(" repeated ")).collect();
    assert_eq!(lines.len(), 4, "{ended}");
    for line in lines {
        let numbers: Vec<f64> = line
            .split(|letter: char| !letter.is_ascii_digit() && !"e+.".contains(letter))
            .filter_map(|word| word.parse().ok())
            .collect();
        let [_, times, seconds, micros, _, one, rate] = numbers[..] else {
            panic!("{line}: {numbers:?}")
        };
        assert!((times - 70.0).abs() < 1e-9, "{line}");
        let whole = ((seconds * 1e6 + micros) / times).floor();
        assert!((one - whole).abs() < 1e-9, "{line}");
        assert!((rate - 1e6 / one).abs() < rate * 1e-5, "{line}");
    }
}

#[test]
fn ubench_leaves_the_rows_of_the_original() {
    let directory = scratch();
    ubench(directory.path(), "sqlite_ubench -f @sqlite.db -n 20 -v no").expect(0);
    let count = || -> i64 {
        let connection = Connection::open(directory.path().join("sqlite.db")).unwrap();
        connection.query_row("SELECT COUNT(*) FROM lease4", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(), 0, "every lease that was created is deleted");
    // The table of before is there, and empty: it may be used again.
    ubench(directory.path(), "sqlite_ubench -f @sqlite.db -n 20 -v no -s no").expect(0);
    ubench(directory.path(), "memfile_ubench -f @dhcpd.leases -n 20 -v no -s no").expect(0);
    // The file only grows, and the last that it says of each lease is that it is over.
    let text = fs::read_to_string(directory.path().join("dhcpd.leases")).unwrap();
    let mut lifetimes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for block in text.split("};\n").filter(|block| !block.is_empty()) {
        let (address, fields) = block.strip_prefix("lease ").unwrap().split_once(" {\n").unwrap();
        let field = fields.lines().find_map(|line| line.trim().strip_prefix("valid-lifetime "));
        lifetimes.entry(address).or_default().push(field.unwrap().trim_end_matches(';'));
    }
    assert_eq!(lifetimes.len(), 20);
    for (address, lifetimes) in lifetimes {
        let number = address.parse::<u32>().unwrap() - 0x0100_0000;
        assert!(number < 20, "{address}");
        assert_eq!((lifetimes[0], *lifetimes.last().unwrap()), ("1000", "0"), "{address}");
        assert!(lifetimes[1..lifetimes.len() - 1].iter().all(|it| *it == "1002"), "{address}");
    }
}

#[test]
fn ubench_keeps_existing_leases() {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name);
    ubench(directory.path(), "sqlite_ubench -f @sqlite.db -n 3 -v no -s no").expect(0);
    Connection::open(at("sqlite.db"))
        .unwrap()
        .execute("INSERT INTO lease4 (addr) VALUES (5)", [])
        .unwrap();
    let kea = "CREATE TABLE lease4 (address INTEGER PRIMARY KEY)";
    Connection::open(at("kea.db")).unwrap().execute_batch(kea).unwrap();
    let isc = "# This file is described in dhcpd.leases(5).\nlease 10.0.0.5 {\n  binding state active;\n}\n";
    fs::write(at("dhcpd.leases"), isc).unwrap();
    fs::write(at("torn"), "lease 16777216 {\n  hw-addr 00:0").unwrap();
    fs::write(at("text"), "nothing of ours").unwrap();
    for (line, file) in [
        ("sqlite_ubench", "sqlite.db"),
        ("sqlite_ubench", "kea.db"),
        ("memfile_ubench", "dhcpd.leases"),
        ("memfile_ubench", "torn"),
        ("memfile_ubench", "text"),
    ] {
        let before = fs::read(at(file)).unwrap();
        let ended = ubench(directory.path(), &format!("{line} -f @{file} -n 3 -s no")).expect(255);
        let last = ended.stdout.lines().last().unwrap();
        assert!(last.starts_with("Failed: ") && last.contains("--yes-destroy"), "{ended}");
        assert!(fs::read(at(file)).unwrap() == before, "{file} was touched");
    }
    let all = ["sqlite_ubench -f @sqlite.db", "sqlite_ubench -f @kea.db"];
    for line in
        all.into_iter().chain(["memfile_ubench -f @dhcpd.leases", "memfile_ubench -f @torn"])
    {
        ubench(directory.path(), &format!("{line} -n 3 -s no --yes-destroy")).expect(0);
    }
}

#[test]
fn ubench_usage_error_prints_the_switches() {
    let directory = scratch();
    for program in ["mysql_ubench", "sqlite_ubench", "memfile_ubench"] {
        for (line, complaint) in [
            ("-h", ""),
            ("-q", "-q"),
            ("-n", "-n"),
            ("-n 0", "-n 0"),
            ("-n x", "-n x"),
            ("x", "'x'"),
            ("--sync", "--sync"),
        ] {
            let ended = ubench(directory.path(), &format!("{program} {line}")).expect(1);
            assert!(ended.stdout.starts_with(&format!("Usage:  {program} ")), "{ended}");
            for switch in [
                " -m hostname",
                " -u username",
                " -p password",
                " -f name",
                " -n integer",
                " -s yes|no",
                " -v yes|no",
                " -c yes|no",
            ] {
                assert!(ended.stdout.contains(switch), "{switch}\n{ended}");
            }
            assert!(ended.stderr.contains(complaint), "{ended}");
            assert_eq!(ended.stderr.is_empty(), complaint.is_empty(), "{ended}");
        }
        let help = ubench(directory.path(), &format!("{program} --help")).expect(0);
        assert!(
            help.stdout.contains("Intentional differences") && help.stdout.contains("MyISAM"),
            "{help}"
        );
    }
}

#[test]
fn ubench_failure_exits_255_without_the_password() {
    let directory = scratch();
    for (line, what) in [
        ("mysql_ubench -m 127.0.0.1 -phunter2", "127.0.0.1:3306"),
        ("mysql_ubench -m /nonexistent -p hunter2", "/nonexistent"),
        ("sqlite_ubench -f @no/such/directory.db", "no/such/directory.db"),
        ("memfile_ubench -f @no/such/directory", "no/such/directory"),
    ] {
        let ended = ubench(directory.path(), line).expect(255);
        let last = ended.stdout.lines().last().unwrap();
        assert!(last.starts_with("Failed: ") && last.contains(what), "{ended}");
        assert!(!ended.stdout.contains("hunter2") && !ended.stderr.contains("hunter2"), "{ended}");
    }
}

#[test]
fn ubench_added_figures_follow_the_original_ones() {
    let directory = scratch();
    let line = "sqlite_ubench -f @sqlite.db -n 200 -s no -phunter2 --percentiles --record @r.json --seed 5";
    let ended = ubench(directory.path(), line).expect(0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[lines.len() - 5].starts_with("Delete leases4 repeated 200 times"), "{ended}");
    assert!(lines[lines.len() - 4].starts_with("Create leases4 response time p50 "), "{ended}");
    let text = fs::read_to_string(directory.path().join("r.json")).unwrap();
    assert!(!text.contains("hunter2"));
    let collection = Collection::read(&directory.path().join("r.json")).unwrap();
    assert_eq!(collection.values("phase"), ["create", "search", "update", "delete"]);
    let search = collection.cells(&[("phase", "search")]).next().unwrap();
    let operation = &search.record.as_deref().unwrap().operations[1];
    let misses = operation.codes.iter().find(|code| code.name == "miss").unwrap().count;
    let shown = marks(&ended.stdout, "RETRIEVE: ").matches('X').count();
    assert_eq!(misses, shown as u64, "{ended}");
    // A tenth of 200, within five deviations.
    assert!((1..=41).contains(&shown), "{ended}");
    assert!(search.figure("seconds").unwrap() > 0.0);
}

#[test]
fn mysql_ubench_uses_the_given_engine_and_leaves_no_lease() {
    if !require(&["mariadbd", "mariadb-install-db", "mariadb"]) {
        return;
    }
    let (directory, server) = (scratch(), MariaDb::start());
    server.sql("CREATE DATABASE guide");
    let (socket, user) = (server.socket(), MariaDb::USER);
    let who = format!("-m {} -u {user} -p{} -f guide", socket.display(), MariaDb::PASSWORD);
    for (way, sync, engine) in
        [("-s yes -c yes", "sync", "InnoDB"), ("-s no -c no", "async", "MyISAM")]
    {
        let ended = ubench(directory.path(), &format!("mysql_ubench {who} -n 30 {way}")).expect(0);
        assert!(!ended.stdout.contains(MariaDb::PASSWORD), "{ended}");
        assert!(ended.stdout.contains(&format!("Sync/async           : {sync}\n")), "{ended}");
        assert_eq!(marks(&ended.stdout, "CREATE:   ").len(), 30, "{ended}");
        assert!(masked(&ended.stdout).ends_with(LINES), "{ended}");
        let table =
            "FROM information_schema.tables WHERE table_schema = 'guide' AND table_name = 'lease4'";
        assert_eq!(server.sql(&format!("SELECT engine {table}")), [[engine.to_owned()]]);
        assert_eq!(server.number("SELECT COUNT(*) FROM guide.lease4"), 0, "{ended}");
    }
    server.sql("INSERT INTO guide.lease4 (addr) VALUES (5)");
    let refused = ubench(directory.path(), &format!("mysql_ubench {who} -n 3")).expect(255);
    assert!(refused.stdout.contains("--yes-destroy"), "{refused}");
    assert_eq!(server.number("SELECT COUNT(*) FROM guide.lease4"), 1, "{refused}");
    let wrong = who.replace(MariaDb::PASSWORD, "wrong");
    let refused = ubench(directory.path(), &format!("mysql_ubench {wrong} -n 3")).expect(255);
    assert!(refused.stdout.contains("Failed: ") && refused.stdout.contains("1045"), "{refused}");
}
