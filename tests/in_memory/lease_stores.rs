//! `brunt leases` on the stores that need no server: what is left in their files, what it prints, and what it refuses
//! to do.
//!
//! Rows are counted by readers that are independent of brunt: SQLite's own library, and a reader of lease files that is
//! written here. The contents of database servers are checked in the tests that start some.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use brunt_record::{Cell, Collection};
use rusqlite::Connection;
use serde_json::Value;

use brunt_test_program::{Ended, scratch};

use crate::machine::Machine;

/// How long a call into a store takes.
const CALL: Duration = Duration::from_micros(200);

/// Runs `brunt leases` with these words, in which `@` stands for a directory.
fn leases(directory: &Path, line: &str) -> Ended {
    let machine = Machine::new(7);
    machine.time().calls_take(CALL);
    leases_on(&machine, directory, line)
}

fn leases_on(machine: &Machine, directory: &Path, line: &str) -> Ended {
    let line = format!("leases {line}").replace('@', &format!("{}/", directory.display()));
    machine.run(&line.split_whitespace().collect::<Vec<_>>())
}

/// The same with what it measured.
fn measure(directory: &Path, line: &str) -> (Ended, Collection) {
    let record = directory.join("record.json");
    let ended = leases(directory, &format!("{line} --quiet --directory @ --record @record.json"));
    let collection = Collection::read(&record).unwrap_or_else(|error| panic!("{error}\n{ended}"));
    for cell in &collection.cells {
        let record = cell.record.as_deref().unwrap_or_else(|| panic!("no record: {ended}"));
        assert!(record.conservation.holds, "{:?}\n{ended}", cell.labels);
    }
    (ended, collection)
}

/// Rows of a table, counted by SQLite.
fn rows(database: &Path, table: &str) -> u64 {
    let connection = Connection::open(database).expect("SQLite opens it");
    let count = format!("SELECT COUNT(*) FROM {table}");
    connection.query_row(&count, [], |row| row.get::<_, i64>(0)).expect("SQLite counts") as u64
}

/// The leases that hold in a lease file of Kea: the last line of an address counts, and a lifetime of 0 ends a lease.
fn held(file: &Path) -> usize {
    let text = fs::read_to_string(file).expect("the file is text");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("there is a header").split(',').collect();
    let column =
        |name| header.iter().position(|known| *known == name).expect("the column is there");
    let (address, lifetime) = (column("address"), column("valid_lifetime"));
    let mut leases = BTreeMap::new();
    for line in lines {
        let columns: Vec<&str> = line.split(',').collect();
        assert_eq!(columns.len(), header.len(), "{line}");
        leases.insert(columns[address].to_owned(), columns[lifetime] != "0");
    }
    leases.values().filter(|holds| **holds).count()
}

fn figure(cell: &Cell, name: &str) -> u64 {
    let figure = cell.figure(name).unwrap_or_else(|| panic!("{name} of {:?}", cell.labels));
    assert!(figure.fract() == 0.0, "{name}: {figure}");
    figure as u64
}

/// Exchanges of an operation that succeeded with the code of this name.
fn met(cell: &Cell, operation: &str, code: &str) -> u64 {
    let record = cell.record.as_deref().expect("there is a record");
    let operation =
        record.operations.iter().find(|known| known.name == operation).expect("it is an operation");
    operation.codes.iter().filter(|known| known.name == code).map(|known| known.count).sum()
}

#[test]
fn leases_phases_leave_the_expected_rows() {
    let directory = scratch();
    let (ended, collection) =
        measure(directory.path(), "sqlite memfile redb -n 60 --durability async");
    assert_eq!(ended.code(), 0, "{ended}");
    assert_eq!(collection.cells.len(), 3 * 4, "{ended}");
    for store in ["sqlite", "memfile", "redb"] {
        for (phase, after) in [("create", 60), ("search", 60), ("update", 60), ("delete", 0)] {
            let labels = [("store", store), ("phase", phase)];
            let cell = collection.cells(&labels).next().unwrap();
            assert_eq!(figure(cell, "rows_after"), after, "{store} {phase}\n{ended}");
            assert_eq!(figure(cell, "operations"), 60, "{store} {phase}\n{ended}");
            let (seconds, rate) = (cell.figure("seconds").unwrap(), cell.figure("rate").unwrap());
            assert!((60.0 / seconds - rate).abs() < 1e-6 * rate, "{store} {phase}");
            assert_eq!(met(cell, phase, "hit") + met(cell, phase, "miss"), 60, "{store} {phase}");
        }
    }
    // Nothing is left but what was asked for.
    let left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["record.json"]);
}

