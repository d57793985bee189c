//! What is possible without root: in a user namespace, and with only a directory and a port.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use brunt_testbed::{require, skip_anywhere};
use serde_json::json;

use crate::sandbox::{Sandbox, cached, files, ldap, process};

/// Debian's user `nobody`, which the tests switch to if they are root.
const NOBODY: u32 = 65_534;

/// Whether a user other than root may make user namespaces here.
fn namespaces() -> bool {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.args(["unshare", "--user", "--map-root-user", "true"]);
    command.status().is_ok_and(|status| status.success())
}

/// The programs of the build, copied to where another user can reach them.
fn reachable() -> bool {
    let program = env!("CARGO_BIN_EXE_brunt");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program, "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn user_namespace_has_names_but_no_owners() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    if !namespaces() || !reachable() {
        skip_anywhere("no right to make user namespaces, or the program cannot be reached");
        return;
    }
    let mut sandbox = Sandbox::with("User", &json!("Memory"), Some(NOBODY));
    for backend in [files(), cached(ldap(&["uidNumber", "gidNumber"]))] {
        sandbox.start(&backend);
        sandbox.insert(&process(), 0..4);
        assert_eq!(sandbox.shell("getent passwd u10003 | cut -d: -f3"), "10003");
        let users = json!({ "start": 0, "end": 4 });
        let refused = sandbox.request(&json!({ "MakeFiles": { "users": users, "files": 4 } }));
        assert!(refused["Failed"].as_str().unwrap().contains("give away"), "{refused}");
    }
    assert_eq!(sandbox.shell("id -u"), "0", "to itself it is root");
}

#[test]
fn without_isolation_files_and_a_directory_work() {
    if !require(&["root", "slapd", "ldapadd"]) || !reachable() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let place = parent.path().join("sandbox");
    fs::create_dir(&place).unwrap();
    std::os::unix::fs::chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut sandbox = Sandbox::with("None", &json!({ "Below": place }), Some(NOBODY));
    sandbox.start(&files());
    sandbox.insert(&process(), 0..3);
    let passwd = fs::read_to_string(place.join("prefix/etc/passwd")).unwrap();
    assert!(passwd.contains("\nu10002:"), "{passwd}");
    let mut raw = ldap(&["uidNumber"]);
    let refused = sandbox.request(&json!({ "Start": raw }));
    assert!(refused["Failed"].as_str().unwrap().contains("the host's"), "{refused}");
    raw["source"]["Ldap"]["reader"] = json!("Nobody");
    sandbox.start(&raw);
    sandbox.insert(&process(), 0..3);
    sandbox.insert(&json!("Bulk"), 3..9);
    let counted = sandbox.demand(&json!("Count"), "Counted");
    assert_eq!((&counted["ldap_accounts"], &counted["accounts"]), (&json!(9), &json!(null)));
    let mark = sandbox.mark.clone();
    assert!(sandbox.processes().len() >= 3, "outer, inner and slapd");
    let _ = sandbox.outer.kill();
    let gone = brunt_testbed::until(std::time::Duration::from_secs(60), || {
        crate::sandbox::marked(&mark).is_empty()
    });
    assert!(gone, "slapd ends with those who started it");
}
