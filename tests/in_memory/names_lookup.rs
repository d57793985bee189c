//! `brunt names lookup` against this machine's own files, sockets of the test that answer as daemons do or as none
//! would, and a directory that is stopped.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_record::{Counts, Mode, Record};
use brunt_testbed::{BASE_DN, require};

use brunt_test_program::{Ended, scratch, slapd};

use crate::machine::Machine;

/// Runs a lookup to its end, and keeps the record.
fn look_up(line: &[&str]) -> Ended {
    Machine::real().record(&["names", "lookup", "--seed", "1"], line)
}

/// How often something ended with this name, over all operations.
fn named(record: &Record, name: &str) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    codes.filter(|code| code.name == name).map(|code| code.count).sum()
}

fn counts(ended: &Ended) -> Counts {
    ended.record().counts
}

#[test]
fn names_finds_root_by_number_and_by_name() {
    let line =
        "--keys 0-0 --pattern root --by uid,gid,user,group --source files --unlimited -n 400 -c 2";
    let ended = look_up(&line.split(' ').collect::<Vec<_>>()).expect(0);
    let record = ended.record();
    assert_eq!((counts(&ended).ok, named(&record, "found")), (400, 400), "{ended}");
    let operations: Vec<_> =
        record.operations.iter().map(|one| (&*one.name, one.counts.ok)).collect();
    assert_eq!(operations, [("uid", 100), ("gid", 100), ("user", 100), ("group", 100)]);
    assert!(
        ended.stdout.contains("files") && ended.stdout.contains("knows 1 of 1 keys"),
        "{ended}"
    );
}

#[test]
fn names_limits_the_rate_to_1000_per_second_by_default() {
    let line = ["--keys", "0-0", "--source", "files", "-n", "500", "--probe", "0"];
    let ended = look_up(&line).expect(0);
    let record = ended.record();
    assert_eq!((record.plan.mode, record.plan.target_rate), (Mode::Open, Some(1000.0)), "{ended}");
    assert_eq!(counts(&ended).ok, 500, "{ended}");
    // The last of 500 is due after 499 ms.
    assert!(record.rates.seconds >= 0.49, "{} s\n{ended}", record.rates.seconds);
    assert!(ended.output().contains("1000 lookups per second"), "{ended}");
    assert!(!ended.stdout.contains("Sources"), "{ended}");
}

#[test]
fn names_asks_each_key_of_a_file_once_and_counts_misses() {
    let folder = scratch();
    let file = folder.path().join("passwd");
    let ghosts = "ghost:x:3999999999:1::/:/bin/sh\nroot:x:0:0::/root:/bin/sh\nother:x:0:0:::\n";
    std::fs::write(&file, ghosts).expect("the directory is ours");
    let file = file.to_str().expect("a name of ours");
    let line = ["--keys", file, "--by", "user", "--distribution", "once", "--source", "files"];
    let ended = look_up(&[&line[..], &["--unlimited", "-c", "1", "--details"]].concat()).expect(5);
    let record = ended.record();
    // Of two names with one number only the first is known, as the C library has it.
    let counts = counts(&ended);
    assert_eq!((counts.planned, counts.ok, counts.failed), (2, 1, 1), "{ended}");
    assert_eq!((named(&record, "found"), named(&record, "unresolved")), (1, 1), "{ended}");
    assert!(ended.stdout.contains("user ghost is not found"), "{ended}");
    assert!(ended.stdout.contains("knows 1 of 2 keys"), "{ended}");
}

#[test]
fn names_counts_negative_lookups_as_absent() {
    let line = ["--keys", "0-0", "--pattern", "root", "--by", "uid,user", "--negative", "1"];
    let ended = look_up(&[&line[..], &["--source", "files", "-n", "50"]].concat()).expect(0);
    assert_eq!((counts(&ended).ok, named(&ended.record(), "absent")), (50, 50), "{ended}");
}

/// A daemon of ours: what it does with each connection. It ends with the test process.
fn daemon(path: &Path, turn: impl Fn(UnixStream) + Send + 'static) -> Arc<AtomicU64> {
    let listener = UnixListener::bind(path).expect("the directory is ours");
    let count = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counter.fetch_add(1, Ordering::Relaxed);
            turn(stream);
        }
    });
    count
}

/// What nscd says of u7, uid 7.
fn seven() -> Vec<u8> {
    let numbers = [2_u32, 1, 3, 2, 7, 7, 1, 2, 8];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    bytes.extend_from_slice(b"u7\0x\0\0/\0/bin/sh\0");
    bytes
}

#[test]
fn names_asks_nscd_without_the_c_library() {
    let folder = scratch();
    let socket = folder.path().join("nscd");
    let requested = daemon(&socket, |mut stream| {
        let mut request = [0; 64];
        let length = stream.read(&mut request).unwrap_or_default();
        // Version 2, request 1 (a user by number), a key of two bytes: "7" and its zero.
        let numbers: Vec<u8> =
            [2_u32, 1, 2].iter().flat_map(|number| number.to_ne_bytes()).collect();
        assert_eq!(&request[..length], [&numbers[..], b"7\0"].concat());
        let _ = stream.write_all(&seven());
    });
    let socket = socket.to_str().expect("a name of ours");
    let line = ["--through", "nscd", "--socket", socket, "--keys", "7-7", "--pattern", "u%d"];
    let ended = look_up(&[&line[..], &["--unlimited", "-n", "100"]].concat()).expect(0);
    assert_eq!((counts(&ended).ok, requested.load(Ordering::Relaxed)), (100, 100), "{ended}");
}