#[test]
fn leases_rows_agree_with_independent_readers() {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name);
    for (line, table) in [
        ("-n 25 --durability sync --phases create", "lease4"),
        ("-n 25 --durability async --phases create --schema kea", "lease4"),
        ("-n 25 --durability async --phases create --schema kea --family 6", "lease6"),
        ("-n 25 --durability async --phases create --family pd --group 7 --workers 3", "lease6"),
        ("-n 25 --durability async --phases create,update --statements basic", "lease4"),
    ] {
        let (ended, _) = measure(directory.path(), &format!("sqlite:@a.db --keep {line}"));
        assert_eq!(ended.code(), 0, "{line}\n{ended}");
        assert_eq!(rows(&at("a.db"), table), 25, "{line}\n{ended}");
        fs::remove_file(at("a.db")).unwrap();
    }
    let line = "memfile:@a.csv --keep -n 40 --durability sync --phases create,update,delete";
    let (ended, _) = measure(directory.path(), line);
    assert_eq!((ended.code(), held(&at("a.csv"))), (0, 0), "{ended}");
    let lines = fs::read_to_string(at("a.csv")).unwrap().lines().count();
    assert_eq!(lines, 1 + 3 * 40, "a header, and a line for each change");
    for (line, left) in [
        ("--phases create,update", 40),
        ("--phases create,update --workers 4 --group 3", 40),
        ("--phases delete --preload 50", 10),
    ] {
        let line = format!("memfile:@a.csv --yes-destroy --keep -n 40 --durability async {line}");
        let (ended, _) = measure(directory.path(), &line);
        assert_eq!((ended.code(), held(&at("a.csv"))), (0, left), "{line}\n{ended}");
    }
}

#[test]
fn leases_mix_leaves_rows_that_match_its_answers() {
    let directory = scratch();
    let line = "sqlite:@a.db memfile:@a.csv --keep --durability async --workers 3 --preload 200 -n 2000 \
                --mix allocate=40,renew=45,release=10,expire=5,search=20";
    let (ended, collection) = measure(directory.path(), line);
    assert_eq!(ended.code(), 0, "{ended}");
    for (store, counted) in [
        ("sqlite", rows(&directory.path().join("a.db"), "lease4")),
        ("memfile", held(&directory.path().join("a.csv")) as u64),
    ] {
        let labels = [("store", store)];
        let cell = collection.cells(&labels).next().unwrap();
        let record = cell.record.as_deref().unwrap();
        let expire = record.operations.iter().find(|operation| operation.name == "expire").unwrap();
        let made = met(cell, "allocate", "hit") - met(cell, "release", "hit");
        assert_eq!(200 + made - expire.counts.items, counted, "{store}\n{ended}");
        assert_eq!(figure(cell, "rows_after"), counted, "{store}\n{ended}");
        assert_eq!(record.counts.planned, 2_000, "{store}");
        // Each share, within five deviations of what it is drawn with.
        let all = 120.0;
        for (operation, share) in
            [("allocate", 40.0), ("renew", 45.0), ("release", 10.0), ("expire", 5.0)]
        {
            let operation = record.operations.iter().find(|known| known.name == operation).unwrap();
            let mean = 2_000.0 * share / all;
            let off = (operation.counts.planned as f64 - mean).abs();
            assert!(off < 5.0 * mean.sqrt(), "{}: {:?}", operation.name, operation.counts);
        }
    }
}

