//! A sandbox leaves nothing behind and changes nothing on the host, however it ends.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::{require, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::sandbox::{Sandbox, cached, files, ldap, marked, process};

const PATIENCE: Duration = Duration::from_secs(90);

/// What of the host a sandbox must not touch. Modification times, so that a change that was undone shows as well.
#[derive(Debug, PartialEq)]
struct Host {
    mounts: String,
    files: BTreeMap<PathBuf, (u64, i64, i64)>,
}

impl Host {
    fn now() -> Self {
        let mut files = BTreeMap::new();
        for place in [
            "/etc",
            "/run/nslcd",
            "/run/nscd",
            "/var/cache/nscd",
            "/var/lib/sss",
            "/var/log/lastlog",
        ] {
            note(Path::new(place), &mut files);
        }
        Self { mounts: fs::read_to_string("/proc/self/mounts").expect("mounts can be read"), files }
    }
}

fn note(path: &Path, files: &mut BTreeMap<PathBuf, (u64, i64, i64)>) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    files.insert(path.to_owned(), (about.len(), about.mtime(), about.mtime_nsec()));
    if about.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().filter_map(Result::ok) {
            note(&entry.path(), files);
        }
    }
}

/// Who is killed.
#[derive(Clone, Copy, Debug)]
enum Victim {
    /// The controller: all that is left of it is a closed pipe.
    Controller,
    /// The outer process.
    Outer,
    /// Process 1 of the sandbox.
    Inner,
    /// Everybody at once, as when a process group is killed.
    All,
}

/// Kills `victim` after a while, and waits until nothing of the sandbox is left.
fn end(sandbox: Sandbox, victim: Victim, after: Duration) {
    until(after, || false);
    let mark = sandbox.mark.clone();
    let outer = Pid::from_child(&sandbox.outer);
    let kill = |pid: Pid| {
        let _ = kill_process(pid, Signal::KILL);
    };
    // What the outer process started is process 1; the outermost of the rest is its child.
    let inner = || {
        let children = format!("/proc/{0}/task/{0}/children", outer.as_raw_nonzero());
        let children = fs::read_to_string(children).unwrap_or_default();
        children.split_whitespace().find_map(|pid| pid.parse().ok().and_then(Pid::from_raw))
    };
    match victim {
        Victim::Controller => {}
        Victim::Outer => kill(outer),
        Victim::Inner => inner().into_iter().for_each(kill),
        Victim::All => [inner(), Some(outer)].into_iter().flatten().for_each(kill),
    }
    if matches!(victim, Victim::Controller) {
        drop(sandbox);
        assert!(marked(&mark).is_empty(), "an orderly end is waited for");
        return;
    }
    // The pipe stays open: remaining processes must not depend on its end.
    let gone = until(PATIENCE, || marked(&mark).is_empty());
    assert!(gone, "{victim:?} was killed, and {:?} are left", marked(&mark));
    drop(sandbox);
}

#[test]
fn killed_processes_leave_nothing_behind() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    let before = Host::now();
    let victims = [Victim::Controller, Victim::Outer, Victim::Inner, Victim::All];
    // Moments at which daemons start, users are added a process each, and names are looked up.
    for (round, victim) in victims.iter().cycle().take(16).enumerate() {
        let mut sandbox = Sandbox::open();
        let backend = if round % 3 == 0 { files() } else { cached(ldap(&["uidNumber"])) };
        sandbox.send(&json!({ "Start": backend }));
        let users = json!({ "start": 0, "end": 5_000 });
        sandbox.send(&json!({ "Insert": { "way": process(), "users": users } }));
        end(sandbox, *victim, Duration::from_millis(37 * round as u64));
    }
    assert_eq!(Host::now(), before);
}

#[test]
fn host_is_unchanged_by_everything_a_sandbox_does() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    let before = Host::now();
    let mut sandbox = Sandbox::open();
    for backend in [files(), cached(ldap(&["uidNumber", "gidNumber"]))] {
        sandbox.start(&backend);
        sandbox.insert(&process(), 0..5);
        sandbox.insert(&json!("Bulk"), 5..20);
        let users = json!({ "start": 0, "end": 20 });
        assert_eq!(
            sandbox.request(&json!({ "MakeFiles": { "users": users, "files": 20 } })),
            "Done"
        );
        assert_eq!(sandbox.list(60.0)["resolved"], 40);
        sandbox.delete(&process(), 0..20);
    }
    // A name service without the host's accounts, and a port that the host may use for itself.
    assert_eq!(sandbox.shell("getent passwd | wc -l"), "2");
    assert!(TcpListener::bind(("127.0.0.1", 3890)).is_ok());
    let mark = sandbox.mark.clone();
    assert!(sandbox.processes().len() >= 5, "outer, inner and three daemons carry the mark");
    drop(sandbox);
    assert!(marked(&mark).is_empty());
    assert_eq!(Host::now(), before);
}

#[test]
fn data_on_disk_is_removed_with_its_sandbox() {
    if !require(&["root", "slapd", "nslcd", "libnss_ldap.so.2"]) {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    for victim in [Victim::Controller, Victim::Inner] {
        let place = parent.path().join(format!("{victim:?}"));
        fs::create_dir(&place).unwrap();
        let mut sandbox = Sandbox::with("Root", &json!({ "Below": place }), None);
        sandbox.start(&ldap(&[]));
        sandbox.insert(&json!("Connection"), 0..3);
        assert!(place.join("slapd/data.mdb").exists(), "the database is where it was to be");
        end(sandbox, victim, Duration::ZERO);
        assert!(!place.exists(), "{victim:?}");
    }
}
