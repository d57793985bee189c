//! A lease file after an unexpected end of the process.

use crate::backends;
use brunt_exchange::Class;
use brunt_leases_driver::memfile::{Format, MemfileBackend, MemfileSetup, Recovered};
use brunt_leases_driver::{
    Backend, Connection, Contents, Durability, Family, Identity, Leases, Renewal, Schema,
};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const LEASES: Leases =
    Leases { family: Family::V4, contents: Contents::Distinct, epoch: 1_000_000_000 };

/// The variable with the path of the file that the child changes, if this process is the child.
const FILE: &str = "BRUNT_TEST_LEASE_FILE";

fn setup(directory: &Path, format: Format, durability: Durability) -> MemfileSetup {
    let setup = backends::memfile(directory, Schema::Kea, Family::V4);
    MemfileSetup { format, durability, ..setup }
}

fn there(connection: &mut dyn Connection, number: u64) -> bool {
    connection.find(&Identity::Address(LEASES.address(number))).unwrap()
}

/// Changes a file until the process is killed, and prints each change once it was acknowledged. Run as a test, it does
/// nothing.
#[test]
fn child() {
    let Ok(path) = std::env::var(FILE) else { return };
    let path = Path::new(&path);
    let backend = MemfileBackend::new(setup(path.parent().unwrap(), Format::Csv, Durability::Sync));
    backend.prepare().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let backend = &backend;
            scope.spawn(move || {
                let mut connection = backend.open().unwrap();
                for number in (thread..).step_by(3) {
                    connection.create(&LEASES.lease(number)).unwrap();
                    println!("\ncreated {number}");
                    if number % 4 == 0 {
                        assert!(connection.release(LEASES.address(number)).unwrap());
                        println!("\nreleased {number}");
                    }
                }
            });
        }
    });
}