#[test]
fn leases_search_finds_the_requested_hits_on_every_store() {
    let directory = scratch();
    let mut hits = Vec::new();
    for by in ["address", "client-id", "hardware", "address"] {
        let line = format!(
            "sqlite memfile redb --phases create,search --durability async -n 200 --search-by {by} --hit-ratio 0.5 \
             --seed 7"
        );
        let (ended, collection) = measure(directory.path(), &line);
        assert_eq!(ended.code(), 0, "{ended}");
        for cell in collection.cells(&[("phase", "search")]) {
            assert_eq!(cell.label("by"), Some(by));
            hits.push(met(cell, "search", "hit"));
        }
    }
    // Half of 200, within five deviations; and the same draw whatever the store and the column.
    assert!((65..=135).contains(&hits[0]), "{hits:?}");
    assert!(hits.iter().all(|one| *one == hits[0]), "{hits:?}");
}

#[test]
fn leases_group_commits_operations_together() {
    let directory = scratch();
    let (ended, collection) = measure(
        directory.path(),
        "sqlite --durability async -n 25 --group 10 --phases create,delete",
    );
    assert_eq!(ended.code(), 0, "{ended}");
    for cell in &collection.cells {
        assert_eq!(cell.record.as_deref().unwrap().counts.planned, 3, "{ended}");
        assert_eq!(figure(cell, "operations"), 25, "{ended}");
    }
}

#[test]
fn leases_rate_is_kept_and_duration_ends_a_phase() {
    let directory = scratch();
    let line = "memfile --durability async --phases create,search,delete --rate 200 -d 1s";
    let (ended, collection) = measure(directory.path(), line);
    assert_eq!(ended.code(), 0, "{ended}");
    for cell in &collection.cells {
        let record = cell.record.as_deref().unwrap();
        assert_eq!((cell.label("rate"), record.counts.planned), (Some("200"), 200), "{ended}");
    }
    let last = collection.cells.last().unwrap();
    assert_eq!(figure(last, "rows_after"), 0, "{ended}");
    let (ended, collection) =
        measure(directory.path(), "memfile --durability async -d 300ms --phases create,delete");
    assert_eq!(ended.code(), 0, "{ended}");
    let created = figure(&collection.cells[0], "operations");
    assert!(created > 0, "{ended}");
    let deleted = figure(&collection.cells[1], "operations");
    assert_eq!(figure(&collection.cells[1], "rows_after"), created - deleted, "{ended}");
}