#[test]
fn names_counts_invalid_nscd_replies() {
    let folder = scratch();
    let socket = folder.path().join("evil");
    let turn = AtomicU64::new(0);
    daemon(&socket, move |mut stream| {
        let _ = stream.read(&mut [0; 64]);
        let bytes = match turn.fetch_add(1, Ordering::Relaxed) % 4 {
            0 => seven(),
            1 => b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            2 => [&2_u32.to_ne_bytes()[..], &1_u32.to_ne_bytes(), &[0xff; 40]].concat(),
            _ => Vec::new(),
        };
        let _ = stream.write_all(&bytes);
    });
    let socket = socket.to_str().expect("a name of ours");
    let line = ["--through", "nscd", "--socket", socket, "--keys", "7-7", "--unlimited"];
    let ended = look_up(&[&line[..], &["-n", "40", "-c", "1", "--details"]].concat()).expect(5);
    let record = ended.record();
    assert_eq!((counts(&ended).ok, counts(&ended).failed), (10, 30), "{ended}");
    assert_eq!((named(&record, "protocol"), named(&record, "closed")), (20, 10), "{ended}");
    assert!(ended.stdout.contains("the reply is of version"), "{ended}");
}

#[test]
fn names_counts_a_silent_daemon_and_ends() {
    let folder = scratch();
    let socket = folder.path().join("silent");
    // Nobody accepts: what the kernel queues is all that happens.
    let _listener = UnixListener::bind(&socket).expect("the directory is ours");
    let socket = socket.to_str().expect("a name of ours");
    for through in ["nscd", "nslcd"] {
        let line = ["--through", through, "--socket", socket, "--keys", "7-7", "-c", "2"];
        let load = ["--timeout", "100ms", "--rate", "100", "-d", "1s"];
        let ended = look_up(&[&line[..], &load].concat()).expect(1);
        let counts = counts(&ended);
        assert!(counts.ok == 0 && counts.timed_out >= 4, "{counts:?}\n{ended}");
        assert!(ended.record().rates.seconds < 30.0, "{ended}");
    }
}

#[test]
fn names_counts_a_missing_socket_as_connect_failure() {
    let line = ["--through", "nslcd", "--socket", "/no/such/socket", "--keys", "7-7", "-n", "3"];
    let ended = look_up(&line).expect(1);
    assert_eq!(named(&ended.record(), "connect"), 3, "{ended}");
    assert!(ended.stdout.contains("unix:/no/such/socket"), "{ended}");
}

#[test]
fn names_asks_ldap_and_limits_the_wait_for_a_stalled_server() {
    if !require(&["slapd", "slapadd", "ldapsearch"]) {
        return;
    }
    let Some(slapd) = slapd(20) else { return };
    let url = format!("ldap://127.0.0.1:{}", slapd.port());
    let line = ["--through", "ldap", "--url", &url, "--base", BASE_DN, "--keys", "1-5", "-c", "2"];
    let load = ["--unlimited", "--distribution", "once"];
    // The users of this directory have no numbers, so that none is found, and every search is made.
    let ended = look_up(&[&line[..], &load].concat()).expect(1);
    assert_eq!(named(&ended.record(), "unresolved"), 5, "{ended}");
    assert_eq!(slapd.operations().searches, 5, "{ended}");
    slapd.pause();
    let ended = look_up(&[&line[..], &load, &["--timeout", "200ms"]].concat()).expect(1);
    slapd.resume();
    let counts = counts(&ended);
    assert_eq!((counts.ok, counts.timed_out), (0, 5), "{counts:?}\n{ended}");
}

#[test]
fn names_usage_errors_come_before_any_lookup() {
    for (line, culprit, remedy) in [
        ("--keys 5-1", "5-1", "10000-10999"),
        ("--keys /no/such/file", "/no/such/file", "name a file"),
        ("--keys 1-5 --by user", "by user", "u%d"),
        ("--keys 1-5 --pattern u --by user", "'u'", "%d"),
        ("--pattern u%d", "--pattern", "range"),
        ("--keys 1-5 --negative 2", "fraction", "0 to 1"),
        ("--keys 1-5 --by uid=600,gid=600", "1200", "1000"),
        ("--keys 0-4294967295", "4294967296", "4000000"),
        ("--keys 1-5 --through ldap", "directory", "--url"),
        ("--keys 1-5 --through ldap --url h:1", "h:1", "ldap://HOST"),
        ("--keys 1-5 --through ldap --url ldap://h --users-filter (a", "(a", "filter"),
        ("--keys 1-5 --socket /x", "--socket", "--through nscd"),
        ("--keys 1-5 --through nscd --source files", "--source", "--through nss"),
        ("--keys 1-5 --source [", "[", "nsswitch.conf"),
        ("--keys 1-5 --rate 0", "--rate", "above 0"),
        ("--keys 1-5 --stages x", "--stages", "cannot read"),
        ("--keys 1-5 --rate 5 --unlimited", "--unlimited", "cannot be used"),
    ] {
        let words: Vec<&str> = ["names", "lookup"].into_iter().chain(line.split(' ')).collect();
        let ended = Machine::real().run(&words).expect(2);
        let output = ended.output();
        assert!(output.contains(culprit) && output.contains(remedy), "{line}: {output}");
        assert!(ended.stdout.is_empty(), "{ended}");
    }
    let directory = scratch();
    let wrong = directory.path().join("no/record.json");
    let wrong = wrong.to_str().expect("a name of ours");
    let line = ["names", "lookup", "--keys", "0-0", "--record", wrong];
    let ended = Machine::real().run(&line).expect(1);
    assert!(ended.output().contains("--record"), "{ended}");
}
