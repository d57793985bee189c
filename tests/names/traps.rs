//! The mistakes that are easy to make when this comparison is made by hand.

use std::time::Instant;

use brunt_testbed::require;
use serde_json::json;

use crate::sandbox::{Sandbox, cached, files, ldap, process};

/// With the sub-ids of a stock login.defs, `useradd` refuses user 9,156.
#[test]
fn uids_exist_for_more_than_nine_thousand_users() {
    if !require(&["root"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    sandbox.start(&files());
    sandbox.insert(&json!("Bulk"), 0..9_155);
    sandbox.insert(&process(), 9_155..9_158);
    assert_eq!(sandbox.shell("getent passwd | grep -c ^u1"), "9158");
    assert_eq!(sandbox.shell("cat /etc/subuid /etc/subgid 2>/dev/null | wc -l"), "0");
}

/// slapd returns 500 entries and no error that `getent` would show.
#[test]
fn user_list_is_cut_only_by_a_variant() {
    if !require(&["root", "slapd", "nslcd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let mut backend = ldap(&["uidNumber"]);
    for (limit, expected) in [(json!(null), 700), (json!(500), 500)] {
        backend["source"]["Ldap"]["variant"]["size_limit"] = limit;
        sandbox.start(&backend);
        sandbox.insert(&json!("Bulk"), 0..700);
        let counted = sandbox.demand(&json!("Count"), "Counted");
        assert_eq!(
            (&counted["accounts"], &counted["ldap_accounts"]),
            (&json!(expected), &json!(700))
        );
    }
}

/// `useradd` starts both twice and more, and waits for them.
#[test]
fn caches_are_not_flushed_by_useradd() {
    if !require(&["root", "nscd"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    sandbox.start(&files());
    // Whoever calls the program by its own path gets one that does nothing.
    sandbox.shell("for it in nscd sss_cache; do at=$(command -v $it) || continue; cmp $at /bin/true || exit 1; done");
    assert!(sandbox.shell("/run/brunt/bin/nscd --version").contains("nscd"));
}

#[test]
fn hung_directory_is_waited_for_only_until_the_timeout() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    sandbox.start(&cached(ldap(&["uidNumber", "gidNumber"])));
    sandbox.insert(&json!("Bulk"), 0..30);
    let users = json!({ "start": 0, "end": 30 });
    assert_eq!(sandbox.request(&json!({ "MakeFiles": { "users": users, "files": 30 } })), "Done");
    assert_eq!(sandbox.list(60.0)["resolved"], 60);
    assert_eq!(sandbox.request(&json!({ "Pause": "directory" })), "Done");
    assert_eq!(sandbox.list(60.0)["resolved"], 60, "what is remembered needs no directory");
    assert_eq!(sandbox.request(&json!({ "Restart": "nscd" })), "Done");
    #[expect(clippy::disallowed_methods, reason = "what is timed is another process")]
    let start = Instant::now();
    let listed = sandbox.list(1.5);
    assert_eq!((&listed["asked"], &listed["resolved"]), (&json!(60), &json!(0)));
    assert!(start.elapsed().as_secs_f64() < 60.0);
    assert_eq!(sandbox.request(&json!({ "Resume": "directory" })), "Done");
    assert_eq!(sandbox.list(60.0)["resolved"], 60);
}

/// A time without the names is none: what was resolved is counted and not supposed.
#[test]
fn unknown_names_are_not_counted_as_resolved() {
    if !require(&["root", "slapd", "nslcd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let mut backend = ldap(&["uidNumber"]);
    backend["switch"] = json!("passwd: files ldap\ngroup: files");
    sandbox.start(&backend);
    sandbox.insert(&json!("Bulk"), 0..10);
    let users = json!({ "start": 0, "end": 10 });
    assert_eq!(sandbox.request(&json!({ "MakeFiles": { "users": users, "files": 10 } })), "Done");
    let listed = sandbox.list(60.0);
    assert_eq!(
        (&listed["asked"], &listed["resolved"]),
        (&json!(20), &json!(10)),
        "owners, but no groups"
    );
}