#[test]
fn acknowledged_changes_survive_a_kill() {
    for round in 0..8_u64 {
        let directory = tempfile::tempdir().unwrap();
        let setup = setup(directory.path(), Format::Csv, Durability::Sync);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "recovery::child", "--nocapture"])
            .env(FILE, &setup.path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reported = BufReader::new(child.stdout.take().unwrap());
        // The child is killed some time after its first acknowledged change; everything it had printed by then is read.
        let mut lines = Vec::new();
        while !lines.iter().any(|line: &String| line.starts_with("created")) {
            let mut line = String::new();
            assert!(reported.read_line(&mut line).unwrap() > 0, "the child ended by itself");
            lines.push(line);
        }
        pause(Duration::from_millis(3 + 17 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        lines.extend(reported.lines().map_while(Result::ok));
        let mut answered = BTreeMap::new();
        for line in &lines {
            let (word, number) = line.trim().split_once(' ').unwrap_or_default();
            match (word, number.parse::<u64>()) {
                ("created", Ok(number)) => _ = answered.insert(number, true),
                ("released", Ok(number)) => _ = answered.insert(number, false),
                _ => {}
            }
        }
        let backend = MemfileBackend::new(setup);
        let recovered = backend.recover().unwrap();
        assert!(recovered.records as usize >= answered.len() && !answered.is_empty());
        let mut connection = backend.open().unwrap();
        for (number, held) in answered {
            // A lease that the child may release can be gone although the release was not printed.
            let may_be_gone = number % 4 == 0;
            let there = there(&mut *connection, number);
            assert!(there == held || (held && may_be_gone), "lease {number}, round {round}");
        }
        let held = connection.find(&Identity::ClientId(LEASES.lease(1).client_id)).unwrap();
        assert_eq!(
            held,
            there(&mut *connection, 1),
            "what is looked for otherwise is found as well"
        );
        connection.create(&LEASES.lease(u64::from(u32::MAX))).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "a moment at random, at which the child is killed")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// A file with leases 0 to 9, of which 3 was released and 5 was renewed.
fn written(setup: &MemfileSetup) -> String {
    let backend = MemfileBackend::new(setup.clone());
    backend.prepare().unwrap();
    let mut connection = backend.open().unwrap();
    (0..10).for_each(|number| connection.create(&LEASES.lease(number)).unwrap());
    connection.release(LEASES.address(3)).unwrap();
    let address = LEASES.address(5);
    connection.renew(&Renewal { address, valid_lifetime: 77, cltt: 2_000_000_000 }).unwrap();
    drop(connection);
    std::fs::read_to_string(&setup.path).unwrap()
}

#[test]
fn torn_record_is_cut_off() {
    for format in [Format::Csv, Format::Block] {
        let directory = backends::directory();
        let setup = setup(directory.path(), format, Durability::Async);
        let text = written(&setup);
        let lines = if format == Format::Csv { 1 } else { 12 };
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let last = ends[ends.len() - 1 - lines];
        for end in last..=text.len() {
            std::fs::write(&setup.path, &text[..end]).unwrap();
            let backend = MemfileBackend::new(setup.clone());
            let whole = end == text.len();
            let recovered = Recovered {
                leases: 9,
                records: if whole { 12 } else { 11 },
                torn: if whole { 0 } else { (end - last) as u64 },
            };
            assert_eq!(backend.recover().unwrap(), recovered, "cut at {end}");
            let mut connection = backend.open().unwrap();
            // The renewal is the last record. Only its lease expires this late, so the number shows whether the record
            // counted.
            let over = connection.expire(1_999_999_999, 100).unwrap();
            assert_eq!(over, if whole { 8 } else { 9 });
            connection.create(&LEASES.lease(40)).unwrap();
            drop(connection);
            assert_eq!(backend.count().unwrap(), if whole { 2 } else { 1 });
        }
    }
}

#[test]
fn torn_header_is_an_empty_file() {
    let directory = backends::directory();
    let setup = setup(directory.path(), Format::Csv, Durability::Async);
    let text = written(&setup);
    for end in [0, 1, 40] {
        std::fs::write(&setup.path, &text[..end]).unwrap();
        let backend = MemfileBackend::new(setup.clone());
        assert_eq!(backend.recover().unwrap().torn, end as u64);
        backend.open().unwrap().create(&LEASES.lease(1)).unwrap();
        assert_eq!(backend.count().unwrap(), 1);
        let header = text.lines().next().unwrap();
        assert!(std::fs::read_to_string(&setup.path).unwrap().starts_with(header));
    }
}

#[test]
fn malformed_record_is_an_error_with_its_line() {
    let directory = backends::directory();
    let setup = setup(directory.path(), Format::Csv, Durability::Async);
    let text = written(&setup);
    let before = text.replace("1.0.0.4,", "1.0.0.,");
    for (damaged, line) in [
        (before, "line 6"),
        (text.replacen("address,", "adress,", 1), "line 1"),
        (text.replace("1.0.0.7,", "\n1.0.0.7,"), "line 9"),
        (text.replace("1.0.0.7,", &"9".repeat(100_000)), "line 9"),
    ] {
        std::fs::write(&setup.path, &damaged).unwrap();
        let backend = MemfileBackend::new(setup.clone());
        let refused = backend.recover().unwrap_err();
        assert_eq!(refused.class, Class::Protocol);
        assert!(refused.text.contains(line) && refused.text.contains("leases.csv"), "{refused}");
        assert_eq!(std::fs::read_to_string(&setup.path).unwrap(), damaged, "it is left as it was");
    }
}

#[test]
fn existing_file_is_kept() {
    let directory = backends::directory();
    let setup = setup(directory.path(), Format::Csv, Durability::Async);
    let text = written(&setup);
    let backend = MemfileBackend::new(setup.clone());
    let refused = backend.prepare().unwrap_err();
    assert_eq!(refused.class, Class::Check);
    assert!(refused.text.contains(&format!("{} octets", text.len())), "{refused}");
    backend.clear().unwrap();
    assert_eq!(std::fs::read_to_string(&setup.path).unwrap(), text);
}

/// Two changes wait for the disk at the same time, and the disk is full: neither is acknowledged.
#[test]
fn full_disk_is_a_failure_without_acknowledgement() {
    let setup = MemfileSetup {
        path: "/dev/full".into(),
        may_destroy: true,
        ..setup(Path::new("/dev"), Format::Block, Durability::Async)
    };
    let backend = MemfileBackend::new(setup);
    let Ok(mut connection) = backend.open() else { return };
    let mut failed = None;
    for number in 0..10_000 {
        if let Err(error) = connection.create(&LEASES.lease(number)) {
            failed = Some(error);
            break;
        }
    }
    let failed = failed.unwrap();
    assert_eq!((failed.class, failed.code), (Class::Closed, 28), "{failed}");
    assert!(connection.broken());
    assert_eq!(backend.open().err().map(|error| error.code), Some(28), "it was given up");
}