#[test]
fn leases_guide_has_its_six_tables() {
    let directory = scratch();
    let (ended, collection) = measure(directory.path(), "--guide -n 12 --html @guide.html");
    assert_eq!(ended.code(), 0, "{ended}");
    for number in 1..=6 {
        assert!(ended.stdout.contains(&format!("Table 3.{number}.")), "{number}\n{ended}");
    }
    // Three runs: SQLite with both kinds of statements, memfile once, each synchronous and not, four phases.
    assert_eq!(collection.cells.len(), 3 * 3 * 2 * 4);
    assert_eq!(collection.values("statements"), ["basic", "none", "prepared"]);
    let page = fs::read_to_string(directory.path().join("guide.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.matches("<script").count() == 1, "{page}");
    for tag in ["table", "svg", "body", "html"] {
        let (opened, closed) =
            (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
        assert!(opened > 0 && opened == closed, "{tag}: {opened} opened, {closed} closed");
    }
}

#[test]
fn leases_record_matches_its_schema() {
    let directory = scratch();
    measure(directory.path(), "-n 5 --durability async --runs 2");
    let text = fs::read_to_string(directory.path().join("record.json")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(root.join("docs/collection.schema.json")).unwrap();
    let schema = serde_json::from_str(&schema).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(document["subject"], "leases");
    for fact in ["directory", "version/sqlite", "durability/memfile/async"] {
        assert!(document["facts"][fact].is_string(), "{fact}");
    }
    assert!(document["figures"]["fsync_p50_us"].as_f64().unwrap() > 0.0);
}

#[test]
fn leases_leave_existing_data_untouched() {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name);
    let connection = Connection::open(at("a.db")).unwrap();
    connection
        .execute_batch("CREATE TABLE lease4 (mine TEXT); INSERT INTO lease4 VALUES ('x')")
        .unwrap();
    drop(connection);
    fs::write(at("a.csv"), "somebody's\n").unwrap();
    fs::write(at("a.redb"), "somebody's\n").unwrap();
    for (store, file) in
        [("sqlite:@a.db", "a.db"), ("memfile:@a.csv", "a.csv"), ("redb:@a.redb", "a.redb")]
    {
        let before = fs::read(at(file)).unwrap();
        let line = format!("{store} -n 5 --durability async --quiet");
        let refused = leases(directory.path(), &line);
        assert_eq!(refused.code(), 8, "{refused}");
        assert!(
            refused.stderr.contains(file) && refused.stderr.contains("--yes-destroy"),
            "{refused}"
        );
        assert_eq!(refused.stdout, "");
        assert!(fs::read(at(file)).unwrap() == before, "{store} was touched");
    }
    for store in ["sqlite:@a.db", "memfile:@a.csv", "redb:@a.redb"] {
        let line = format!("{store} -n 5 --durability async --yes-destroy");
        let (ended, _) = measure(directory.path(), &line);
        assert_eq!(ended.code(), 0, "{ended}");
    }
}

#[test]
fn leases_slo_is_checked_against_its_phase() {
    let directory = scratch();
    let objectives = [
        ("create.p99<1h", 2),
        ("create.p99<3600s", 0),
        ("update.p50<1us", 99),
        ("errors<1%", 0),
        ("allocate.p99<1s", 2),
    ];
    for (objective, code) in objectives {
        let line = "memfile -n 20 --durability async --quiet --directory @ --slo";
        let ended = leases(directory.path(), &format!("{line} {objective}"));
        assert_eq!(ended.code(), code, "{objective}\n{ended}");
    }
}

#[test]
fn leases_progress_is_lines_without_a_terminal() {
    let directory = scratch();
    let line = "memfile --durability async -d 4s --rate 50/s --phases create --directory @";
    let progress_lines = |more: &str| {
        // What it reports on the way is up to the machine's clock.
        let line = format!("{line} {more}");
        let ended = leases_on(&Machine::real(), directory.path(), &line).expect(0);
        let lines = ended.stderr.lines().filter(|line| line.starts_with("phase 1 of 1, memfile"));
        assert!(!ended.stderr.contains('\x1b') && !ended.stderr.contains('\r'), "{ended}");
        lines.count()
    };
    // Once it is clear that it takes longer, and then every half minute.
    assert_eq!(progress_lines(""), 1);
    assert_eq!(progress_lines("--quiet"), 0);
}

/// A server that refuses every connection with this answer, once it was asked if it waits to be.
fn refusing(answer: Vec<u8>, is_asked: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let port = listener.local_addr().expect("it has an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if is_asked {
                let _ = stream.read(&mut [0; 1024]);
            }
            let _ = stream.write_all(&answer);
        }
    });
    port
}

/// Words that colour a terminal, ring its bell and name its window.
const SAID: &[u8] = b"gone \x1b[31mred\x07 \x1b]0;owned\x07 \xc2\x9b31m";

#[test]
fn database_text_cannot_control_the_terminal() {
    let mysql = [b"\xff\x10\x04#08004", SAID].concat();
    let mysql = [&[mysql.len() as u8, 0, 0, 0], &mysql[..]].concat();
    let postgres = [b"SFATAL\0C53300\0M", SAID, b"\0\0"].concat();
    let length = (postgres.len() as u32 + 4).to_be_bytes();
    let postgres = [b"E", &length[..], &postgres[..]].concat();
    for (scheme, port) in
        [("mysql", refusing(mysql, false)), ("postgres", refusing(postgres, true))]
    {
        let store = format!("{scheme}://u@127.0.0.1:{port}/x");
        let ended = Machine::real().run(&["leases", &store, "-n", "5"]).expect(1);
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        assert!(shown.contains("gone") && shown.contains("owned"), "{ended}");
        let commands = |letter: char| letter.is_control() && letter != '\n';
        assert!(!shown.contains(commands), "{shown:?}");
    }
}
