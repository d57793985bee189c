//! Plans over LDAP with steps that are asked again, and with connections of their own: slapd counts.

use brunt_testbed::{ADMIN_DN, Options, PASSWORD, Slapd, require, user_dn};

use crate::brunt::{Run, planned};
use crate::journeys::span;
use crate::logged::step;

fn slapd() -> Option<Slapd> {
    require(&["slapd", "slapcat", "openssl"])
        .then(|| Slapd::start(Options { users: 5, ..Options::default() }))
}

/// A plan with these scenarios, each of its steps.
fn carried_out(slapd: &Slapd, run: &str, scenarios: &[&[String]]) -> Run {
    let scenarios = scenarios.iter().enumerate().map(|(number, steps)| {
        let steps: String = steps.iter().map(|lines| step(lines)).collect();
        format!("[[scenario]]\nname = \"s{number}\"\n{steps}")
    });
    let url = slapd.url().replace("localhost", "127.0.0.1");
    let login = format!("bind = {{ dn = \"{ADMIN_DN}\", password = \"{PASSWORD}\" }}");
    planned(&format!(
        "[run]\n{run}\n[ldap]\nserver = \"{url}\"\n{login}\n{}",
        scenarios.collect::<String>()
    ))
    .run()
}

/// Reads the entry of a user until it has the licence that it lacks.
fn poll(within: &str) -> String {
    let entry = user_dn(1);
    format!(
        "name = \"poll\"\nldap = {{ search = {{ base = \"{entry}\", scope = \"base\", filter = \"(objectClass=*)\" }} \
         }}\npending = [{{ attribute = \"carLicense\", exists = false }}]\nevery = \"100ms\"\nwithin = \"{within}\""
    )
}

#[test]
fn poll_reads_an_entry_until_it_matches() {
    let Some(slapd) = slapd() else { return };
    let entry = user_dn(1);
    let change = format!(
        "name = \"change\"\nldap = {{ modify = {{ dn = \"{entry}\", changes = [{{ op = \"replace\", attribute = \
         \"carLicense\", values = \"done\" }}] }} }}"
    );
    // The first user waits for what the second changes.
    let waits = [poll("5m")];
    let changes = ["name = \"wait\"\npause = \"300ms\"".to_owned(), change];
    let run = carried_out(&slapd, "users = 2\niterations = { each = 1 }", &[&waits, &changes]);
    let run = run.went_well();
    assert_eq!((run.count_of("poll", "ok"), run.count_of("change", "ok")), (1, 1), "{run}");
    let pending = run.count_of("poll pending", "ok");
    assert_eq!(slapd.operations().searches, pending + 1, "{run}");
    assert_eq!(span(&run, "poll wait"), (1, 0, 0), "{run}");
}

#[test]
fn poll_without_a_match_is_pending() {
    let Some(slapd) = slapd() else { return };
    let run = carried_out(&slapd, "users = 1\niterations = { each = 2 }", &[&[poll("250ms")]]);
    assert_eq!((run.count_of("poll", "failed"), run.of_class("pending")), (2, 2), "{run}");
    // The last answer of each is the failure.
    let pending = run.count_of("poll pending", "ok");
    assert_eq!(slapd.operations().searches, pending + 2, "{run}");
    assert_eq!(span(&run, "poll wait"), (0, 2, 0), "{run}");
    let output = run.record()["samples"].to_string();
    assert!(output.contains("pending after 250ms ("), "{output}");
}

#[test]
fn new_connection_is_opened_and_bound_for_each_ldap_step() {
    let Some(slapd) = slapd() else { return };
    let search = |name: &str, keys: &str| {
        format!(
            "name = \"{name}\"\nldap = {{ search = {{ base = \"dc=example,dc=com\", filter = \"(uid=user.1)\" }} \
             }}\n{keys}"
        )
    };
    let steps = [search("a", "connection = \"new\""), search("b", "")];
    let run = carried_out(&slapd, "users = 2\niterations = { each = 10 }", &[&steps]).went_well();
    assert_eq!((run.count_of("a", "ok"), run.count_of("b", "ok")), (20, 20), "{run}");
    let seen = slapd.operations();
    assert_eq!((seen.connections, seen.binds, seen.searches), (20, 20, 40), "{seen:?}\n{run}");
}
