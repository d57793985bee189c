//! Backends that `tests/setup` does not install: tested on machines where they are installed.

use brunt_testbed::{found, require, skip_anywhere};
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, cached, ldap, process};

/// Whether a program that no test may count on is there.
fn there(program: &str) -> bool {
    let there = found(program).is_some();
    if !there {
        skip_anywhere(&format!("no {program}, which tests/setup leaves out"));
    }
    there
}

/// Lists a hundred files of as many owners among `users`, and says how often the directory was searched for it.
fn searched(sandbox: &mut Sandbox, users: u32) -> u64 {
    let users = json!({ "start": 0, "end": users });
    assert_eq!(sandbox.request(&json!({ "MakeFiles": { "users": users, "files": 100 } })), "Done");
    let searches = |sandbox: &mut Sandbox| {
        let statistics: Value = sandbox.demand(&json!("Statistics"), "Statistics");
        statistics["searches"].as_u64().expect("searches are counted")
    };
    let before = searches(sandbox);
    assert_eq!(sandbox.list(120.0)["resolved"], 200);
    searches(sandbox) - before
}

#[test]
fn directory_389ds_works() {
    if !there("ns-slapd") || !require(&["root", "nslcd", "ldapadd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    for indexed in [&[][..], &["objectClass", "uidNumber", "gidNumber"][..]] {
        let mut backend = ldap(indexed);
        backend["source"]["Ldap"]["server"] = json!("DirectoryServer389");
        sandbox.start(&backend);
        sandbox.insert(&process(), 0..5);
        sandbox.insert(&json!("Bulk"), 5..2_100);
        let counted = sandbox.demand(&json!("Count"), "Counted");
        // More than the 2,000 that it would return if its limit had not been lifted.
        assert_eq!((&counted["accounts"], &counted["ldap_groups"]), (&json!(2_100), &json!(2_100)));
        assert_eq!(searched(&mut sandbox, 2_100), 200);
        sandbox.delete(&json!("Batch"), 0..2_100);
        assert_eq!(sandbox.demand(&json!("Count"), "Counted")["ldap_accounts"], 0);
    }
}

#[test]
fn sssd_works_as_backend() {
    if !there("sssd") || !require(&["root", "slapd", "ldapadd", "libnss_sss.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let mut backend = ldap(&["uidNumber", "gidNumber"]);
    backend["source"]["Ldap"]["reader"] = json!("Sssd");
    sandbox.start(&backend);
    sandbox.insert(&json!("Connection"), 0..120);
    assert_eq!(searched(&mut sandbox, 120), 200);
    assert_eq!(searched(&mut sandbox, 120), 0, "sssd remembers");
    assert_eq!(sandbox.request(&json!({ "Restart": "sssd" })), "Done");
    assert!(searched(&mut sandbox, 120) >= 200, "and forgets what it is made to forget");
}

#[test]
fn unscd_works_as_cache() {
    if !there("unscd") || !require(&["root", "slapd", "nslcd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let mut backend = cached(ldap(&["uidNumber", "gidNumber"]));
    backend["cache"] = json!({ "Unscd": backend["cache"]["Nscd"] });
    sandbox.start(&backend);
    sandbox.insert(&json!("Bulk"), 0..100);
    assert_eq!(searched(&mut sandbox, 100), 200);
    assert!(searched(&mut sandbox, 100) <= 120, "of 200 in 211 places, most are still there");
}
