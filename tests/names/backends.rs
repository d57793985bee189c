//! What a sandbox reports, compared with what the system's own tools see in it.

use brunt_testbed::require;
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, cached, files, ldap, process};

const INDEXED: [&str; 4] = ["objectClass", "uidNumber", "gidNumber", "uid"];

fn accounts(sandbox: &mut Sandbox) -> u64 {
    sandbox.shell("getent passwd | grep -c ^u1 || true").parse().expect("a count is a number")
}

fn make_files(sandbox: &mut Sandbox, users: u32, files: u32) {
    let users = json!({ "start": 0, "end": users });
    assert_eq!(
        sandbox.request(&json!({ "MakeFiles": { "users": users, "files": files } })),
        "Done"
    );
}

#[test]
fn users_are_added_and_deleted_by_every_method() {
    if !require(&["root", "slapd", "nslcd", "ldapadd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let apart = json!({ "Process": { "own_group": false } });
    for (backend, directory) in [(files(), false), (ldap(&INDEXED), true)] {
        sandbox.start(&backend);
        for way in [process(), apart.clone(), json!("Connection"), json!("Batch"), json!("Bulk")] {
            sandbox.insert(&way, 0..12);
            assert_eq!(accounts(&mut sandbox), 12, "{way}");
            assert_eq!(
                sandbox.shell("getent passwd 10007"),
                sandbox.shell("getent passwd u10007"),
                "{way}"
            );
            let fields = sandbox.shell("getent passwd u10007 | cut -d: -f3,4,6");
            assert_eq!(fields, "10007:10007:/home/u10007", "{way}");
            assert_eq!(
                sandbox.shell("getent group 10011 | cut -d: -f1,3"),
                "u10011:10011",
                "{way}"
            );
            let counted = sandbox.demand(&json!("Count"), "Counted");
            let own = if directory {
                ["ldap_accounts", "ldap_groups"]
            } else {
                ["file_accounts", "file_groups"]
            };
            for figure in ["accounts", "groups"].iter().chain(&own) {
                assert_eq!(counted[*figure], 12, "{way}: {counted}");
            }
            sandbox.delete(&way, 0..11);
            assert_eq!(accounts(&mut sandbox), 1, "{way}");
            assert_eq!(sandbox.shell("getent group | grep -c ^u1"), "1", "{way}");
            sandbox.delete(&json!("Bulk"), 11..12);
        }
    }
}

#[test]
fn slapd_counts_every_search_that_reaches_it() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let searches = |sandbox: &mut Sandbox| {
        let statistics = sandbox.demand(&json!("Statistics"), "Statistics");
        (statistics["searches"].as_u64().unwrap(), statistics)
    };
    sandbox.start(&ldap(&INDEXED));
    sandbox.insert(&json!("Bulk"), 0..150);
    make_files(&mut sandbox, 150, 100);
    assert_eq!(
        searches(&mut sandbox).0,
        0,
        "counting users and asking for figures are not counted"
    );
    for run in 1..=2 {
        let listed = sandbox.list(60.0);
        assert_eq!((&listed["asked"], &listed["resolved"]), (&json!(200), &json!(200)));
        assert_eq!(searches(&mut sandbox).0, 200 * run, "nothing is remembered");
    }
    sandbox.start(&cached(ldap(&INDEXED)));
    sandbox.insert(&json!("Bulk"), 0..150);
    make_files(&mut sandbox, 150, 100);
    assert_eq!(sandbox.list(60.0)["resolved"], 200);
    assert_eq!(searches(&mut sandbox).0, 200);
    assert_eq!(sandbox.list(60.0)["resolved"], 200);
    let (all, statistics) = searches(&mut sandbox);
    assert_eq!(all, 200, "a warm cache asks nothing");
    // nscd saw no hit, since clients read its memory themselves: why its own figures are no measure.
    let passwd = &statistics["nscd"]["passwd"];
    assert_eq!(
        (&passwd["positive_hits"], &passwd["suggested_size"]),
        (&json!(0), &json!(211)),
        "{passwd}"
    );
    for daemon in ["slapd", "nslcd", "nscd"] {
        assert!(statistics["daemons"][daemon]["rss_kib"].as_u64().unwrap() > 500, "{daemon}");
    }
    assert_eq!(sandbox.request(&json!({ "Restart": "nscd" })), "Done");
    assert_eq!(sandbox.list(60.0)["resolved"], 200);
    assert_eq!(searches(&mut sandbox).0, 400, "one that was started anew is cold");
}

#[test]
fn sandboxes_run_side_by_side() {
    if !require(&["root", "slapd", "nslcd", "nscd", "libnss_ldap.so.2"]) {
        return;
    }
    let mut sandboxes = [Sandbox::open(), Sandbox::open()];
    for (sandbox, users) in sandboxes.iter_mut().zip([20, 30]) {
        let started = sandbox.start(&cached(ldap(&INDEXED)));
        assert_eq!(started["url"], "ldap://127.0.0.1:3890");
        sandbox.insert(&json!("Connection"), 0..users);
    }
    for (sandbox, users) in sandboxes.iter_mut().zip([20, 30]) {
        assert_eq!(accounts(sandbox), users);
    }
}

#[test]
fn total_is_estimated_from_samples() {
    if !require(&["root"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    sandbox.start(&files());
    let users = json!({ "start": 0, "end": 200 });
    let request = json!({ "Sample": { "users": users, "points": 3, "calls": 5 } });
    let sampled = sandbox.demand(&request, "Sampled");
    assert_eq!(accounts(&mut sandbox), 200, "all of them are there afterwards");
    for act in ["insert", "delete"] {
        let points = sampled[act]["points"].as_array().unwrap();
        let sizes: Vec<&Value> = points.iter().map(|point| &point["users"]).collect();
        assert_eq!(sizes, [0, 97, 195]);
        // Between the cheapest and the dearest call for every user.
        let each = |what: &str, pick: fn(f64, f64) -> f64, start: f64| {
            points.iter().map(|point| point["each"][what].as_f64().unwrap()).fold(start, pick)
        };
        let seconds = sampled[act]["seconds"].as_f64().unwrap();
        assert!(seconds <= each("max_us", f64::max, 0.0) * 200.0 / 1e6, "{act}: {sampled}");
        assert!(seconds > each("mean_us", f64::min, f64::MAX) * 199.0 / 1e6, "{act}: {sampled}");
    }
}

#[test]
fn errors_are_reported_and_the_sandbox_goes_on() {
    if !require(&["root", "slapd"]) {
        return;
    }
    let mut sandbox = Sandbox::open();
    let output =
        |answer: Value| answer["Failed"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let request = json!({ "Insert": { "way": "Bulk", "users": { "start": 0, "end": 1 } } });
    assert!(output(sandbox.request(&request)).contains("none was started"));
    assert!(output(sandbox.request(&json!({ "Nonsense": 1 }))).contains("unknown variant"));
    let mut backend = ldap(&[]);
    backend["source"]["Ldap"]["variant"]["lines"] = json!(["nosuchdirective yes"]);
    assert!(output(sandbox.request(&json!({ "Start": backend }))).contains("slapd"));
    backend["source"]["Ldap"]["variant"]["lines"] = json!([]);
    backend["source"]["Ldap"]["variant"]["cache_size"] = json!(1_000);
    assert!(output(sandbox.request(&json!({ "Start": backend }))).contains("mdb has none"));
    assert!(
        output(sandbox.request(&json!({ "Restart": "nscd" }))).contains("its backend has none")
    );
    sandbox.start(&files());
    sandbox.insert(&process(), 0..1);
    let again = json!({ "Insert": { "way": process(), "users": { "start": 0, "end": 2 } } });
    let done = sandbox.demand(&again, "Provisioned");
    assert_eq!(done["failed"], 1, "who is there already cannot be added: {done}");
    assert!(done["first_failure"].as_str().unwrap().contains("u10000"), "{done}");
}
